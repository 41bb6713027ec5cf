package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api/secret"
)

// ask sends a request with headers, each ended by a line feed, and a body.
func (r *running) ask(t testing.TB, method, path, headers, body string) (*http.Response, string) {
	t.Helper()
	if method == http.MethodPost && !strings.Contains(headers, "Content-Type:") {
		headers += "Content-Type: application/json\n"
	}
	if body != "" {
		headers += fmt.Sprintf("Content-Length: %d\n", len(body))
	}
	if !strings.Contains(headers, "Host:") {
		headers += "Host: HOST\n"
	}
	return r.raw(t, method+" "+path+" HTTP/1.1\n"+headers+"\n"+body)
}

// key asks for a link and returns the key in it.
func (r *running) key(t testing.TB) string {
	t.Helper()
	resp, body := r.ask(t, http.MethodPost, "/api/link", "Authorization: Bearer TOKEN\n", "")
	var l Link
	if err := json.Unmarshal([]byte(body), &l); err != nil || resp.StatusCode != 200 {
		t.Fatalf("link: %d %s, %v", resp.StatusCode, body, err)
	}
	key, found := strings.CutPrefix(l.URL, "http://"+r.desc.Addr+"/#key=")
	if !found || len(key) != 32 || !secret.IsHex(key) {
		t.Fatalf("the link is %s", l.URL)
	}
	return key
}

// browser is one that was let in.
type browser struct{ cookie, proof string }

// headers are what it sends.
func (b browser) headers() string {
	return "Cookie: " + b.cookie + "\n" + proofHeader + ": " + b.proof + "\n"
}

// enter lets a browser in.
func (r *running) enter(t testing.TB) browser {
	t.Helper()
	resp, body := r.ask(t, http.MethodPost, "/api/session", "", `{"key":"`+r.key(t)+`"}`)
	return browserOf(t, resp, body)
}

func browserOf(t testing.TB, resp *http.Response, body string) browser {
	t.Helper()
	var p pass
	if err := json.Unmarshal([]byte(body), &p); err != nil || resp.StatusCode != 200 || len(p.Proof) != 64 ||
		len(resp.Cookies()) != 1 {
		t.Fatalf("session: %d %s, %v", resp.StatusCode, body, err)
	}
	c := resp.Cookies()[0]
	return browser{c.Name + "=" + c.Value, p.Proof}
}

// status returns the status of a call with headers.
func (r *running) status(t testing.TB, headers string) int {
	t.Helper()
	resp, _ := r.ask(t, http.MethodGet, "/api/status", headers, "")
	return resp.StatusCode
}

// hand is a clock moved by hand.
type hand struct {
	mu sync.Mutex
	at time.Time
}

func newHand() *hand { return &hand{at: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)} }

func (h *hand) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

func (h *hand) move(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = h.at.Add(d)
}

// keep makes a server go by the clock, its sessions kept in file.
func (h *hand) keep(t testing.TB, file string) func(*Server) {
	return func(s *Server) {
		var err error
		if s.sessions, err = openSessions(file, h.now); err != nil {
			t.Fatal(err)
		}
		s.guesses = newGuesses(h.now)
	}
}

func TestLink_LeadsToAPage(t *testing.T) {
	l := Link{URL: "http://127.0.0.1:7707/#key=abc"}
	for route, want := range map[string]string{"": l.URL, "settings": l.URL + "&to=settings",
		"mine?q=a b&c": l.URL + "&to=mine%3Fq%3Da+b%26c"} {
		if got := l.To(route); got != want {
			t.Errorf("To(%q) = %s, want %s", route, got, want)
		}
	}
}

