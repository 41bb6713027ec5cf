package swarm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

// packed are the items of domains that another node had. The first page of each
// was visited.
func packed(t *testing.T, domains []crawl.Domain, urls ...string) [][]byte {
	t.Helper()
	src := newNode(t, newLab(t), "source-member")
	src.enqueue(urls...)
	for _, l := range src.ask(other, len(domains)) {
		if err := src.report(other, l, true, page(0)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := src.f.Propose(t.Context(), frontier.Entry{Close: &frontier.Close{Domains: domains, To: self}}); err != nil {
		t.Fatal(err)
	}
	var items [][]byte
	for _, d := range domains {
		var cursor []byte
		for done := false; !done; {
			some, next, end, err := src.f.Export(t.Context(), d, cursor, wire.MaxChunk-2*wire.MaxItem)
			if err != nil {
				t.Fatal(err)
			}
			items, cursor, done = append(items, some...), next, end
		}
	}
	return items
}

func list(domains ...crawl.Domain) []crawl.Domain { return domains }

func (n *node) move(from string, m *wire.Move) (wire.MoveAnswer, error) {
	return say[wire.MoveAnswer](n, from, wire.KindMove, m)
}

// heir makes a peer one that may have had every domain.
func (n *node) heir(id string) {
	n.lab.join(id)
	n.lab.mu.Lock()
	defer n.lab.mu.Unlock()
	n.lab.heirs = append(n.lab.heirs, id)
}

func TestMove_OfAnHeirIsTaken(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.heir(other)
	items := packed(t, list("a.test"), "http://a.test/1", "http://a.test/2")
	got, err := n.move(other, &wire.Move{N: 1, Seq: 1, Last: true, Domains: list("a.test"), Items: items})
	if err != nil || got.State != wire.MoveOpened {
		t.Fatalf("move = %+v, %v", got, err)
	}
	if got := n.totals(); got.Fetched != 1 || got.Queued != 1 {
		t.Errorf("totals = %+v, want one fetched and one queued", got)
	}
}

// What an heir says of its own domains is believed, not what it says of those in a log that nobody knows that it had.
func TestMove_OfTheFinderOfALogIsUnpacked(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.heir(other)
	n.lab.members[finder+other] = true // as its seat knows
	items := packed(t, list("a.test"), "http://a.test/1", "http://a.test/2")
	m := &wire.Move{N: 1, Domains: list("a.test")}
	if got, err := n.move(finder+other, m); err != nil || got.State != wire.MoveTaken {
		t.Fatalf("asked how far it is: %+v, %v", got, err)
	}
	m.Seq, m.Last, m.Items = 1, true, items
	if got, err := n.move(finder+other, m); err != nil || got.State != wire.MoveOpened {
		t.Fatalf("move = %+v, %v", got, err)
	}
	if got := n.totals(); got.Fetched != 0 || got.Queued != 2 {
		t.Errorf("totals = %+v, want two queued", got)
	}
}

// A stranger's word neither takes a domain nor leaves a trace.
func TestMove_OfAStrangerChangesNothing(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(1, 3)
	l := n.ask(other, 1)[0]
	items := packed(t, list("s0.test"), "http://s0.test/0", "http://s0.test/9")
	before := n.totals()
	for _, m := range []*wire.Move{
		{N: 1, Domains: list("s0.test")}, {N: 1, Seq: 1, Last: true, Domains: list("s0.test"), Items: items}, {N: 2, Abort: true, Domains: list("s0.test")},
		{N: 3, Seq: 7, Domains: list("s0.test")}, {N: 4, Abort: true, Domains: list("never.test")},
	} {
		if got, err := n.move("stranger-peer", m); err == nil && got.State != wire.MoveDeclined {
			t.Errorf("move %d = %+v", m.N, got)
		}
		if mv, err := n.f.Arrival("stranger-peer", m.N); err != nil || mv.State != frontier.MoveNone {
			t.Errorf("of move %d is remembered %+v, %v", m.N, mv, err)
		}
	}
	if got := n.totals(); got != before {
		t.Errorf("totals = %+v, want %+v", got, before)
	}
	if got := n.place("s0.test"); got.State != frontier.StateOpen {
		t.Errorf("the domain is %v", got.State)
	}
	if err := n.report(other, l, true, page(0)); err != nil || n.totals().Fetched != 1 {
		t.Error("its lease is over")
	}
}

// A member that had no part in a domain may bring links to it, and nothing else:
// no visits, no filters, no times.
func TestMove_OfAMemberThatNeverHadADomainBringsLinksAlone(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.lab.join(liar)
	n.sites(1, 1)
	l := n.ask(other, 1)[0]
	items := packed(t, list("s0.test"), "http://s0.test/visited", "http://s0.test/1", "http://s0.test/2")
	got, err := n.move(liar, &wire.Move{N: 1, Seq: 1, Last: true, Domains: list("s0.test"), Items: items})
	if err != nil || got.State != wire.MoveOpened {
		t.Fatalf("move = %+v, %v", got, err)
	}
	if got := n.totals(); got.Fetched != 0 || got.Known != 4 || got.Leases != 1 {
		t.Errorf("totals = %+v, want three more links, no visit and the lease", got)
	}
	if got, err := n.move(liar, &wire.Move{N: 1, Abort: true, Domains: list("s0.test")}); err != nil || got.State != wire.MoveDeclined {
		t.Errorf("abort = %+v, %v", got, err)
	}
	if err := n.report(other, l, true, page(0)); err != nil || n.totals().Fetched != 1 {
		t.Error("the lease is over")
	}
	// There are only so many at once.
	taken := 0
	for i := range movedBurst/400 + 20 {
		var many [][]byte
		many = append(many, []byte("\x01s0.test"))
		for j := range 400 {
			many = append(many, []byte(fmt.Sprintf("\x07\x01\x02\x00\x00http://s0.test/%d/%d", i, j)))
		}
		if _, err := n.move(liar, &wire.Move{N: 2, Seq: 1, Domains: list("s0.test"), Items: many}); err == nil {
			taken += 400
		} else if !isBusy(err) {
			t.Fatal(err)
		}
	}
	if taken > movedBurst || taken < movedBurst/2 {
		t.Errorf("%d links were taken at once", taken)
	}
}

// What such a member brings may take longer than it is carried at a time: it goes on where it was.
func TestMove_OfAMemberThatNeverHadADomainGoesOn(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.lab.join(liar)
	domains := list("a.test")
	at := func(n *node, number, seq uint64, mark string) {
		t.Helper()
		got, err := n.move(liar, &wire.Move{N: number, Domains: domains})
		if err != nil || got.State != wire.MoveTaken || got.Seq != seq || string(got.Mark) != mark {
			t.Errorf("move %d is at %+v, %v, want %d, %q", number, got, err, seq, mark)
		}
	}
	bring := func(number, seq uint64, last bool, mark string) {
		t.Helper()
		m := &wire.Move{N: number, Seq: seq, Last: last, Domains: domains, Mark: []byte(mark), Items: packed(t, domains, fmt.Sprintf("http://a.test/%d", seq))}
		if _, err := n.move(liar, m); err != nil {
			t.Fatal(err)
		}
	}
	at(n, 1, 0, "")
	bring(1, 1, false, "one")
	bring(1, 2, false, "two")
	at(n, 1, 2, "two")
	at(n, 2, 0, "")
	for i := range 2 * maxUnpackings {
		n.brought.note(fmt.Sprint(i), &wire.Move{N: 1, Seq: 1})
	}
	if got := len(n.brought.list); got > maxUnpackings {
		t.Errorf("%d moves are remembered", got)
	}
	bring(1, 3, false, "three")
	at(n, 1, 3, "three")
	bring(1, 4, true, "")
	at(n, 1, 0, "")
	if got := n.totals().Queued; got != 4 {
		t.Errorf("%d URLs are queued, want 4", got)
	}
}

// A member that was cut off together with others was the nearest of those: it is believed farther down the line of all, if
// not anywhere.
func TestMove_OfAMemberThatWasOut(t *testing.T) {
	n := newNode(t, newLab(t), self)
	for i := range 30 {
		n.lab.join(fmt.Sprintf("member%02d", i))
		n.heir(fmt.Sprintf("member%02d", i))
	}
	n.lab.back = map[string]bool{"member03": true, "member10": true, "member20": true}
	for _, test := range []struct {
		from     string
		believed bool
	}{{"member02", true}, {"member03", true}, {"member09", false}, {"member10", true}, {"member20", false}} {
		d := crawl.Domain(test.from + ".test")
		items := packed(t, []crawl.Domain{d}, "http://"+test.from+".test/1", "http://"+test.from+".test/2")
		before := n.totals()
		got, err := n.move(test.from, &wire.Move{N: 1, Seq: 1, Last: true, Domains: []crawl.Domain{d}, Items: items})
		if err != nil || got.State != wire.MoveOpened {
			t.Fatalf("move of %s = %+v, %v", test.from, got, err)
		}
		after := n.totals()
		if believed := after.Fetched == before.Fetched+1; believed != test.believed || after.Known != before.Known+2 {
			t.Errorf("that %s visited a page is believed: %v; %d more URLs", test.from, believed, after.Known-before.Known)
		}
	}
}

// What is out of scope is not queued, and not visited again, whoever had it queued.
func TestMove_BringsNothingOutOfScope(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.heir(liar)
	tasks := [][]byte{[]byte("\x01a.example"), []byte("\x07\x01\x02\x00\x00http://a.example/1"), []byte("\x0110.0.0.1"), []byte("\x07\x00\x01\x00\x00http://10.0.0.1/"),
		[]byte("\x01a.test"), []byte("\x07\x01\x02\x00\x00http://a.test/x.mp4"), []byte("\x07\x09\x02\x00\x00http://a.test/deep"), []byte("\x07\x01\x02\x00\x00http://a.test/fine")}
	visit := func(url string) []byte {
		raw, err := cbor.Marshal([]any{url, 0, 1, 200, nil, "", "", 86_400_000, 0, 1, 0, 0})
		if err != nil {
			t.Fatal(err)
		}
		return append([]byte{itemPage}, raw...)
	}
	tasks = append(tasks[:2:2], append([][]byte{visit("http://a.example/again")}, tasks[2:]...)...)
	got, err := n.move(liar, &wire.Move{N: 1, Seq: 1, Last: true, Domains: list("a.example", "10.0.0.1", "a.test"), Items: tasks})
	if err != nil || got.State != wire.MoveOpened {
		t.Fatalf("move = %+v, %v", got, err)
	}
	for range 3 {
		n.lab.advance(25 * time.Hour)
		for _, l := range append(n.ask(other, 10), n.ask(other, 10)...) {
			for _, task := range l.Tasks {
				if task.URL.String() != "http://a.test/fine" {
					t.Errorf("%s is to be visited", task.URL)
				}
			}
		}
	}
	if got := n.totals(); got.Queued != 1 {
		t.Errorf("totals = %+v, want one task", got)
	}
}

func TestReadPlace_ReadsWhatIsExported(t *testing.T) {
	items := packed(t, list("a.test"), "http://a.test/1", "http://a.test/2", "http://www.a.test/3")
	kinds := make(map[byte]int)
	for _, raw := range items {
		if p, ok := readPlace(raw); ok {
			kinds[p.kind]++
			if p.link.URL.Domain() != "a.test" {
				t.Errorf("place = %+v", p)
			}
		}
	}
	if kinds[itemPage] != 1 || kinds[itemTask] != 2 {
		t.Errorf("%d pages and %d tasks, want 1 and 2", kinds[itemPage], kinds[itemTask])
	}
}

func FuzzReadPlace(f *testing.F) {
	f.Add([]byte("\x07\x01\x02\x00\x00http://s0.test/1"))
	f.Add([]byte("\x06\x8c\x6ehttp://a.test/"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) == 0 {
			return
		}
		if p, ok := readPlace(raw); ok && (p.link.URL.IsZero() || len(p.link.URL.String()) > crawl.MaxURL) {
			t.Fatalf("place = %+v", p)
		}
	})
}

func TestMove_LiesAreRefused(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.heir(liar)
	for name, m := range map[string]*wire.Move{
		"items of another domain": {N: 1, Seq: 1, Domains: list("a.test"), Items: [][]byte{[]byte("\x01b.test")}},
		"items of no domain":      {N: 1, Seq: 1, Domains: list("a.test"), Items: [][]byte{[]byte("\x07\x01\x02\x00\x00http://a.test/x")}},
		"no items":                {N: 1, Seq: 1, Domains: list("a.test"), Items: [][]byte{{}}},
		"an item of nothing":      {N: 1, Seq: 1, Domains: list("a.test"), Items: [][]byte{[]byte("\x01a.test"), {9, 9}}},
	} {
		before := n.net.weight(liar)
		_, err := n.move(liar, m)
		n.expectLie(name, liar, before+19, err)
	}
	if got := n.totals(); got.Arriving != 0 {
		t.Errorf("totals = %+v", got)
	}
}

func TestMove_OrderReplaysAndAborts(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.heir(other)
	n.heir(liar)
	items := packed(t, list("a.test"), "http://a.test/1", "http://a.test/2")
	half := len(items) / 2
	rest := append([][]byte{items[0]}, items[half:]...)
	// The second part first.
	if got, err := n.move(other, &wire.Move{N: 1, Seq: 2, Last: true, Domains: list("a.test"), Items: rest}); err == nil && got.State == wire.MoveOpened {
		t.Errorf("opened without its first part: %+v", got)
	}
	if got, err := n.move(other, &wire.Move{N: 1, Seq: 1, Mark: []byte("m"), Domains: list("a.test"), Items: items[:half]}); err != nil || got.Seq != 1 {
		t.Fatalf("the first part: %+v, %v", got, err)
	}
	// Another's abort and another's parts are about moves of its own.
	for _, m := range []*wire.Move{{N: 1, Abort: true, Domains: list("a.test")}, {N: 1, Seq: 2, Last: true, Domains: list("a.test"), Items: rest}} {
		n.move(liar, m)
	}
	if got := n.place("a.test"); got.State != frontier.StateArriving || got.Peer != other {
		t.Fatalf("the domain is %+v", got)
	}
	for range 2 { // and once more, for want of an answer
		if got, err := n.move(other, &wire.Move{N: 1, Seq: 2, Last: true, Domains: list("a.test"), Items: rest}); err != nil || got.State != wire.MoveOpened {
			t.Fatalf("the last part: %+v, %v", got, err)
		}
	}
	before := n.totals()
	for _, m := range []*wire.Move{
		{N: 1, Seq: 1, Domains: list("a.test"), Items: items[:half]}, {N: 1, Abort: true, Domains: list("a.test")}, {N: 1, Seq: 3, Last: true, Domains: list("a.test"), Items: rest},
	} {
		if got, err := n.move(other, m); err != nil || got.State != wire.MoveOpened {
			t.Errorf("behind the end: %+v, %v", got, err)
		}
	}
	if got := n.totals(); got != before || got.Known != 2 {
		t.Errorf("totals = %+v, want %+v", got, before)
	}
}

// As long as a domain arrives nobody visits it: who stops half-way is not waited
// for, and what was here is as before.
func TestMove_ThatStopsIsUndone(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(1, 3)
	n.heir(liar)
	items := packed(t, list("s0.test"), "http://s0.test/0", "http://s0.test/9")
	before := n.totals()
	if got, err := n.move(liar, &wire.Move{N: 1, Seq: 1, Domains: list("s0.test"), Items: items}); err != nil || got.State != wire.MoveTaken {
		t.Fatalf("move = %+v, %v", got, err)
	}
	for range 2*stalledFor + 4 {
		if err := n.stalled.round(t.Context()); err != nil {
			t.Fatal(err)
		}
		n.lab.advance(testLease / 2)
	}
	if got := n.place("s0.test"); got.State != frontier.StateOpen {
		t.Errorf("the domain is %v", got.State)
	}
	if got := n.totals(); got.Queued != before.Queued || got.Arriving != 0 {
		t.Errorf("totals = %+v, want %+v", got, before)
	}
	if n.net.weight(liar) == 0 {
		t.Error("it costs nothing")
	}
	if got, err := n.move(liar, &wire.Move{N: 1, Seq: 2, Last: true, Domains: list("s0.test"), Items: items}); err != nil || got.State != wire.MoveDeclined {
		t.Errorf("it goes on: %+v, %v", got, err)
	}
}

// A domain that has not come yet is leased while nothing is heard from its sender. When that one
// is back, the lease is called home first: its outcomes would find other tasks.
func TestMove_CallsHomeWhatWasLeasedSinceItBegan(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(1, 3)
	n.heir(other)
	domains := list("a.test", "s0.test")
	if got, err := n.move(other, &wire.Move{N: 1, Seq: 1, Domains: domains, Items: packed(t, domains[:1], "http://a.test/1")}); err != nil || got.State != wire.MoveTaken {
		t.Fatalf("the first part = %+v, %v", got, err)
	}
	n.lab.advance(2 * expectedFor)
	leases := n.ask(liar, 1)
	if len(leases) != 1 || leases[0].Domain != "s0.test" {
		t.Fatalf("granted %v", leases)
	}
	rest := &wire.Move{N: 1, Seq: 2, Last: true, Domains: domains, Items: packed(t, domains[1:], "http://s0.test/9")}
	if got, err := n.move(other, rest); !isBusy(err) {
		t.Fatalf("the second part = %+v, %v, want to wait for the lease", got, err)
	}
	if err := n.report(liar, leases[0], true, page(0)); err != nil || n.totals().Fetched != 1 {
		t.Errorf("%d pages are settled, %v, want the one of the lease", n.totals().Fetched, err)
	}
	if got, err := n.move(other, rest); err != nil || got.State != wire.MoveOpened {
		t.Errorf("the second part = %+v, %v", got, err)
	}
}

// Who held it may be gone, or know nothing of it. It ends with its time then, however often the sender asks meanwhile.
func TestMove_WaitsForALeaseNoLongerThanItLasts(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(1, 3)
	n.heir(other)
	leases := n.ask(liar, 1)
	if len(leases) != 1 || leases[0].Domain != "s0.test" {
		t.Fatalf("granted %v", leases)
	}
	domains := list("s0.test")
	part := &wire.Move{N: 1, Seq: 1, Last: true, Domains: domains, Items: packed(t, domains, "http://s0.test/9")}
	const looks = 20
	for i := range 2 * looks {
		got, err := n.move(other, part)
		if err == nil && got.State == wire.MoveOpened {
			if i < looks-1 {
				t.Errorf("it is opened after %d of %d looks that the lease lasts", i, looks)
			}
			return
		} else if !isBusy(err) {
			t.Fatalf("the move = %+v, %v", got, err)
		}
		n.lab.advance(testLease / looks)
		n.ask(other, 1)
	}
	t.Error("it is not opened when the lease is over")
}

// Two members bring the same domains in another order, as when one that has just come leaves again: each move would wait
// for a domain of the other. One gives way, and both come through.
func TestMove_TwoDoNotWaitForEachOther(t *testing.T) {
	for name, numbers := range map[string][2]uint64{"the first is older": {1, 2}, "the second is": {2, 1}, "by their senders": {1, 1}} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t, newLab(t), self)
			n.heir(other)
			const third = "third-member"
			n.heir(third)
			a, b := packed(t, list("a.test"), "http://a.test/1", "http://a.test/2"), packed(t, list("b.test"), "http://b.test/1", "http://b.test/2")
			type sender struct {
				from    string
				n, seq  uint64
				domains []crawl.Domain
				parts   [2][][]byte
				state   wire.MoveState
			}
			both := []*sender{
				{from: other, n: numbers[0], domains: list("a.test", "b.test"), parts: [2][][]byte{a, b}},
				{from: third, n: numbers[1], domains: list("b.test", "a.test"), parts: [2][][]byte{b, a}},
			}
			for round := 0; both[0].state != wire.MoveOpened || both[1].state != wire.MoveOpened; round++ {
				if round == 20 {
					t.Fatalf("after %d rounds the moves are %v and %v", round, both[0].state, both[1].state)
				}
				for _, s := range both {
					if s.state == wire.MoveOpened {
						continue
					}
					part := s.parts[min(s.seq, 1)]
					got, err := n.move(s.from, &wire.Move{N: s.n, Seq: s.seq + 1, Last: s.seq == 1, Domains: s.domains, Items: part})
					switch {
					case busyFor(err) > 0:
					case err != nil:
						t.Fatal(err)
					case got.State == wire.MoveDeclined:
						s.n, s.seq, s.state = s.n+10, 0, wire.MoveDeclined // it begins anew
					default:
						s.state, s.seq = got.State, got.Seq
					}
				}
			}
			if got := n.totals(); got.Fetched != 2 || got.Queued != 2 {
				t.Errorf("totals = %+v, want two fetched and two queued", got)
			}
		})
	}
}

