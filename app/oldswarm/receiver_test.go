package swarm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

// group is a group of links of a message.
func group(from crawl.Domain, depth uint8, urls ...string) wire.LinkGroup {
	list := make([]wire.Link, len(urls))
	for i, u := range urls {
		list[i] = wire.Link{URL: u, Depth: depth, Priority: crawl.PriorityNormal}
	}
	return wire.LinkGroup{From: from, Date: time.Now().Unix(), Depth: depth, Links: wire.AppendLinks(nil, depth, list)}
}

func isBusy(err error) bool {
	var b *calls.Busy
	return errors.As(err, &b)
}

func TestLinks_OutOfScopeAreNotTaken(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	l.owners["liars.test"] = liar
	g := group("liars.test", 1, "http://a.example/", "http://192.168.0.1/", "http://a.test/x.zip", "http://good.test/")
	deep := group("liars.test", 4, "http://deep.test/")
	if _, err := say[wire.Taken](n, liar, wire.KindLinks, &wire.Links{Groups: []wire.LinkGroup{g, deep}}); err != nil {
		t.Fatal(err)
	}
	if got := n.totals(); got.Known != 1 {
		t.Errorf("totals = %+v, want one link taken", got)
	}
	if n.net.weight(liar) == 0 {
		t.Error("links out of scope cost nothing")
	}
}

// Who sends what another's crawl would take, and this node's does not, is no liar.
func TestLinks_OfAWiderCrawlAreNoLie(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	l.owners["wide.test"] = other
	film := group("wide.test", 1, "http://a.test/x.mp4", "http://a.test/x/x/x/x/x/x/x/x/", "http://good.test/")
	deep := group("wide.test", 4, "http://deep.test/")
	if _, err := say[wire.Taken](n, other, wire.KindLinks, &wire.Links{Groups: []wire.LinkGroup{film, deep}}); err != nil {
		t.Fatal(err)
	}
	if got, weight := n.totals(), n.net.weight(other); got.Known != 1 || weight > 0 {
		t.Errorf("%d links are taken, want 1; the peer is charged %d", got.Known, weight)
	}
}

func TestLinks_NotCanonicalAreALie(t *testing.T) {
	n := newNode(t, newLab(t), self)
	for _, u := range []string{"http://a.test", "HTTP://a.test/", "http://a.test/#x", "http://a.test:80/", "javascript:alert(1)", "http://user@a.test/"} {
		before := n.net.weight(liar)
		_, err := say[wire.Taken](n, liar, wire.KindLinks, &wire.Links{Groups: []wire.LinkGroup{group("", 0, u)}})
		n.expectLie(u, liar, before, err)
	}
	if got := n.totals(); got.Known != 0 {
		t.Errorf("totals = %+v", got)
	}
}

// Links that no page of the sender had are seeds, of which there may be few.
func TestLinks_SeedsAreRated(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	l.owners["mine.test"] = self
	var urls []string
	for i := range 1000 {
		urls = append(urls, fmt.Sprintf("http://one.test/%d", i))
	}
	taken := 0
	for i, from := range []crawl.Domain{"", "mine.test", "", "mine.test", "", "", ""} {
		for j := range urls {
			urls[j] = fmt.Sprintf("http://one.test/%d/%d", i, j)
		}
		_, err := say[wire.Taken](n, liar, wire.KindLinks, &wire.Links{Groups: []wire.LinkGroup{group(from, 0, urls...)}})
		if err == nil {
			taken++
		} else if !isBusy(err) {
			t.Fatal(err)
		}
	}
	if want := seedBurst / len(urls); taken != want {
		t.Errorf("%d thousand seeds were taken, want %d", taken, want)
	}
	l.advance(10 * time.Second)
	if _, err := say[wire.Taken](n, liar, wire.KindLinks, &wire.Links{Groups: []wire.LinkGroup{group("", 0, urls[:11]...)}}); !isBusy(err) {
		t.Errorf("after 10 s 11 more are taken: %v", err)
	}
	if _, err := say[wire.Taken](n, liar, wire.KindLinks, &wire.Links{Groups: []wire.LinkGroup{group("", 0, urls[:10]...)}}); err != nil {
		t.Errorf("after 10 s 10 more are not taken: %v", err)
	}
}

// An owner can make up domains without end; what they take here is bounded.
func TestLinks_FewBeginDomainsNeverHeardOf(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	l.owners["liars.test"] = liar
	for round := range 8 {
		var urls []string
		for i := range 1000 {
			urls = append(urls, fmt.Sprintf("http://made-up-%d-%d.test/", round, i))
		}
		if _, err := say[wire.Taken](n, liar, wire.KindLinks, &wire.Links{Groups: []wire.LinkGroup{group("liars.test", 1, urls...)}}); err != nil && !isBusy(err) {
			t.Fatal(err)
		}
	}
	if got := n.totals().Domains; got != beginBurst {
		t.Errorf("%d domains were begun, want %d", got, beginBurst)
	}
	// Links to domains that are known are taken as before.
	if _, err := say[wire.Taken](n, liar, wire.KindLinks, &wire.Links{Groups: []wire.LinkGroup{group("liars.test", 1, "http://made-up-0-1.test/x")}}); err != nil {
		t.Error(err)
	}
}