func TestSession_ALinkLetsOneBrowserIn(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	key := r.key(t)
	resp, body := r.ask(t, http.MethodPost, "/api/session", "", `{"key":"`+key+`"}`)
	b := browserOf(t, resp, body)
	_, port, _ := net.SplitHostPort(r.desc.Addr)
	set := resp.Header.Get("Set-Cookie")
	for _, want := range []string{"forage-" + port + "=", "; HttpOnly", "; SameSite=Strict", "; Path=/", "; Max-Age="} {
		if !strings.Contains(set, want) {
			t.Errorf("the cookie is %q, without %s", set, want)
		}
	}
	if strings.Contains(set, "Secure") || strings.Contains(set, "Domain") {
		t.Errorf("the cookie is %q", set)
	}
	if got := r.status(t, b.headers()); got != 200 {
		t.Errorf("with the session: %d, want 200", got)
	}
	if resp, body := r.ask(t, http.MethodPost, "/api/session", "", `{"key":"`+key+`"}`); resp.StatusCode != 401 ||
		resp.Header.Get("Set-Cookie") != "" {
		t.Errorf("the link used again: %d %s, want 401", resp.StatusCode, body)
	}
	// A session may ask for a link for another browser.
	if resp, body := r.ask(t, http.MethodPost, "/api/link", b.headers(), "{}"); resp.StatusCode != 200 ||
		!strings.Contains(body, "#key=") {
		t.Errorf("a link by a session: %d %s", resp.StatusCode, body)
	}
}

func TestSession_NeedsCookieAndProof(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	a, b := r.enter(t), r.enter(t)
	name, value, _ := strings.Cut(a.cookie, "=")
	cookie, proof := "Cookie: "+a.cookie+"\n", proofHeader+": "+a.proof+"\n"
	for _, c := range []struct {
		what, headers string
		want          int
	}{
		{"both", cookie + proof, 200},
		{"nothing", "", 401},
		{"the cookie alone", cookie, 401},
		{"the proof alone", proof, 401},
		{"the proof of another session", cookie + proofHeader + ": " + b.proof + "\n", 401},
		{"an empty proof", cookie + proofHeader + ":\n", 401},
		{"two proofs", cookie + proof + proofHeader + ": " + b.proof + "\n", 401},
		{"a longer proof", cookie + proofHeader + ": " + a.proof + "0\n", 401},
		{"the proof as the cookie", "Cookie: " + name + "=" + a.proof + "\n" + proof, 401},
		{"the cookie as the proof", cookie + proofHeader + ": " + value + "\n", 401},
		{"the cookie of another node", "Cookie: forage-1=" + value + "\n" + proof, 401},
		{"a cookie without value", "Cookie: " + name + "=\n" + proof, 401},
		{"a cookie of another program beside it", "Cookie: x=1; " + name + "=" + strings.Repeat("0",
			64) + "; " + a.cookie + "\n" + proof, 200},
		{"too many cookies before it", "Cookie: " + strings.Repeat(name+"="+strings.Repeat("0", 64)+"; ",
			maxCookies) + a.cookie + "\n" + proof, 401},
		{"both, and a wrong token", "Authorization: Bearer x\n" + cookie + proof, 401},
		{"both in the query", "", 401},
	} {
		path := "/api/status"
		if strings.HasSuffix(c.what, "query") {
			path += "?proof=" + a.proof + "&" + a.cookie
		}
		if resp, body := r.ask(t, http.MethodGet, path, c.headers, ""); resp.StatusCode != c.want {
			t.Errorf("%s: %d %s, want %d", c.what, resp.StatusCode, body, c.want)
		}
	}
}

func TestSession_WrongKeys(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	key := r.key(t)
	for _, c := range []struct {
		headers, body string
		want          int
	}{
		{"", ``, 401}, {"", `{"key":""}`, 401}, {"", `{"key":"` + strings.ToUpper(key) + `"}`, 401},
		{"", `{"key":"` + key[1:] + `"}`, 401}, {"", `{"key":["` + key + `"]}`, 400},
		{"", `{"key":"` + key + `","x":1}`, 400},
		{"Content-Type: text/plain\n", `{"key":"` + key + `"}`, 415},
		{"Content-Type: application/x-www-form-urlencoded\n", `key=` + key, 415},
		{"Origin: http://evil.example\n", `{"key":"` + key + `"}`, 403},
	} {
		resp, body := r.ask(t, http.MethodPost, "/api/session", c.headers, c.body)
		if resp.StatusCode != c.want || resp.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s%s: %d %s, want %d", c.headers, c.body, resp.StatusCode, body, c.want)
		}
	}
	if resp, _ := r.ask(t, http.MethodPost, "/api/session", "", `{"key":"`+key+`"}`); resp.StatusCode != 200 {
		t.Errorf("the link after all that: %d, want 200", resp.StatusCode)
	}
}

