package oldgroup

import (
	"encoding/binary"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// A leader that may send no more than 4,000 bytes a second brings a member that was away what it has missed, and leads meanwhile. The
// other one gets what is new in between.
func TestLink_SlowSender(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		const rate = 4000
		n.found("a", "b", "c")
		n.settle()
		n.isolate("c", true)
		rng := rand.New(rand.NewPCG(1, 2))
		for range 60 {
			var text []byte // that nothing compresses
			for len(text) < 4096 {
				text = binary.BigEndian.AppendUint64(text, rng.Uint64())
			}
			if err := n.node("a").propose(string(text)); err != nil {
				t.Fatal(err)
			}
		}
		missed := n.node("a").group().Status().Last
		var line sync.Mutex
		free := time.Now()
		n.watch(func(from, _ string, packet []byte) {
			if from != "a" {
				return
			}
			line.Lock()
			if now := time.Now(); free.Before(now) {
				free = now
			}
			free = free.Add(time.Duration(len(packet)) * time.Second / rate)
			until := free
			line.Unlock()
			time.Sleep(time.Until(until))
		})
		n.node("c").setFetch(func(func() ([]byte, error)) ([]byte, error) { return nil, errUnreachable }) // entries it is to be
		n.isolate("c", false)
		_, term := n.node("a").group().Leader()
		longest := time.Duration(0)
		a := n.node("a").group()
		for end := time.Now().Add(10 * time.Minute); ; time.Sleep(time.Second) {
			began := time.Now()
			if err := a.Propose(t.Context(), []byte("new"), nil); err != nil {
				t.Fatal(err)
			}
			longest = max(longest, time.Since(began))
			if a.Status().Members[2].Matched >= missed {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("it has not caught up: %+v", a.Status().Members)
			}
		}
		if longest > 10*time.Second {
			t.Errorf("an entry was committed after %v", longest)
		}
		if leader, now := a.Leader(); leader != "a" || now != term {
			t.Errorf("%q leads in term %d, want a in %d", leader, now, term)
		}
	})
}
