package app

import (
	"context"
	"crypto/ed25519"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/app/recall"
	"github.com/forage-net/forage/app/recaller"
)

// recallLab is a lab of nodes that believe the key of a test.
type recallLab struct {
	t    *testing.T
	site *testSite
	key  ed25519.PrivateKey
	dir  string
	door string
}

func newRecallLab(t *testing.T) *recallLab {
	return &recallLab{
		t: t, dir: t.TempDir(), key: ed25519.NewKeyFromSeed([]byte("a key of tests, not of releases.")),
		site: newTestSite(t, "a.test b.test", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<title>a page</title>"))
		}),
	}
}

// start runs a node until the test, or end, ends it.
func (l *recallLab) start(name string, overruled bool, keys ...ed25519.PublicKey) (n *Node, end func()) {
	l.t.Helper()
	o := labOptions(l.t, filepath.Join(l.dir, name), l.site.hosts)
	o.ExitWhenIdle, o.RecallKeys = 0, keys
	o.Config.Limits.Pause.Recall = !overruled
	if l.door != "" {
		o.Config.Net.Bootstrap = []string{l.door}
	}
	n = newNode(l.t, o)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- n.Serve(ctx) }()
	ended := false
	end = func() {
		if ended {
			return
		}
		ended = true
		cancel()
		if err := <-done; err != nil {
			l.t.Errorf("a node ended: %v", err)
		}
		if err := n.Close(); err != nil {
			l.t.Errorf("close: %v", err)
		}
	}
	l.t.Cleanup(end)
	if l.door == "" {
		in, err := membership.ParseInvite(n.member.Invite())
		if err != nil || len(in.Doors) == 0 {
			l.t.Fatalf("invite %q: %v", n.member.Invite(), err)
		}
		l.door = in.Doors[0]
	}
	return n, end
}

// await waits until a node says something.
func (l *recallLab) await(what string, n *Node, is func(api.Status) bool) (s api.Status) {
	l.t.Helper()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for end := time.After(time.Minute); ; {
		var err error
		if s, err = n.Status(l.t.Context()); err == nil && is(s) {
			return s
		}
		select {
		case <-end:
			l.t.Fatalf("not within a minute: %s; the node says %+v", what, s)
		case <-look.C:
		}
	}
}

// level is what a node may do now.
func (l *recallLab) level(n *Node) string {
	l.t.Helper()
	is, err := n.Limits(l.t.Context(), "en")
	if err != nil {
		l.t.Fatal(err)
	}
	return is.Level
}

func rests(s api.Status) bool {
	return strings.Contains(strings.Join(s.Reasons, " "), "Forage's makers ask")
}

func (l *recallLab) note(below string, issued time.Time) string {
	l.t.Helper()
	line, err := recall.Sign(recall.Note{Below: below, Fault: recall.Often, Issued: issued, Until: issued.Add(48 * time.Hour)}, l.key)
	if err != nil {
		l.t.Fatal(err)
	}
	return line
}

// A note that one node has reaches the others, which pause and say why; the user may overrule it; a restart changes nothing; and the note that takes
// it back reaches them, too.
func TestRecall_ANotePausesTheSwarm(t *testing.T) {
	l := newRecallLab(t)
	public := l.key.Public().(ed25519.PublicKey)
	issued := time.Now().Add(-time.Hour).Truncate(time.Second)
	first, _ := l.start("1", false, public)
	second, endSecond := l.start("2", false, public)
	third, _ := l.start("3", true, public)
	keyless, _ := l.start("4", false, []ed25519.PublicKey{}...)
	for _, n := range []*Node{first, second, third, keyless} {
		l.await("all are connected", n, func(s api.Status) bool { return s.Connected == 3 })
	}
	if err := first.recaller.Take(l.note("99.0.0", issued)); err != nil {
		t.Fatal(err)
	}
	for _, n := range []*Node{first, second} {
		s := l.await("a node rests", n, rests)
		if !strings.Contains(s.Sentence, "versions before 99.0.0 may visit sites too often") {
			t.Errorf("the status says %q", s.Sentence)
		}
		if level := l.level(n); level != "off" {
			t.Errorf("the level is %s", level)
		}
	}
	l.await("the third has the note", third, func(api.Status) bool { return third.recaller.Current() != "" })
	if level := l.level(third); level != "full" {
		t.Errorf("the user has overruled it, and the level is %s", level)
	}
	if keyless.recaller.Current() != "" {
		t.Error("a node without a key has taken the note")
	}

	endSecond()
	second, _ = l.start("2", false, public)
	l.await("it rests after a restart", second, rests)

	// An earlier note, and those of others, change nothing.
	if err := second.recaller.Take(l.note("", issued.Add(-time.Second))); err != nil {
		t.Error(err)
	}
	forged := l.note("", issued.Add(time.Minute))
	if err := second.recaller.Take(forged[:len(forged)-4] + "AAAA"); err == nil {
		t.Error("a forged note is taken")
	}
	if s, err := second.Status(t.Context()); err != nil || !rests(s) {
		t.Errorf("it says %+v, %v", s, err)
	}
	if err := second.recaller.Take(l.note("", issued.Add(time.Second))); err != nil {
		t.Fatal(err)
	}
	for _, n := range []*Node{first, second} {
		l.await("it goes on", n, func(s api.Status) bool { return !rests(s) })
	}
}

// Where nobody else passes it on, a note in the file does.
func TestRecall_AFilePausesANode(t *testing.T) {
	l := newRecallLab(t)
	o := labOptions(t, filepath.Join(l.dir, "1"), l.site.hosts)
	for _, c := range []struct {
		text string
		want bool
	}{
		{"not a note\n", false}, {strings.Repeat("x", 1000), false}, {l.note("0.0.1", time.Now().Add(-time.Hour)), false},
		{l.note("99.0.0", time.Now().Add(-time.Minute)) + "\n", true},
	} {
		if err := os.WriteFile(recaller.Path(o.Paths.State), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		n, end := l.start("1", false, l.key.Public().(ed25519.PublicKey))
		l.await("it has decided", n, func(s api.Status) bool { return s.Consent })
		if s, err := n.Status(t.Context()); err != nil || rests(s) != c.want {
			t.Errorf("with %.40q in the file the node says %+v, %v", c.text, s.Reasons, err)
		}
		end()
		l.door = ""
	}
}