func TestSession_LinksEnd(t *testing.T) {
	h := newHand()
	r := start(t, t.TempDir(), h.keep(t, ""))
	enter := func(key string) int {
		resp, _ := r.ask(t, http.MethodPost, "/api/session", "", `{"key":"`+key+`"}`)
		return resp.StatusCode
	}
	late, early := r.key(t), r.key(t)
	h.move(keyLife - 1)
	if got := enter(early); got != 200 {
		t.Errorf("just in time: %d, want 200", got)
	}
	h.move(1)
	if got := enter(late); got != 401 {
		t.Errorf("too late: %d, want 401", got)
	}
	first := r.key(t)
	h.move(time.Second)
	for range maxKeys - 1 {
		r.key(t)
	}
	last := r.key(t)
	if got := enter(first); got != 401 {
		t.Errorf("the first of %d links: %d, want 401", maxKeys+1, got)
	}
	if got := enter(last); got != 200 {
		t.Errorf("the last of %d links: %d, want 200", maxKeys+1, got)
	}
}

func TestSession_OutlastsTheNode(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sessions.json")
	h := newHand()
	r := start(t, t.TempDir(), h.keep(t, file))
	a, b := r.enter(t), r.enter(t)
	_, old, _ := net.SplitHostPort(r.desc.Addr)
	r.stop()
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("mode of the file %v, %v, want 0600", info.Mode(), err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{strings.TrimPrefix(a.cookie, "forage-"+old+"="), a.proof} {
		if strings.Contains(string(text), secret) {
			t.Error("there is a secret in the file")
		}
	}
	r = start(t, t.TempDir(), h.keep(t, file))
	_, port, _ := net.SplitHostPort(r.desc.Addr)
	for _, one := range []*browser{&a, &b} {
		one.cookie = strings.Replace(one.cookie, "forage-"+old, "forage-"+port, 1) // the port is fixed elsewhere
	}
	if got := r.status(t, a.headers()); got != 200 {
		t.Errorf("after a new start: %d, want 200", got)
	}
	for range 2 {
		if resp, body := r.ask(t, http.MethodPost, "/api/session/end", b.headers(), "{}"); resp.StatusCode != 204 &&
			resp.StatusCode != 401 {
			t.Errorf("ending a session: %d %s", resp.StatusCode, body)
		} else if resp.StatusCode == 204 && !strings.Contains(resp.Header.Get("Set-Cookie"), "Max-Age=0") {
			t.Errorf("ending a session leaves the cookie: %q", resp.Header)
		}
	}
	if got := r.status(t, b.headers()); got != 401 {
		t.Errorf("with a session that was ended: %d, want 401", got)
	}
	s, err := openSessions(file, h.now)
	if err != nil || s.open.Len() != 1 {
		t.Errorf("%d sessions, %v in the file, want the one that was not ended", s.open.Len(), err)
	}
}

func TestSession_EndsAfterAMonth(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sessions.json")
	h := newHand()
	r := start(t, t.TempDir(), h.keep(t, file))
	used := r.enter(t)
	for range 2 {
		h.move(sessionLife/2 - 1)
		resp, _ := r.ask(t, http.MethodGet, "/api/status", used.headers(), "")
		if resp.StatusCode != 200 || !strings.HasPrefix(resp.Header.Get("Set-Cookie"), used.cookie+";") {
			t.Errorf("a session in use: %d, cookie %q, want 200 and the same cookie", resp.StatusCode,
				resp.Header.Get("Set-Cookie"))
		}
		resp, _ = r.ask(t, http.MethodGet, "/api/status", used.headers(), "")
		if resp.StatusCode != 200 || resp.Header.Get("Set-Cookie") != "" {
			t.Errorf("soon after: %d, cookie %q, want 200 and none", resp.StatusCode, resp.Header.Get("Set-Cookie"))
		}
	}
	late := r.enter(t)
	h.move(2)
	if got := r.status(t, used.headers()); got != 401 {
		t.Errorf("a session of a month, used all the time: %d, want 401", got)
	}
	if got := r.status(t, late.headers()); got != 200 {
		t.Errorf("a session that has just begun: %d, want 200", got)
	}
	if s, err := openSessions(file, h.now); err != nil || s.open.Len() != 1 {
		t.Errorf("%d sessions, %v after a new start, want 1", s.open.Len(), err)
	}
	h.move(-20 * sessionLife) // whoever sets the clock back stays in
	s, err := openSessions(file, h.now)
	if err != nil || s.open.Len() != 2 {
		t.Errorf("%d sessions, %v in the past, want 2", s.open.Len(), err)
	}
	h.move(sessionLife)
	for _, one := range s.open.Values() {
		if h.now().Sub(one.began) < sessionLife {
			t.Errorf("a session of the future lasts from %v, want at most until %v", one.began, h.now())
		}
	}
}

func TestSession_EndsEverywhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sessions.json")
	h := newHand()
	r := start(t, t.TempDir(), h.keep(t, file))
	a, b := r.enter(t), r.enter(t)
	key := r.key(t)
	if resp, body := r.ask(t, http.MethodPost, "/api/session/end", a.headers(),
		`{"everywhere":true}`); resp.StatusCode != 204 {
		t.Fatalf("ending all sessions: %d %s", resp.StatusCode, body)
	}
	if one, other := r.status(t, a.headers()), r.status(t, b.headers()); one != 401 || other != 401 {
		t.Errorf("after that: %d and %d, want 401", one, other)
	}
	if resp, _ := r.ask(t, http.MethodPost, "/api/session", "", `{"key":"`+key+`"}`); resp.StatusCode != 401 {
		t.Errorf("a link that was made before: %d, want 401", resp.StatusCode)
	}
	if s, err := openSessions(file, h.now); err != nil || s.open.Len() != 0 {
		t.Errorf("%d sessions, %v after a new start", s.open.Len(), err)
	}
	r.enter(t)
}

