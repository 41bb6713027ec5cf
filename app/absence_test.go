package app

import (
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/stats"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/storage"
)

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
	o := labOptions(t, t.TempDir(), new(fetch.Hosts))
	n := newNode(t, o)
	start := time.Now()
	count := func(outcomes ...crawl.Outcome) {
		t.Helper()
		if err := n.db.Update(func(tx *storage.Tx) error {
			return n.stats.Count(tx, time.Now(), stats.Committed{Outcomes: outcomes})
		}); err != nil {
			t.Fatal(err)
		}
	}
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

	count(a1, a1) // a break of half an hour is no absence: what was fetched in it is not told
	if n.absence.see(start.Add(30*time.Minute), start.Add(30*time.Minute)) {
		t.Error("half an hour is an absence")
	}
	count(a1, a2, b, crawl.Outcome{Result: crawl.Failed})
	if got := told("en"); got.Since != nil || got.Sentence != "" {
		t.Errorf("nobody is back, and %+v is told", got)
	}
	closeNode(t, n)
	n = newNode(t, o) // what was counted survives
	back := start.Add(10 * time.Hour)
	if !n.absence.see(back, back) {
		t.Fatal("ten hours are no absence")
	}
	n.absence.keep(back)
	n.absence.keep(back.Add(time.Second)) // by keyboard and by dashboard, but it is one return
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
	if best, err := n.Best(t.Context()); err != nil || best.FirstPage.Title != "One" {
		t.Errorf("Best = %+v, %v", best, err)
	}
	closeNode(t, n)
	n = newNode(t, o)
	if got := told("en"); got.Pages != 3 {
		t.Errorf("after a restart %+v is told", got)
	}
	if got, err := n.LookAway(t.Context(), true); err != nil || got.Since != nil || n.absence.glance("en") != nil {
		t.Errorf("after it was seen %+v is told, %v", got, err)
	}
	closeNode(t, n)
}

// An absence in which nothing was fetched tells nothing, also nothing of the one before.
func TestAbsence_WithoutPages(t *testing.T) {
	n := newNode(t, labOptions(t, t.TempDir(), new(fetch.Hosts)))
	defer closeNode(t, n)
	if err := n.db.Update(func(tx *storage.Tx) error {
		return n.absence.count(tx, []crawl.Outcome{fetchedAt(t, "http://a.example/", "A", "en", 0)}, nil)
	}); err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	for i, pages := range []int64{1, 0} {
		at = at.Add(2 * time.Hour)
		if !n.absence.see(at, at) {
			t.Fatal("no absence")
		}
		n.absence.keep(at)
		if got, err := n.Away(t.Context()); err != nil || got.Pages != pages {
			t.Errorf("return %d: %+v, %v, want %d pages", i+1, got, err, pages)
		}
	}
}

// What was fetched before somebody was there is not told as fetched meanwhile, not even if nothing was fetched since.
func TestAbsence_TidiesUp(t *testing.T) {
	o := labOptions(t, t.TempDir(), new(fetch.Hosts))
	n := newNode(t, o)
	if err := n.db.Update(func(tx *storage.Tx) error {
		return n.absence.count(tx, []crawl.Outcome{fetchedAt(t, "http://a.example/", "A", "en", 0)}, nil)
	}); err != nil {
		t.Fatal(err)
	}
	soon := time.Now().Add(10 * time.Minute)
	n.absence.see(soon, soon)
	if n.absence.see(soon.Add(-2*time.Hour), soon) || n.absence.last != soon { // an input long ago, after a look from elsewhere
		t.Errorf("somebody was there last at %v, want %v", n.absence.last, soon)
	}
	n.absence.tidy()
	closeNode(t, n)
	n = newNode(t, o)
	defer closeNode(t, n)
	if at := time.Now().Add(5 * time.Hour); n.absence.see(at, at) {
		n.absence.keep(at)
	}
	if got, err := n.Away(t.Context()); err != nil || got.Since != nil {
		t.Errorf("%+v is told, %v", got, err)
	}
}

// A node that fetches tells of it over its API when its user is back, until they have seen it.
func TestAbsence_OverTheAPI(t *testing.T) {
	t.Parallel()
	v := startVisitor(t, text(100), nil)
	v.works()
	back := time.Now().Add(2 * time.Hour)
	v.until("a page that is settled", func() bool { s, err := v.api.Stats(t.Context(), 0); return err == nil && s.Totals.Pages > 1 })
	v.node.absence.sense(back, back)
	var told api.Away
	v.until("what was fetched", func() bool {
		var err error
		if told, err = v.api.Away(t.Context()); err != nil {
			t.Fatal(err)
		}
		return told.Since != nil
	})
	if told.Pages < 2 || told.Sites < 1 || told.Firsts < 1 || told.First == nil || told.Farthest == nil || told.Sentence == "" {
		t.Errorf("%+v is told", told)
	}
	if g, err := v.node.Glance("en"); err != nil || g.Back == nil || g.Back.Sentence != told.Sentence {
		t.Errorf("the tray is told %+v, %v", g.Back, err)
	}
	if told, err := v.api.LookAway(t.Context(), true); err != nil || told.Since != nil {
		t.Errorf("after it was seen %+v is told, %v", told, err)
	}
}
