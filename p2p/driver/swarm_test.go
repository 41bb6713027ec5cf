package driver

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/p2ptest"
	"github.com/forage-net/forage/p2p/stream"
)

// simulate runs a test in virtual time, on a network where a packet takes 10 to 50 ms.
func simulate(t *testing.T, test func(t *testing.T, s *swarm)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		net := p2ptest.New(p2ptest.Between(10*time.Millisecond, 50*time.Millisecond), 1)
		defer net.Close()
		s := newSwarm(t, net)
		defer s.close()
		test(t, s)
	})
}

func TestSwarm_ThreeMembersLoseOne(t *testing.T) {
	simulate(t, func(t *testing.T, s *swarm) {
		loseOne(s, 60)
	})
}

func TestSwarm_ThreeMembersLoseOneOnLoopback(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes its time")
	}
	t.Parallel()
	loseOne(newSwarm(t, nil), 30)
}

// loseOne kills one of three members in the middle of a load, and starts it again.
func loseOne(s *swarm, n int) {
	s.add()
	s.load(n)
	lost := s.add()
	s.add()
	s.wantWhole()
	s.load(n)
	s.leases(s.live(), n/4)
	var loading sync.WaitGroup
	loading.Go(func() { s.loadAt(s.members[:1], n) })
	lost.kill()
	loading.Wait()
	s.load(n) // of the shard of the lost member another acts now
	s.wantAcked()
	lost.restart()
	s.wantWhole()
	s.load(n)
	s.wantAcked()
}

func TestSwarm_FiveMembersJoinAndOneLeaves(t *testing.T) {
	simulate(t, func(t *testing.T, s *swarm) {
		s.add()
		s.load(60)
		for range 4 {
			s.add()
			s.load(10)
		}
		s.wantWhole()
		s.wantAcked()
		for dom := range s.acked {
			home, _ := s.members[0].dir.Layout().Home(dom)
			if at := s.holder(dom); at == nil || at.id != home.Home() {
				t.Fatalf("%s is not with its home", dom)
			}
		}
		goes := s.members[2]
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := goes.driver.Leave(ctx); err != nil {
			t.Fatalf("leave: %v", err)
		}
		goes.halt()
		goes.in = false
		s.roster()
		s.load(20)
		s.wantWhole()
		s.wantAcked()
	})
}

func TestSwarm_RestHandsOverAndIsSilent(t *testing.T) {
	simulate(t, func(t *testing.T, s *swarm) {
		for range 3 {
			s.add()
		}
		s.wantWhole()
		s.load(30)
		rests := s.members[1]
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := rests.driver.Rest(ctx, patience); err != nil {
			t.Fatalf("rest: %v", err)
		}
		sent := func() (n int) {
			for _, lane := range rests.driver.Traffic() {
				n += lane.Sent + lane.Dropped
			}
			return n
		}
		before := sent()
		s.leases([]*member{s.members[0], s.members[2]}, 10)
		if err := rests.driver.Do(ctx, nil); err != ErrNotOpen {
			t.Errorf("Do of one that rests = %v, want %v", err, ErrNotOpen)
		}
		time.Sleep(10 * time.Second)
		if after := sent(); after != before {
			t.Errorf("a member that rests sent %d packets", after-before)
		}
		if err := rests.driver.Wake(ctx); err != nil {
			t.Fatalf("wake: %v", err)
		}
		s.wantWhole()
		s.wantAcked()
	})
}

// lossy loses packets on their way.
type lossy struct {
	Net
	mu  sync.Mutex
	rng *rand.Rand
}

func (l *lossy) Send(ctx context.Context, to crawl.PeerID, lane stream.Lane, packet []byte) error {
	l.mu.Lock()
	lost := l.rng.IntN(5) == 0
	l.mu.Unlock()
	if lost {
		return nil
	}
	return l.Net.Send(ctx, to, lane, packet)
}

func TestSwarm_LossyLinksAndOneThatIsCut(t *testing.T) {
	simulate(t, func(t *testing.T, s *swarm) {
		seed := uint64(0)
		s.wrap = func(m *member, n Net) Net {
			seed++
			return &lossy{Net: n, rng: rand.New(rand.NewPCG(seed, 1))}
		}
		for range 3 {
			s.add()
		}
		s.wantWhole()
		s.load(40)
		s.net.CutBetween(s.members[1].sim, s.members[2].sim, true)
		s.load(40)
		s.net.CutBetween(s.members[1].sim, s.members[2].sim, false)
		s.leases(s.live(), 20)
		s.wantWhole()
		s.wantAcked()
	})
}
