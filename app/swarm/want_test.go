package swarm

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/forage-net/forage/app/swarm/checks"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/crawl/near"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/layout"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/p2p/wire"
	"github.com/forage-net/forage/storage"
)

// still is a clock that somebody else moves.
type still struct{ now time.Time }

func (c *still) Awake() time.Duration { return c.now.Sub(time.Time{}) }
func (c *still) Wall() time.Time      { return c.now }

// wanter is a swarm whose fetcher has room, among so many members.
type wanter struct {
	*Swarm
	clock *still
	node  *group.Node
}

func newWanter(t testing.TB, members int) *wanter {
	t.Helper()
	db, err := storage.Open(filepath.Join(t.TempDir(), "store"), storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	w := &wanter{clock: &still{time.Unix(1e9, 0)}}
	now := func() time.Time { return w.clock.now }
	w.Swarm = New(Config{
		Self: "member 0", DB: db, Fetcher: wants{leases: 4}, Now: now, Chance: rand.Uint64,
		Owners: func() (list []crawl.PeerID) {
			for i := range members {
				list = append(list, crawl.PeerID(fmt.Sprintf("member %d", i)))
			}
			return list
		},
		Here: func() near.Coordinate { return near.Coordinate{} }, Place: func() string { return "" },
		Established: func(crawl.PeerID) bool { return true }, Network: func(p crawl.PeerID) string { return string(p) },
		Checked: func(checks.Checked) {}, Tell: func(Event) {}, Enqueues: func() bool { return true }, Admits: func(crawl.Outlink) bool { return true }, Log: slog.New(slog.DiscardHandler),
		Frontier: frontier.New(frontier.Config{Items: Items{}, Now: now, Calendar: now}),
	})
	alone := layout.NewDirectory("member 0")
	alone.Set([]layout.Member{{ID: "member 0", Units: 1}})
	cfg := group.Config{Self: "member 0", Times: shard.RealTimes, Clock: w.clock, Chance: rand.Uint64,
		Directory: alone, Founder: true}
	w.Hooks(&cfg)
	if w.node, err = group.Open(cfg, stream.OnBolt(db)); err != nil {
		t.Fatal(err)
	}
	w.Opened(w.node)
	return w
}

// tells lets time go by, and returns whom others were told at each second.
func (w *wanter) tells(seconds int) [][]crawl.PeerID {
	told := make([][]crawl.PeerID, seconds)
	for i := range told {
		w.fetches.want(w.node)
		w.node.Take(stream.NumLanes-1, func(to crawl.PeerID, _ stream.Lane, _ []byte) { told[i] = append(told[i], to) })
		w.clock.now = w.clock.now.Add(time.Second)
	}
	return told
}

// pauses returns how many seconds there are between the times at which somebody was told.
func pauses(told [][]crawl.PeerID) (list []int) {
	last := -1
	for i, to := range told {
		if len(to) > 0 {
			if last >= 0 {
				list = append(list, i-last)
			}
			last = i
		}
	}
	return list
}

func TestWant_TellsSeldomWhereThereIsNoWork(t *testing.T) {
	w := newWanter(t, 12)
	told := w.tells(300)
	if got := fmt.Sprint(pauses(told)[:5]); got != "[10 20 30 30 30]" {
		t.Errorf("others are told after pauses of %s seconds, want [10 20 30 30 30]", got)
	}
	// Every member of a small network remembers this one, also if one time of two is lost.
	at := make(map[crawl.PeerID][]int)
	for i, list := range told {
		for _, to := range list {
			at[to] = append(at[to], i)
		}
	}
	if len(at) != 11 {
		t.Errorf("%d members are told, want all others", len(at))
	}
	for to, list := range at {
		for i := 2; i < len(list); i++ {
			if wait := time.Duration(list[i]-list[i-2]) * time.Second; wait > WantFor {
				t.Errorf("%s is told twice in %s, and remembers it for %s", to, wait, WantFor)
			}
		}
	}
}

func TestWant_TellsOftenWhereThereIsWork(t *testing.T) {
	for name, happens := range map[string]func(*wanter){
		"it holds a lease":        func(w *wanter) { w.fetches.count.Store(1) },
		"it is offered a domain":  func(w *wanter) { w.told("member 1", offerBody([]crawl.Domain{"a.example"})) },
		"it offers one to others": func(w *wanter) { w.offers.invite(w.node, map[crawl.PeerID][]crawl.Domain{"member 1": {"a.example"}}) },
	} {
		w := newWanter(t, 100)
		w.tells(200)
		w.node.Take(stream.NumLanes-1, func(crawl.PeerID, stream.Lane, []byte) {})
		happens(w)
		told := w.tells(20)
		if got := fmt.Sprint(pauses(told)[:3]); got != "[5 5 5]" {
			t.Errorf("%s: others are told after pauses of %s seconds, want [5 5 5]", name, got)
		}
	}
}

// A fetcher that says again that it has room is no reason to look for work: what is due it was offered.
func TestWanted_LooksForWorkForWhoHadNone(t *testing.T) {
	w := newWanter(t, 3)
	looks := func() bool {
		select {
		case <-w.wake:
			return true
		default:
			return false
		}
	}
	looks()
	ask := &wire.Ask{Slots: 2, Most: 2}
	if w.offers.wanted("member 1", ask); !looks() {
		t.Error("nothing is looked for where the first fetcher wants work")
	}
	if w.offers.wanted("member 1", ask); looks() {
		t.Error("it is looked again for one that had room")
	}
	w.offers.wants["member 1"].slots = 0
	if w.offers.wanted("member 1", ask); !looks() {
		t.Error("nothing is looked for where a fetcher has room again")
	}
}
