//go:build unix

package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/demo"
)

// What one node prints as an invite brings another into its network, which
// here has a name of its own.
func TestVerbs_PeersInviteJoin(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, demo.Options{Sites: 10, Pages: 300})
	first := c.enter("1", "--network", "friends")
	line := strings.TrimSpace(startForage(t, "invite", "--home", first.home).succeed().stdout.String())
	if !strings.HasPrefix(line, "forage:lab-friends?a=/ip4/127.0.0.1/") || strings.ContainsAny(line, " \n") {
		t.Errorf("invite says %q", line)
	}
	if inv := parseJSON[map[string]string](t, startForage(t, "invite", "--json", "--home", first.home).succeed().stdout.String()); inv["invite"] != line {
		t.Errorf("invite says %q in JSON and %q in text", inv["invite"], line)
	}
	if out := startForage(t, "peers", "--home", first.home).succeed().stdout.String(); !strings.Contains(out, "forage invite") {
		t.Errorf("alone, peers says\n%s", out)
	}

	joined := startForage(t, "join", line, "--home", c.homeOf("2")).succeed().stdout.String()
	if !strings.Contains(joined, `"friends"`) || !strings.Contains(joined, "forage run --lab") {
		t.Errorf("join says %q", joined)
	}
	second := c.enter("2") // no flag says where to go
	c.agree(2)
	first.connects()
	second.connects()
	t.Run("peers", func(t *testing.T) { checkPeers(t, first, second) })
	t.Run("doctor", func(t *testing.T) {
		out := startForage(t, "doctor", "--home", second.home).succeed().stdout.String()
		if !regexp.MustCompile(`network +1 other node; `).MatchString(out) || !strings.Contains(out, "reach this one at 127.0.0.1:") {
			t.Errorf("doctor says\n%s", out)
		}
	})
	c.settle()
	t.Run("domains", func(t *testing.T) {
		for _, m := range c.nodes {
			if got, want := len(parseJSON[[]api.Domain](t, startForage(t, "domains", "--json", "--home", m.home).succeed().stdout.String())), len(m.domains()); got != want { // of so few, one node may own none
				t.Errorf("domains lists %d of %s, want %d", got, m.home, want)
			}
		}
		c.shared()
	})
	c.end()
	c.judge()
}

// checkPeers compares what two nodes that have met say of each other.
func checkPeers(t *testing.T, first, second *member) {
	var ids []string
	var share float64
	for i, m := range []*member{first, second} {
		p := parseJSON[api.Peers](t, startForage(t, "peers", "--json", "--home", m.home).succeed().stdout.String())
		if len(p.Peers) != 1 || p.Members != 2 || p.Alone {
			t.Fatalf("%s says %+v", m.home, p)
		}
		x := p.Peers[0]
		if x.State != "owns and fetches" || x.Connection != "direct" || x.Capacity != 1 || x.Version == "" || !strings.HasPrefix(x.Addr, "/ip4/127.0.0.1/") {
			t.Errorf("%s says of the other %+v", m.home, x)
		}
		share += p.Share
		if ids = append(ids, p.ID, x.ID); i == 0 {
			continue
		}
		if ids[0] != ids[3] || ids[1] != ids[2] || ids[0] == ids[1] {
			t.Errorf("they call each other %q", ids)
		}
	}
	if share < 0.999 || share > 1.001 {
		t.Errorf("together they own %f of the ring", share)
	}
	out := startForage(t, "peers", "--home", first.home).succeed().stdout.String()
	if !strings.Contains(out, ids[1][len(ids[1])-6:]) || !strings.Contains(out, "owns and fetches") || !strings.Contains(out, "reach this one at 127.0.0.1:") {
		t.Errorf("peers says\n%s", out)
	}
}

func TestJoin_RefusesWhatIsNoInvite(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, demo.Options{Sites: 1, Pages: 60})
	m := c.enter("1")
	line := m.peers().Invite
	c.end()
	for _, bad := range []struct {
		name string
		args []string
		says string
	}{
		{"nothing", nil, "one argument"},
		{"some words", []string{"the red house"}, `does not begin with "forage:"`},
		{"an address", []string{"/ip4/127.0.0.1/tcp/4001"}, `does not begin with "forage:"`},
		{"half of it", []string{line[:len(line)/2]}, "copy the whole line again"},
		{"a letter too much", []string{line + "x"}, "copy the whole line again"},
		{"another letter", []string{strings.Replace(line, "127", "128", 1)}, "copy the whole line again"},
		{"in two pieces", []string{line[:20], line[20:]}, "one argument, not 2"},
	} {
		t.Run(bad.name, func(t *testing.T) {
			home := filepath.Join(t.TempDir(), "home")
			p := startForage(t, append([]string{"join", "--home", home}, bad.args...)...)
			if code := p.wait(); code != 2 || !strings.Contains(p.stderr.String(), bad.says) {
				t.Errorf("ended with %d: %s; want 2 and %q", code, p.stderr.String(), bad.says)
			}
			if left, _ := filepath.Glob(filepath.Join(home, "*")); len(left) > 0 {
				t.Errorf("it wrote %q", left)
			}
		})
	}
	for _, verb := range []string{"peers", "invite"} {
		p := startForage(t, verb, "--home", m.home)
		if code := p.wait(); code != 1 || !strings.Contains(p.stderr.String(), "Forage is not running here") {
			t.Errorf("without a node, %s ended with %d: %s", verb, code, p.stderr.String())
		}
	}
}
