package driver

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/stream"
)

// BenchmarkPut measures from the put to the acknowledgement, with members on loopback and their stores on disk.
func BenchmarkPut(b *testing.B) {
	for _, members := range []int{1, 3} {
		for _, batch := range []int{1, 64} {
			b.Run(fmt.Sprintf("members=%d/items=%d", members, batch), func(b *testing.B) {
				s := newSwarm(b, nil)
				for range members {
					s.add()
				}
				s.wantWhole()
				benchmarkPut(b, s, batch)
			})
		}
	}
}

// inFlight is how many puts wait at a time.
const inFlight = 256

func benchmarkPut(b *testing.B, s *swarm, batch int) {
	places, failed := make(chan struct{}, inFlight), atomic.Int64{}
	cpu := cpuTime()
	b.ResetTimer()
	for i := range b.N {
		places <- struct{}{}
		dom := crawl.Domain(fmt.Sprintf("site%d.example", i%1000))
		var items []stream.Item
		for k := range batch {
			items = append(items, stream.Item{Domain: dom, Key: fmt.Sprintf("%08d", i*batch+k), Value: make([]byte, 40)})
		}
		err := s.members[i%len(s.members)].driver.Do(b.Context(), func(n *group.Node) error {
			n.Put(dom, itemsBody(items...), "", func(ok bool) {
				if !ok {
					failed.Add(1)
				}
				<-places
			})
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	for range inFlight {
		places <- struct{}{}
	}
	b.StopTimer()
	items := float64(b.N * batch)
	b.ReportMetric(items/b.Elapsed().Seconds(), "items/s")
	b.ReportMetric(float64((cpuTime()-cpu).Microseconds())/items, "µs-cpu/item")
	b.ReportMetric(float64(failed.Load()), "failed")
}
