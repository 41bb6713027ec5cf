package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
)

// restart ends the node and starts another one in the same home, as the user would.
func (s *settler) restart() {
	s.t.Helper()
	s.end()
	cfg, err := s.o.Reload()
	if err != nil {
		s.t.Fatal(err)
	}
	s.o.Config = cfg
	s.begin()
}

// What was set holds after a restart, every setting of it, and none waits for another one. What is wrong is refused with what to type.
func TestSettings_HoldOverARestart(t *testing.T) {
	s := startSettler(t, "")
	list := filepath.ToSlash(filepath.Join(t.TempDir(), "list.txt"))
	if err := os.WriteFile(list, []byte("bad.example\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// A node of another network, in another role, or at another address is another node: of these it is seen to that the next one reads them.
	elsewhere := map[string]bool{"role": true, "net.name": true, "net.bootstrap": true, "net.private": true, "peer.listen": true, "web.addr": true, "web.lan": true, "web.tls_cert": true, "web.tls_key": true}
	var values []string
	replace := strings.NewReplacer("LIST", list, "DIR", filepath.ToSlash(t.TempDir()))
	want := make(map[string]string)
	for _, k := range config.Keys() {
		c, ok := others[k.Name]
		if !ok || k.Fixed || strings.HasPrefix(k.Name, "consent.") || elsewhere[k.Name] {
			continue
		}
		values = append(values, k.Name, replace.Replace(c[0]))
		want[k.Name] = replace.Replace(c[1])
		var bad *api.SettingError
		if _, err := s.set(k.Name, replace.Replace(c[2])); !errors.As(err, &bad) || bad.Range == "" && !strings.Contains(bad.Error(), "write") {
			t.Errorf("%s = %s is refused without what to type: %v", k.Name, c[2], err)
		}
	}
	if len(want) < 60 {
		t.Fatalf("%d settings alone", len(want))
	}
	if done, err := s.set(values...); err != nil || len(done.Changed) != len(want) {
		t.Fatalf("%d of %d settings changed, %v", len(done.Changed), len(want), err)
	}
	for range 2 {
		s.restart()
		is := s.settings("en")
		for key, text := range want {
			if one := is[key]; one.Text != text || one.Pending || !one.Set {
				t.Errorf("after a restart %s is %q, want %q: %+v", key, one.Text, text, one)
			}
		}
	}
	for key := range elsewhere {
		if done, err := s.set(key, others[key][0]); err != nil || len(done.Restart) != 1 {
			t.Errorf("%s: %+v, %v", key, done, err)
		}
		cfg, err := config.Load(s.o.Paths.Config)
		if err != nil {
			t.Fatal(err)
		}
		if is, err := cfg.Get(key); err != nil || config.Unquoted(is) != others[key][1] || !s.settings("en")[key].Pending && key != "web.addr" {
			t.Errorf("the next node has %s = %s, %v, want %s", key, is, err, others[key][1])
		}
	}
}

// What the user asked for by hand holds after a restart: pauses with an end and without, work for a while, sites never to visit.
func TestVerbs_HoldOverARestart(t *testing.T) {
	s := startSettler(t, "")
	ctx := t.Context()
	for _, c := range []struct {
		verb string
		ask  func(context.Context) error
		mode string
		left time.Duration // 0 for no end
	}{
		{"pause", func(ctx context.Context) error { return s.api.Pause(ctx, 0) }, "off", 0},
		{"pause 2h", func(ctx context.Context) error { return s.api.Pause(ctx, 2*time.Hour) }, "off", 2 * time.Hour},
		{"resume --for 1h", func(ctx context.Context) error { return s.api.Work(ctx, time.Hour) }, "on", time.Hour},
		{"resume", func(ctx context.Context) error { return s.api.Resume(ctx) }, "auto", 0},
	} {
		if err := c.ask(ctx); err != nil {
			t.Fatalf("%s: %v", c.verb, err)
		}
		for _, when := range []string{"at once", "after a restart", "after another"} {
			if when != "at once" {
				s.restart()
			}
			l, err := s.api.Limits(ctx, "en")
			if err != nil || l.Mode != c.mode || (l.Until != nil) != (c.left > 0) {
				t.Errorf("%s, %s: %s until %v, %v", c.verb, when, l.Mode, l.Until, err)
			} else if c.left > 0 && (time.Until(*l.Until) > c.left || time.Until(*l.Until) < c.left-patience) {
				t.Errorf("%s, %s: it ends at %v", c.verb, when, l.Until)
			}
		}
	}
	for _, undo := range []bool{false, true} {
		if _, err := s.api.Never(ctx, "https://www.never.test/x?y#z", undo); err != nil {
			t.Fatal(err)
		}
		s.restart()
		list, err := s.api.NeverList(ctx)
		if is := len(list.Sites) == 1 && list.Sites[0] == "never.test"; err != nil || is == undo {
			t.Errorf("never, undo %v: %v, %v", undo, list.Sites, err)
		}
	}
	for _, text := range []string{"", "a b", "me@never.test", "com", "ftp:"} {
		var bad *api.InputError
		if _, err := s.api.Never(ctx, text, false); err == nil || errors.As(err, &bad) {
			t.Errorf("never %q: %v", text, err)
		} else if !strings.Contains(err.Error(), "example.org") && !strings.Contains(err.Error(), "write ") && !strings.Contains(err.Error(), "tld.never") && text != "ftp:" && text != "" {
			t.Errorf("never %q is refused without what to type: %v", text, err)
		}
	}
}