func TestMove_FewAreUnderWayFromOneMember(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.heir(liar)
	for i := range 10 {
		d := crawl.Domain(fmt.Sprintf("d%d.test", i))
		_, err := n.move(liar, &wire.Move{N: uint64(i + 1), Seq: 1, Domains: list(d), Items: [][]byte{[]byte("\x01" + d)}})
		if (err == nil) != (i < maxArriving) {
			t.Errorf("move %d: %v", i+1, err)
		}
	}
	if got := n.totals().Arriving; got != maxArriving {
		t.Errorf("%d domains are arriving", got)
	}
}

// A receiver gives back a mark that the sender never made.
func TestMover_MarksAreNotTrusted(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	n.sites(1, 3)
	p := l.join(liar)
	for _, index := range []int{-1, -1 << 40, 2, 1 << 40} {
		p.Handle(wire.KindMove, func(_ context.Context, _ string, body []byte) ([]byte, error) {
			raw, err := cbor.Marshal(&mark{Index: index, Cursor: []byte{99}})
			if err != nil {
				return nil, err
			}
			return wire.Encode(&wire.MoveAnswer{State: wire.MoveTaken, Seq: 1, Mark: raw}), nil
		})
		c := cargo{s: n.Swarm, to: liar, n: 1, domains: list("s0.test")}
		before := n.net.weight(liar)
		if state, err := c.ask(t.Context()); err != nil || state != wire.MoveDeclined || n.net.weight(liar) == before {
			t.Errorf("mark %d: %v, %v, charged %d", index, state, err, n.net.weight(liar)-before)
		}
	}
}

