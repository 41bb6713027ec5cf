package main

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
)

// most says how much of each kind there may be.
var most = map[string]int{
	"lines":   2500, // of a package
	"files":   25,   // of a package
	"methods": 40,   // of a type
	"fields":  25,   // of a struct
	"wide":    0,    // lines of a package with more than columns
	"circle":  0,    // files of a package in circles of calls; those with the methods of one type are one file
}

const (
	columns = 120
	tab     = 4
)

// measure is one number of the house: how much of a kind a package or a type has.
type measure struct{ kind, of string }

// Rooms are small: complexity does not move from functions into packages and types. Tests are not counted. Everything is
// type-checked as Linux sees it without cgo, so no headers are needed; lines and files of other systems count, too.
func TestHouse_RoomsAreSmall(t *testing.T) {
	t.Parallel()
	found, why := measureHouse(t)
	if len(found) < 500 {
		t.Fatalf("only %d numbers were measured", len(found))
	}
	for _, complaint := range tooLarge(found) {
		t.Errorf("%s%s", complaint.text, why[complaint.measure])
	}
}

func TestHouse_MoreThanTheBoundIsTooLarge(t *testing.T) {
	t.Parallel()
	got := tooLarge(map[measure]int{
		{"lines", "app"}: 2500, {"lines", "p2p"}: 2501, {"methods", "app.Node"}: 41, {"wide", "ui"}: 0, {"circle", "ui"}: 2,
	})
	if len(got) != 3 || got[0].of != "ui" || got[1].of != "p2p" || got[2].of != "app.Node" {
		t.Errorf("too large are %v", got)
	}
}

// complaint says what is too large.
type complaint struct {
	measure
	text string
}

func tooLarge(found map[measure]int) (list []complaint) {
	for m, n := range found {
		if n > most[m.kind] {
			list = append(list, complaint{m, fmt.Sprintf("%s of %s: %d, more than %d", m.kind, m.of, n, most[m.kind])})
		}
	}
	slices.SortFunc(list, func(a, b complaint) int { return cmp.Compare(a.text, b.text) })
	return list
}
