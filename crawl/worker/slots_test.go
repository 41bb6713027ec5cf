package worker

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/robots"
)

// desk is Slots that remembers what it is asked. The zero value grants everything.
type desk struct {
	mu    sync.Mutex
	takes []string
	frees []freed
	// answer, if set, is what Take returns.
	answer func(ctx context.Context, l crawl.Lease, address string) (bool, time.Duration, error)
}

type freed struct {
	lease   crawl.LeaseID
	address string
	use     Use
}

func (d *desk) Take(ctx context.Context, l crawl.Lease, address string) (bool, time.Duration, error) {
	d.mu.Lock()
	d.takes = append(d.takes, fmt.Sprintf("%d %s", l.ID, address))
	answer := d.answer
	d.mu.Unlock()
	if answer == nil {
		return true, 0, nil
	}
	return answer(ctx, l, address)
}

func (d *desk) Free(l crawl.Lease, address string, u Use) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.frees = append(d.frees, freed{l.ID, address, u})
}

func (d *desk) taken() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.takes)
}

func (d *desk) freed() []freed {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.frees)
}

// slotted makes a rig that asks d for slots.
func slotted(t testing.TB, s setup, d Slots) *rig {
	r := newRig(t, s)
	r.cfg.Slots = d
	return r
}

func TestPool_TakesASlotOnceBeforeTheFirstRequest(t *testing.T) {
	d := &desk{}
	var takenBefore []int
	s := serveSite(t, true, func(w http.ResponseWriter, req *http.Request) {
		takenBefore = append(takenBefore, len(d.taken()))
		if req.URL.Path == "/robots.txt" {
			http.NotFound(w, req)
			return
		}
		html("a page")(w, req)
	})
	const gap = 20 * time.Millisecond
	r := slotted(t, setup{gap: gap, fetchers: 2}, d).work()
	base := "http://" + s.addr.String()
	r.Take(r.lease(base+"/0", base+"/1", base+"/2"), time.Now())
	r.await(1)
	r.Take(r.lease(base+"/3"), time.Now())
	r.await(2)
	if want := []int{1, 1, 1, 1, 2}; !slices.Equal(takenBefore, want) {
		t.Errorf("slots asked for before each request: %v, want %v", takenBefore, want)
	}
	address := s.addr.String()
	if got, want := d.taken(), []string{"1 " + address, "2 " + address}; !slices.Equal(got, want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
	want := []freed{{1, address, Use{Gap: gap, Good: 4}}, {2, address, Use{Gap: gap, Good: 1}}}
	if got := d.freed(); !slices.Equal(got, want) {
		t.Errorf("gave back %+v, want %+v", got, want)
	}
}

func TestPool_LeaseWithoutASlotGoesHomeAndTheHostWaits(t *testing.T) {
	for _, c := range []struct {
		name   string
		wait   time.Duration
		err    error
		want   time.Duration
		reason string
		freed  int
	}{
		{"busy", 42 * time.Second, nil, 42 * time.Second, busyAddress, 0},
		{"busy, it does not say how long", 0, nil, slotLeastWait, busyAddress, 0},
		{"nobody knows", 0, errors.New("no answer"), slotTroubleWait, unknownAddress, 1},
	} {
		for _, known := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, robots known %v", c.name, known), func(t *testing.T) {
				s := serveSite(t, false, html("a page"))
				d := &desk{answer: func(context.Context, crawl.Lease, string) (bool, time.Duration, error) { return false, c.wait, c.err }}
				r := slotted(t, setup{}, d)
				base := "http://" + s.addr.String()
				if known {
					r.allow(base)
				}
				r.work()
				r.Take(r.lease(base+"/0", base+"/1"), time.Now())
				r.await(1)
				if got := s.paths(); got != nil {
					t.Errorf("requested %q without a slot", got)
				}
				if got, want := r.books.entries(), []string{"settle 1 /0 put off", "release 1"}; !slices.Equal(got, want) {
					t.Errorf("the owner was told %q, want %q", got, want)
				}
				if o := r.last(); o.Wait != c.want || o.Reason != c.reason || o.NoRobots {
					t.Errorf("outcome %+v, want to wait %v: %s", o, c.want, c.reason)
				}
				if n := len(d.freed()); n != c.freed {
					t.Errorf("gave back %d slots, want %d", n, c.freed)
				}
			})
		}
	}
}

