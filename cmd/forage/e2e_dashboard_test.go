//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/descriptor"
	"github.com/forage-net/forage/app/demo"
)

// webClient is a browser, as far as the node can tell.
type webClient struct {
	t      *testing.T
	base   string // http://127.0.0.1:PORT
	cookie *http.Cookie
	proof  string
}

func (c *webClient) do(method, path string, body any) (int, []byte) {
	c.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	req, err := http.NewRequest(method, c.base+path, bytes.NewReader(text))
	if method == http.MethodGet {
		req, err = http.NewRequest(method, c.base+path, nil)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", c.base)
	req.Header.Set("X-Forage-Proof", c.proof)
	if c.cookie != nil {
		req.AddCookie(c.cookie)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	if list := resp.Cookies(); len(list) == 1 {
		c.cookie = list[0]
	}
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp.StatusCode, answer
}

// follow opens a link as the dashboard's page does.
func (c *webClient) follow(link string) int {
	c.t.Helper()
	base, key, found := strings.Cut(strings.TrimSpace(link), "/#key=")
	if !found {
		c.t.Fatalf("%q is no link to a dashboard", link)
	}
	c.base = base
	status, body := c.do(http.MethodPost, "/api/session", map[string]string{"key": key})
	var pass struct{ Proof string }
	if status == 200 && (json.Unmarshal(body, &pass) != nil || pass.Proof == "") {
		c.t.Fatalf("session: %s", body)
	}
	c.proof = pass.Proof
	return status
}

// Who was let in stays in when the node ends, even by kill -9, and starts again at its port.
func TestDashboard_LetsABrowserIn(t *testing.T) {
	l := newLab(t, demo.Options{Pages: 1000})
	node := l.start("--gap", "1s")
	node.awaitUp(l.home)
	link := l.forage("dashboard", "--print")
	c := &webClient{t: t}
	if status := c.follow(link); status != 200 {
		t.Fatalf("following the link: %d", status)
	}
	if status, page := c.do(http.MethodGet, "/", nil); status != 200 || !bytes.Contains(page, []byte("<title>")) {
		t.Errorf("the page: %d %.100s", status, page)
	}
	if status := (&webClient{t: t}).follow(link); status != 401 {
		t.Errorf("following the link again: %d, want 401", status)
	}
	parsed := parseJSON[api.Link](t, l.forage("dashboard", "--json"))
	if parsed.Expires.IsZero() || !strings.HasPrefix(parsed.URL, c.base+"/#key=") {
		t.Errorf("the link is %+v", parsed)
	}
	d, err := descriptor.Read(filepath.Join(l.home, "state"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/proc/self/cmdline"); err == nil { // where there is none, there is nothing to look at
		if args, err := os.ReadFile("/proc/" + strconv.Itoa(node.cmd.Process.Pid) + "/cmdline"); err != nil || bytes.Contains(args, []byte(d.Token)) {
			t.Errorf("the arguments of the node: %q, %v", args, err)
		}
	}
	for _, end := range []func(){
		func() { l.forage("stop"); node.wait() },
		func() { node.cmd.Process.Kill(); <-node.ended },
	} {
		end()
		for what, secret := range map[string]string{"the token": d.Token, "the proof": c.proof, "the cookie": c.cookie.Value, "a key": parsed.URL[len(c.base)+7:]} {
			if strings.Contains(node.stderr.String()+node.stdout.String(), secret) {
				t.Errorf("the node says %s", what)
			}
		}
		node = l.start("--gap", "1s", "--api", strings.TrimPrefix(c.base, "http://"))
		node.awaitUp(l.home)
		if status, body := c.do(http.MethodGet, "/api/status", nil); status != 200 {
			t.Errorf("after a new start: %d %s", status, body)
		}
	}
	if !strings.Contains(node.stderr.String(), "url="+c.base) {
		t.Errorf("the node does not say where its dashboard is:\n%s", tail(node.stderr.String()))
	}
	if status, _ := c.do(http.MethodPost, "/api/session/end", struct{}{}); status != 204 {
		t.Errorf("closing the dashboard: %d", status)
	}
	if status, _ := c.do(http.MethodGet, "/api/status", nil); status != 401 {
		t.Errorf("after that: %d, want 401", status)
	}
}

func TestDashboard_WithoutANode(t *testing.T) {
	t.Parallel()
	p := startForage(t, "dashboard", "--home", t.TempDir())
	if code := p.wait(); code != 1 || !strings.Contains(p.stderr.String(), `"forage" starts it`) {
		t.Errorf("it ends with %d: %s", code, p.stderr.String())
	}
}

// A password that does not come from a terminal is one line.
func TestPassword_FromAFile(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, c := range []struct {
		text string
		code int
	}{{"short\n", 1}, {"", 1}, {"correct horse battery\nand more\n", 0}} {
		file := filepath.Join(t.TempDir(), "password")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		p := startProcess(t, "sh", "-c", `exec "$0" password --home "$1" < "$2"`, program, home, file)
		if code := p.wait(); code != c.code {
			t.Errorf("%q: %d %s, want %d", c.text, code, p.stderr.String(), c.code)
		}
	}
	state := filepath.Join(home, "state")
	if set, err := api.HasPassword(state); !set || err != nil {
		t.Errorf("HasPassword = %v, %v", set, err)
	}
	startForage(t, "password", "--remove", "--home", home).succeed()
	if set, err := api.HasPassword(state); set || err != nil {
		t.Errorf("when it was removed: %v, %v", set, err)
	}
}
