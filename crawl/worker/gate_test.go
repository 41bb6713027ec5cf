package worker

import (
	"net/http"
	"net/netip"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/gates"
)

// asked is gates.Slots. It must not block, nor call the gates.
type asked func(at netip.AddrPort, a gates.Ask)

func (f asked) Ask(at netip.AddrPort, a gates.Ask) { f(at, a) }

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
		if got := p.visitor.gateOf(netip.MustParseAddrPort(c.addr)); got != netip.MustParseAddrPort(c.want) {
			t.Errorf("gateOf(%s), lab %v = %v, want %s", c.addr, c.lab, got, c.want)
		}
	}
}

// A lease whose address nobody grants goes home when its time is over, or nothing may begin any more.
func TestPool_LeaseThatGetsNoSlotGoesHome(t *testing.T) {
	s := serveSite(t, false, html("a page"))
	for _, stopped := range []bool{false, true} {
		r := newRig(t, setup{})
		came := make(chan bool, 10)
		r.share(asked(func(netip.AddrPort, gates.Ask) { came <- true }), r.cfg.Latest)
		r.work()
		lease := r.lease("http://" + s.addr.String() + "/0")
		if !stopped {
			lease.For = 200 * time.Millisecond
		}
		r.allow("http://" + s.addr.String())
		r.Take(lease, time.Now())
		<-came
		if stopped {
			r.Stop()
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
		r.share(asked(func(at netip.AddrPort, a gates.Ask) {
			mu.Lock()
			last = a
			mu.Unlock()
			go r.Grant(at, gates.Grant{
				Number: a.Number, Slots: max(a.Has, a.Wants), For: time.Minute, Wanted: true,
			})
		}), r.cfg.Latest)
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

// A request that is under way when its slot would lapse goes on if the slot is granted again meanwhile.
func TestPool_SlotIsRenewedInFlight(t *testing.T) {
	clock := newLine()
	var r *rig
	var s *site
	s = serveSite(t, false, func(w http.ResponseWriter, _ *http.Request) {
		clock.advance(260 * time.Millisecond)
		for r.flights.gates.Tick(); r.flights.gates.Left(s.addr) < time.Second; runtime.Gosched() {
		}
		time.Sleep(400 * time.Millisecond) // longer than was left
		html("a page")(w, nil)
	})
	r = newRig(t, setup{})
	r.share(asked(func(at netip.AddrPort, a gates.Ask) {
		m := gates.Grant{Number: a.Number, Slots: 1, For: 1020 * time.Millisecond}
		if a.Has == 0 {
			clock.advance(750 * time.Millisecond) // the answer is late: 270 ms are left, just enough to begin
		} else {
			m.For = time.Minute
		}
		go r.Grant(at, m)
	}), clock.Now)
	r.work()
	r.allow("http://" + s.addr.String())
	r.Take(r.lease("http://"+s.addr.String()+"/0"), time.Now())
	r.await(1)
	if got := r.books.outcomes(); len(got) != 1 || got[0].Result != crawl.Fetched {
		t.Errorf("got %+v, want a page", got)
	}
}
