package app

import (
	"testing"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/assets/words"
)

// A node whose disk is nearly full goes on in its shards, but takes in no links of others and lends nothing that brings some.
func TestNode_EnqueuesNothingWhenTheDiskIsNearlyFull(t *testing.T) {
	v := startVisitor(t, text(100), func(o *Options) { o.Config.Limits.Disk.KeepFree = 1e15 })
	gate := v.node.gate
	v.until("the disk to be full", func() bool {
		return v.node.gate.Now() == limits.Standby && !gate.Enqueues() && !gate.Lends()
	})
	roomy := v.o.Config
	roomy.Limits.Disk.KeepFree = 0
	v.node.Arbiter.Set(roomy, nil)
	v.until("room", func() bool { return v.node.gate.Now() == limits.Duty && gate.Enqueues() && gate.Lends() })
	v.works()
}

// What was used in the last month survives a restart.
func TestNode_KeepsWhatWasUsedInAMonth(t *testing.T) {
	v := startVisitor(t, text(100), nil)
	month := func() (pages float64) {
		l, err := v.node.Limits(t.Context(), words.English)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range l.Budgets {
			if b.Name == "pages_per_min" {
				pages = b.Month
			}
		}
		return pages
	}
	if m := month(); m > 0 {
		t.Errorf("%v pages a minute before there was one", m)
	}
	v.until("pages to count", func() bool { return month() > 0 })
	before := month()
	v.end()
	n := newNode(t, v.o)
	defer closeNode(t, n)
	v.node = n // it does not run, so it counts nothing
	if m := month(); m < before/2 {
		t.Errorf("%v pages a minute after a restart, %v before", m, before)
	}
}
