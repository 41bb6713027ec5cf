package worker

import (
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl/gates"
)

// asked is gates.Slots that hands each Ask to a goroutine of its own.
type asked func(at netip.AddrPort, a gates.Ask)

func (f asked) Ask(at netip.AddrPort, a gates.Ask) { go f(at, a) }

func TestPool_GateOf(t *testing.T) {
	for _, c := range []struct {
		lab        bool
		addr, want string
	}{
		{false, "192.0.2.1:443", "192.0.2.1:0"},
		{false, "192.0.2.1:80", "192.0.2.1:0"},
		{false, "[::ffff:192.0.2.1]:80", "192.0.2.1:0"},
		{false, "[2001:db8:1:2:3:4:5:6]:80", "[2001:db8:1:2::]:0"},
		{false, "[2001:db8:1:2::9]:443", "[2001:db8:1:2::]:0"},
		{true, "127.0.0.1:8001", "127.0.0.1:8001"},
	} {
		p := New(Config{Lab: c.lab, Fetchers: 1})
		if got := p.gateOf(netip.MustParseAddrPort(c.addr)); got != netip.MustParseAddrPort(c.want) {
			t.Errorf("gateOf(%s), lab %v = %v, want %s", c.addr, c.lab, got, c.want)
		}
	}
}

// A lease whose address nobody grants goes home when its time is over, or is wanted back.
func TestPool_LeaseThatGetsNoSlotGoesHome(t *testing.T) {
	s := serveSite(t, false, html("a page"))
	for _, recalled := range []bool{false, true} {
		r := newRig(t, setup{})
		came := make(chan bool, 10)
		r.gates = gates.New(asked(func(netip.AddrPort, gates.Ask) { came <- true }), r.cfg.Latest, r.isResting)
		r.work()
		lease := r.lease("http://" + s.addr.String() + "/0")
		if !recalled {
			lease.For = 200 * time.Millisecond
		}
		r.allow("http://" + s.addr.String())
		r.Take(lease, time.Now())
		<-came
		if recalled {
			r.Recall(lease.Granter, lease.ID)
		}
		r.await(1)
	}
	if got := s.paths(); got != nil {
		t.Errorf("requested %q without a slot", got)
	}
}

// Sites that share a server are visited one request at a time while one slot is granted, and the answers are counted.
func TestPool_TellsHowAServerAnswers(t *testing.T) {
	for _, c := range []struct {
		status    int
		good, bad bool
	}{{200, true, false}, {404, true, false}, {429, false, true}, {503, false, true}} {
		s := serveSite(t, false, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(c.status) })
		r := newRig(t, setup{})
		var mu sync.Mutex
		var last gates.Ask
		r.gates = gates.New(asked(func(at netip.AddrPort, a gates.Ask) {
			mu.Lock()
			last = a
			mu.Unlock()
			r.Grant(at, gates.Grant{Number: a.Number, Mark: a.Seen + 1, Slots: max(a.Has, a.Wants), For: time.Minute, Wanted: true})
		}), r.cfg.Latest, r.isResting)
		r.work()
		r.allow("http://" + s.addr.String())
		r.Take(r.lease("http://"+s.addr.String()+"/0"), time.Now())
		r.await(1)
		mu.Lock()
		if a := last; a.Has != 0 || a.Good > 0 != c.good || a.Bad != c.bad {
			t.Errorf("after an answer %d it says %+v", c.status, a)
		}
		mu.Unlock()
	}
}