func TestRates_RememberNoMoreThanTheyMust(t *testing.T) {
	r := newRates(1, time.Second)
	for i := range 3 * maxRated {
		r.take(fmt.Sprint(i), 1, time.Now())
	}
	if len(r.byPeer) > maxRated {
		t.Errorf("%d peers are remembered", len(r.byPeer))
	}
}

// Only of domains it was sent links to is a peer's word taken, and only for those
// that may own them.
func TestSender_NobodyRedirectsLinksOfOthers(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	l.owner = liar
	l.heirs = []string{liar, other}
	p := l.join(liar)
	const stranger = "stranger-peer"
	for name, c := range map[string]struct {
		moved wire.Moved
		want  string
	}{
		"another's domain": {wire.Moved{Domain: "others.test", To: liar}, ""},
		"to a stranger":    {wire.Moved{Domain: "a.test", To: stranger}, ""},
		"to an heir":       {wire.Moved{Domain: "a.test", To: other}, other},
	} {
		p.Handle(wire.KindLinks, func(context.Context, string, []byte) ([]byte, error) {
			return wire.Encode(&wire.Taken{Moved: []wire.Moved{c.moved}}), nil
		})
		n.sender = newSender(n.Swarm)
		links := []frontier.OutLink{{Link: frontier.Link{URL: "http://a.test/", Priority: 2}, Key: []byte("k")}}
		if err := n.hurried(func() error { n.sender.send(t.Context(), liar, links); return nil }); err != nil {
			t.Fatal(err)
		}
		if got := n.sender.routes[c.moved.Domain].to; got != c.want {
			t.Errorf("%s: links go to %q, want %q", name, got, c.want)
		}
	}
	if n.net.weight(liar) == 0 {
		t.Error("word of another's domain costs nothing")
	}
}

// Each message has two logs commit, so few links wait for others to the same owner; neither for ever, nor when the node leaves.
func TestSender_FewLinksWaitForOthers(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	l.owners["theirs.test"] = other
	p := l.join(other)
	refuses := false
	p.Handle(wire.KindLinks, func(context.Context, string, []byte) ([]byte, error) {
		if refuses {
			return nil, busy(time.Second)
		}
		return wire.Encode(&wire.Taken{}), nil
	})
	made, want := 0, 0
	round := func(links, messages int, why string) {
		t.Helper()
		for range links {
			made++
			n.enqueue(fmt.Sprintf("http://theirs.test/%d", made))
		}
		err := n.hurried(func() error {
			defer n.sender.sends.Wait()
			return n.sender.round(t.Context())
		})
		if err != nil {
			t.Fatal(err)
		}
		if want += messages; p.asked[wire.KindLinks] != want {
			t.Fatalf("%s: %d messages, want %d", why, p.asked[wire.KindLinks], want)
		}
	}
	round(1, 1, "the first link")
	l.advance(sendWait - 1)
	round(2, 0, "more, and not yet long enough")
	l.advance(1)
	round(0, 1, "they have waited")
	round(1, 0, "the first of the next")
	round(sendFew-1, 1, "many")
	round(1, 0, "the first after them")
	l.advance(sendWait)
	refuses = true
	round(0, 1, "it has waited, in vain")
	refuses = false
	l.advance(2 * time.Second)
	round(0, 1, "it does not wait anew")
	round(1, 0, "one after that")
	n.leaving.Store(true)
	round(0, 1, "the node leaves")
	if got := n.totals().Outbox; got != 0 {
		t.Errorf("%d links are left", got)
	}
}

// Honest links never add up to what a receiver takes for a lie.
func TestSender_MessagesStayWithinWhatIsTaken(t *testing.T) {
	var links []frontier.OutLink
	for i := range sendLinks {
		u := fmt.Sprintf("http://s%d.test/%d%s", i%7, i, strings.Repeat("y", 1900+i%100))
		links = append(links, frontier.OutLink{Link: frontier.Link{URL: u, Priority: crawl.PriorityNormal}, From: crawl.Domain(fmt.Sprintf("f%d.test", i%300))})
	}
	sent := 0
	for rest := links; len(rest) > 0; {
		m, now := linksMessage(rest)
		raw := wire.Encode(m)
		if len(raw) > 1<<20 || len(now) == 0 {
			t.Fatalf("%d links in a message of %d bytes", len(now), len(raw))
		}
		got, err := wire.Decode[wire.Links](raw)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := got.Parse(); err != nil {
			t.Fatal(err)
		}
		sent += len(now)
		rest = rest[len(now):]
	}
	if sent != sendLinks {
		t.Errorf("%d links were sent, want %d", sent, sendLinks)
	}
}