// The one fetcher works while it is not known yet whether others visit a server.
func TestPool_QuestionForASlotHoldsNoFetcher(t *testing.T) {
	slow, quick := serveSite(t, false, html("a page")), serveSite(t, false, html("a page"))
	asked, answer := make(chan struct{}), make(chan struct{})
	d := &desk{answer: func(_ context.Context, _ crawl.Lease, address string) (bool, time.Duration, error) {
		if address == slow.addr.String() {
			close(asked)
			<-answer
		}
		return true, 0, nil
	}}
	r := slotted(t, setup{fetchers: 1}, d).work()
	r.Take(r.lease("http://"+slow.addr.String()+"/0"), time.Now())
	<-asked
	r.Take(r.lease("http://"+quick.addr.String()+"/0"), time.Now())
	r.await(1)
	if requests, _ := r.InFlight(); requests != 0 {
		t.Errorf("%d requests in flight while a slot is asked for", requests)
	}
	close(answer)
	r.await(2)
	if got, want := slow.paths(), []string{"/robots.txt", "/0"}; !slices.Equal(got, want) {
		t.Errorf("requested %q, want %q", got, want)
	}
}

// A turn gives up the gate of another address before it waits for an answer.
func TestPool_QuestionForASlotHoldsNoGate(t *testing.T) {
	s := serveSite(t, false, html("a page"))
	r := slotted(t, setup{}, &desk{})
	base := "http://" + s.addr.String()
	r.allow(base)
	now := time.Now()
	other := closedPort(t)
	if !r.gates.enter(other, nil) {
		t.Fatal("a free gate was not given")
	}
	turn := &turn{Lease: r.lease(base + "/0"), deadline: now.Add(time.Minute), closing: now.Add(time.Minute), gate: other}
	r.step(t.Context(), turn)
	if <-r.back != turn || turn.gate.IsValid() || !r.gates.enter(other, nil) {
		t.Error("the gate was held")
	}
}

func TestPool_QuestionForASlotEndsWithTheWork(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(r *rig)
	}{
		{"stopped", func(r *rig) { r.Stop() }},
		{"stopped for a moment", func(r *rig) { r.Stop(); r.Start() }},
		{"wanted back", func(r *rig) { r.Recall("", 1) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := make(chan struct{})
			d := &desk{answer: func(ctx context.Context, _ crawl.Lease, _ string) (bool, time.Duration, error) {
				close(asked)
				<-ctx.Done()
				return false, 0, ctx.Err()
			}}
			r := slotted(t, setup{}, d).work()
			r.Take(r.lease("http://"+closedPort(t).String()+"/0"), time.Now())
			<-asked
			c.end(r)
			r.await(1)
			if got := r.books.entries(); !slices.Equal(got, []string{"release 1"}) {
				t.Errorf("the owner was told %q; nothing is known of the address", got)
			}
			if got := d.freed(); len(got) != 1 || got[0].use != (Use{}) {
				t.Errorf("gave back %+v, want what may have been granted, unused", got)
			}
			if n := len(r.asks); n != 0 {
				t.Errorf("%d questions are remembered", n)
			}
		})
	}
}

