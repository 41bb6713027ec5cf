package index

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var day = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// page returns a page with words, each once in the text.
func page(n int, words ...string) *Doc {
	d := &Doc{Place: Place{"a.warc.gz", int64(n)}, Bytes: 100, URL: uint64(n) + 1, Content: uint64(n) + 1,
		Domain: 7, Time: day.Add(time.Duration(n) * time.Second), Language: "en", Words: len(words)}
	for _, w := range words {
		d.Terms = append(d.Terms, Term{Text: w, Times: 1})
	}
	return d
}

func open(t testing.TB, dir string) *Index {
	t.Helper()
	x, err := Open(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func add(t testing.TB, x *Index, docs ...*Doc) {
	t.Helper()
	for _, d := range docs {
		if _, err := x.Add(d); err != nil {
			t.Fatal(err)
		}
	}
}

func commit(t testing.TB, x *Index) {
	t.Helper()
	if err := x.Commit(Place{"a.warc.gz", 1}); err != nil {
		t.Fatal(err)
	}
}

// find returns the offsets of the pages that have all words.
func find(t testing.TB, x *Index, words ...string) (list []int64) {
	t.Helper()
	var q Query
	for _, w := range words {
		q.All = append(q.All, Wanted{Terms: []string{w}})
	}
	hits, err := x.Search(t.Context(), q, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hits.Best {
		list = append(list, h.Offset)
	}
	slices.Sort(list)
	return list
}

func TestIndex_FindsInMemoryAndOnDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	x := open(t, dir)
	add(t, x, page(1, "apple", "pear"), page(2, "apple", "plum"), page(3, "pear", "plum", "apple"))
	look := func(when string) {
		t.Helper()
		for _, c := range []struct {
			words string
			want  []int64
		}{{"apple", []int64{1, 2, 3}}, {"pear plum", []int64{3}}, {"plum", []int64{2, 3}}, {"cherry", nil},
			{"apple cherry", nil}} {
			if got := find(t, x, strings.Fields(c.words)...); !slices.Equal(got, c.want) {
				t.Errorf("%s, %q: %v, want %v", when, c.words, got, c.want)
			}
		}
	}
	look("in memory")
	commit(t, x)
	look("written")
	x.Close()
	x = open(t, dir)
	look("opened again")
	if got := x.Checkpoint(); got != (Place{"a.warc.gz", 1}) {
		t.Errorf("the checkpoint is %v", got)
	}
	if err := x.Check(); err != nil {
		t.Error(err)
	}
}

// A model that keeps all pages in a map says what is to be found, whatever is added, replaced, removed, written
// and merged.
func TestIndex_IsLikeAModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			testModel(t, seed)
		})
	}
}

func testModel(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	dir := t.TempDir()
	x := open(t, dir)
	live := make(map[uint64]*Doc) // by address
	var since []func()            // what was done since the last commit
	vocabulary := make([]string, 60)
	for i := range vocabulary {
		vocabulary[i] = fmt.Sprintf("w%d", i*i)
	}
	for n := 1; n < 400; n++ {
		switch k := r.IntN(40); {
		case k == 0:
			if merged, err := x.Merge(t.Context(), nil); err != nil {
				t.Fatal(err)
			} else if merged {
				t.Log("merged")
			}
		case k < 5:
			commit(t, x)
			since = nil
		case k == 5: // a crash: what came since the checkpoint is taken from the archive
			x.Close()
			x = open(t, dir)
			for _, again := range since {
				again()
			}
		case k == 6:
			url, until := uint64(r.IntN(100)), day.Add(time.Duration(n)*time.Second)
			remove := func() { x.RemovePage(url, until) }
			remove()
			since = append(since, remove)
			delete(live, url)
		default:
			var words []string
			for range 1 + r.IntN(8) {
				words = append(words, vocabulary[int(r.ExpFloat64()*6)%len(vocabulary)])
			}
			d := page(n, words...)
			d.URL = uint64(r.IntN(100))
			put := func() { add(t, x, d) }
			put()
			since = append(since, put)
			live[d.URL] = d
		}
		var want []int64
		w, v := vocabulary[r.IntN(5)], vocabulary[r.IntN(20)]
		for _, d := range live {
			if has(d, w) && has(d, v) {
				want = append(want, d.Offset)
			}
		}
		slices.Sort(want)
		if got := find(t, x, w, v); !slices.Equal(got, want) {
			t.Fatalf("step %d, %s %s: %v, want %v", n, w, v, got, want)
		}
	}
	if st := x.Stats(); st.Pages != len(live) {
		t.Errorf("%d pages, want %d", st.Pages, len(live))
	}
	if err := x.Check(); err != nil {
		t.Error(err)
	}
}

