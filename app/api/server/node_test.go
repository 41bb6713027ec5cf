package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/conns"
	"github.com/forage-net/forage/app/api/descriptor"
)

// testNode is a node that does nothing but keep its books.
type testNode struct {
	afar []bool // of changes of settings

	mu      sync.Mutex
	status  api.Status
	domains []api.Domain
	stats   api.Stats
	points  []api.Point
	zone    *time.Location // that was asked for
	best    api.Best
	events  []api.Event // the newest kept
	last    uint64
	keep    int
	changed chan struct{} // closed at the next event
	calls   []string
	err     error
	fail    func() // called by Status
}

func newTestNode(boot string) *testNode {
	return &testNode{status: api.Status{Identity: api.Identity{BootID: boot, Version: "1"},
		State: api.StateWorking}, keep: 1000,
		changed: make(chan struct{})}
}

func (n *testNode) Invitation(context.Context) (api.Invitation, error) {
	return api.Invitation{Invite: "forage:main?c=00000000"}, nil
}

func (n *testNode) Peers(context.Context) (api.Peers, error) {
	return api.Peers{ID: "12D3KooWself", Members: 3, Traffic: []api.Traffic{
		{Kind: "ping", Sent: 1, BytesSent: 20, BytesReceived: 21}, {Kind: "report", BytesSent: 500},
		{Protocol: "/meshsub/1.2.0", BytesSent: 7},
	}}, nil
}

func (n *testNode) Visits(context.Context, int) ([]api.Visit, error) { return nil, n.err }

func (n *testNode) Helping(context.Context) ([]api.Domain, error) {
	return []api.Domain{{Domain: "lent.test", Owner: "12D3KooWother"}}, nil
}

func (n *testNode) Requests(_ context.Context, q api.RequestQuery) (api.RequestPage, error) {
	if q.Before == "wrong" {
		return api.RequestPage{}, &api.InputError{Err: errors.New("before is wrong")}
	}
	err := n.called("requests %+v", q)
	return api.RequestPage{Requests: []api.Request{{URL: "http://a.example/", Code: api.CodeForbidden, WaitedS: -1}},
		Next: "more", KeptDays: 30}, err
}

func (n *testNode) RequestReport(_ context.Context, days int) (string, error) {
	return fmt.Sprintf("%d days\n", days), n.err
}

func (n *testNode) Ring(context.Context) (api.Ring, error) {
	return api.Ring{
		Self: "12D3KooWself", Members: []api.RingMember{{ID: "12D3KooWself", Self: true, Share: 1, Capacity: 1}},
		Points: []api.RingPoint{{At: 0.25}},
		Arcs:   []api.RingArc{{To: 1}}, Fill: -1, Version: "ab",
	}, n.err
}

func (n *testNode) Status(context.Context) (api.Status, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.fail != nil {
		n.fail()
	}
	st := n.status
	st.Seq = n.last
	return st, n.err
}

func (n *testNode) StatusIn(ctx context.Context, lang string) (api.Status, error) {
	st, err := n.Status(ctx)
	if lang != "en" {
		st.Sentence = "in " + lang
	}
	return st, err
}

func (n *testNode) Domains(_ context.Context, after string, limit int) ([]api.Domain, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var page []api.Domain
	for _, d := range n.domains {
		if d.Domain > after && len(page) < limit {
			page = append(page, d)
		}
	}
	return page, n.err
}

func (n *testNode) Stats(context.Context, int) (api.Stats, error) { return n.stats, n.err }
func (n *testNode) Series(_ context.Context, q api.SeriesQuery) (api.Series, error) {
	n.zone = q.Zone
	return api.Series{Unit: q.Unit, Points: n.points}, n.err
}
func (n *testNode) Best(context.Context, *time.Location) (api.Best, error) { return n.best, n.err }

func (n *testNode) Events(since uint64, limit int) (events []api.Event, next uint64, dropped bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	next = since
	for _, e := range n.events {
		if e.ID > since && len(events) < limit {
			events, next = append(events, e), e.ID
		}
	}
	return events, next, len(events) > 0 && events[0].ID > since+1
}