func TestPool_QuestionForASlotHasADeadline(t *testing.T) {
	for _, c := range []struct {
		lease, want time.Duration
	}{{2 * time.Minute, slotAskFor}, {8 * time.Second, 8 * time.Second / beginWithin}} {
		synctest.Test(t, func(t *testing.T) {
			d := &desk{answer: func(ctx context.Context, _ crawl.Lease, _ string) (bool, time.Duration, error) {
				<-ctx.Done()
				return false, 0, ctx.Err()
			}}
			r := slotted(t, setup{}, d)
			ctx, cancel := context.WithCancel(t.Context())
			served := make(chan error, 1)
			go func() { served <- r.Serve(ctx) }()
			l := r.lease("http://127.0.0.1:1/0")
			l.For = c.lease
			begun := time.Now()
			r.Take(l, begun)
			<-r.Wanting()
			if took := time.Since(begun); took != c.want {
				t.Errorf("a lease of %v came home after %v, want %v", c.lease, took, c.want)
			}
			cancel()
			<-served
		})
	}
}

// Who serves the pool waits for what it has begun.
func TestPool_ServeOutlivesItsQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answered := false
		d := &desk{answer: func(ctx context.Context, _ crawl.Lease, _ string) (bool, time.Duration, error) {
			<-ctx.Done()
			time.Sleep(time.Second)
			answered = true
			return false, 0, ctx.Err()
		}}
		r := slotted(t, setup{}, d)
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- r.Serve(ctx) }()
		r.Take(r.lease("http://127.0.0.1:1/0"), time.Now())
		synctest.Wait()
		cancel()
		if <-served; !answered {
			t.Error("Serve has left a question behind")
		}
	})
}

func TestPool_RenewedLeaseRenewsItsSlot(t *testing.T) {
	renewed := make(chan struct{}, 10)
	d := &desk{}
	pc := newLaptop(0)
	var r *rig
	s := serveSite(t, false, func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/1" {
			pc.suspend(10 * time.Second)
			r.Extend("", 1, pc.Now())
			renewed <- struct{}{}
		}
		html("a page")(w, req)
	})
	r = slotted(t, setup{now: pc.Now}, d).work()
	base := "http://" + s.addr.String()
	r.Take(r.lease(base+"/0", base+"/1", base+"/2", base+"/3"), pc.Now())
	r.await(1)
	address := s.addr.String()
	if got, want := d.taken(), []string{"1 " + address, "1 " + address}; !slices.Equal(got, want) || len(renewed) != 1 {
		t.Errorf("asked for %q, want %q", got, want)
	}
	if got := d.freed(); len(got) != 1 || got[0].use.Good != 5 {
		t.Errorf("gave back %+v, want one slot with 5 answers", got)
	}
	if n := len(r.books.outcomes()); n != 4 {
		t.Errorf("%d outcomes, want 4", n)
	}
}

// What is lost to others while a lease goes on is lost at once, and goes home with what came of it.
func TestPool_LeaseWhoseSlotIsNotRenewedGoesHome(t *testing.T) {
	pc := newLaptop(0)
	var r *rig
	d := &desk{}
	s := serveSite(t, false, func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/0" {
			d.mu.Lock()
			d.answer = func(context.Context, crawl.Lease, string) (bool, time.Duration, error) {
				return false, time.Minute, nil
			}
			d.mu.Unlock()
			pc.suspend(time.Second)
			r.Extend("", 1, pc.Now())
		}
		html("a page")(w, req)
	})
	r = slotted(t, setup{now: pc.Now}, d).work()
	base := "http://" + s.addr.String()
	r.Take(r.lease(base+"/0", base+"/1"), pc.Now())
	r.await(1)
	want := []string{"settle 1 /0 fetched", "settle 1 /1 put off", "release 1"}
	if got := r.books.entries(); !slices.Equal(got, want) {
		t.Errorf("the owner was told %q, want %q", got, want)
	}
	if got := d.freed(); len(got) != 1 || got[0].use.Good != 2 { // who comes next is to keep the gap
		t.Errorf("gave back %+v, want one slot with 2 answers", got)
	}
}

