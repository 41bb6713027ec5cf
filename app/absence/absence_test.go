package absence

import (
	"log/slog"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/apptest"
	"github.com/forage-net/forage/app/library"
	"github.com/forage-net/forage/app/stats"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// home is what lasts from one run of a node to the next.
type home struct {
	t  *testing.T
	db *storage.DB
}

func newHome(t *testing.T) *home { return &home{t, apptest.OpenDB(t)} }

// open begins another run.
func (h *home) open() *Absence {
	h.t.Helper()
	nothing := func(crawl.URL) bool { return false }
	a, err := Open(h.db, library.Live(apptest.EmptyHome(h.t), nothing, nil), slog.New(slog.DiscardHandler), time.Now())
	if err != nil {
		h.t.Fatal(err)
	}
	return a
}

// count counts outcomes as a commit does.
func (h *home) count(a *Absence, outcomes ...crawl.Outcome) {
	h.t.Helper()
	if err := h.db.Update(func(tx *storage.Tx) error {
		s := stats.Statistics{
			Away: a.Count, Own: func(crawl.Domain) bool { return false },
			Meters: func() stats.Meters { return stats.Meters{} },
		}
		return s.Count(tx, time.Now(), stats.Committed{Outcomes: outcomes})
	}); err != nil {
		h.t.Fatal(err)
	}
}

func fetchedAt(t *testing.T, url, title, lang string, connect time.Duration) crawl.Outcome {
	u, err := crawl.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	return crawl.Outcome{
		Domain: u.Domain(), Task: crawl.Task{URL: u}, Result: crawl.Fetched, Title: title, Language: lang, Connect: connect,
	}
}

// What is told is what the statistics counted between the last moment somebody was there and the return.
func TestAbsence_TellsWhatWasFetchedMeanwhile(t *testing.T) {
	home := newHome(t)
	n := home.open()
	start := time.Now()
	told := func(lang string) api.Away {
		t.Helper()
		a, err := n.Away(api.WithLang(t.Context(), lang))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a1 := fetchedAt(t, "http://a.example/1", "One", "en", 20*time.Millisecond)
	a2 := fetchedAt(t, "http://a.example/2", "", "de-AT", 0)
	b := fetchedAt(t, "http://b.example/", "Three", "", 312*time.Millisecond)

	home.count(n, a1, a1) // a break of half an hour is no absence: what was fetched in it is not told
	if n.see(start.Add(30*time.Minute), start.Add(30*time.Minute)) {
		t.Error("half an hour is an absence")
	}
	home.count(n, a1, a2, b, crawl.Outcome{Result: crawl.Failed})
	if got := told("en"); got.Since != nil || got.Sentence != "" {
		t.Errorf("nobody is back, and %+v is told", got)
	}
	n = home.open() // what was counted survives
	back := start.Add(10 * time.Hour)
	if !n.see(back, back) {
		t.Fatal("ten hours are no absence")
	}
	n.keep(back)
	n.keep(back.Add(time.Second)) // by keyboard and by dashboard, but it is one return
	for lang, want := range map[string]string{"en": "3 pages from 2 sites in 2 languages", "de": "3 Seiten von 2 Websites in 2 Sprachen"} {
		if got := told(lang); got.Sentence != want {
			t.Errorf("in %s %q is told, want %q", lang, got.Sentence, want)
		}
	}
	got := told("en")
	if got.Firsts != 3 || got.First == nil || got.First.Title != "Three" || *got.Farthest != (api.AwaySite{Domain: "b.example", Ms: 312}) ||
		got.Since.Sub(start).Round(time.Minute) != 30*time.Minute || got.Until.Unix() != back.Unix() {
		t.Errorf("%+v, %+v, %+v is told", got, got.First, got.Farthest)
	}
	if best, err := stats.NewCounter(home.db).Best(t.Context(), nil); err != nil || best.FirstPage.Title != "One" {
		t.Errorf("Best = %+v, %v", best, err)
	}
	n = home.open()
	if got := told("en"); got.Pages != 3 {
		t.Errorf("after a restart %+v is told", got)
	}
	if got, err := n.LookAway(t.Context(), true); err != nil || got.Since != nil || n.Last("en") != nil {
		t.Errorf("after it was seen %+v is told, %v", got, err)
	}
}

// An absence in which nothing was fetched tells nothing, also nothing of the one before.
func TestAbsence_WithoutPages(t *testing.T) {
	home := newHome(t)
	n := home.open()
	home.count(n, fetchedAt(t, "http://a.example/", "A", "en", 0))
	at := time.Now()
	for i, pages := range []int64{1, 0} {
		at = at.Add(2 * time.Hour)
		if !n.see(at, at) {
			t.Fatal("no absence")
		}
		n.keep(at)
		if got, err := n.Away(t.Context()); err != nil || got.Pages != pages {
			t.Errorf("return %d: %+v, %v, want %d pages", i+1, got, err, pages)
		}
	}
}

// What was fetched before somebody was there is not told as fetched meanwhile, not even if nothing was fetched since.
func TestAbsence_TidiesUp(t *testing.T) {
	home := newHome(t)
	n := home.open()
	home.count(n, fetchedAt(t, "http://a.example/", "A", "en", 0))
	soon := time.Now().Add(10 * time.Minute)
	n.see(soon, soon)
	if n.see(soon.Add(-2*time.Hour), soon) || n.last != soon { // an input long ago, after a look from elsewhere
		t.Errorf("somebody was there last at %v, want %v", n.last, soon)
	}
	n.tidy()
	n = home.open()
	if at := time.Now().Add(5 * time.Hour); n.see(at, at) {
		n.keep(at)
	}
	if got, err := n.Away(t.Context()); err != nil || got.Since != nil {
		t.Errorf("%+v is told, %v", got, err)
	}
}
