package index

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// What is no longer in the archive leaves no word in any segment, whether it was marked as deleted before or not.
func TestKeepPlaces(t *testing.T) {
	dir := t.TempDir()
	x := open(t, dir)
	there := map[int64]bool{}
	for n := range 40 {
		word := "kept"
		if n%4 == 0 {
			word = "secret"
		} else {
			there[int64(n)] = true
		}
		add(t, x, page(n, word, "common"))
		if n%10 == 9 {
			commit(t, x)
		}
	}
	for n := 40; n < 45; n++ { // a segment of which nothing stays
		add(t, x, page(n, "secret"))
	}
	commit(t, x)
	x.RemovePage(page(1).URL, page(1).Time)
	if err := x.KeepPlaces(t.Context(), func(file string) (map[int64]bool, error) { return there, nil }); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := find(t, x, "common"); len(got) != 29 ||
			slices.ContainsFunc(got, func(at int64) bool { return !there[at] }) {
			t.Errorf("found are %v", got)
		}
		for _, s := range x.segments {
			if s.n == 0 || !s.deleted.IsEmpty() {
				t.Errorf("%s has %d pages, %d of them deleted", s.name, s.n, s.deleted.GetCardinality())
			}
			if s.terms.Get([]byte("secret")) != nil {
				t.Errorf("%s has the word", s.name)
			}
		}
		x.Close()
		x = open(t, dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), deletionsSuffix) {
			t.Errorf("%s is left", e.Name())
		}
	}
}