func TestPool_SaysHowAServerAnswered(t *testing.T) {
	s := serveSite(t, false, func(w http.ResponseWriter, req *http.Request) {
		switch req.URL.Path {
		case "/busy":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/many":
			w.WriteHeader(http.StatusTooManyRequests)
		case "/broken":
			w.WriteHeader(http.StatusInternalServerError)
		case "/nobody":
			http.NotFound(w, req)
		case "/cut":
			panic(http.ErrAbortHandler)
		case "/hang":
			<-req.Context().Done()
		default:
			html("a page")(w, req)
		}
	})
	base := "http://" + s.addr.String()
	const gap = 5 * time.Millisecond
	for _, c := range []struct {
		url        string
		known      bool // robots.txt
		challenged bool
		want       Use
	}{
		{url: base + "/page", known: true, want: Use{Gap: gap, Good: 1}},
		{url: base + "/nobody", known: true, want: Use{Gap: gap, Good: 1}},
		{url: base + "/page", want: Use{Gap: gap, Good: 2}},
		{url: base + "/busy", known: true, want: Use{Gap: gap, Bad: true}},
		{url: base + "/many", known: true, want: Use{Gap: gap, Bad: true}},
		{url: base + "/broken", want: Use{Gap: gap, Good: 1, Bad: true}},
		{url: base + "/cut", known: true, want: Use{Gap: gap, Bad: true}},
		{url: base + "/page", known: true, challenged: true, want: Use{Gap: gap, Bad: true}},
		{url: base + "/hang", known: true, want: Use{Gap: gap}}, // cut by us
		{url: "http://" + closedPort(t).String() + "/x", known: true, want: Use{Gap: gap, Bad: true}},
		{url: "http://" + closedPort(t).String() + "/x", want: Use{Gap: gap, Bad: true}},
	} {
		d := &desk{}
		r := slotted(t, setup{gap: gap}, d)
		r.cfg.Challenged = func(int, http.Header, []byte) bool { return c.challenged }
		if c.known {
			r.allow(c.url)
		}
		r.work()
		l := r.lease(c.url)
		if c.url == base+"/hang" {
			l.For = 200 * time.Millisecond
		}
		r.Take(l, time.Now())
		r.await(1)
		if got := d.freed(); len(got) != 1 || got[0].use != c.want {
			t.Errorf("%s: gave back %+v, want %+v", c.url, got, c.want)
		}
	}
}

func TestPool_BadRobotsTxtIsABadAnswer(t *testing.T) {
	for status, want := range map[int]Use{404: {Good: 1}, 403: {Good: 1}, 500: {Bad: true}, 503: {Bad: true}, 429: {Bad: true}} {
		s := serveSite(t, true, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		d := &desk{}
		r := slotted(t, setup{}, d).work()
		r.Take(r.lease("http://"+s.addr.String()+"/0"), time.Now())
		r.await(1)
		got := d.freed()
		if status == 404 || status == 403 {
			want.Good++ // and the page
		}
		if len(got) != 1 || got[0].use != want {
			t.Errorf("%d: gave back %+v, want %+v", status, got, want)
		}
	}
}

// A redirect of robots.txt leads to a server that others may be visiting.
func TestPool_RedirectedRobotsTxtNeedsASlotToo(t *testing.T) {
	target := serveSite(t, true, html("no rules"))
	front := serveSite(t, true, func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/robots.txt" {
			http.Redirect(w, req, "http://target.test/r", http.StatusFound)
			return
		}
		html("a page")(w, req)
	})
	names := map[string]netip.AddrPort{"target.test": target.addr, "front.test": front.addr}
	for _, free := range []bool{true, false} {
		d := &desk{answer: func(_ context.Context, _ crawl.Lease, address string) (bool, time.Duration, error) {
			return free || address == front.addr.String(), time.Minute, nil
		}}
		r := slotted(t, setup{names: names}, d)
		r.believes("target.test")
		r.work()
		r.Take(r.lease("http://front.test/0"), time.Now())
		r.await(1)
		want := []string{"1 " + front.addr.String(), "1 " + target.addr.String()}
		if got := d.taken(); !slices.Equal(got, want) {
			t.Errorf("asked for %q, want %q", got, want)
		}
		_, _, known := r.cache.Get(time.Now(), "http://front.test")
		o := r.last()
		if free && (o.Result != crawl.Fetched || len(target.paths()) != 1 || len(d.freed()) != 2) {
			t.Errorf("outcome %v, the target saw %q, gave back %+v", o.Result, target.paths(), d.freed())
		}
		if !free && (o.Result != crawl.Deferred || o.Wait != time.Minute || o.NoRobots || known || len(target.paths()) != 1 || len(d.freed()) != 1) {
			t.Errorf("outcome %+v, known %v, the target saw %q, gave back %+v", o, known, target.paths(), d.freed())
		}
	}
}

