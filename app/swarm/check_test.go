package swarm_test

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/app/swarm"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/group"
)

// The ways in which fetchers lie.
var lies = map[string]func(*fetcher){
	"fetches nothing": func(f *fetcher) {
		f.lie = func(o *crawl.Outcome) bool {
			o.Outlinks, o.Digest = nil, [20]byte{1, byte(rand.Uint32()), byte(rand.Uint32()), byte(rand.Uint32())}
			return true
		}
	},
	"says failed": func(f *fetcher) {
		f.lie = func(o *crawl.Outcome) bool {
			o.Result, o.Status, o.Reason = crawl.Failed, 0, "connection refused"
			return true
		}
	},
	"invents links": func(f *fetcher) {
		f.alter = func(o *crawl.Outcome) {
			for range 5 {
				o.Outlinks = append(o.Outlinks, crawl.Outlink{URL: inventedURL(o.Domain),
					Priority: crawl.PriorityNormal})
			}
		}
	},
	"says gone": func(f *fetcher) {
		f.lie = func(o *crawl.Outcome) bool {
			o.Result, o.Status = crawl.Gone, 404
			return true
		}
	},
	"drops links": func(f *fetcher) {
		f.alter = func(o *crawl.Outcome) { o.Outlinks = nil }
	},
}

// partly makes a fetcher lie about a part of the pages alone, in percent, and in the beginning about none.
func partly(percent uint32, honest int, lie func(*fetcher)) func(*fetcher) {
	return func(f *fetcher) {
		lie(f)
		always, alters := f.lie, f.alter
		var said atomic.Int64
		lies := func(o *crawl.Outcome) bool {
			h := fnv.New32a()
			h.Write([]byte(o.Task.URL.String()))
			return said.Load() > int64(honest) && h.Sum32()%100 < percent
		}
		f.lie = func(o *crawl.Outcome) bool {
			said.Add(1)
			return lies(o) && always != nil && always(o)
		}
		f.alter = func(o *crawl.Outcome) {
			if alters != nil && lies(o) {
				alters(o)
			}
		}
	}
}

func inventedURL(d crawl.Domain) crawl.URL {
	u, err := crawl.ParseURL(fmt.Sprintf("http://%s/invented-%d", d, rand.Uint64()))
	if err != nil {
		panic(err)
	}
	return u
}

// judgement is what the servers and the leaders saw.
type judgement struct {
	missing, invented, again, pages int // requests of liars left out
	counts                          map[swarm.EventKind]int64
}

// look adds everything up.
func (l *lab) look() (j judgement) {
	liars := make(map[crawl.PeerID]bool)
	for _, m := range l.members {
		liars[m.id] = m.lies != nil && !m.visits
	}
	seen := make(map[string]int)
	l.web.mu.Lock()
	for _, list := range l.web.log {
		for _, v := range list {
			if !liars[v.by] {
				seen[v.url]++
			}
		}
	}
	l.web.mu.Unlock()
	for text := range l.web.links {
		if seen[text] == 0 {
			j.missing++
		}
	}
	for text, n := range seen {
		j.again += n - 1
		if _, is := l.web.links[text]; !is {
			j.invented += n
		}
	}
	j.pages, j.counts = len(seen), make(map[swarm.EventKind]int64)
	for _, m := range l.members {
		for kind, n := range m.swarm.Counts() {
			j.counts[kind] += n
		}
	}
	return j
}

// judgeLeaders fails the test if a leader bars an honest fetcher, or checks more of anybody than it may. It
// logs what they know.
func (l *lab) judgeLeaders() {
	l.t.Helper()
	for _, f := range l.members {
		text := ""
		for _, m := range l.members {
			known, err := m.swarm.Fetchers(l.t.Context(), []crawl.PeerID{f.id})
			if err != nil {
				l.t.Fatal(err)
			}
			r := known[f.id]
			barred := r.Barred.After(time.Now())
			if r.Outcomes == 0 || m == f {
				continue
			}
			text += fmt.Sprintf(" %d/%d/%d/%d/%v", r.Outcomes, r.Checks, r.Agreed, r.Alone, barred)
			if barred && f.lies == nil {
				l.t.Errorf("%s bars %s, which is honest", m.id, f.id)
			}
			// Of one that stood alone each report is checked. Of others twenty checks go with the first hundred
			// outcomes, and sooner if these come slowly: held outcomes wait for them.
			if most := 22 + float64(max(r.Outcomes-100, 0))*0.1; f.guest && r.Alone == 0 && !barred &&
				float64(r.Checks) > most {
				l.t.Errorf("%s checked %d of %d outcomes of %s, want at most %.0f", m.id, r.Checks, r.Outcomes,
					f.id, most)
			}
		}
		l.t.Logf("%s lies %v; outcomes/checks/agreed/alone/barred%s", f.id, f.lies != nil, text)
	}
}

func (l *lab) leasesOf(of crawl.PeerID) (n int) {
	for _, m := range l.members {
		_ = m.Do(l.t.Context(), func(node *group.Node) error {
			for _, x := range node.Leases() {
				if x.Fetcher == of {
					n++
				}
			}
			return nil
		})
	}
	return n
}

// Five fetchers that lie, each in its way, keep a swarm of five from nothing.
func TestChecks_FiveLiars(t *testing.T) {
	t.Parallel()
	for _, domains := range []int{5, 60} {
		t.Run(fmt.Sprint(domains, " domains"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { fiveLiars(t, domains) })
		})
	}
}

