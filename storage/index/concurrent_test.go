package index

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Pages are added, replaced, removed, written, merged and searched for at the same time. What a search finds is
// always between what was done before it began and what was begun before it ended; in the end every page is
// there once.
func TestIndex_AllAtOnce(t *testing.T) {
	t.Parallel()
	pages := 6000
	if testing.Short() {
		pages = 800
	}
	dir := t.TempDir()
	x := open(t, dir)
	var begun, added atomic.Int64
	var done atomic.Bool
	var others sync.WaitGroup
	for _, work := range []func() error{
		func() error { _, err := x.Merge(t.Context(), nil); return err },
		func() error { return searchBetween(t, x, &begun, &added) },
		func() error { return lookAround(t, x) },
	} {
		others.Go(func() {
			for !done.Load() {
				if err := work(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for n := range pages {
		begun.Add(1)
		add(t, x, twin(n))
		added.Add(1)
		if n%3 == 0 { // a later visit of the same page
			again := twin(n)
			again.Offset, again.Time = int64(pages+n), day.AddDate(1, 0, 0)
			add(t, x, again)
		}
		if n%40 == 39 {
			commit(t, x)
		}
	}
	done.Store(true)
	others.Wait()
	commit(t, x)
	checkTwins(t, x, pages)
	x.Close()
	x = open(t, dir)
	checkTwins(t, x, pages)
	if err := x.Check(); err != nil {
		t.Error(err)
	}
}

// twin returns a page with a word that all have and one that no other has.
func twin(n int) *Doc {
	d := page(n, "all", fmt.Sprint("number", n))
	d.Domain = uint32(n % 50)
	d.Links = []Link{{"target.test", fmt.Sprint("http://target.test/", n%5), 55, "label"}}
	return d
}

func searchBetween(t *testing.T, x *Index, begun, added *atomic.Int64) error {
	least := added.Load()
	hits, err := x.Search(t.Context(), Query{All: []Wanted{{Terms: []string{"all"}}}}, 10)
	if most := begun.Load(); int64(hits.Total) < least || int64(hits.Total) > most {
		return fmt.Errorf("%d pages found, want %d to %d", hits.Total, least, most)
	}
	return err
}

// lookAround calls what else reads the index.
func lookAround(t *testing.T, x *Index) error {
	_, err := x.Inlinks(t.Context(), "target.test", "")
	x.LinkingDomains(55)
	x.Site(7, day)
	x.Recent(day, 10)
	x.Of(3, time.Time{})
	x.Stats()
	return err
}

func checkTwins(t *testing.T, x *Index, pages int) {
	t.Helper()
	if st := x.Stats(); st.Pages != pages {
		t.Errorf("%d pages, want %d", st.Pages, pages)
	}
	for n := range pages {
		want := int64(n)
		if n%3 == 0 {
			want += int64(pages)
		}
		if got := find(t, x, "all", fmt.Sprint("number", n)); len(got) != 1 || got[0] != want {
			t.Fatalf("page %d is found at %v, want %d", n, got, want)
		}
	}
	if n := x.LinkingDomains(55); n != 50 {
		t.Errorf("%d domains link, want 50", n)
	}
}