func (n *testNode) Wait(ctx context.Context, since uint64) {
	for {
		n.mu.Lock()
		last, changed := n.last, n.changed
		n.mu.Unlock()
		if last > since {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

func (n *testNode) called(format string, args ...any) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.calls = append(n.calls, fmt.Sprintf(format, args...))
	return n.err
}

func (n *testNode) Pause(_ context.Context, d time.Duration) error { return n.called("pause %v", d) }
func (n *testNode) Resume(context.Context) error                   { return n.called("resume") }
func (n *testNode) Stop(context.Context) error                     { return n.called("stop") }

func (n *testNode) Away(context.Context) (api.Away, error) {
	return api.Away{Pages: 1}, n.called("away")
}

func (n *testNode) LookAway(_ context.Context, seen bool) (api.Away, error) {
	return api.Away{Pages: 2}, n.called("look %v", seen)
}

func (n *testNode) SetRun(_ context.Context, mode api.RunMode) error { return n.called("run %s", mode) }

func (n *testNode) Work(_ context.Context, d time.Duration) error { return n.called("work %v", d) }
func (n *testNode) Finish(context.Context) error                  { return n.called("finish") }
func (n *testNode) Limits(_ context.Context, lang string) (api.Limits, error) {
	return api.Limits{Level: "off", Footing: "standby", Sentence: "in " + lang}, n.err
}
func (n *testNode) LimitHistory(context.Context) (api.LimitHistory, error) {
	return api.LimitHistory{Summary: []string{"Kept."}}, n.err
}

func (n *testNode) Never(_ context.Context, text string, undo bool) (api.NeverChange, error) {
	err := n.called("never %s %v", text, undo)
	return api.NeverChange{Pattern: text, Never: !undo, Changed: true, Text: "Done."}, err
}

func (n *testNode) Why(_ context.Context, address string) (api.Why, error) {
	if address == "nonsense" {
		return api.Why{}, &api.InputError{Err: errors.New("that is not a web address")}
	}
	return api.Why{URL: address, Domain: "a.example", Verdict: "waiting", Sentence: "Waiting."},
		n.called("why %s", address)
}

func (n *testNode) NeverList(context.Context) (api.NeverList, error) {
	return api.NeverList{Sites: []string{"a.example"}, BuiltinVersion: "1"}, n.err
}

func (n *testNode) Settings(_ context.Context, lang string) (api.Settings, error) {
	return api.Settings{File: "/f in " + lang, Startup: api.Startup{Possible: true}, Settings: []api.Setting{{Key: "disk.max", Value: int64(5),
		Default: int64(5)}}}, n.err
}

func (n *testNode) ChangeSettings(_ context.Context, c api.SettingsChange) (api.SettingsChanged, error) {
	if err := n.called("set %s reset %v dry %t", c.Set["disk.max"], c.Reset, c.DryRun); err != nil {
		return api.SettingsChanged{}, err
	}
	n.afar = append(n.afar, c.Afar)
	return api.SettingsChanged{Changed: []string{"disk.max"}}, nil
}

func (n *testNode) Setup(_ context.Context, lang string) (api.Setup, error) {
	return api.Setup{Needed: true, Consent: api.SetupConsent{Title: "in " + lang},
			Startup: api.Startup{Possible: true}},
		n.err
}

func (n *testNode) SetStartup(_ context.Context, on bool) error { return n.called("startup %t", on) }

func (n *testNode) Agree(_ context.Context, a api.Agreement) error {
	n.afar = append(n.afar, a.Afar)
	return n.called("agree %t %t %s", a.Agree, a.ConnectionIsMine, a.Preset)
}

// publish adds events.
func (n *testNode) publish(count int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for range count {
		n.last++
		n.events = append(n.events, api.Event{ID: n.last, Kind: api.KindPage, Title: "one\n\ndata: two",
			URL: "https://a.example/"})
	}
	n.events = n.events[max(0, len(n.events)-n.keep):]
	close(n.changed)
	n.changed = make(chan struct{})
}

// running is a served node.
type running struct {
	node   *testNode
	server *Server
	desc   descriptor.Descriptor
	dir    string
	stop   func()
	ended  chan struct{}
}

// start serves a node until the test ends, and writes its descriptor into dir.
func start(t testing.TB, dir string, prepare func(*Server)) *running {
	t.Helper()
	ln, err := conns.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := descriptor.Descriptor{Addr: ln.Addr().String(), Token: descriptor.NewToken(), PID: 1,
		BootID: descriptor.NewBootID(), Started: time.Now()}
	r := &running{node: newTestNode(d.BootID), desc: d, dir: dir, ended: make(chan struct{})}
	r.server = New(Config{Node: r.node, Token: d.Token, BootID: d.BootID})
	if prepare != nil {
		prepare(r.server)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer close(r.ended)
		if err := r.server.Serve(ctx, ln); err != nil {
			t.Errorf("Serve = %v, want nil", err)
		}
	}()
	r.stop = func() {
		cancel()
		<-r.ended
	}
	t.Cleanup(r.stop)
	if err := descriptor.Write(dir, d); err != nil {
		t.Fatal(err)
	}
	return r
}

// raw sends bytes and returns the answer.
func (r *running) raw(t testing.TB, request string) (*http.Response, string) {
	t.Helper()
	conn, err := net.Dial("tcp", r.desc.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	request = strings.NewReplacer("HOST", r.desc.Addr, "TOKEN", r.desc.Token, "\n", "\r\n").Replace(request)
	go io.WriteString(conn, request) // the answer may come before all is sent
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%.80q: %v", request, err)
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	resp.Body.Close()
	return resp, string(body)
}
