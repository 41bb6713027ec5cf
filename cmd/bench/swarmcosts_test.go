package main

import "testing"

func TestKeeping_CountsTheInnermostPart(t *testing.T) {
	const traces = `File: forage
Type: cpu
Duration: 66.74s, Total samples = 1.89s ( 2.83%)
-----------+-------------------------------------------------------
      20ms   internal/runtime/syscall/linux.Syscall6
             syscall.pwrite
             go.etcd.io/bbolt.(*Tx).write
             github.com/forage-net/forage/storage.(*DB).Update (inline)
             github.com/forage-net/forage/p2p/stream.boltDisk.Update
             github.com/forage-net/forage/p2p/group.(*Node).round
-----------+-------------------------------------------------------
     1.50s   runtime.mallocgc
             github.com/forage-net/forage/crawl/frontier/store.DecodeURL (inline)
             github.com/forage-net/forage/crawl/frontier.(*work).read
             github.com/forage-net/forage/crawl/frontier.(*Frontier).Settle
             github.com/forage-net/forage/app/swarm.(*Swarm).takeReport.(*Swarm).items.func2
             github.com/forage-net/forage/p2p/stream.(*batch).merges
             github.com/forage-net/forage/p2p/group.(*Node).write
-----------+-------------------------------------------------------
     500ms   runtime.mallocgc
             github.com/forage-net/forage/crawl/frontier.(*picker).domain
             github.com/forage-net/forage/crawl/frontier.(*Frontier).Pick
             github.com/forage-net/forage/app/swarm.(*offers).due.func1
-----------+-------------------------------------------------------
      80ms   runtime.memmove
             github.com/forage-net/forage/p2p/stream.(*batch).merge
             github.com/forage-net/forage/p2p/group.(*Node).write
-----------+-------------------------------------------------------
      10ms   runtime.mapaccess2
             github.com/forage-net/forage/p2p/shard.(*Replica).Tick
             github.com/forage-net/forage/p2p/group.(*Node).Tick
-----------+-------------------------------------------------------
      20ms   runtime.memmove
             github.com/forage-net/forage/p2p/record.(*Leases).Add
-----------+-------------------------------------------------------
      40ms   runtime.memmove
             go.etcd.io/raft/v3.(*raft).Step
             github.com/forage-net/forage/p2p/raftlog.(*Log).Tick
-----------+-------------------------------------------------------
      90ms   runtime.memmove
             github.com/forage-net/forage/app/swarm.(*offers).make
             github.com/forage-net/forage/p2p/driver.(*life).handle
             github.com/forage-net/forage/p2p/groups.Other
-----------+-------------------------------------------------------
`
	var got keeping
	if err := got.addTraces([]byte(traces)); err != nil {
		t.Fatal(err)
	}
	if want := (keeping{Raft: 0.07, Items: 0.08, Frontier: 2, Store: 0.02}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if err := got.addTraces([]byte("-----------+---\n  many  x\n")); err == nil {
		t.Error("a sample of \"many\" is taken")
	}
}
