package app

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/forage-net/forage/p2p/roster"
	"github.com/forage-net/forage/storage"
)

// A member's store is set back to what it was a third of the run ago, as by a backup. The others bring it what it lacks, it tells that
// it is there, leads its shard again, and nothing is lost.
func TestSim_StoreIsSetBack(t *testing.T) {
	simulate(t, 40, 20, func(s *simSwarm) {
		s.gather(4)
		x := s.nodes[1]
		backup := filepath.Join(s.dir, "backup.db")
		if err := x.node.db.View(func(tx *storage.Tx) error { return tx.CopyFile(backup, 0o600) }); err != nil {
			t.Fatal(err)
		}
		for range 2 { // it is at another address each time: it tells others, which its backup knows nothing of
			s.run(20 * time.Second)
			s.crash(x)
			x = s.revive(x, s.nodes[0], s.nodes[2])
		}
		s.run(20 * time.Second)
		before, err := roster.Open(x.node.opts.network(), x.node.member.Node.Record())
		if err != nil {
			t.Fatal(err)
		}
		s.crash(x)
		old, err := os.ReadFile(backup)
		if err != nil {
			t.Fatal(err)
		}
		stores, err := filepath.Glob(filepath.Join(x.home+"+", "*", "forage.db"))
		if err != nil || len(stores) != 1 {
			t.Fatalf("stores %v, %v", stores, err)
		}
		if err := os.WriteFile(stores[0], old, 0o600); err != nil {
			t.Fatal(err)
		}
		x = s.revive(x, s.nodes[0], s.nodes[2])
		s.run(20 * time.Second)
		select {
		case <-x.node.member.Node.SetBack():
		default:
			t.Error("it does not know that its store was set back")
		}
		r, err := roster.Open(x.node.opts.network(), x.node.member.Node.Record())
		if err != nil || r.Seq <= before.Seq {
			t.Errorf("its record has number %d, others know %d: %v", r.Seq, before.Seq, err)
		}
		s.settleShards(2 * time.Minute)
		s.finish(30 * time.Minute)
		s.checkEnd()
		s.web.checkCoverage(t)
		s.web.checkGaps(t, time.Time{}, s.origin)
	})
}
