package checks

import (
	"math"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
)

const (
	// Week is for how long a site, or all work, is lost, and how long it is remembered what a fetcher did.
	Week = 7 * 24 * time.Hour
	// maxStrikes is at how many sites a fetcher may stand alone within a week, and luck how many checks may
	// agree between two of them: who is blocked by a site now and then is no liar.
	maxStrikes = 3
	luck       = 10
	// trial is how many outcomes of a new fetcher are sampled densely, trialChecks how many checks must agree
	// until it is over.
	trial       = 100
	trialChecks = 10
	// mostStrikes is how many are remembered.
	mostStrikes = 64
)

// fetcher is what is kept of one.
type fetcher struct {
	outcomes, checks, agreed uint64
	credit                   float64 // checks that may be ordered, by the rates of sampling
	checked                  time.Time
	seen                     time.Time
	barred                   time.Time // no lease until then
	strikes                  []strike  // the last of a site each
	held                     []held
}

// strike is a site at which a fetcher stood alone.
type strike struct {
	site   crawl.Domain
	at     time.Time
	agreed uint64 // checks that had agreed by then
	// others are the two against it, in order; of none the leader itself was one: its own word is enough.
	others [2]crawl.PeerID
}

// held is an outcome that does not count yet.
type held struct {
	o    crawl.Outcome
	at   time.Time
	size int
}

// lately returns the strikes of the last week.
func (f *fetcher) lately(now time.Time) []strike {
	f.strikes = slices.DeleteFunc(f.strikes, func(s strike) bool { return now.Sub(s.at) > Week })
	return f.strikes
}

// lost reports whether a fetcher stood alone at a site within a week.
func (f *fetcher) lost(now time.Time, d crawl.Domain) bool {
	return slices.ContainsFunc(f.lately(now), func(s strike) bool { return s.site == d })
}

// strike notes that a fetcher stood alone, and reports whether that was once too often: at three sites in a
// row, against different others.
func (f *fetcher) strike(s strike) bool {
	list := slices.DeleteFunc(f.lately(s.at), func(o strike) bool { return o.site == s.site })
	f.strikes = append(list, s)
	f.strikes = f.strikes[max(0, len(f.strikes)-mostStrikes):]
	count := 0
	seen := make(map[[2]crawl.PeerID]bool)
	for _, s := range slices.Backward(f.strikes) {
		if f.agreed-s.agreed > luck*maxStrikes {
			break
		}
		if own := s.others == [2]crawl.PeerID{}; own || !seen[s.others] {
			count++
		}
		seen[s.others] = true
	}
	return count >= maxStrikes
}

// encode writes down what outlives a restart.
func (f *fetcher) encode() []byte {
	w := &codec.Writer{}
	for _, n := range [...]uint64{f.outcomes, f.checks, f.agreed, math.Float64bits(f.credit), unix(f.checked),
		unix(f.seen), unix(f.barred)} {
		w.Uint(n)
	}
	codec.WriteList(w, f.strikes, func(s strike) {
		w.Text(string(s.site))
		w.Uint(unix(s.at))
		w.Uint(s.agreed)
		w.Text(string(s.others[0]))
		w.Text(string(s.others[1]))
	})
	return w.B
}

// decode is the reverse; ok is false for other bytes.
func decode(b []byte) (f *fetcher, ok bool) {
	r := &codec.Reader{B: b}
	f = &fetcher{outcomes: r.Uint(), checks: r.Uint(), agreed: r.Uint(), credit: math.Float64frombits(r.Uint())}
	f.checked, f.seen, f.barred = date(r.Uint()), date(r.Uint()), date(r.Uint())
	f.strikes = codec.ReadList(r, mostStrikes, func() strike {
		return strike{
			site: crawl.Domain(r.Text(codec.MaxName)), at: date(r.Uint()), agreed: r.Uint(),
			others: [2]crawl.PeerID{crawl.PeerID(r.Text(codec.MaxName)), crawl.PeerID(r.Text(codec.MaxName))},
		}
	})
	return f, r.Done()
}

func unix(t time.Time) uint64 { return uint64(max(t.Unix(), 0)) }

func date(n uint64) time.Time { return time.Unix(int64(min(n, math.MaxUint32)), 0) }