func has(d *Doc, word string) bool {
	return slices.ContainsFunc(d.Terms, func(t Term) bool { return t.Text == word })
}

func TestIndex_FiltersAndLeavesOut(t *testing.T) {
	t.Parallel()
	x := open(t, t.TempDir())
	german := page(2, "haus", "apple")
	german.Language, german.Domain = "de", 8
	late := page(3, "apple", "pears")
	late.Time = day.AddDate(0, 1, 0)
	add(t, x, page(1, "apple", "pear"), german)
	commit(t, x)
	add(t, x, late)
	apple := []Wanted{{Terms: []string{"apple"}}}
	for _, c := range []struct {
		name string
		q    Query
		want []int64
	}{
		{"all", Query{All: apple}, []int64{1, 2, 3}},
		{"none", Query{All: apple, None: []Wanted{{Terms: []string{"haus"}}}}, []int64{1, 3}},
		{"domain", Query{All: apple, Domains: []uint32{8}}, []int64{2}},
		{"domain alone", Query{Domains: []uint32{7}}, []int64{1, 3}},
		{"language", Query{All: apple, Languages: []string{"de", "fr"}}, []int64{2}},
		{"after", Query{All: apple, From: day.AddDate(0, 0, 2)}, []int64{3}},
		{"before", Query{All: apple, Until: day.AddDate(0, 0, 2)}, []int64{1, 2}},
		{"forms", Query{All: []Wanted{{Terms: []string{"pear", "haus"}}}}, []int64{1, 2}},
		{"prefix", Query{All: []Wanted{{Terms: []string{"ha"}, Prefix: true}}}, []int64{2}},
		{"most", Query{All: append(apple, Wanted{Terms: []string{"pear"}}, Wanted{Terms: []string{"nothing"}}),
			Least: 2}, []int64{1}},
	} {
		hits, err := x.Search(t.Context(), c.q, 10)
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for _, h := range hits.Best {
			got = append(got, h.Offset)
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) || hits.Total != len(c.want) {
			t.Errorf("%s: %v, %d in all, want %v", c.name, got, hits.Total, c.want)
		}
	}
}

// A domain has the language of its newest page that has one and is still there.
func TestIndex_Languages(t *testing.T) {
	t.Parallel()
	x := open(t, t.TempDir())
	in := func(n int, domain uint32, language string) *Doc {
		d := page(n, "a")
		d.Domain, d.Language = domain, language
		return d
	}
	add(t, x, in(1, 7, "fi"), in(2, 7, "de"), in(3, 8, "fr"), in(4, 9, "it"))
	commit(t, x)
	gone := in(5, 8, "en")
	add(t, x, in(6, 7, ""), gone)
	x.RemovePage(gone.URL, gone.Time)
	for _, c := range []struct {
		pages int
		want  map[uint32]string
	}{
		{100, map[uint32]string{7: "de", 8: "fr"}}, {4, map[uint32]string{8: "fr"}}, {0, map[uint32]string{}},
	} {
		if got := x.Languages([]uint32{7, 8, 10}, c.pages); !maps.Equal(got, c.want) {
			t.Errorf("by %d pages: %v, want %v", c.pages, got, c.want)
		}
	}
}

func TestIndex_RanksByPlaceAndRarity(t *testing.T) {
	t.Parallel()
	x := open(t, t.TempDir())
	body := page(1, "apple", "tree", "x", "y")
	title := page(2, "tree", "x", "y", "z")
	title.Terms = append(title.Terms, Term{Text: "apple", Marks: InTitle})
	aside := page(3, "tree", "x", "y", "z")
	aside.Terms = append(aside.Terms, Term{Text: "apple", Marks: InAside})
	add(t, x, body, title, aside)
	commit(t, x)
	hits, err := x.Search(t.Context(), Query{All: []Wanted{{Terms: []string{"apple"}}}}, 10)
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, h := range hits.Best {
		got = append(got, h.Offset)
	}
	if want := []int64{2, 1, 3}; !slices.Equal(got, want) {
		t.Errorf("the order is %v, want %v", got, want)
	}
}

