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
             github.com/forage-net/forage/p2p/oldgroup.(*Group).update
-----------+-------------------------------------------------------
     1.50s   runtime.mallocgc
             github.com/fxamacker/cbor/v2.Unmarshal
             github.com/forage-net/forage/crawl/oldfrontier.(*buckets).readDomain
             github.com/forage-net/forage/crawl/oldfrontier.(*Frontier).Apply
             github.com/forage-net/forage/p2p/oldgroup.(*Group).apply
-----------+-------------------------------------------------------
      10ms   runtime.mallocgc
             github.com/forage-net/forage/crawl/oldfrontier.(*Frontier).Pick
             github.com/forage-net/forage/crawl/route.(*Router).pick
-----------+-------------------------------------------------------
      30ms   runtime.futex
             github.com/libp2p/go-libp2p/p2p/net/swarm.(*Swarm).NewStream
             github.com/forage-net/forage/p2p/oldgroup.(*link).call
-----------+-------------------------------------------------------
      40ms   runtime.memmove
             go.etcd.io/raft/v3.(*raft).Step
-----------+-------------------------------------------------------
`
	var got keeping
	if err := got.addTraces([]byte(traces)); err != nil {
		t.Fatal(err)
	}
	if want := (keeping{Raft: 0.07, Store: 0.02, Apply: 1.5}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if err := got.addTraces([]byte("-----------+---\n  many  x\n")); err == nil {
		t.Error("a sample of \"many\" is taken")
	}
}
