package swarm

import (
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// Members are told of domains that wait, as long as they wait and nobody asks for them.
func TestCrier_TellsOfDomainsThatNobodyAsksFor(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	after := func(d time.Duration) int {
		l.advance(d)
		n.net.told = nil
		n.announce(t.Context())
		return len(n.net.told)
	}
	if after(0) != 0 || after(cryEvery) != 0 || after(cryEvery) != 0 {
		t.Error("told of no domains")
	}
	n.sites(3, 2)
	if after(cryEvery/2) != 0 || after(cryEvery) != 0 {
		t.Error("told at the first look")
	}
	if after(cryEvery) != 1 || n.net.told[0] != 3 {
		t.Errorf("told of %d, 3 wait", n.net.told)
	}
	if after(time.Second) != 0 {
		t.Error("told at once again")
	}
	n.wants.set(other, 1, "")
	if after(cryEvery) != 0 {
		t.Error("told although a fetcher asks")
	}
	n.wants.drop(other)
	if after(cryEvery) != 0 || after(cryEvery) != 1 {
		t.Error("not told again when that fetcher was gone, or at once")
	}
	if got := len(n.ask(other, 5)); got != 3 {
		t.Fatalf("%d leases", got)
	}
	n.wants.drop(other)
	if after(cryEvery) != 0 || after(cryEvery) != 0 {
		t.Error("told of domains that somebody has")
	}
}

// Who looks for work asks owners that told of theirs, not only its neighbours.
func TestAsker_AsksWhoHasTold(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	n.fetcher.want = 10
	n.net.announced = []string{"far 1", "far 2", "far 3", "far 4", "far 5"}
	asked := n.asker.next()
	slices.Sort(asked)
	if want := n.net.announced[:askMore]; !slices.Equal(asked, want) {
		t.Errorf("asks %q, want %q", asked, want)
	}
}

// The owners of domains that go before others are asked too, wherever they are, and this node not.
func TestAsker_AsksTheOwnersOfWhatGoesFirst(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	n.fetcher.want = 10
	var first []crawl.Domain
	n.Swarm.cfg.First = func() []crawl.Domain { return first }
	if got := n.asker.next(); len(got) != 0 {
		t.Errorf("asks %q with nothing that goes first", got)
	}
	first = []crawl.Domain{"mine.test", "own.test"}
	l.mu.Lock()
	l.owners["mine.test"], l.owners["own.test"] = "far", self
	l.mu.Unlock()
	if got := n.asker.next(); !slices.Equal(got, []string{"far"}) {
		t.Errorf("asks %q, want the owner of mine.test", got)
	}
}