func TestSession_AtMost(t *testing.T) {
	h := newHand()
	s, err := openSessions(filepath.Join(t.TempDir(), "sessions.json"), h.now)
	if err != nil {
		t.Fatal(err)
	}
	var all []credentials
	for range maxSessions + 2 {
		h.move(sessionLife / (maxSessions + 4))
		if len(all) > 0 { // the first one is used all the time
			if _, ok, err := s.admit(all[0]); !ok || err != nil {
				t.Fatalf("the first session: %v, %v", ok, err)
			}
		}
		cookie, proof, err := s.begin("")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, credentials{cookies: []string{cookie}, proof: proof})
	}
	again, err := openSessions(s.file, h.now)
	if err != nil || again.open.Len() != maxSessions {
		t.Errorf("%d sessions, %v in the file, want %d", again.open.Len(), err, maxSessions)
	}
	for i, c := range all {
		_, ok, _ := s.admit(c)
		_, kept, _ := again.admit(c)
		if want := i != 1 && i != 2; ok != want || kept != want {
			t.Errorf("session %d: %v, after a new start %v, want %v", i, ok, kept, want)
		}
	}
}

// Another user of this computer who tries keys keeps nobody out.
func TestSession_WrongKeysKeepNobodyOut(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	key := r.key(t)
	for i := range 50 {
		if resp, body := r.ask(t, http.MethodPost, "/api/session", "",
			fmt.Sprintf(`{"key":"%032d"}`, i)); resp.StatusCode != 401 {
			t.Fatalf("try %d: %d %s, want 401", i, resp.StatusCode, body)
		}
	}
	if resp, body := r.ask(t, http.MethodPost, "/api/session", "", `{"key":"`+key+`"}`); resp.StatusCode != 200 {
		t.Errorf("the right key after them: %d %s, want 200", resp.StatusCode, body)
	}
}

// Each wrong password makes the next wait twice as long, of one address and of all together.
func TestGuesses_WaitLongerEachTime(t *testing.T) {
	h := newHand()
	g := newGuesses(h.now)
	for i := range 20 {
		if wait := g.begin("192.0.2.1:1"); wait != 0 {
			t.Fatalf("try %d has to wait %v although it waited", i, wait)
		}
		want := time.Duration(0)
		if i >= guessFree {
			want = min(time.Second<<(i-guessFree), time.Hour)
		}
		got := g.of(guesserOf("192.0.2.1:1"), h.now()).wait(h.now(), guessMost)
		if got != want {
			t.Errorf("after %d wrong passwords the wait is %v, want %v", i+1, got, want)
		}
		if got > 0 && g.begin("192.0.2.1:2") != got {
			t.Errorf("after %d wrong passwords it may try at once", i+1)
		}
		h.move(got)
	}
	if wait := g.begin("192.0.2.2:1"); wait != 0 {
		t.Errorf("another address waits %v", wait)
	}
	g.right("192.0.2.2:1")
	h.move(guessForget)
	if wait := g.begin("192.0.2.1:1"); wait != 0 {
		t.Errorf("a day later it waits %v", wait)
	}

	g = newGuesses(h.now)
	for i := range 200 {
		h.move(g.begin(fmt.Sprintf("10.0.0.%d:1", i)))
	}
	h.move(allMost)
	if first, second := g.begin("10.0.1.1:1"), g.begin("10.0.1.2:1"); first != 0 || second != allMost {
		t.Errorf("of two more, a minute later, one waits %v and the other %v, want 0 and %v", first, second, allMost)
	}
}

