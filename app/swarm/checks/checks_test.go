package checks

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

func page(site, n int) crawl.URL {
	u, err := crawl.ParseURL(fmt.Sprintf("https://site%d.example/%d", site, n))
	if err != nil {
		panic(err)
	}
	return u
}

func links(names ...int) (list []crawl.Outlink) {
	for _, n := range names {
		list = append(list, crawl.Outlink{URL: page(9, n)})
	}
	return list
}

func fetched(digest byte, names ...int) crawl.Outcome {
	return crawl.Outcome{Result: crawl.Fetched, Status: 200, Digest: [20]byte{digest}, Received: 1000, Outlinks: links(names...), Title: "t"}
}

func result(r crawl.Result, names ...int) crawl.Outcome {
	return crawl.Outcome{Result: r, Outlinks: links(names...)}
}

func TestAgrees(t *testing.T) {
	l := New(Config{})
	same := crawl.Outcome{Result: crawl.Unchanged, Digest: [20]byte{1}}
	small := fetched(3)
	small.Received = 10
	for name, c := range map[string]struct {
		a, b crawl.Outcome
		want bool
	}{
		"the same":                        {fetched(1, 1, 2, 3), fetched(1, 1, 2, 3), true},
		"the same without links":          {fetched(1), fetched(1), true},
		"another payload, the same links": {fetched(1, 1, 2, 3), fetched(2, 1, 2, 3), true},
		"another payload, most links":     {fetched(1, 1, 2, 3, 4), fetched(2, 1, 2, 3), true},
		"another payload, other links":    {fetched(1, 1, 2, 3), fetched(2, 4, 5, 6), false},
		"the same payload, invented link": {fetched(1, 1, 2, 3), fetched(1, 1, 2), false},
		"the same payload, no links":      {fetched(1, 1, 2, 3), fetched(1), false},
		"another payload, no links":       {fetched(1), fetched(2), true},
		"another size, no links":          {fetched(1), small, false},
		"gone":                            {fetched(1, 1), result(crawl.Gone), false},
		"both gone":                       {result(crawl.Gone), result(crawl.Gone), true},
		"gone with links":                 {result(crawl.Gone, 1), result(crawl.Gone), false},
		"failed":                          {fetched(1, 1), result(crawl.Failed), false},
		"both failed":                     {result(crawl.Refused), result(crawl.Failed), true},
		"redirects":                       {result(crawl.Redirected, 1), result(crawl.Redirected, 1), true},
		"redirects elsewhere":             {result(crawl.Redirected, 1), result(crawl.Redirected, 2), false},
		"unchanged":                       {same, fetched(1, 1), true},
		"unchanged, they say":             {same, fetched(2, 1), false},
		"not text":                        {fetched(1), result(crawl.Skipped), false},
	} {
		a, b := l.answerOf(&c.a), l.answerOf(&c.b)
		if got := a.agrees(&b); got != c.want || b.agrees(&a) != got {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// A fetcher tells its outcomes again until they are stored. They are sampled once, and held once.
func TestReport_ToldAgain(t *testing.T) {
	for _, old := range []crawl.PeerID{"fetcher", "other"} {
		w := newWorld(3, old)
		var list []crawl.Outcome
		for n := range 20 {
			o := fetched(byte(n), n)
			o.Task.URL, o.Domain = page(n, n), page(n, n).Domain()
			list = append(list, o)
		}
		do, _ := w.Report(w.now, "fetcher", list)
		checks, outcomes, held := w.open, w.fetchers["fetcher"].outcomes, w.Held()
		for range 200 {
			w.now = w.now.Add(time.Second)
			if again, _ := w.Report(w.now, "fetcher", list); !slices.Equal(again, do) {
				t.Fatalf("%s is established: told again: %v, first %v", old, again, do)
			}
		}
		if f := w.fetchers["fetcher"]; w.open != checks || f.outcomes != outcomes || w.Held() != held {
			t.Errorf("%s is established: %d checks, %d outcomes, %d held; %d, %d, %d after the first time",
				old, w.open, f.outcomes, w.Held(), checks, outcomes, held)
		}
		for i := range list { // a visit that failed again is something else
			list[i] = result(crawl.Failed)
			list[i].Task.URL, list[i].Domain = page(i, i), page(i, i).Domain()
			list[i].Date = w.now
		}
		if w.Report(w.now, "fetcher", list); w.fetchers["fetcher"].outcomes == outcomes {
			t.Errorf("%s is established: other outcomes of the same pages do not count", old)
		}
	}
}

// world is a leader, its fetchers and a web, in virtual time.
type world struct {
	*Ledger
	now   time.Time
	rng   *rand.Rand
	old   map[crawl.PeerID]bool
	done  int
	sites int
}

func newWorld(seed uint64, old ...crawl.PeerID) *world {
	w := &world{now: time.Unix(1e9, 0), rng: rand.New(rand.NewPCG(seed, 1)), old: make(map[crawl.PeerID]bool), sites: 50}
	for _, p := range old {
		w.old[p] = true
	}
	w.Ledger = New(Config{Self: "self", Established: func(p crawl.PeerID) bool { return w.old[p] },
		Network: func(p crawl.PeerID) string { return string(p) }, Chance: w.rng.Uint64})
	return w
}

// truth is what a fetcher sees of a page. Every tenth changes with each visit, every twentieth with the visitor.
func (w *world) truth(by crawl.PeerID, t crawl.Task) crawl.Outcome {
	n := int(t.URL.String()[len(t.URL.String())-1]-'0') + 10*len(t.URL.String())
	digest := byte(n)
	switch p := w.rng.IntN(100); {
	case p < 10:
		digest = byte(w.rng.IntN(256))
	case p < 15:
		digest = byte(len(by)) + by[len(by)-1]
	}
	o := fetched(digest, n, n+1, n+2, n+3)
	if n%5 == 0 {
		o.Outlinks = nil
	}
	return o
}

// report lets a fetcher report some pages of a site.
func (w *world) report(by crawl.PeerID, site, count int, see func(crawl.Task) crawl.Outcome) ([]Action, Verdict) {
	var list []crawl.Outcome
	for _, t := range w.Tasks(w.now, by, page(site, 0).Domain()) {
		list = append(list, with(see(t), t))
	}
	for range count {
		w.done++
		t := crawl.Task{URL: page(site, w.done)}
		list = append(list, with(see(t), t))
	}
	return w.Report(w.now, by, list)
}

func with(o crawl.Outcome, t crawl.Task) crawl.Outcome {
	o.Task, o.Domain = t, t.URL.Domain()
	return o
}

// Liars end without leases, honest fetchers are never barred, and old members that lie about what others did gain nothing.
func TestLedger_Property(t *testing.T) {
	for seed := range uint64(20) {
		honest := []crawl.PeerID{"old-1", "old-2", "old-3", "old-4", "new-1", "new-2", "new-3", "new-4"}
		liars := map[crawl.PeerID]func(w *world, t crawl.Task) crawl.Outcome{
			"nothing": func(w *world, _ crawl.Task) crawl.Outcome { return invented(w) },
			"failed":  func(*world, crawl.Task) crawl.Outcome { return result(crawl.Failed) },
			"gone":    func(*world, crawl.Task) crawl.Outcome { return result(crawl.Gone) },
			"invents": func(w *world, t crawl.Task) crawl.Outcome {
				o := w.truth("invents", t)
				o.Outlinks = append(o.Outlinks, links(w.rng.IntN(1e9), w.rng.IntN(1e9), w.rng.IntN(1e9))...)
				return o
			},
			"old-liar": func(w *world, t crawl.Task) crawl.Outcome { return fetched(byte(w.rng.IntN(256)), w.rng.IntN(1e9)) },
		}
		w := newWorld(seed, "old-1", "old-2", "old-3", "old-4", "old-liar")
		all := append(slices.Clone(honest), "self")
		for p := range liars {
			all = append(all, p)
		}
		slices.Sort(all)
		counted := make(map[crawl.PeerID]int)
		last := make(map[crawl.PeerID]int)
		const steps = 6000
		for step := range steps {
			w.now = w.now.Add(20 * time.Second)
			by, site := all[w.rng.IntN(len(all))], w.rng.IntN(w.sites)
			if list := w.Sites(); len(list) > 0 && step%2 == 0 { // their turn has come
				fmt.Sscanf(string(list[w.rng.IntN(len(list))]), "site%d", &site)
			}
			if !w.MayFetch(w.now, by, page(site, 0).Domain(), 0) {
				continue
			}
			last[by] = step
			lie := liars[by]
			do, _ := w.report(by, site, 1+w.rng.IntN(4), func(t crawl.Task) crawl.Outcome {
				if lie != nil {
					return lie(w, t)
				}
				return w.truth(by, t)
			})
			for _, a := range do {
				if a == Count {
					counted[by]++
				}
			}
			w.Tick(w.now)
		}
		for _, p := range honest {
			r := w.Look(w.now, p)
			if r.Barred.After(w.now) {
				t.Errorf("seed %d: honest %s is barred: %+v", seed, p, r)
			}
			if counted[p] < 100 {
				t.Errorf("seed %d: of honest %s only %d outcomes count: %+v", seed, p, counted[p], r)
			}
			if most := 2 + 20 + float64(r.Outcomes)*0.06; float64(r.Checks) > most {
				t.Errorf("seed %d: %s was checked %d times in %d outcomes, want at most %.0f", seed, p, r.Checks, r.Outcomes, most)
			}
		}
		for p := range liars {
			if last[p] > steps/2 {
				t.Errorf("seed %d: %s had a lease in step %d: %+v", seed, p, last[p], w.Look(w.now, p))
			}
			if counted[p] > 0 && p != "old-liar" {
				t.Errorf("seed %d: %d outcomes of %s counted at once", seed, counted[p], p)
			}
		}
		for what, n := range w.Sizes() {
			if n > 10_000_000 {
				t.Errorf("seed %d: %d %s", seed, n, what)
			}
		}
	}
}

// invented is a page that nobody saw: its size is a guess.
func invented(w *world) crawl.Outcome {
	o := fetched(byte(w.rng.IntN(256)))
	o.Received = 1 + w.rng.Int64N(700)
	return o
}

// see returns what is always seen.
func see(o crawl.Outcome) func(crawl.Task) crawl.Outcome {
	return func(crawl.Task) crawl.Outcome { return o }
}

// The first outcomes count when the first check agrees, and those of a site at which their fetcher stands alone are undone.
func TestLedger_Trial(t *testing.T) {
	for name, c := range map[string]struct {
		said, found, third crawl.Outcome
		count, undo        bool
	}{
		"agrees":         {said: fetched(1, 1, 2), found: fetched(1, 1, 2), count: true},
		"stands alone":   {said: fetched(1), found: fetched(2, 1, 2), third: fetched(2, 1, 2), undo: true},
		"checker alone":  {said: fetched(1, 1, 2), found: result(crawl.Gone), third: fetched(1, 1, 2), count: true},
		"all different":  {said: fetched(1, 1, 2), found: result(crawl.Gone), third: fetched(2, 3, 4), undo: true},
		"says it failed": {said: result(crawl.Failed), found: fetched(2, 1, 2), third: fetched(2, 1, 2), undo: true},
	} {
		w := newWorld(1, "old-1", "old-2")
		do, _ := w.report("new", 1, 3, see(c.said))
		want := Hold
		if c.said.Result == crawl.Failed {
			want = Ignore
		}
		if slices.ContainsFunc(do, func(a Action) bool { return a != want }) || w.MayFetch(w.now, "new", page(1, 0).Domain(), 0) {
			t.Fatalf("%s: got %v, want %v and no lease of the site", name, do, want)
		}
		if len(w.Tasks(w.now, "new", page(1, 0).Domain())) > 0 || len(w.Tasks(w.now, "new-2", page(1, 0).Domain())) > 0 {
			t.Errorf("%s: a fetcher on trial may check", name)
		}
		_, v := w.report("old-1", 1, 0, see(c.found))
		if c.third.Result != 0 {
			if len(v.Count)+len(v.Undo) > 0 {
				t.Errorf("%s: a verdict before the third: %+v", name, v)
			}
			_, v = w.report("old-2", 1, 0, see(c.third))
		}
		if got := len(v.Count) == 3; got != c.count {
			t.Errorf("%s: %d count, want %v", name, len(v.Count), c.count)
		}
		undo := slices.Contains(v.Undo, Undo{"new", page(1, 0).Domain()}) || slices.Contains(v.Undo, Undo{Of: "new"})
		if undo != c.undo {
			t.Errorf("%s: undo %+v, want %v", name, v.Undo, c.undo)
		}
		if w.Held() > 0 || w.bytes != 0 {
			t.Errorf("%s: %d held, %d bytes", name, w.Held(), w.bytes)
		}
	}
}

// Each of three leases of a fetcher that always lies is checked, and none begins before that is over, nor soon after.
func TestLedger_ThreeLeasesOfALiar(t *testing.T) {
	for seed := range uint64(20) {
		w := newWorld(seed, "old-1", "old-2")
		for site := range 3 {
			if !w.MayFetch(w.now, "new", page(site, 0).Domain(), 0) {
				t.Fatalf("seed %d: no lease after %d", seed, site)
			}
			w.report("new", site, 5, see(fetched(1, 1)))
			if w.MayFetch(w.now, "new", page(9, 0).Domain(), 0) {
				t.Errorf("seed %d: another lease before the %d. is checked", seed, site+1)
			}
			w.report("old-1", site, 0, see(fetched(2, 4, 5, 6)))
			w.report("self", site, 0, see(fetched(2, 4, 5, 6)))
			w.now = w.now.Add(restFor - time.Second)
			if w.MayFetch(w.now, "new", page(9, 0).Domain(), 0) {
				t.Errorf("seed %d: another lease soon after it stood alone", seed)
			}
			w.now = w.now.Add(time.Second)
		}
		if r := w.Look(w.now, "new"); !r.Barred.After(w.now) {
			t.Errorf("seed %d: not barred after three leases: %+v", seed, r)
		}
	}
}

// Three sites cost everything for a week, unless it is always the same two who contradict.
func TestLedger_ThreeSites(t *testing.T) {
	for _, c := range []struct {
		others [][2]crawl.PeerID
		barred bool
	}{
		{[][2]crawl.PeerID{{"old-1", "old-2"}, {"old-2", "old-1"}, {"old-1", "old-2"}}, false},
		{[][2]crawl.PeerID{{"old-1", "old-2"}, {"old-3", "old-1"}, {"old-3", "old-2"}}, true},
		{[][2]crawl.PeerID{{"old-1", "self"}, {"self", "old-1"}, {"old-1", "self"}}, true},
	} {
		w := newWorld(2, "old-1", "old-2", "old-3")
		for site, by := range c.others {
			for !w.Accused("new", page(site, 0).Domain()) {
				w.report("new", site, 1, see(fetched(1)))
			}
			w.report(by[0], site, 0, see(fetched(2, 1, 2)))
			w.report(by[1], site, 0, see(fetched(2, 1, 2)))
			w.now = w.now.Add(restFor)
		}
		if got := w.Look(w.now, "new").Barred.After(w.now); got != c.barred {
			t.Errorf("%v: barred %v, want %v", c.others, got, c.barred)
		}
		b := w.Changed()["new"]
		again := newWorld(3)
		if undo := again.Load("new", b); len(undo) == 0 || again.MayFetch(w.now, "new", page(8, 0).Domain(), 0) == c.barred {
			t.Errorf("%v: after a restart: undo %v, %+v", c.others, undo, again.Look(w.now, "new"))
		}
		w.now = w.now.Add(Week + time.Hour)
		if !w.MayFetch(w.now, "new", page(0, 0).Domain(), 0) {
			t.Errorf("%v: no lease after a week", c.others)
		}
	}
}

// A page fails for good when two say so; if nobody else looks, one is enough in the end.
func TestLedger_LastFailure(t *testing.T) {
	last := result(crawl.Failed)
	for name, c := range map[string]struct {
		second  *crawl.Outcome
		confirm bool
	}{"failed too": {&last, true}, "is there": {ptr(fetched(1, 1)), false}, "nobody looks": {nil, true}} {
		w := newWorld(4, "old-1")
		o := with(last, crawl.Task{URL: page(1, 1), Attempts: 2})
		if do, _ := w.Report(w.now, "self", []crawl.Outcome{o}); do[0] != Doubt {
			t.Errorf("%s: got %v, want Doubt", name, do)
		}
		var v Verdict
		if c.second != nil {
			_, v = w.report("old-1", 1, 0, see(*c.second))
		} else {
			w.now = w.now.Add(time.Hour)
			v = w.Tick(w.now)
		}
		if got := len(v.Confirm) == 1; got != c.confirm || w.open != 0 {
			t.Errorf("%s: %+v, %d open", name, v, w.open)
		}
	}
}

func ptr[T any](x T) *T { return &x }

// What is held is bounded, and so is whom a ledger remembers.
func TestLedger_Bounds(t *testing.T) {
	w := newWorld(5, "old-1")
	for i := range MaxFetchers + 50 {
		w.now = w.now.Add(time.Millisecond)
		w.report(crawl.PeerID(fmt.Sprint("new-", i)), i%3000, 1, see(fetched(1, 1, 2)))
	}
	for what, most := range map[string]int{"checks.fetchers": MaxFetchers, "checks.cases": maxCases, "checks.checking": maxCases, "checks.held bytes": maxHeldBytes} {
		if got := w.Sizes()[what]; got > most {
			t.Errorf("%d %s, want at most %d", got, what, most)
		}
	}
	for range maxHeld {
		w.report("greedy", 3001, 5, see(fetched(1, 1, 2)))
	}
	if got := len(w.fetchers["greedy"].held); got > maxHeld {
		t.Errorf("%d held, want at most %d", got, maxHeld)
	}
	for range 4 {
		w.now = w.now.Add(time.Hour)
		w.Tick(w.now)
	}
	if got := w.Sizes(); got["checks.cases"]+got["checks.checking"] > 0 || got["checks.held bytes"] > 0 {
		t.Errorf("after hours: %v", got)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add((&fetcher{outcomes: 3, strikes: []strike{{site: "a.example", at: time.Unix(5, 0), others: [2]crawl.PeerID{"a", "b"}}}}).encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		x, ok := decode(b)
		if !ok {
			return
		}
		if y, ok := decode(x.encode()); !ok || string(y.encode()) != string(x.encode()) {
			t.Error("another")
		}
	})
}

// What an outcome of an established fetcher costs.
func BenchmarkReport(b *testing.B) {
	w := newWorld(6, "old-1")
	list := make([]crawl.Outcome, 16)
	for i := range list {
		list[i] = with(fetched(byte(i), 1, 2, 3, 4, 5, 6, 7, 8), crawl.Task{URL: page(1, i)})
	}
	for b.Loop() {
		w.now = w.now.Add(time.Minute)
		w.Report(w.now, "old-1", list)
		w.Tick(w.now)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(list)), "ns/outcome")
}
