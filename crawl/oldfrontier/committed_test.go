package frontier

import (
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// Outcomes of the log's owner are told to the transaction they come with: whole where they were proposed, and as far as
// the log knows where the same entries are applied without. Those of others are not.
func TestApply_TellsWhatTheOwnerFetched(t *testing.T) {
	var own, late []crawl.Outcome
	var found, domains int
	a := newRig(t, Config{InCommit: func(_ *storage.Tx, c Committed) error {
		own, found, domains = append(own, c.Outcomes...), found+c.Found, domains+c.Domains
		return nil
	}})
	b := newRig(t, Config{
		InCommit: func(*storage.Tx, Committed) error {
			t.Error("what another proposed is taken for its own")
			return nil
		},
		AppliedLate: func(_ *storage.Tx, outcomes []crawl.Outcome) error {
			late = append(late, outcomes...)
			return nil
		},
	})
	log := &recorder{alone: alone{a.Frontier}}
	a.Frontier.log = log
	a.enqueue("http://a.test/1", "http://a.test/2")
	page := a.at(fetched)
	page.Title = "A page"
	page.Links = 1
	third, err := crawl.ParseURL("http://a.test/3")
	if err != nil {
		t.Fatal(err)
	}
	page.Outlinks = []crawl.Outlink{{URL: third, Priority: crawl.PriorityNormal}}
	l := a.lease()
	for range 2 { // the second time it is settled already
		a.settle(l, l.Tasks[0], page)
	}
	a.release(l)
	a.advance(time.Hour)
	lent, _ := a.leaseTo("other")
	a.report("other", lent, lent.Tasks[0], a.at(fetched))
	err = b.db.Update(func(tx *storage.Tx) error {
		for _, data := range log.data {
			if err := b.Apply(tx, LogEntry{Data: data}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found != 3 || domains != 1 {
		t.Errorf("%d URLs and %d domains were taken in, want 3 and 1", found, domains)
	}
	if len(own) != 1 || len(late) != 1 {
		t.Fatalf("%d outcomes of its own, %d late; want one", len(own), len(late))
	}
	o, want := late[0], own[0]
	if o.Task.ID != want.Task.ID || o.Task.URL != want.Task.URL || o.Lease != want.Lease || o.Result != want.Result || o.Title != want.Title ||
		o.Links != want.Links || o.Task.Prior != nil || o.Date.Unix() != want.Date.Unix() {
		t.Errorf("late %+v, want %+v", o, want)
	}
}