func TestGuesses_Addresses(t *testing.T) {
	h := newHand()
	for _, c := range []struct {
		one, other string
		same       bool
	}{
		{"192.0.2.1:1", "192.0.2.1:2", true}, {"192.0.2.2:1", "[::ffff:192.0.2.2]:1", true},
		{"192.0.2.1:1", "192.0.2.2:1", false},
		{"[2001:db8::1]:1", "[2001:db8::ffff]:1", true}, {"[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false},
		{"[fe80::1%eth0]:1", "[fe80::2%eth1]:1", true}, {"@", "", true}, {"127.0.0.1:1", "[::1]:1", false},
	} {
		g := newGuesses(h.now)
		for range guessFree + 1 {
			g.begin(c.one)
		}
		if got := g.begin(c.other) > 0; got != c.same {
			t.Errorf("%s waits for %s: %v, want %v", c.other, c.one, got, c.same)
		}
		g.right(c.one)
		if g.begin(c.one) != 0 {
			t.Errorf("%s waits after the right password", c.one)
		}
	}
	g := newGuesses(h.now)
	for i := range maxGuessers + 300 {
		h.move(allMost)
		g.begin(fmt.Sprintf("10.0.%d.%d:1", i/256, i%256))
	}
	if len(g.by) > maxGuessers {
		t.Errorf("%d addresses are remembered, want at most %d", len(g.by), maxGuessers)
	}
	h.move(guessForget)
	if g.begin("192.0.2.79:1"); len(g.by) != 1 {
		t.Errorf("when all have rested, %d are remembered, want 1", len(g.by))
	}
}

// syncBuffer is a log that may be written to while it is read.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// Whatever callers do, what they know is not in the log.
func TestServer_LogsNoSecret(t *testing.T) {
	var log syncBuffer
	dir := t.TempDir()
	r := start(t, dir, func(s *Server) {
		s.log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		s.sessions.file = filepath.Join(dir, "missing", "sessions.json") // writing it fails
	})
	key, unused, wrong := r.key(t), r.key(t), strings.Repeat("5ec7e7", 6)
	enter := func(key string) (*http.Response, string) {
		return r.ask(t, http.MethodPost, "/api/session", "", `{"key":"`+key+`"}`)
	}
	resp, body := enter(key)
	b := browserOf(t, resp, body)
	enter(key)
	enter(wrong)
	r.status(t, "Authorization: Bearer "+wrong+"\n")
	r.status(t, "Cookie: "+b.cookie+"\n"+proofHeader+": "+wrong+"\n")
	r.ask(t, http.MethodGet, "/download/"+wrong, b.headers(), "")
	r.ask(t, http.MethodGet, "/api/status?token="+wrong, b.headers(), "")
	r.node.fail = func() { panic("a bug") }
	r.status(t, b.headers())
	r.node.fail = nil
	r.ask(t, http.MethodPost, "/api/session/end", b.headers(), "{}")
	r.stop()
	text := log.String()
	for _, want := range []string{"Dashboard opened", "Dashboard refused", "Panic in API call", "next start"} {
		if !strings.Contains(text, want) {
			t.Errorf("the log does not say %q", want)
		}
	}
	_, cookie, _ := strings.Cut(b.cookie, "=")
	for what, secret := range map[string]string{
		"token": r.desc.Token, "key": key, "key not used": unused, "cookie": cookie, "proof": b.proof,
		"what a caller guessed": wrong,
	} {
		if strings.Contains(text, secret) {
			t.Errorf("the log holds the %s:\n%s", what, text)
		}
	}
}

func TestReadSessions(t *testing.T) {
	dir := t.TempDir()
	d := strings.Repeat("ab", 32)
	good := `{"version":1,"sessions":[{"cookie":"` + d + `","proof":"` + d + `","began":"2026-04-30T00:00:00Z","used":"2026-04-30T00:00:00Z"}]}`
	h := newHand()
	for _, c := range []struct {
		name, text string
		want       int
		fails      bool
	}{
		{"good", good, 1, false},
		{"none", `{"version":1,"sessions":[]}`, 0, false},
		{"nothing", ``, 0, true},
		{"torn", good[:60], 0, true},
		{"of another version", strings.Replace(good, "1", "2", 1), 0, true},
		{"a short digest", strings.Replace(good, "abab", "ab", 1), 0, true},
		{"no digest", strings.Replace(good, "abab", "xxxx", 1), 0, true},
		{"too many", `{"version":1,"sessions":[` + strings.Repeat(`{},`, maxSessions) + `{}]}`, 0, true},
		{"too long", good + strings.Repeat(" ", maxSessionFile), 0, true},
	} {
		file := filepath.Join(dir, c.name)
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := openSessions(file, h.now)
		if s == nil || s.open.Len() != c.want || (err != nil) != c.fails {
			t.Errorf("%s: %v, %v, want %d sessions", c.name, s, err, c.want)
			continue
		}
		if _, _, err := s.begin(""); err != nil { // a bad file is replaced
			t.Error(err)
		}
		if s, err := openSessions(file, h.now); err != nil || s.open.Len() != c.want+1 {
			t.Errorf("%s, replaced: %v, want %d sessions", c.name, err, c.want+1)
		}
	}
	if s, err := openSessions(filepath.Join(dir, "missing"), h.now); err != nil || s.open.Len() != 0 {
		t.Errorf("without a file: %v", err)
	}
	if _, err := openSessions(dir, h.now); err == nil {
		t.Error("a directory was read")
	}
}

func FuzzReadSessions(f *testing.F) {
	d := strings.Repeat("0f", 32)
	f.Add([]byte(`{"version":1,"sessions":[{"cookie":"` + d + `","proof":"` + d + `","used":"2026-04-30T00:00:00Z"}]}`))
	f.Add([]byte(`{"version":1,"sessions":null}`))
	f.Add([]byte(`{}`))
	file := filepath.Join(f.TempDir(), "sessions.json")
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := parseSessions(data)
		if err != nil {
			return
		}
		if len(list) > maxSessions {
			t.Fatalf("%d sessions", len(list))
		}
		if err := writeSessions(file, list); err != nil {
			return // a year that RFC 3339 has not
		}
		same := func(a, b *session) bool { return a.cookie == b.cookie && a.proof == b.proof && a.used.Equal(b.used) }
		if again, err := readSessions(file); err != nil || !slices.EqualFunc(list, again, same) {
			t.Errorf("%s is read again as %v, %v", data, again, err)
		}
	})
}

// Whatever headers say, nobody gets in without both secrets.
func FuzzCredentials(f *testing.F) {
	s, err := openSessions("", time.Now)
	if err != nil {
		f.Fatal(err)
	}
	cookie, proof, err := s.begin("")
	if err != nil {
		f.Fatal(err)
	}
	f.Add("forage-7707="+cookie, proof, "127.0.0.1:7707")
	f.Add("forage-7707="+cookie+"; forage-7707=x", "", "[::1]:7707")
	f.Add(`forage-80="`+cookie+`"`, proof+" ", "localhost")
	f.Fuzz(func(t *testing.T, header, given, host string) {
		r := &http.Request{Host: host, Header: http.Header{"Cookie": {header}, proofHeader: {given}}}
		c := shown(r, false)
		if len(c.cookies) > maxCookies {
			t.Errorf("%d cookies", len(c.cookies))
		}
		_, ok, err := s.admit(c)
		if err != nil || ok && (given != proof || !strings.Contains(header, cookie)) {
			t.Errorf("%q with %q at %q: %v, %v", header, given, host, ok, err)
		}
		if _, ok, _ := s.admit(shown(r, true)); ok && !strings.Contains(header, cookie) {
			t.Errorf("%q alone gets in", header)
		}
	})
}
