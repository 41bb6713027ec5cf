package oldgroup

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forage-net/forage/storage"
)

// BenchmarkPropose measures what the log costs: entries of 1 KiB, 32 callers at once,
// on stores that do not sync.
func BenchmarkPropose(b *testing.B) {
	b.Run("store alone", func(b *testing.B) {
		db := openStore(b)
		m := &machine{bucket: testLog}
		data := make([]byte, 1<<10)
		for b.Loop() {
			if err := db.Update(func(tx *storage.Tx) error { return m.Apply(tx, []Entry{{Data: data}}) }); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, members := range [][]string{{"a"}, {"a", "b", "c"}} {
		for _, callers := range []int{1, 32} {
			b.Run(fmt.Sprintf("%d members, %d callers", len(members), callers), func(b *testing.B) {
				benchmarkPropose(b, members, callers)
			})
		}
	}
}

func benchmarkPropose(b *testing.B, members []string, callers int) {
	n := newNetwork(b, 1)
	n.quietLog = true
	n.delay = func() time.Duration { return 0 }
	defer n.close()
	n.found(members...)
	g := n.node("a").group()
	data := make([]byte, 1<<10)
	n.mu.Lock()
	before := n.bytes
	n.mu.Unlock()
	var failed atomic.Pointer[error]
	b.ResetTimer()
	work := make(chan struct{})
	done := make(chan struct{})
	for range callers {
		go func() {
			defer func() { done <- struct{}{} }()
			for range work {
				if err := g.Propose(context.Background(), data, nil); err != nil {
					failed.Store(&err)
				}
			}
		}()
	}
	for range b.N {
		work <- struct{}{}
	}
	close(work)
	for range callers {
		<-done
	}
	b.StopTimer()
	if err := failed.Load(); err != nil {
		b.Fatal(*err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	b.ReportMetric(float64(n.bytes-before)/float64(b.N), "sent-bytes/op")
}
