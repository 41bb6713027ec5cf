package index

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/forage-net/forage/storage/index/posting"
)

// strange returns a page with as many words as a page may have, none of which another page has.
func strange(n int) *Doc {
	d := page(n)
	for k := range 8192 {
		d.Terms = append(d.Terms, Term{Text: fmt.Sprintf("x%dw%d", n, k), Times: 1})
	}
	for k := range 2 * MaxLinks {
		d.Links = append(d.Links, Link{"t.test", fmt.Sprintf("http://t.test/%d/%d", n, k), uint32(k),
			strings.Repeat("label ", 1000)})
	}
	return d
}

// Pages that share no word fill the memory after few of them; until then it takes about what it is said to take.
func TestHostile_MemoryIsBounded(t *testing.T) { // not in parallel: it looks at the heap
	x := open(t, t.TempDir())
	before := inUse()
	n := 0
	for ; ; n++ {
		if _, err := x.Add(strange(n)); errors.Is(err, ErrFull) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if n > 1000 {
			t.Fatal("it is never full")
		}
	}
	if !x.Due(1 << 30) {
		t.Error("no commit is due")
	}
	took := inUse() - before
	t.Logf("%d pages take %d MB, said to be %d MB", n, took>>20, x.memory.bytes>>20)
	if took > 3*MaxMemoryBytes/2 {
		t.Errorf("%d pages take %d bytes, want at most %d", n, took, 3*MaxMemoryBytes/2)
	}
	commit(t, x)
	if x.Due(1) || x.Waiting() != 0 {
		t.Error("a commit is due after a commit")
	}
	add(t, x, strange(n))
}

func inUse() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// A page that consists of as much as it may takes a bounded part of the index.
func TestHostile_LinksAreBounded(t *testing.T) {
	t.Parallel()
	x := open(t, t.TempDir())
	add(t, x, strange(1))
	commit(t, x)
	list, err := x.Inlinks(t.Context(), "t.test", "")
	if err != nil || len(list) != MaxLinks || len(list[0].Text) > posting.MaxLabel {
		t.Errorf("%d links are kept, want %d; the label of one has %d bytes (%v)", len(list), MaxLinks,
			len(list[0].Text), err)
	}
	if most := int64(8192*(3*len("x1w8191")+4) + MaxLinks*(3*len("t.test http://t.test/1/399")+posting.MaxLabel+40)); x.Stats().Bytes > most {
		t.Errorf("the page takes %d bytes, want at most %d", x.Stats().Bytes, most)
	}
}

// Very many pages of next to nothing take little more than a row each, in few segments.
func TestHostile_TinyPages(t *testing.T) {
	t.Parallel()
	pages := 100_000
	if testing.Short() {
		pages = 20_000
	}
	x := open(t, t.TempDir())
	for n := range pages {
		add(t, x, page(n, "a"))
		if x.Due(1000) {
			commit(t, x)
			if _, err := x.Merge(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	commit(t, x)
	st := x.Stats()
	if st.Pages != pages || st.Segments > 3*mergeFrom {
		t.Errorf("%d pages in %d segments", st.Pages, st.Segments)
	}
	// a posting of one byte, and the footer of a segment
	if most := int64(pages*(rowBytes+2) + st.Segments*1024); st.Bytes > most {
		t.Errorf("they take %d bytes, want at most %d", st.Bytes, most)
	}
}

// Words that all begin like each other are bounded forms of a word, in memory and on disk.
func TestHostile_SharedPrefixes(t *testing.T) {
	t.Parallel()
	x := open(t, t.TempDir())
	for n := range 20 {
		d := page(n)
		for k := range 200 {
			d.Terms = append(d.Terms, Term{Text: strings.Repeat("a", k%MaxTerm+1) + strings.Repeat("b", k/MaxTerm),
				Times: 1})
		}
		add(t, x, d)
	}
	q := Wanted{Terms: []string{"a"}, Prefix: true}
	look := func(when string, d lists) {
		t.Helper()
		u := openUnion(q, d)
		if u.Lists() != maxForms {
			t.Errorf("%s: %d forms are looked at, want %d", when, u.Lists(), maxForms)
		}
		hits, err := x.Search(t.Context(), Query{All: []Wanted{q, q, q}}, 100)
		if err != nil || hits.Total != 20 {
			t.Errorf("%s: %d pages, %v", when, hits.Total, err)
		}
	}
	look("in memory", x.memory)
	commit(t, x)
	look("on disk", x.segments[0])
}

// Terms that are too long, empty or not text do no harm.
func TestHostile_Terms(t *testing.T) {
	t.Parallel()
	x := open(t, t.TempDir())
	d := page(1, "", strings.Repeat("x", MaxTerm+1), "\x00", "\xff\xff", "good", "good")
	d.Links = []Link{{"", "http://x/", 1, ""}, {"a\x00b", "u", 2, "\xff"},
		{"t.test", "http://t.test/\x00\x01", 3, "\xff" + strings.Repeat("é", 60)}}
	d.Language, d.Words, d.Offset = "not a language", -5, 1<<47
	add(t, x, d)
	commit(t, x)
	for _, w := range []string{"good", "\x00", "\xff\xff"} {
		if got := find(t, x, w); len(got) != 1 || got[0] != 1<<47 {
			t.Errorf("%q: %v", w, got)
		}
	}
	if got := find(t, x, strings.Repeat("x", MaxTerm+1)); len(got) != 0 {
		t.Errorf("a word that is too long is at %v", got)
	}
	if err := x.Check(); err != nil {
		t.Error(err)
	}
}
