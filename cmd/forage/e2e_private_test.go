//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/demo"
)

// A setting begins a private network, an invite brings others, and who has none stays outside. The secret shows in the invite
// alone: no log, no answer of the API and no verb has it, and it lies in one file of the user's.
func TestPrivate_OnlyTheInvitedJoin(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, demo.Options{Sites: 10, Pages: 300})
	startForage(t, "set", "net.private=yes", "--home", c.homeOf("1")).succeed()
	first := c.enter("1")
	invite := startForage(t, "invite", "--home", first.home).succeed()
	line := strings.TrimSpace(invite.stdout.String())
	if !strings.HasPrefix(line, "forage:lab-main?s=") || strings.Contains(line, "quic") || !strings.Contains(invite.stderr.String(), "Keep it secret") {
		t.Errorf("invite says %q and %q", line, invite.stderr.String())
	}
	secret := line[len("forage:lab-main?s="):][:43]

	joined := startForage(t, "join", line, "--home", c.homeOf("2")).succeed().stdout.String()
	if !strings.Contains(joined, "private") || strings.Contains(joined, secret) {
		t.Errorf("join says %q", joined)
	}
	second := c.enter("2")
	c.agree(2)
	first.connects()
	third := parseJSON[map[string]string](t, startForage(t, "invite", "--json", "--home", second.home).succeed().stdout.String())["invite"]
	for _, id := range []string{first.peers().ID, second.peers().ID} {
		if !strings.Contains(third, id) {
			t.Errorf("the second member's invite does not name %s: %s", id, third)
		}
	}

	// One that knows the address and the name, and one with a secret of its own.
	door := first.door()
	stranger := c.enter("3", "--bootstrap", door)
	startForage(t, "set", "net.private=yes", "--home", c.homeOf("4")).succeed()
	other := c.enter("4", "--bootstrap", door)
	c.settle()
	for _, m := range []*member{stranger, other} {
		if p := m.peers(); len(p.Peers) > 0 || p.Members > 1 {
			t.Errorf("%s, who was not invited, knows %+v", m.name(), p)
		}
	}
	if p := first.peers(); len(p.Peers) != 1 || !p.Private || p.Invite != "" {
		t.Errorf("the first member knows %+v", p)
	}

	for _, m := range []*member{first, second} {
		for _, verb := range [][]string{{"status"}, {"status", "--json"}, {"peers", "--json"}, {"doctor"}, {"doctor", "--json"}, {"get"}, {"get", "net.private"}, {"paths"}, {"export", "--format", "stats", filepath.Join(t.TempDir(), "stats")}} {
			p := startForage(t, append(verb, "--home", m.home)...)
			p.wait()
			if said := p.stdout.String() + p.stderr.String(); strings.Contains(said, secret) {
				t.Errorf("forage %v shows the secret:\n%s", verb, said)
			}
		}
		if strings.Contains(m.stderr.String()+m.stdout.String(), secret) {
			t.Errorf("%s logged the secret", m.name())
		}
	}
	c.end()
	for _, m := range c.nodes {
		if err := filepath.WalkDir(m.home, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			if strings.Contains(string(data), secret) {
				info, _ := e.Info()
				if at := filepath.Base(path); at != "network.key" || info.Mode().Perm() != 0o600 || m == stranger || m == other {
					t.Errorf("the secret of the network is in %s, mode %v", path, info.Mode())
				}
			}
			return err
		}); err != nil {
			t.Error(err)
		}
	}

	// Nothing of another network's secret is lost by pasting a line.
	p := startForage(t, "join", line, "--home", other.home)
	if code := p.wait(); code != 1 || !strings.Contains(p.stderr.String(), "another private network") {
		t.Errorf("join of another private network ended with %d: %s", code, p.stderr.String())
	}
	// A member whose secret is lost does not become one of the public network.
	if err := os.Remove(filepath.Join(first.home, "state", "network.key")); err != nil {
		t.Fatal(err)
	}
	again := startForage(t, "run", "--home", first.home, "--accept", "--lab", "--hosts", c.hosts, "--api", "127.0.0.1:0", "--no-tray")
	if code := again.wait(); code == 0 || !strings.Contains(again.stderr.String(), "crawl of another network") {
		t.Errorf("without its secret a member ended with %d: %s", code, again.stderr.String())
	}
}
