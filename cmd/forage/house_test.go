package main

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "lower the numbers in testdata/house.txt to what is measured")

// most says how much of each kind there may be; testdata/house.txt lists what exceeds it.
var most = map[string]int{
	"lines":   2500, // of a package
	"files":   25,   // of a package
	"methods": 40,   // of a type
	"fields":  25,   // of a struct
	"wide":    0,    // lines of a package with more than columns
	"circle":  0,    // files of a package in circles of calls; those with the methods of one type are one file
}

const (
	columns  = 120
	tab      = 4
	listFile = "testdata/house.txt"
)

// measure is one number of the house: how much of a kind a package or a type has.
type measure struct{ kind, of string }

// listed is what exceeds the bound, and why it may.
type listed struct {
	n      int
	reason string
}

// Rooms are small: complexity does not move from functions into packages and types. Tests are not counted. Everything is
// type-checked as Linux sees it without cgo, so no headers are needed; lines and files of other systems count, too.
func TestHouse_OnlyTightens(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(listFile)
	if err != nil {
		t.Fatal(err)
	}
	list := readList(t, string(text))
	found, why := measureHouse(t)
	if *update {
		list = shrink(list, found)
		if err := os.WriteFile(listFile, []byte(writeList(string(text), list)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, complaint := range compare(list, found) {
		t.Errorf("%s%s", complaint.text, why[complaint.measure])
	}
}

func TestHouse_ListOnlyShrinks(t *testing.T) {
	t.Parallel()
	app, node := measure{"lines", "app"}, measure{"methods", "app.Node"}
	for name, c := range map[string]struct {
		list   map[measure]listed
		found  map[measure]int
		fails  bool
		shrunk map[measure]listed
	}{
		"within":  {nil, map[measure]int{app: 2500, node: 40}, false, nil},
		"same":    {map[measure]listed{app: {2501, "r"}}, map[measure]int{app: 2501}, false, map[measure]listed{app: {2501, "r"}}},
		"new":     {nil, map[measure]int{node: 41}, true, nil},
		"grows":   {map[measure]listed{app: {2600, "r"}}, map[measure]int{app: 2601}, true, map[measure]listed{app: {2600, "r"}}},
		"shrinks": {map[measure]listed{app: {2600, "r"}}, map[measure]int{app: 2550}, true, map[measure]listed{app: {2550, "r"}}},
		"fits":    {map[measure]listed{app: {2600, "r"}}, map[measure]int{app: 2500}, true, nil},
		"gone":    {map[measure]listed{node: {41, ""}}, nil, true, nil},
	} {
		if got := compare(c.list, c.found); (len(got) > 0) != c.fails {
			t.Errorf("%s: compare says %v", name, got)
		}
		if got := shrink(c.list, c.found); !maps.Equal(got, c.shrunk) {
			t.Errorf("%s: the list becomes %v, want %v", name, got, c.shrunk)
		}
	}
}

// complaint says what the list and the code do not agree on.
type complaint struct {
	measure
	text string
}

func compare(list map[measure]listed, found map[measure]int) (complaints []complaint) {
	say := func(m measure, format string, args ...any) {
		complaints = append(complaints, complaint{m, fmt.Sprintf("%s of %s: ", m.kind, m.of) + fmt.Sprintf(format, args...)})
	}
	for m, n := range found {
		entry, known := list[m]
		switch {
		case n > most[m.kind] && !known:
			say(m, "%d, more than %d", n, most[m.kind])
		case known && n > entry.n:
			say(m, "%d, grown from %d", n, entry.n)
		}
	}
	for m, entry := range list {
		if n := found[m]; n < entry.n || n <= most[m.kind] {
			say(m, "%d, better than the %d in the list; run go test ./cmd/forage -run TestHouse -update", n, entry.n)
		}
	}
	slices.SortFunc(complaints, func(a, b complaint) int { return cmp.Compare(a.text, b.text) })
	return complaints
}

// shrink returns the list with lower numbers only, without what is no longer too much.
func shrink(list map[measure]listed, found map[measure]int) map[measure]listed {
	next := make(map[measure]listed)
	for m, entry := range list {
		if entry.n = min(entry.n, found[m]); entry.n > most[m.kind] {
			next[m] = entry
		}
	}
	return next
}

// readList reads lines of kind, name, number and reason. Those that begin with # are comments.
func readList(t *testing.T, text string) map[measure]listed {
	t.Helper()
	list := make(map[measure]listed)
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if len(words) < 3 || most[words[0]] == 0 && words[0] != "wide" && words[0] != "circle" {
			t.Fatalf("%s: %q is no entry", listFile, line)
		}
		n, err := strconv.Atoi(words[2])
		if err != nil {
			t.Fatalf("%s: %q: %v", listFile, line, err)
		}
		list[measure{words[0], words[1]}] = listed{n, strings.Join(words[3:], " ")}
	}
	return list
}

// writeList returns the comments at the head of a text, and the entries of a list.
func writeList(text string, list map[measure]listed) string {
	var out, entries []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	for m, entry := range list {
		entries = append(entries, strings.TrimRight(fmt.Sprintf("%-7s %-32s %5d  %s", m.kind, m.of, entry.n, entry.reason), " ")+"\n")
	}
	slices.Sort(entries)
	return strings.Join(append(out, entries...), "")
}
