package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"
)

// Every number of a Tally is added.
func TestTally_AddsAll(t *testing.T) {
	var one Tally
	for i, n := range one.fields() {
		*n = int64(i + 1)
	}
	text, err := json.Marshal(one)
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]any
	if err := json.Unmarshal(text, &keys); err != nil {
		t.Fatal(err)
	}
	for key, v := range keys {
		if key != "languages" && v == 0.0 {
			t.Errorf("%s is not among the fields", key)
		}
	}
	var sum Tally
	sum.add(&one)
	sum.add(&one)
	for i, n := range sum.fields() {
		if *n != int64(2*i+2) {
			t.Errorf("field %d: %d, want %d", i, *n, 2*i+2)
		}
	}
}

func TestBoundLanguages(t *testing.T) {
	all := map[string]int64{OtherLanguages: 1000}
	for i := range 100 {
		all[fmt.Sprintf("x%02d", i)] = int64(i)
	}
	got := boundLanguages(maps.Clone(all))
	rest := int64(1000)
	for i := range 100 {
		name := fmt.Sprintf("x%02d", i)
		if n, is := got[name]; i >= 36 != is || n != 0 && n != int64(i) {
			t.Errorf("%s: %d, %v", name, n, is)
		}
		if i < 36 {
			rest += int64(i)
		}
	}
	if got[OtherLanguages] != rest || len(got) != MaxLanguages+1 {
		t.Errorf("%d languages, %d in others; want %d and %d", len(got), got[OtherLanguages], MaxLanguages+1, rest)
	}
}

// Each code about a URL has the kind that its events have.
func TestCode_Kind(t *testing.T) {
	for code, want := range map[Code]Kind{CodeFetched: KindPage, CodeRedirected: KindRedirect,
		CodeForbidden: KindRobots, CodeGone: KindProblem, CodeLinksSent: "", "x": ""} {
		if got := code.Kind(); got != want {
			t.Errorf("%s is of kind %q, want %q", code, got, want)
		}
	}
}