func fiveLiars(t *testing.T, domains int) {
	l := newLab(t, newWeb(4, domains, 3000/domains), 100*time.Millisecond)
	l.leases = 1
	for range 5 {
		l.add()
	}
	l.leases = 16
	l.wait(time.Minute, "a copy of everything", l.whole)
	var liars []*member
	for _, lie := range slices.Sorted(maps.Keys(lies)) {
		liars = append(liars, l.addLiar(true, lies[lie]))
	}
	l.seed(l.members[0])
	j := l.judgeLiars(liars, 200*time.Second, 140*time.Second)
	if j.counts[swarm.WorkUndone] == 0 {
		t.Error("nothing was undone")
	}
}

// judgeLiars lets a crawl go on for a virtual time: no liar has a lease after some of it, and all work is done.
func (l *lab) judgeLiars(liars []*member, long, last time.Duration) judgement {
	for began := time.Now(); time.Since(began) < long; time.Sleep(long / 200) { // virtual
		for _, m := range liars {
			if at := time.Since(began); at > last && l.leasesOf(m.id) > 0 {
				l.t.Errorf("%s has a lease after %v", m.id, at)
				last = long
			}
		}
	}
	j := l.look()
	l.t.Logf("%+v", j)
	l.judgeLeaders()
	l.judgeSites()
	l.judgeWork(j, 0.03)
	return j
}

// judgeWork fails the test if a page is missing, one that is not there was requested often, or too many were
// requested again for another reason than a check.
func (l *lab) judgeWork(j judgement, again float64) {
	l.t.Helper()
	if j.missing > 0 {
		l.t.Errorf("%d pages are missing", j.missing)
	}
	if j.invented > 0 {
		l.t.Errorf("%d addresses that a liar invented were requested", j.invented)
	}
	if most := again*float64(j.pages) + float64(j.counts[swarm.ChecksMade]); float64(j.again) > most {
		l.t.Errorf("%d requests were repeated, want at most %.0f", j.again, most)
	}
}

// Of twenty nodes four lie, one of them an old member whose word counts as a check. A tenth of the pages is
// different at each visit, a twentieth for each visitor.
func TestChecks_TwentyNodes(t *testing.T) {
	t.Parallel()
	hour, domains, pages := time.Hour, 160, 150
	if testing.Short() {
		hour, domains, pages = 10*time.Minute, 80, 40
	}
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, newWeb(9, domains, pages), 2*time.Second)
		l.web.differ(10, 5)
		l.commit, l.leases = 100*time.Millisecond, 2
		for range 16 {
			l.add()
		}
		l.wait(5*time.Minute, "a copy of everything", l.whole)
		l.leases = 16
		honest := l.owners()
		for _, lie := range []string{"fetches nothing", "says failed", "invents links"} {
			l.addLiar(true, lies[lie])
		}
		l.addLiar(true, func(f *fetcher) { // what others saw before is a check
			f.lie = func(o *crawl.Outcome) bool {
				o.Result, o.Status = crawl.Gone, 404
				return l.web.wasVisited(o.Task.URL, honest)
			}
		})
		liar := l.members[len(l.members)-1]
		liar.veteran, liar.visits = true, true
		l.seed(l.members[0])
		l.judgeLiars(l.members[16:], hour, hour/2)
	})
}

// Four fetchers lie about some pages only, or begin to when they are believed. Checks are samples: of their
// lies a few may stay, and nobody else is the worse for it.
func TestChecks_PartlyLiars(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, newWeb(9, 80, 40), 2*time.Second)
		l.web.differ(10, 5)
		l.commit, l.leases = 100*time.Millisecond, 2
		for range 16 {
			l.add()
		}
		l.wait(5*time.Minute, "a copy of everything", l.whole)
		l.leases = 16
		for _, lie := range []func(*fetcher){
			partly(10, 0, lies["fetches nothing"]), partly(30, 0, lies["drops links"]),
			partly(50, 0, lies["says gone"]), partly(100, 110, lies["fetches nothing"]),
		} {
			l.addLiar(true, lie).visits = true
		}
		l.seed(l.members[0])
		time.Sleep(20 * time.Minute) // virtual
		j := l.look()
		l.t.Logf("%+v", j)
		l.judgeLeaders()
		l.judgeSites()
		if most := j.pages / 200; j.missing > most {
			t.Errorf("%d pages are missing, want at most %d", j.missing, most)
		}
		for _, m := range l.members[16:] {
			if l.barredBy(m.id) == 0 { // more would be a matter of chance
				t.Errorf("%s is barred by nobody", m.id)
			}
		}
	})
}

// judgeSites fails the test if a site was visited more often than it may.
func (l *lab) judgeSites() {
	l.t.Helper()
	if got := l.web.shortest(); got < l.gap {
		l.t.Errorf("two requests of a site are %v apart, want %v", got, l.gap)
	}
}

// barredBy returns how many leaders give a fetcher no lease.
func (l *lab) barredBy(p crawl.PeerID) (n int) {
	for _, m := range l.members {
		known, err := m.swarm.Fetchers(l.t.Context(), []crawl.PeerID{p})
		if err != nil {
			l.t.Fatal(err)
		}
		if known[p].Barred.After(time.Now()) {
			n++
		}
	}
	return n
}