func TestPool_EachAddressOfAHostNeedsASlot(t *testing.T) {
	s := serveSite(t, false, html("a page"))
	d := &desk{}
	r := slotted(t, setup{}, d)
	addrs := []netip.AddrPort{closedPort(t), s.addr}
	base := "http://" + s.addr.String()
	r.allow(base)
	_, rules, _ := r.cache.Get(time.Now(), base)
	now := time.Now()
	turn := &turn{Lease: r.lease(base + "/0"), deadline: now.Add(time.Minute), closing: now.Add(time.Minute)}
	for i, want := range []state{parked, again, parked, over} {
		got := r.request(t.Context(), turn, addrs, new(robots.Record), rules)
		if got != want {
			t.Fatalf("step %d: %v, want %v", i, got, want)
		}
		if got == parked && <-r.back != turn {
			t.Fatal("another turn came back")
		}
	}
	if got, want := d.taken(), []string{"1 " + addrs[0].String(), "1 " + addrs[1].String()}; !slices.Equal(got, want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
	r.freeSlots(turn)
	want := []freed{{1, addrs[0].String(), Use{Bad: true}}, {1, addrs[1].String(), Use{Good: 1}}}
	if got := d.freed(); !slices.Equal(got, want) {
		t.Errorf("gave back %+v, want %+v", got, want)
	}
}

func TestSlotAddress(t *testing.T) {
	for _, c := range []struct {
		lab        bool
		addr, want string
	}{
		{false, "192.0.2.1:443", "192.0.2.1"},
		{false, "[::ffff:192.0.2.1]:80", "192.0.2.1"},
		{false, "[2001:db8:1:2:3:4:5:6]:80", "2001:db8:1:2::/64"},
		{false, "[2001:db8::]:443", "2001:db8::/64"},
		{true, "127.0.0.1:8001", "127.0.0.1:8001"},
		{true, "[::1]:8001", "[::1]:8001"},
	} {
		got := SlotAddress(netip.MustParseAddrPort(c.addr), c.lab)
		if got != c.want {
			t.Errorf("SlotAddress(%s), lab %v = %q, want %q", c.addr, c.lab, got, c.want)
		}
	}
}

// keeper grants each address to one lease at a time, and lets it rest in between.
type keeper struct {
	mu    sync.Mutex
	held  map[string]crawl.LeaseID
	rests map[string]time.Time
}

func newKeeper() *keeper {
	return &keeper{held: make(map[string]crawl.LeaseID), rests: make(map[string]time.Time)}
}

func (k *keeper) Take(_ context.Context, l crawl.Lease, address string) (bool, time.Duration, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if by, held := k.held[address]; held && by != l.ID {
		return false, slotLeastWait, nil
	}
	if rest := time.Until(k.rests[address]); rest > 0 {
		return false, rest, nil
	}
	k.held[address] = l.ID
	return true, 0, nil
}

func (k *keeper) Free(l crawl.Lease, address string, u Use) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.held[address] == l.ID {
		delete(k.held, address)
		k.rests[address] = time.Now().Add(u.Gap)
	}
}

