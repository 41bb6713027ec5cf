package swarm_test

import (
	"testing"
	"time"

	"github.com/forage-net/forage/app/swarm"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/group"
)

// seed brings the root of each domain to the crawl, by way of one member.
func (l *lab) seed(m *member) {
	l.t.Helper()
	for _, u := range l.web.roots {
		stored := make(chan bool, 1)
		for ok := false; !ok; ok = <-stored {
			if err := m.Do(l.t.Context(), func(n *group.Node) error {
				m.swarm.Seed(n, crawl.Outlink{URL: u, Priority: crawl.PriorityHigh}, func(ok bool) { stored <- ok })
				return nil
			}); err != nil {
				l.t.Fatal(err)
			}
		}
	}
}

// crawled waits until every page was visited.
func (l *lab) crawled(within time.Duration) {
	l.t.Helper()
	want := len(l.web.links)
	l.wait(within, "a crawl of all pages", func() bool {
		pages, _ := l.web.counts()
		return pages == want
	})
}

func (l *lab) judge(mostAgain int) {
	l.t.Helper()
	pages, again := l.web.counts()
	for _, m := range l.members {
		mostAgain += int(m.swarm.Counts()[swarm.ChecksMade])
	}
	l.t.Logf("%d pages, %d of them again; shortest gap %v; by %v", pages, again, l.web.shortest(), l.web.visitors())
	if again > mostAgain {
		l.t.Errorf("%d pages were visited again, want at most %d", again, mostAgain)
	}
	if got := l.web.shortest(); got < l.gap {
		l.t.Errorf("two requests of a domain are %v apart, want at least %v", got, l.gap)
	}
}

// A node alone crawls a web, each page once.
func TestSwarm_OneMember(t *testing.T) {
	t.Parallel()
	l := newLab(t, newWeb(1, 20, 15), 20*time.Millisecond)
	m := l.add()
	l.seed(m)
	l.crawled(2 * time.Minute)
	l.judge(0)
}

// Three members share the work.
func TestSwarm_ThreeMembers(t *testing.T) {
	t.Parallel()
	l := newLab(t, newWeb(2, 30, 15), 20*time.Millisecond)
	for range 3 {
		l.add()
	}
	l.seed(l.members[0])
	l.crawled(2 * time.Minute)
	l.judge(0)
}

// What a member had when it was killed is with the others: they go on, and it finds its place again.
func TestSwarm_MembersAreKilled(t *testing.T) {
	t.Parallel()
	l := newLab(t, newWeb(3, 20, 20), 20*time.Millisecond)
	for range 3 {
		l.add()
	}
	l.seed(l.members[0])
	l.wait(time.Minute, "a copy of everything", l.whole)
	l.wait(time.Minute, "a third of the crawl", func() bool {
		pages,
			_ := l.web.counts()
		return pages > len(l.web.links)/3
	})
	l.members[1].kill()
	l.wait(time.Minute, "the next third", func() bool {
		pages,
			_ := l.web.counts()
		return pages > len(l.web.links)*2/3
	})
	l.members[1].start()
	l.wait(time.Minute, "a copy of everything", l.whole)
	l.members[0].kill()
	l.crawled(2 * time.Minute)
	l.judge(2 * 16) // what each of the killed had under way, without an archive to read it back from
}
