package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
)

// natNode is a node of the internet in a lab, with the limits of a user who is away.
type natNode struct {
	t           *testing.T
	space, home string
	*process
}

func (l *natLab) start(space string, settings []string, flags ...string) *natNode {
	l.t.Helper()
	n := &natNode{t: l.t, space: space, home: roomyHome(l.t)}
	for _, s := range append(settings, "idle.unknown_is=away", "pause.other_cpu=100", "peer.mdns=no") {
		run(l.t, n.home, "set", s)
	}
	n.process = startWith(l.t, n.command(slices.Concat([]string{
		"run", "--network", "natlab", "--accept", "--no-tray", "--api", "127.0.0.1:0", "--seeds", "http://" + natSite(0) + "/",
	}, flags)...))
	n.awaitUp(n.home)
	return n
}

func (n *natNode) command(args ...string) *exec.Cmd {
	return exec.Command("ip", slices.Concat([]string{"netns", "exec", n.space, program}, args, []string{"--home", n.home})...)
}

// peers is what "forage peers" says there.
func (n *natNode) peers() api.Peers {
	n.t.Helper()
	return parseJSON[api.Peers](n.t, startWith(n.t, n.command("peers", "--json")).succeed().stdout.String())
}

// reaches returns how it is connected to another node, "" if it does not know that one.
func (n *natNode) reaches(id string) string {
	for _, p := range n.peers().Peers {
		if p.ID == id {
			return p.Connection
		}
	}
	return ""
}

// At their real times and over the real protocols: homes behind routers meet through a bootstrap node, work for each
// other, directly where their routers can be brought to let them through, and yet each site sees one crawler.
func TestLong_Routers(t *testing.T) {
	long(t)
	const keeps, hides = "masquerade", "masquerade random"
	for _, c := range []struct {
		name   string
		router string // how the routers translate
		public bool   // there is a member that all can reach
		want   string // how the homes are connected in the end
	}{
		{"that let through", keeps, false, "direct"},
		{"that hide", hides, false, "through a relay"},
		{"and one without", hides, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newNATLab(t, 60)
			server := l.start(l.public("boot", "5.5.5.10"), []string{"role=bootstrap"}, "--listen", "/ip4/0.0.0.0/tcp/4001", "--listen", "/ip4/0.0.0.0/udp/4001/quic-v1")
			way := []string{"--bootstrap", "/ip4/5.5.5.10/tcp/4001/p2p/" + server.peers().ID}
			workers := []string{"7.7.7.10", "8.8.4.10"}
			if c.public {
				l.start(l.public("open", "6.6.6.10"), nil, way...)
				workers = append(workers, "6.6.6.10")
			}
			one := l.start(l.home("one", workers[0], c.router), nil, way...)
			other := l.start(l.home("other", workers[1], c.router), nil, way...)
			id := other.peers().ID
			untilWithin(t, "all to work", 10*time.Minute, func() bool {
				count := l.byAddress()
				return !slices.ContainsFunc(workers, func(a string) bool { return count[a] < 10 })
			})
			if c.want != "" {
				untilWithin(t, "the homes to be connected "+c.want, 5*time.Minute, func() bool { return one.reaches(id) == c.want })
			}
			if said := one.peers().Reachability; !c.public && !strings.Contains(said, "relay") {
				t.Errorf("it says of itself: %s", said)
			}
			l.judge(1500 * time.Millisecond) // two seconds, less what a busy machine makes of them
			t.Logf("pages: %v", l.byAddress())
		})
	}
}

// untilWithin is until with another patience.
func untilWithin(t *testing.T, what string, patience time.Duration, yes func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !yes(); time.Sleep(500 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