// owner leases domains to two pools in turn, whoever has room, and leaves alone those that are put off.
type owner struct {
	mu    sync.Mutex
	due   map[string]time.Time // by domain; those that are neither leased nor done
	done  int
	left  int
	put   int // off
	next  crawl.LeaseID
	pools []*rig
}

func (o *owner) Settle(_ context.Context, out crawl.Outcome) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch out.Result {
	case crawl.Fetched:
		o.done++
	case crawl.Deferred:
		o.put++
		o.due[string(out.Domain)] = time.Now().Add(out.Wait)
	default:
		return fmt.Errorf("%s: %v, %s", out.Task.URL, out.Result, out.Reason)
	}
	return nil
}

func (o *owner) Release(_ context.Context, l crawl.Lease) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.left--
	return nil
}

// grant leases what is due.
func (o *owner) grant() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for d, at := range o.due {
		if time.Now().Before(at) {
			continue
		}
		delete(o.due, d)
		o.next++
		o.left++
		l := o.pools[int(o.next)%len(o.pools)].lease("http://www." + d + "/page")
		l.ID = o.next
		o.pools[int(o.next)%len(o.pools)].Take(l, time.Now())
	}
}

// Twenty sites share a server, and two crawlers work them: it sees one of them at a time, and a gap
// between them.
func TestPool_SitesThatShareAServerSeeOneCrawler(t *testing.T) {
	const sites, gap = 20, 15 * time.Millisecond
	s := serveSite(t, false, func(w http.ResponseWriter, req *http.Request) {
		time.Sleep(2 * time.Millisecond) // so that two would meet
		html("a page")(w, req)
	})
	k := newKeeper()
	o := &owner{due: make(map[string]time.Time)}
	names := make(map[string]netip.AddrPort)
	for i := range sites {
		d := fmt.Sprintf("site%d.test", i)
		names["www."+d], o.due[d] = s.addr, time.Time{}
	}
	for range 2 {
		r := slotted(t, setup{names: names, gap: gap, fetchers: 4}, k)
		r.cfg.Owner = o
		o.pools = append(o.pools, r.work())
	}
	timeout := time.After(6 * patience)
	for tick := time.NewTicker(5 * time.Millisecond); ; {
		o.grant()
		o.mu.Lock()
		done, left, put := o.done, o.left, o.put
		o.mu.Unlock()
		if done == sites && left == 0 {
			if put == 0 {
				t.Error("nobody was refused: this tries nothing")
			}
			break
		}
		select {
		case <-tick.C:
		case <-timeout:
			t.Fatalf("%d of %d sites are done", done, sites)
		}
	}
	visits := s.seen()
	if s.most != 1 || len(visits) != 2*sites {
		t.Errorf("%d requests, %d at a time; want %d, one at a time", len(visits), s.most, 2*sites)
	}
	for i := 1; i < len(visits); i++ {
		if d := visits[i].start.Sub(visits[i-1].end); d < gap {
			t.Errorf("%s came %v after %s, want %v", visits[i].url, d, visits[i-1].url, gap)
		}
	}
}

// Between the look at whether work goes on and the question, it may have ended.
func TestPool_NoQuestionForASlotAfterTheEnd(t *testing.T) {
	for name, end := range map[string]func(r *rig, t *turn){
		"stopped": func(r *rig, _ *turn) { r.Stop() }, "wanted back": func(_ *rig, t *turn) { t.unwanted = true },
		"late": func(_ *rig, t *turn) { t.closing = time.Now() },
	} {
		d := &desk{}
		r := slotted(t, setup{}, d)
		now := time.Now()
		turn := &turn{Lease: r.lease("http://127.0.0.1:1/0"), deadline: now.Add(time.Minute), closing: now.Add(time.Minute)}
		end(r, turn)
		if got := r.takeSlot(t.Context(), turn, netip.MustParseAddrPort("127.0.0.1:1")); got != over || len(d.taken()) != 0 {
			t.Errorf("%s: %v, asked for %q", name, got, d.taken())
		}
	}
}
