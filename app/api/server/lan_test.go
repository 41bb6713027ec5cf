package server

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api/certificate"
	"github.com/forage-net/forage/app/api/conns"
	"github.com/forage-net/forage/app/api/descriptor"
	"github.com/forage-net/forage/app/api/password"
	"github.com/forage-net/forage/app/api/session"
)

// far is a listener whose callers seem to come from elsewhere.
type far struct {
	net.Listener
	mu       sync.Mutex
	from, to string // IP addresses
}

func (f *far) Accept() (net.Conn, error) {
	c, err := f.Listener.Accept()
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	at := func(ip string, port int) net.Addr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: port} }
	return farConn{c, at(f.from, 50000), at(f.to, f.Addr().(*net.TCPAddr).Port)}, nil
}

func (f *far) move(from, to string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.from, f.to = from, to
}

type farConn struct {
	net.Conn
	remote, local net.Addr
}

func (c farConn) RemoteAddr() net.Addr { return c.remote }
func (c farConn) LocalAddr() net.Addr  { return c.local }

// network is a served node that lets other computers in.
type network struct {
	*running
	ln   *far
	port string
	hand *hand
}

const goodPassword = "correct horse battery staple"

// setCheaply sets a password that takes little time to try.
func setCheaply(dir, text string) error { return password.SetAt(dir, text, 1, 4<<10) }

// startLAN serves a node to callers who come from 192.168.7.9 and call 192.168.7.2.
func startLAN(t testing.TB, hosts ...string) *network {
	t.Helper()
	dir := t.TempDir()
	ln, err := conns.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cert, err := certificate.Own(dir)
	if err != nil {
		t.Fatal(err)
	}
	n := &network{ln: &far{Listener: ln, from: "192.168.7.9", to: "192.168.7.2"}, hand: newHand()}
	_, n.port, _ = net.SplitHostPort(ln.Addr().String())
	d := descriptor.Descriptor{Addr: "192.168.7.2:" + n.port, Token: descriptor.NewToken(),
		BootID: descriptor.NewBootID()}
	n.running = &running{node: newTestNode(d.BootID), desc: d, dir: dir, ended: make(chan struct{})}
	n.server = New(Config{
		Node: n.node, Token: d.Token, BootID: d.BootID,
		LAN: &LAN{TLS: cert.Config(), State: dir, Hosts: hosts},
	})
	n.server.sessions, err = session.Open(filepath.Join(dir, "sessions.json"), n.hand.now, n.server.password.ID)
	if err != nil {
		t.Fatal(err)
	}
	n.server.guesses = password.NewGuesses(n.hand.now)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer close(n.ended)
		if err := n.server.Serve(ctx, n.ln); err != nil {
			t.Errorf("Serve = %v", err)
		}
	}()
	n.stop = func() {
		cancel()
		<-n.ended
	}
	t.Cleanup(n.stop)
	return n
}

// dial connects, by TLS if that is wanted.
func (n *network) dial(t testing.TB, plain bool) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", n.ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if plain {
		return conn
	}
	return tls.Client(conn, &tls.Config{InsecureSkipVerify: true}) // who it is is another test's question
}

