package app

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage"
)

// A node whose disk is nearly full goes on in its shards, but takes in no links of others and lends nothing that brings some.
func TestNode_EnqueuesNothingWhenTheDiskIsNearlyFull(t *testing.T) {
	v := startVisitor(t, text(100), func(o *Options) { o.Config.Limits.Disk.KeepFree = 1e15 })
	foot := v.node.foot
	v.until("the disk to be full", func() bool {
		return v.node.Footing() == FootingStandby && !foot.enqueues() && !foot.lends()
	})
	roomy := v.o.Config
	roomy.Limits.Disk.KeepFree = 0
	v.node.arbiter.set(roomy, nil)
	v.until("room", func() bool { return v.node.Footing() == FootingDuty && foot.enqueues() && foot.lends() })
	v.works()
}

// What cannot be read of what the user asked for and used is said.
func TestReadLimits_SaysWhatIsDamaged(t *testing.T) {
	site := newTestSite(t, "a.test", nil)
	n := newNode(t, labOptions(t, t.TempDir(), site.hosts, "http://a.test/"))
	defer closeNode(t, n)
	var said bytes.Buffer
	log := slog.New(slog.NewTextHandler(&said, nil))
	if _, err := readLimits(n.db, log); err != nil || said.Len() > 0 {
		t.Errorf("of a new node: %v, %q", err, said.String())
	}
	if err := n.db.Update(func(tx *storage.Tx) error { return tx.Bucket(storage.BucketMeta).Put(keyLimits, []byte(`{"mode":`)) }); err != nil {
		t.Fatal(err)
	}
	saved, err := readLimits(n.db, log)
	if err != nil || len(saved.Use) != 0 || strings.Count(said.String(), "level=WARN") != 1 {
		t.Errorf("of a damaged record: %+v, %v, %q", saved, err, said.String())
	}
}

// What was used in the last month survives a restart.
func TestNode_KeepsWhatWasUsedInAMonth(t *testing.T) {
	v := startVisitor(t, text(100), nil)
	month := func() (pages float64) {
		for _, b := range v.node.arbiter.describe(words.English).Budgets {
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