// A receiver that takes part after part and keeps none is left alone.
func TestMover_EndsWhenNothingIsTaken(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	n.sites(1, 3)
	l.owner = liar
	p := l.join(liar)
	p.Handle(wire.KindMove, func(context.Context, string, []byte) ([]byte, error) {
		return wire.Encode(&wire.MoveAnswer{State: wire.MoveTaken}), nil
	})
	err := n.hurried(func() error { return n.mover.begin(t.Context(), liar, list("s0.test")) })
	if err == nil || p.count(wire.KindMove) > 3 {
		t.Errorf("%d parts were sent: %v", p.count(wire.KindMove), err)
	}
}

// A receiver that is busy for a moment gets the same part again, and not all from the beginning.
func TestMover_WaitsWhereItIs(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	n.sites(1, 3)
	l.owner = liar
	var parts []uint64
	l.join(liar).Handle(wire.KindMove, func(_ context.Context, _ string, body []byte) ([]byte, error) {
		m, err := wire.Decode[wire.Move](body)
		if err != nil {
			return nil, err
		}
		if m.N == noMove {
			return wire.Encode(&wire.MoveAnswer{State: wire.MoveTaken}), nil
		}
		switch parts = append(parts, m.Seq); {
		case m.Seq == 1 && len(parts) < 4:
			return nil, busy(time.Millisecond)
		case m.Seq == 1:
			return wire.Encode(&wire.MoveAnswer{State: wire.MoveOpened, Seq: 1}), nil
		}
		return wire.Encode(&wire.MoveAnswer{State: wire.MoveTaken}), nil
	})
	if err := n.mover.begin(t.Context(), liar, list("s0.test")); err != nil || !slices.Equal(parts, []uint64{0, 1, 0, 1}) {
		t.Errorf("parts %v, %v", parts, err)
	}
}

