package app

import (
	"testing"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl/fetch"
)

// What parts below have words for of their own is said too.
func TestSaid_KnowsTheWordsOfTheParts(t *testing.T) {
	var list []string
	for k := fetch.KindNoName; k.String() != "unknown"; k++ {
		list = append(list, k.String())
	}
	if len(list) < 10 {
		t.Fatalf("%d words", len(list))
	}
	for _, text := range list {
		if !words.IsSaid(text) {
			t.Errorf("%q has no words", text)
		}
	}
}