func TestIndex_KnowsWhoLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	x := open(t, dir)
	link := func(n int, domain uint32, label string) *Doc {
		d := page(n, "a")
		d.Domain = domain
		d.Links = []Link{{"target.test", "http://target.test/a", 55, label},
			{"target.test", "http://target.test/a", 55, "twice"}, {"other.test", "http://other.test/", 66, ""}}
		return d
	}
	for n := range 10 {
		add(t, x, link(n, uint32(n%3), fmt.Sprint("label ", n)))
		if n == 4 {
			commit(t, x)
		}
	}
	again := link(100, 0, "new") // the page with number 0 once more
	again.URL = 1
	add(t, x, again)
	check := func(when string) {
		t.Helper()
		list, err := x.Inlinks(t.Context(), "target.test", "")
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != 3 || list[0].Offset != 100 || list[0].Text != "new" || !list[0].First.Equal(day) ||
			list[0].To != "http://target.test/a" {
			t.Fatalf("%s: %+v", when, list)
		}
		if one, _ := x.Inlinks(t.Context(), "target.test", "http://target.test/b"); len(one) != 0 {
			t.Errorf("%s: %v link to an address that nobody links to", when, one)
		}
		if one, _ := x.Inlinks(t.Context(), "target.test", "http://target.test/a"); len(one) != 3 {
			t.Errorf("%s: %v link to the address", when, one)
		}
	}
	check("in memory")
	commit(t, x)
	check("written")
	if n, m := x.LinkingDomains(55), x.Standing(55); n != 3 || m != 3 {
		t.Errorf("%d domains link, at least %d, want 3", n, m)
	}
	for n := range 8 {
		add(t, x, page(200+n, "filler"))
		commit(t, x)
	}
	if merged, err := x.Merge(t.Context(), nil); err != nil || !merged {
		t.Fatal(merged, err)
	}
	check("merged")
	if n := x.LinkingDomains(55); n != 3 {
		t.Errorf("%d domains link, want 3", n)
	}
}

// A search that stops to look at pages which cannot be among the best finds the same best ones.
func TestIndex_BestOfMany(t *testing.T) {
	t.Parallel()
	x := open(t, t.TempDir())
	r := rand.New(rand.NewPCG(8, 8))
	for n := range MaxCounted + 3000 {
		d := page(n, "apple", "pear", "plum")
		d.Words, d.Time = 1+r.IntN(300), day.Add(time.Duration(r.IntN(1000))*time.Second)
		d.Terms = d.Terms[r.IntN(2):]
		for i := range d.Terms {
			d.Terms[i].Times, d.Terms[i].Marks = 1+r.IntN(20), Marks(r.IntN(16))
		}
		add(t, x, d)
		if x.Due(3000) {
			commit(t, x)
		}
	}
	for _, q := range []Query{
		{All: []Wanted{{Terms: []string{"pear"}}}},
		{All: []Wanted{{Terms: []string{"plum", "apple"}}, {Terms: []string{"pear"}}}},
		{All: []Wanted{{Terms: []string{"apple"}}, {Terms: []string{"pear"}}, {Terms: []string{"plum"}}}, Least: 2},
	} {
		whole, err := x.Search(t.Context(), q, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		best, err := x.Search(t.Context(), q, 50)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(best.Best, whole.Best[:50]) || best.Total != MaxCounted || !best.More {
			t.Errorf("%+v: the best of %d are others", q, best.Total)
		}
	}
}

func TestIndex_ForgetsFiles(t *testing.T) {
	t.Parallel()
	x := open(t, t.TempDir())
	other := page(2, "apple")
	other.File = "b.warc.gz"
	add(t, x, page(1, "apple"), other)
	commit(t, x)
	if n := x.KeepFiles(func(name string) bool { return name != "a.warc.gz" }); n != 1 {
		t.Errorf("%d pages removed, want 1", n)
	}
	if got := find(t, x, "apple"); !slices.Equal(got, []int64{2}) {
		t.Errorf("found %v", got)
	}
}

// What has been damaged is found out, and nothing panics.
func TestIndex_DamagedFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	x := open(t, dir)
	for n := range 50 {
		d := page(n, "apple", fmt.Sprintf("word%d", n))
		d.Links = []Link{{"t.test", fmt.Sprintf("http://t.test/%d", n), 5, "text"}}
		add(t, x, d)
	}
	commit(t, x)
	name := x.segments[0].name
	x.Close()
	good, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		bad := slices.Clone(good)
		for range 1 + r.IntN(3) {
			bad[r.IntN(len(bad))] ^= byte(1 + r.IntN(255))
		}
		if r.IntN(8) == 0 {
			bad = bad[:r.IntN(len(bad))]
		}
		if err := os.WriteFile(filepath.Join(dir, name), bad, 0o644); err != nil {
			t.Fatal(err)
		}
		x, err := Open(dir, true)
		if err != nil {
			continue
		}
		if x.Check() == nil && !slices.Equal(bad, good) &&
			!slices.Equal(bad[:len(segmentMagic)], good[:len(segmentMagic)]) {
			t.Error("damage was not found")
		}
		x.Search(context.Background(), Query{All: []Wanted{{Terms: []string{"apple"}, Prefix: true},
			{Terms: []string{"word"}, Prefix: true}}}, 10)
		x.Inlinks(context.Background(), "t.test", "")
		x.LinkingDomains(5)
		x.Site(7, day)
		x.Close()
	}
}