// ask sends a request over a new connection; HOST is the address that is called.
func (n *network) ask(t testing.TB, method, path, headers, body string) (*http.Response, string) {
	t.Helper()
	resp, text, err := n.try(t, false, method, path, headers, body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return resp, text
}

func (n *network) try(t testing.TB, plain bool, method, path, headers, body string) (*http.Response, string, error) {
	t.Helper()
	conn := n.dial(t, plain)
	defer conn.Close()
	if !strings.Contains(headers, "Host:") {
		headers += "Host: HOST\n"
	}
	if method == http.MethodPost {
		headers += fmt.Sprintf("Content-Type: application/json\nContent-Length: %d\n", len(body))
	}
	request := strings.NewReplacer("HOST", n.desc.Addr, "TOKEN", n.desc.Token, "\n",
		"\r\n").Replace(method + " " + path + " HTTP/1.1\n" + headers + "\n" + body)
	if _, err := io.WriteString(conn, request); err != nil {
		return nil, "", err
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return resp, string(text), err
}

// enter tries a password.
func (n *network) enter(t testing.TB, password string) (*http.Response, string) {
	t.Helper()
	n.hand.move(time.Hour)
	return n.ask(t, http.MethodPost, "/api/session", "", fmt.Sprintf("{\"password\":%q}", password))
}

func TestLAN_Password(t *testing.T) {
	n := startLAN(t)
	if _, body := n.ask(t, http.MethodGet, "/api/session", "", ""); body != "{\"password\":false}\n" {
		t.Errorf("without a password: %s", body)
	}
	if resp, _ := n.enter(t, goodPassword); resp.StatusCode != 401 {
		t.Errorf("without a password: %d, want 401", resp.StatusCode)
	}
	if err := setCheaply(n.dir, goodPassword); err != nil {
		t.Fatal(err)
	}
	if _, body := n.ask(t, http.MethodGet, "/api/session", "", ""); body != "{\"password\":true}\n" {
		t.Errorf("with a password: %s", body)
	}
	for _, wrong := range []string{"", "correct horse battery stapl", goodPassword + " ",
		strings.Repeat("x", password.Max+1), "Correct horse battery staple"} {
		if resp, body := n.enter(t, wrong); resp.StatusCode != 401 || resp.Header.Get("Set-Cookie") != "" {
			t.Errorf("%q: %d %s, want 401", wrong, resp.StatusCode, body)
		}
	}
	resp, body := n.enter(t, goodPassword)
	b := browserOf(t, resp, body)
	if set := resp.Header.Get("Set-Cookie"); !strings.Contains(set, "; Secure") ||
		!strings.Contains(set, "; HttpOnly") || !strings.Contains(set, "; SameSite=Strict") {
		t.Errorf("the cookie is %q", set)
	}
	status := func(headers string) int {
		resp, _ := n.ask(t, http.MethodGet, "/api/status", headers, "")
		return resp.StatusCode
	}
	if got := status(b.headers()); got != 200 {
		t.Errorf("with a session: %d, want 200", got)
	}
	if got := status("Cookie: " + b.cookie + "\n"); got != 401 {
		t.Errorf("without the proof: %d, want 401", got)
	}
	// No link is made for the local network, and none that was made here works there.
	for who, headers := range map[string]string{"a session": b.headers(),
		"the token": "Authorization: Bearer TOKEN\n"} {
		if resp, body := n.ask(t, http.MethodPost, "/api/link", headers, "{}"); resp.StatusCode != 403 ||
			strings.Contains(body, "key=") {
			t.Errorf("a link for the local network, with %s: %d %s, want 403", who, resp.StatusCode, body)
		}
	}
	key, _ := n.server.sessions.NewKey("")
	if resp, body := n.ask(t, http.MethodPost, "/api/session", "", `{"key":"`+key+`"}`); resp.StatusCode != 401 {
		t.Errorf("a link of this computer on another: %d %s, want 401", resp.StatusCode, body)
	}
	if err := setCheaply(n.dir, "another "+goodPassword); err != nil {
		t.Fatal(err)
	}
	if got := status(b.headers()); got != 401 {
		t.Errorf("after a change of the password: %d, want 401", got)
	}
	if resp, _ := n.enter(t, goodPassword); resp.StatusCode != 401 {
		t.Errorf("the old password: %d, want 401", resp.StatusCode)
	}
	resp, body = n.enter(t, "another "+goodPassword)
	b = browserOf(t, resp, body)
	_, value, _ := strings.Cut(b.cookie, "=")
	c := session.Credentials{Cookies: []string{value}, Proof: b.proof}
	again := func(password func() string) (ok bool) {
		s, err := session.Open(filepath.Join(n.dir, "sessions.json"), n.hand.now, password)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok, err = s.Admit(c); err != nil {
			t.Error(err)
		}
		return ok
	}
	if again(nil) {
		t.Error("a session by password lasts where nobody is let in by one")
	}
	if !again(n.server.password.ID) {
		t.Error("a session by password does not outlast the node")
	}
	for range 2 {
		if err := password.Remove(n.dir); err != nil {
			t.Error(err)
		}
	}
	if got := status(b.headers()); got != 401 {
		t.Errorf("when the password was removed: %d, want 401", got)
	}
}

// A session that came of a password goes with it, and so does what it let in: the attack that outlived a
// changed password.
func TestLAN_NothingOutlivesThePassword(t *testing.T) {
	n := startLAN(t)
	if err := setCheaply(n.dir, goodPassword); err != nil {
		t.Fatal(err)
	}
	// On the computer itself a session by password may make a link, for another browser.
	n.ln.move("127.0.0.1", "127.0.0.1")
	own := func(method, path, headers, body string) (*http.Response, string) {
		resp, text, err := n.try(t, true, method, path, "Host: 127.0.0.1:"+n.port+"\n"+headers, body)
		if err != nil {
			t.Fatal(err)
		}
		return resp, text
	}
	resp, body := own(http.MethodPost, "/api/session", "", fmt.Sprintf("{\"password\":%q}", goodPassword))
	first := browserOf(t, resp, body)
	link := func(headers string) browser {
		resp, body := own(http.MethodPost, "/api/link", headers, "{}")
		_, key, found := strings.Cut(body, "/#key=")
		if resp.StatusCode != 200 || !found {
			t.Fatalf("a link: %d %s", resp.StatusCode, body)
		}
		resp, body = own(http.MethodPost, "/api/session", "", `{"key":"`+key[:32]+`"}`)
		return browserOf(t, resp, body)
	}
	second := link(first.headers())
	third := link(second.headers())
	owner := link("Authorization: Bearer TOKEN\n")
	resp, body = own(http.MethodPost, "/api/link", third.headers(), "{}")
	if resp.StatusCode != 200 {
		t.Fatalf("a link: %d %s", resp.StatusCode, body)
	}
	_, unused, _ := strings.Cut(body, "/#key=")
	for what, change := range map[string]func() error{
		"changed": func() error { return setCheaply(n.dir, "another "+goodPassword) },
		"removed": func() error { return password.Remove(n.dir) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		for i, b := range []browser{first, second, third} {
			if resp, _ := own(http.MethodGet, "/api/status", b.headers(), ""); resp.StatusCode != 401 {
				t.Errorf("session %d when the password was %s: %d, want 401", i, what, resp.StatusCode)
			}
		}
		if resp, _ := own(http.MethodGet, "/api/status", owner.headers(), ""); resp.StatusCode != 200 {
			t.Errorf("a session of this computer when the password was %s: %d, want 200", what, resp.StatusCode)
		}
	}
	resp, body = own(http.MethodPost, "/api/session", "", `{"key":"`+unused[:32]+`"}`)
	late := browserOf(t, resp, body)
	if resp, _ := own(http.MethodGet, "/api/status", late.headers(), ""); resp.StatusCode != 401 {
		t.Errorf("a session by a link that was made before: %d, want 401", resp.StatusCode)
	}
	// The session of this computer is none for others, whoever took it there.
	n.ln.move("192.168.7.9", "192.168.7.2")
	if resp, _ := n.ask(t, http.MethodGet, "/api/status", owner.headers(), ""); resp.StatusCode != 401 {
		t.Errorf("a session of this computer on another: %d, want 401", resp.StatusCode)
	}
}

// Wrong passwords make who tries wait, wherever they come from.
func TestLAN_GuessingTogether(t *testing.T) {
	n := startLAN(t)
	if err := setCheaply(n.dir, goodPassword); err != nil {
		t.Fatal(err)
	}
	const free = 20 // of all together
	got := map[int]int{}
	for i := range free + 5 {
		n.ln.move(fmt.Sprintf("192.168.7.%d", 10+i), "192.168.7.2")
		resp, _ := n.ask(t, http.MethodPost, "/api/session", "", `{"password":"wrong horse"}`)
		if got[resp.StatusCode]++; resp.StatusCode == 429 && resp.Header.Get("Retry-After") != "1" {
			t.Errorf("it is to wait %q seconds, want 1", resp.Header.Get("Retry-After"))
		}
	}
	if got[401] != free+1 || got[429] != 4 {
		t.Errorf("answers %v, want %d times 401, then 429", got, free+1)
	}
	n.hand.move(time.Second)
	n.ln.move("192.168.7.99", "192.168.7.2")
	if resp, body := n.ask(t, http.MethodPost, "/api/session", "",
		fmt.Sprintf("{\"password\":%q}", goodPassword)); resp.StatusCode != 200 {
		t.Errorf("the right password after the wait: %d %s", resp.StatusCode, body)
	}
}

func TestLAN_HostAndOrigin(t *testing.T) {
	n := startLAN(t, "nas.home.arpa", "nas:8443")
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		headers string
		want    int
	}{
		{"Host: HOST\n", 200},
		{"Host: 192.168.7.3:PORT\n", 421}, {"Host: 127.0.0.1:PORT\n", 421}, {"Host: localhost:PORT\n", 421},
		{"Host: 192.168.7.2\n", 421}, {"Host: 192.168.7.2:443\n", 421},
		{"Host: nas.home.arpa:PORT\n", 200}, {"Host: NAS.home.arpa:PORT\n", 200}, {"Host: nas.home.arpa\n", 421},
		{"Host: nas:8443\n", 200}, {"Host: nas:PORT\n", 421},
		{"Host: " + name + ":PORT\n", 200}, {"Host: " + name + "\n", 421}, {"Host: " + name + ":1\n", 421},
		{"Host: " + name + ":443\n", 421}, {"Host: nas.home.arpa:1\n", 421}, {"Host: localhost:1\n", 421},
		{"Host: evil.example:PORT\n", 421}, {"Host: 192.168.7.2.evil.example:PORT\n", 421},
		{"Host: evil.example\nX-Forwarded-Host: HOST\n", 421},
		{"Origin: https://HOST\n", 200}, {"Origin: http://HOST\n", 403}, {"Origin: https://evil.example\n", 403},
		{"Origin: https://nas.home.arpa:PORT\n", 403},
		{"Host: nas:8443\nOrigin: https://nas:8443\n", 200}, {"Sec-Fetch-Site: same-site\n", 403},
	} {
		resp, body := n.ask(t, http.MethodGet, "/api/status",
			"Authorization: Bearer TOKEN\n"+strings.ReplaceAll(c.headers, "PORT", n.port), "")
		if resp.StatusCode != c.want {
			t.Errorf("%q: %d %.100s, want %d", c.headers, resp.StatusCode, body, c.want)
		}
	}
}

// Without TLS nothing goes to other computers, and whoever is not of the local network gets nothing at all.
func TestLAN_WhoMayConnect(t *testing.T) {
	n := startLAN(t, "nas")
	for _, c := range []struct {
		from, to string
		plain    bool
		want     int // 0 for no answer
	}{
		{"192.168.7.9", "192.168.7.2", false, 200}, {"192.168.7.9", "192.168.7.2", true, 400},
		{"fe80::9", "fe80::2", false, 421}, {"203.0.113.9", "192.168.7.2", false, 0},
		{"203.0.113.9", "192.168.7.2", true, 0}, {"2001:db8::9", "2001:db8::2", false, 0},
		// Whoever gets a packet from "127.0.0.1" through has still not called a loopback address.
		{"127.0.0.1", "192.168.7.2", true, 400}, {"192.168.7.9", "127.0.0.1", true, 400},
	} {
		n.ln.move(c.from, c.to)
		resp, body, err := n.try(t, c.plain, http.MethodGet, "/healthz", "", "")
		if got := statusOf(resp); got != c.want {
			t.Errorf("from %s to %s, plain %v: %d %q %v, want %d", c.from, c.to, c.plain, got, body, err, c.want)
		}
		if c.want != 200 && strings.Contains(body, "ok") {
			t.Errorf("from %s to %s, plain %v: %q", c.from, c.to, c.plain, body)
		}
	}
	n.ln.move("127.0.0.1", "127.0.0.1")
	if resp, _, err := n.try(t, true, http.MethodGet, "/healthz", "Host: 127.0.0.1:"+n.port+"\n",
		""); statusOf(resp) != 200 {
		t.Errorf("this computer's own call: %v, %v, want 200", resp, err)
	}
	for _, host := range []string{"HOST", "nas:" + n.port} {
		if resp, _, err := n.try(t, true, http.MethodGet, "/healthz", "Host: "+host+"\n", ""); statusOf(resp) != 421 {
			t.Errorf("this computer's own call to %s: %v, %v, want 421", host, resp, err)
		}
	}
}

func statusOf(resp *http.Response) int {
	if resp == nil {
		return 0
	}
	return resp.StatusCode
}

// No route is open to other computers that is not open here.
func TestLAN_EveryRouteIsClosed(t *testing.T) {
	n := startLAN(t)
	for path, rt := range n.server.table() {
		for _, method := range rt.methods() {
			if rt.open {
				continue
			}
			if resp, body := n.ask(t, method, path, "", ""); resp.StatusCode != 401 {
				t.Errorf("%s %s: %d %.100s, want 401", method, path, resp.StatusCode, body)
			}
		}
	}
}

// The node is told which settings are changed from elsewhere.
func TestLAN_SettingsAreChangedFromAfar(t *testing.T) {
	n := startLAN(t)
	token := "Authorization: Bearer TOKEN\n"
	for path, body := range map[string]string{"/api/settings": `{"set":{"web.tls_key":"/etc/shadow"}}`,
		"/api/setup": `{"agree":true,"connection_is_mine":true}`} {
		if resp, text := n.ask(t, http.MethodPost, path, token, body); resp.StatusCode/100 != 2 {
			t.Fatalf("%s: %d %s", path, resp.StatusCode, text)
		}
	}
	n.ln.move("127.0.0.1", "127.0.0.1")
	if _, _, err := n.try(t, true, http.MethodPost, "/api/settings", token+"Host: 127.0.0.1:"+n.port+"\n",
		"{}"); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(n.node.afar); got != "[true true false]" {
		t.Errorf("changes from afar are %s, want the first two", got)
	}
}

// What a computer starts is chosen on that computer.
func TestLAN_StartupIsChosenAtHome(t *testing.T) {
	n := startLAN(t)
	token := "Authorization: Bearer TOKEN\n"
	for _, path := range []string{"/api/setup", "/api/settings"} {
		if _, text := n.ask(t, http.MethodGet, path, token, ""); !strings.Contains(text, `"startup":{"possible":false`) {
			t.Errorf("from another computer it can be changed, says %s: %s", path, text)
		}
	}
	resp, text := n.ask(t, http.MethodPost, "/api/startup", token, `{"on":true}`)
	if resp.StatusCode != http.StatusForbidden || len(n.node.calls) != 0 {
		t.Errorf("from another computer: %d %s, and the node was told %v", resp.StatusCode, text, n.node.calls)
	}
}
