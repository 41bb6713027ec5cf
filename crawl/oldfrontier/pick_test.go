package frontier

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// However many domains cannot be had for now, those that are due behind them are found in a few looks.
func TestPick_GoesOnBehindWhatCannotBeHad(t *testing.T) {
	r := newRig(t, Config{})
	for range 3 {
		e := &Enqueue{}
		for range scanLimit {
			e.Links = append(e.Links, Link{URL: fmt.Sprintf("http://busy%d.test/", len(e.Links)+int(r.now.Unix()))})
		}
		r.propose(Entry{Enqueue: e})
		r.advance(time.Hour)
	}
	r.propose(Entry{Enqueue: &Enqueue{Links: []Link{{URL: "http://free.test/"}}}})
	busy := func(d crawl.Domain) bool { return strings.HasPrefix(string(d), "busy") }
	for round := range 2 {
		looks := 0
		for ; ; looks++ {
			p, err := r.Pick(5, busy)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Grants) == 1 && p.Grants[0].Domain == "free.test" {
				break
			}
			if len(p.Grants) > 0 || p.Next.IsZero() || p.Next.After(r.now) {
				t.Fatalf("%d are found, and it is looked again at %v, now is %v", len(p.Grants), p.Next, r.now)
			}
			if looks > 8 {
				t.Fatal("what is behind them is not found")
			}
		}
		if looks > 5 {
			t.Errorf("round %d: %d looks in vain", round, looks)
		}
	}
	p, err := r.Pick(5, func(crawl.Domain) bool { return false })
	if err != nil || len(p.Grants) != 5 || p.Grants[0].Domain == "free.test" {
		t.Errorf("when all can be had, %d are found, %v", len(p.Grants), err)
	}
}