// That moves fail is told when they have for long, and then once in as long.
func TestMover_TellsOfMovesThatFail(t *testing.T) {
	l := newLab(t)
	m := newNode(t, l, self).mover
	told := 0
	for range 10 * tellAfter {
		m.mu.Lock()
		if m.failsForLong(other) {
			told++
		}
		m.mu.Unlock()
		l.advance(testLease)
	}
	if told != 9 {
		t.Errorf("told %d times in 50 leases, want 9", told)
	}
	l.advance(3 * tellAfter * testLease)
	if m.failsForLong(other) {
		t.Error("told at once when moves fail again")
	}
}

// Who says that it has a domain and never hands it over is not believed for ever.
func TestInquirer_ClaimsDoNotKeepADomainFromBeingBegun(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	n.heir(liar)
	n.enqueueUnasked("http://a.test/")
	claims := l.nodes[liar]
	claims.Handle(wire.KindHave, func(context.Context, string, []byte) ([]byte, error) {
		return wire.Encode(&wire.Had{Roster: make([]byte, 16), Here: []uint16{0}}), nil
	})
	rounds := 0
	for ; n.place("a.test").State == frontier.StateUnasked && rounds < 100; rounds++ {
		if err := n.hurried(func() error { _, err := n.inquirer.round(t.Context()); return err }); err != nil {
			t.Fatal(err)
		}
		l.advance(testLease / 2)
	}
	if rounds < 2*claimFor || rounds > 2*claimFor+3 {
		t.Errorf("the domain was begun after %d rounds, want %d", rounds, 2*claimFor)
	}
	if n.net.weight(liar) == 0 {
		t.Error("the claim costs nothing")
	}
}

