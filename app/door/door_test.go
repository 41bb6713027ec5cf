package door

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api/conns"
	"github.com/forage-net/forage/app/api/password"
	"github.com/forage-net/forage/app/config"
)

// Where another program has the port, a node that may takes any other.
func TestOpen_AnyPort(t *testing.T) {
	taken, err := conns.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, may := range []bool{false, true} {
		d, err := Open(Config{
			AnyPort: may, Web: config.Web{Addr: taken.Addr().String()}, Log: slog.New(slog.DiscardHandler),
		})
		if (err == nil) != may {
			t.Errorf("a node that may %v: %v", may, err)
		}
		if err == nil {
			d.listeners[0].Close()
		}
	}
}

// What is missing for other computers keeps them out, and the node at work.
func TestOpen(t *testing.T) {
	state := t.TempDir()
	if err := password.Set(state, "correct horse battery"); err != nil {
		t.Fatal(err)
	}
	damaged := t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, "web-password.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	const alone, both = "127.0.0.1:0", "[::]:0"
	for _, c := range []struct {
		what  string
		state string
		web   config.Web
		wide  bool
		log   string // what is said
		err   string
	}{
		{"by default", state, config.Web{Addr: alone}, false, "", ""},
		{"without web.lan", state, config.Web{Addr: "0.0.0.0:0"}, false, "", `could be reached from other computers; use 127.0.0.1, or let them in with a password: "forage password"`},
		{"without a password", t.TempDir(), config.Web{Addr: alone, LAN: true}, false, `web.lan needs a password: \"forage password\" sets it`, ""},
		{"without a password, everywhere", t.TempDir(), config.Web{Addr: "0.0.0.0:0", LAN: true}, false, "web.lan needs a password", ""},
		{"with a damaged password", damaged, config.Web{Addr: both, LAN: true}, false, "sets it again", ""},
		{"with half a certificate", state, config.Web{Addr: alone, LAN: true, TLSCert: "/cert.pem"}, false, "web.tls_cert and web.tls_key belong together", ""},
		{"with a certificate that is not there", state, config.Web{Addr: alone, LAN: true, TLSCert: "/none/cert.pem", TLSKey: "/none/key.pem"}, false, "/none/cert.pem", ""},
		{"for the local network", state, config.Web{Addr: alone, LAN: true, Hosts: []string{"nas"}}, true, "certificate_sha256=", ""},
		{"for the local network, everywhere", state, config.Web{Addr: both, LAN: true}, true, "https://", ""},
		{"at an address that is not ours", state, config.Web{Addr: "203.0.113.254:0", LAN: true}, false, "", "listen on 203.0.113.254:0"},
	} {
		var log bytes.Buffer
		d, err := Open(Config{State: c.state, Web: c.web, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %s", c.what, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if wide := !strings.HasPrefix(d.listeners[0].Addr().String(), "127.0.0.1:"); wide != c.wide || (d.lan != nil) != c.wide {
			t.Errorf("%s: at %s, for others %v, want %v", c.what, d.listeners[0].Addr(), d.lan, c.wide)
		}
		if !strings.Contains(log.String(), c.log) || strings.Contains(log.String(), "horse") {
			t.Errorf("%s: the log says %q, want %q", c.what, log.String(), c.log)
		}
		for _, ln := range d.listeners {
			ln.Close()
		}
	}
}
