package swarm

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/app/swarm/slots"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/p2p/driver"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/storage"
)

// closed is the Loop of a Node that rests.
type closed struct{ asked atomic.Int64 }

func (c *closed) Do(context.Context, func(*group.Node) error) error {
	c.asked.Add(1)
	return driver.ErrNotOpen
}

func (c *closed) DoSoon(func(*group.Node)) bool { return false }

// wants is a Fetcher that wants so many leases.
type wants struct {
	Fetcher
	leases int
}

func (w wants) Want() int                { return w.leases }
func (w wants) Wanting() <-chan struct{} { return nil }

func (w wants) RefusesDomain(crawl.Domain) string { return "" }

func TestServe_LooksForNothingWhileTheNodeRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, err := storage.Open(filepath.Join(t.TempDir(), "store"), storage.Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		loop := new(closed)
		s := New(Config{
			Self: "self", DB: db, Loop: loop, Fetcher: wants{}, Owners: func() []crawl.PeerID { return nil },
			Now: time.Now, Sync: func() error { return nil },
			Frontier: frontier.New(frontier.Config{Items: Items{}, Now: time.Now, Calendar: time.Now}),
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- s.Serve(ctx) }()
		time.Sleep(time.Hour)
		asked := loop.asked.Load()
		if asked > 2 {
			t.Errorf("it asked %d times within an hour, want twice at most: for work, and to bring outcomes home",
				asked)
		}
		s.Look()
		synctest.Wait()
		if n := loop.asked.Load() - asked; n != 1 {
			t.Errorf("it asked %d times after a Look, want once", n)
		}
		cancel()
		<-ended
	})
}

func TestUntilNext(t *testing.T) {
	for _, c := range []struct {
		name  string
		wants int
		held  int64
		found bool
		wait  time.Duration
		want  time.Duration // 0: the next common moment
	}{
		{"a lease is held", 0, 1, false, restEvery, workEvery},
		{"nobody wants what is due", 0, 0, true, restEvery, 0},
		{"what is due is wanted", 1, 0, true, restEvery, workEvery},
		{"something is due soon", 1, 0, false, 700 * time.Millisecond, 700 * time.Millisecond},
		{"something is due at once", 1, 0, false, 0, workEvery},
		{"nothing is due", 1, 0, false, restEvery, 0},
	} {
		s := &Swarm{cfg: Config{Fetcher: wants{leases: c.wants}}, slots: new(slots.Slots)}
		s.fetches.s = s
		s.fetches.count.Store(c.held)
		got := s.untilNext(c.found, c.wait)
		if ok := got == c.want || c.want == 0 && got > 0 && got <= restEvery+time.Millisecond; !ok {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