// A member that is there and says nothing is not waited for for long; one that is down is, until
// its log would begin anew: who keeps it may be cut off, and visit the domain.
func TestInquirer_WaitsForLogsThatNobodyLeads(t *testing.T) {
	for _, c := range []struct {
		name string
		down bool
		want time.Duration
	}{
		{"silent", false, unansweredFor},
		{"down", true, testLeaderless},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			n := newNode(t, l, self)
			n.heir(other)
			l.down = map[string]bool{other: c.down}
			n.enqueueUnasked("http://a.test/")
			l.nodes[other].Handle(wire.KindHave, func(context.Context, string, []byte) ([]byte, error) {
				return nil, calls.ErrUnreachable
			})
			began := n.Swarm.now()
			for n.place("a.test").State == frontier.StateUnasked && n.Swarm.now().Sub(began) <= 2*c.want {
				if err := n.hurried(func() error { _, err := n.inquirer.round(t.Context()); return err }); err != nil {
					t.Fatal(err)
				}
				l.advance(time.Second)
			}
			if took := n.Swarm.now().Sub(began); took < c.want || took > c.want+3*time.Second {
				t.Errorf("the domain was begun after %v, want %v", took, c.want)
			}
		})
	}
}

// As long as a member has domains that are to move here, so may another that is far down
// the line for them.
func TestInquirer_AsksAllWhileDomainsMove(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	heirs := []string{"first", "second", "third", "far"}
	has := map[string]crawl.Domain{"first": "a.test", "far": "b.test"}
	for _, p := range heirs {
		l.join(p).Handle(wire.KindHave, func(_ context.Context, _ string, body []byte) ([]byte, error) {
			m, err := wire.Decode[wire.Have](body)
			if err != nil {
				return nil, err
			}
			had := wire.Had{Roster: make([]byte, 16)}
			if i := slices.Index(m.Domains, has[p]); i >= 0 {
				had.Here = append(had.Here, uint16(i))
			}
			return wire.Encode(&had), nil
		})
	}
	l.heirs = heirs
	n.enqueueUnasked("http://a.test/", "http://b.test/")
	round := func() {
		if err := n.hurried(func() error { _, err := n.inquirer.round(t.Context()); return err }); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 { // at first because the members may have changed
		round()
		l.advance(wideFor * testLease)
	}
	if p := n.place("b.test"); p.State != frontier.StateUnasked {
		t.Errorf("b.test is in state %v, though another has it", p.State)
	}
	clear(has)
	round()
	if p := n.place("b.test"); p.State != frontier.StateOpen {
		t.Errorf("b.test is in state %v, want open: nobody has it", p.State)
	}
}

// Who was alone has all domains, and is far down the line for most. As long as some may be on
// their way, it is asked too.
func TestInquirer_AsksAllWhenTheMembersChanged(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	has := map[string]crawl.Domain{"far": "a.test"}
	l.heirs = []string{"first", "second", "third", "far"}
	for _, p := range l.heirs {
		l.join(p).Handle(wire.KindHave, func(_ context.Context, _ string, body []byte) ([]byte, error) {
			m, err := wire.Decode[wire.Have](body)
			if err != nil {
				return nil, err
			}
			had := wire.Had{Roster: make([]byte, 16)}
			if i := slices.Index(m.Domains, has[p]); i >= 0 {
				had.Here = append(had.Here, uint16(i))
			}
			return wire.Encode(&had), nil
		})
	}
	round := func() {
		if err := n.hurried(func() error { _, err := n.inquirer.round(t.Context()); return err }); err != nil {
			t.Fatal(err)
		}
	}
	n.enqueueUnasked("http://a.test/")
	round()
	if p := n.place("a.test"); p.State != frontier.StateUnasked {
		t.Errorf("a.test is in state %v, though another has it", p.State)
	}
	has["far"] = ""
	round()
	if p := n.place("a.test"); p.State != frontier.StateOpen {
		t.Errorf("a.test is in state %v, want open: nobody has it", p.State)
	}
	l.advance(wideFor * testLease)
	asked := l.nodes["far"].count(wire.KindHave)
	n.enqueueUnasked("http://b.test/")
	round()
	if p := n.place("b.test"); p.State != frontier.StateOpen || l.nodes["far"].count(wire.KindHave) != asked {
		t.Errorf("b.test is in state %v, and who is far was asked although nothing moves", p.State)
	}
}

// enqueueUnasked takes URLs in whose domains others are to be asked about.
func (n *node) enqueueUnasked(urls ...string) {
	n.lab.t.Helper()
	n.enqueue(urls...)
	for _, u := range urls {
		if got := n.place(mustURL(n.lab.t, u).Domain()); got.State != frontier.StateUnasked {
			n.lab.t.Fatalf("%s is %v", u, got.State)
		}
	}
}

func TestHave_TellsOnlyOfTheAskersDomains(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	n.sites(2, 1)
	l.owners["s0.test"] = other
	roster := make([]byte, 16)
	got, err := say[wire.Had](n, other, wire.KindHave, &wire.Have{Roster: roster, Domains: list("s0.test")})
	if err != nil || len(got.Here) != 1 {
		t.Errorf("its own: %v, %v", got.Here, err)
	}
	got, err = say[wire.Had](n, liar, wire.KindHave, &wire.Have{Roster: roster, Domains: list("s0.test", "s1.test")})
	if refused := new(calls.Refused); !errors.As(err, &refused) || n.net.weight(liar) == 0 {
		t.Errorf("others': %v, %v, charged %d", got.Here, err, n.net.weight(liar))
	}
	foreign := []byte(strings.Repeat("f", 16))
	got, err = say[wire.Had](n, other, wire.KindHave, &wire.Have{Roster: foreign, Domains: list("s0.test")})
	if err != nil || len(got.Here) != 0 {
		t.Errorf("with another roster: %v, %v", got.Here, err)
	}
}

// The members may change while a question is answered. What is said then must not be
// taken for word that the domain is not here.
func TestHave_WhileTheMembersChange(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	n.sites(1, 1)
	asked := l.digest
	n.Swarm.net = changesWhenAsked{n.net}
	got, err := say[wire.Had](n, other, wire.KindHave, &wire.Have{Roster: asked[:], Domains: list("s0.test")})
	if err == nil && bytes.Equal(got.Roster, asked[:]) && len(got.Here) == 0 {
		t.Errorf("it says %+v of a domain that it has", got)
	}
	if w := n.net.weight(other); w != 0 {
		t.Errorf("who asked was charged %d", w)
	}
}

// changesWhenAsked is a network whose members change when somebody looks up an owner.
type changesWhenAsked struct{ *memNet }

func (c changesWhenAsked) Owner(crawl.Domain) (string, bool) {
	c.lab.mu.Lock()
	defer c.lab.mu.Unlock()
	c.lab.digest[0]++
	return "newcomer", true
}

// A domain that gets another owner while others are asked about it is not begun here.
func TestInquirer_BeginsNothingOfOthers(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	n.heir(other)
	n.enqueueUnasked("http://a.test/")
	l.nodes[other].Handle(wire.KindHave, func(context.Context, string, []byte) ([]byte, error) {
		had := wire.Had{Roster: make([]byte, 16)}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.owners["a.test"] = other
		return wire.Encode(&had), nil
	})
	if err := n.hurried(func() error { _, err := n.inquirer.round(t.Context()); return err }); err != nil {
		t.Fatal(err)
	}
	if p := n.place("a.test"); p.State != frontier.StateUnasked {
		t.Errorf("a.test is in state %v, want unasked", p.State)
	}
}
