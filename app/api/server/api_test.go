package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
)

const get = "GET /api/status HTTP/1.1\nAuthorization: Bearer TOKEN\nConnection: close\n"

func TestServer_Token(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	for _, c := range []struct {
		header string
		want   int
	}{
		{"Authorization: Bearer TOKEN\n", 200},
		{"authorization: bearer TOKEN\n", 200},
		{"", 401},
		{"Authorization: Bearer\n", 401},
		{"Authorization: Bearer \n", 401},
		{"Authorization: TOKEN\n", 401},
		{"Authorization: Basic TOKEN\n", 401},
		{"Authorization: Bearer TOKENx\n", 401},
		{"Authorization: Bearer  TOKEN\n", 401},
		{"Authorization: Bearer " + strings.Repeat("0", 64) + "\n", 401},
		{"Authorization: Bearer TOKEN\nAuthorization: Bearer x\n", 401},
		{"Cookie: token=TOKEN\n", 401},
	} {
		for _, path := range []string{"/api/status", "/metrics", "/api/events"} {
			resp, body := r.raw(t, "GET "+path+" HTTP/1.1\nHost: HOST\nConnection: close\n"+c.header+"\n")
			if resp.StatusCode != c.want {
				t.Errorf("%s with %q: %d %s, want %d", path, c.header, resp.StatusCode, body, c.want)
			}
			if c.want == 401 && (!resp.Close || resp.Header.Get("WWW-Authenticate") != "Bearer") {
				t.Errorf("%s with %q: connection kept or no challenge: %v", path, c.header, resp.Header)
			}
		}
	}
	for _, path := range []string{"/nothing", "/healthz/", "//healthz", "/api/status/../../healthz"} {
		if resp, _ := r.raw(t, "GET "+path+" HTTP/1.1\nHost: HOST\n\n"); resp.StatusCode != 401 {
			t.Errorf("%s without token: %d, want 401", path, resp.StatusCode)
		}
	}
	resp, body := r.raw(t, "GET /healthz HTTP/1.1\nHost: HOST\n\n")
	if resp.StatusCode != 200 || body != "ok\n" {
		t.Errorf("/healthz = %d %q, want ok", resp.StatusCode, body)
	}
}

func TestServer_WithoutTokenServesNobody(t *testing.T) {
	r := start(t, t.TempDir(), func(s *Server) { s.token = New(Config{}).token })
	for _, header := range []string{"Authorization: Bearer \n", "Authorization: Bearer\n", "Authorization:\n"} {
		if resp, _ := r.raw(t, "GET /api/status HTTP/1.1\nHost: HOST\n"+header+"\n"); resp.StatusCode != 401 {
			t.Errorf("%q: %d, want 401", header, resp.StatusCode)
		}
	}
}

func TestServer_HostAndOrigin(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	_, port, _ := net.SplitHostPort(r.desc.Addr)
	for _, c := range []struct {
		host, more string
		want       int
	}{
		{"127.0.0.1:" + port, "", 200},
		{"localhost:" + port, "", 200},
		{"LocalHost:" + port, "", 200},
		{"[::1]:" + port, "", 200},
		{"127.0.0.1", "", 200}, // the end of a tunnel at port 80
		{"127.0.0.1:1", "", 200},
		{"localhost:9999", "", 200}, // ssh -L 9999:127.0.0.1:7707
		{"localhost:9999", "Origin: http://localhost:9999\n", 200},
		{"localhost:9999", "Origin: http://localhost:" + port + "\n", 403}, // another program on this computer
		{"[::1]:80", "", 200},
		{"localhost:", "", 421},
		{"localhost:0", "", 421},
		{"localhost:007", "", 421},
		{"localhost:65536", "", 421},
		{"localhost:+1", "", 421},
		{"[::1", "", 421},
		{"::1", "", 421},
		{"[::1]x:1", "", 421},
		{"127.0.0.2:" + port, "", 421},
		{"127.1:" + port, "", 421},
		{"::1:" + port, "", 421},
		{"localhost.:" + port, "", 421},
		{"evil.example:" + port, "", 421},
		{"127.0.0.1.evil.example:" + port, "", 421},
		{"127.0.0.1:" + port + ".evil.example", "", 421},
		{"evil.example", "X-Forwarded-Host: 127.0.0.1:" + port + "\n", 421},
		{"", "", 421},
		{"127.0.0.1:" + port, "Origin: http://127.0.0.1:" + port + "\n", 200},
		{"localhost:" + port, "Origin: http://localhost:" + port + "\n", 200},
		{"localhost:" + port, "Origin: http://127.0.0.1:" + port + "\n", 403},
		{"127.0.0.1:" + port, "Origin: https://127.0.0.1:" + port + "\n", 403},
		{"127.0.0.1:" + port, "Origin: http://127.0.0.1\n", 403},
		{"127.0.0.1:" + port, "Origin: http://127.0.0.1:1\n", 403},
		{"127.0.0.1:" + port, "Origin: http://evil.example\n", 403},
		{"127.0.0.1:" + port, "Origin: null\n", 403},
		{"127.0.0.1:" + port, "Origin:\n", 403},
		{"127.0.0.1:" + port, "Origin: http://127.0.0.1:" + port + "\nOrigin: http://evil.example\n", 403},
		{"127.0.0.1:" + port, "Sec-Fetch-Site: same-origin\n", 200},
		{"127.0.0.1:" + port, "Sec-Fetch-Site: none\n", 200},
		{"127.0.0.1:" + port, "Sec-Fetch-Site: same-site\n", 403},
		{"127.0.0.1:" + port, "Sec-Fetch-Site: cross-site\n", 403},
	} {
		resp, body := r.raw(t, get+"Host: "+c.host+"\n"+c.more+"\n")
		if resp.StatusCode != c.want {
			t.Errorf("Host %q, %q: %d %s, want %d", c.host, c.more, resp.StatusCode, body, c.want)
		}
		for name := range resp.Header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("Host %q, %q: header %s", c.host, c.more, name)
			}
		}
		// Health says nothing to other sites either.
		if c.want != 200 {
			if resp, _ := r.raw(t, "GET /healthz HTTP/1.1\nHost: "+c.host+"\n"+c.more+"\n"); resp.StatusCode != c.want {
				t.Errorf("/healthz with Host %q, %q: %d, want %d", c.host, c.more, resp.StatusCode, c.want)
			}
		}
	}
	for _, request := range []string{
		"GET http://evil.example/api/status HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n\n",
		"GET /api/status HTTP/1.0\nAuthorization: Bearer TOKEN\n\n",
	} {
		if resp, _ := r.raw(t, request); resp.StatusCode != 421 {
			t.Errorf("%q: %d, want 421", request, resp.StatusCode)
		}
	}
	preflight := "OPTIONS /api/stop HTTP/1.1\nHost: HOST\nOrigin: " +
		"http://evil.example\nAccess-Control-Request-Method: POST\n\n"
	if resp, _ := r.raw(t, preflight); resp.StatusCode != 403 {
		t.Errorf("preflight: %d, want 403", resp.StatusCode)
	}
}

func TestServer_Input(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	post := func(path, kind, body string) string {
		return fmt.Sprintf("POST %s HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n%sContent-Length: %d\n\n",
			path, kind, len(body)) + body
	}
	const isJSON = "Content-Type: application/json\n"
	get := func(path string) string {
		return "GET " + path + " HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n\n"
	}
	for _, c := range []struct {
		request string
		want    int
	}{
		{get("/api/domains"), 200}, {get("/api/domains?limit=1000&after=a.example"), 200},
		{get("/api/domains?limit=&after="), 200},
		{get("/api/domains?limit=0"), 400}, {get("/api/domains?limit=1001"), 400}, {get("/api/domains?limit=-1"), 400},
		{get("/api/domains?limit=1e2"), 400}, {get("/api/domains?limit=1&limit=2"), 400},
		{get("/api/domains?Limit=1"), 400},
		{get("/api/domains?after=" + strings.Repeat("a", 254)), 400}, {get("/api/domains?after=%ff"), 400},
		{get("/api/domains?%zz"), 400},
		{get("/api/domains?a;b"), 400}, {get("/api/status?x"), 400}, {get("/api/stats?x=1"), 400},
		{get("/metrics?x=1"), 400},
		{get("/api/events?since=18446744073709551615"), 200}, {get("/api/events?since=18446744073709551616"), 400},
		{get("/api/events?since=-1"), 400}, {get("/api/events?since=x"), 400}, {get("/api/events?boot=xyz"), 400},
		{get("/api/events?boot=" + strings.Repeat("a", 65)), 400}, {get("/api/events?boot=abc&since=1"), 200},
		{get("/api/nothing"), 404}, {get("/api/status/"), 404}, {get("/api/pause"), 405}, {get("/api/stop"), 405},
		{"GET /api/status HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\nContent-Length: 1\n\nx", 400},
		{"HEAD /api/status HTTP/1.1\nConnection: close\nHost: HOST\nAuthorization: Bearer TOKEN\n\n", 405},
		{"DELETE /api/status HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n\n", 405},
		{post("/api/status", isJSON, "{}"), 405},
		{post("/api/pause", isJSON, `{"for":"1h"}`), 204}, {post("/api/pause", isJSON, `{}`), 204},
		{post("/api/pause", isJSON, ""), 204},
		{post("/api/pause", "Content-Type: application/json; charset=utf-8\n", " "), 204},
		{get("/api/limits"), 200}, {get("/api/limits?lang=de"), 200}, {get("/api/limits?lang=fr"), 400},
		{get("/api/limits/history"), 200},
		{post("/api/work", isJSON, `{"for":"2m"}`), 204}, {post("/api/work", isJSON, `{"for":"soon"}`), 400},
		{post("/api/finish", isJSON, `{}`), 204},
		{get("/api/finish"), 405},
		{post("/api/pause", isJSON, `{"for":"-1h"}`), 400}, {post("/api/pause", isJSON, `{"for":"0s"}`), 400},
		{post("/api/pause", isJSON, `{"for":"9000h"}`), 400}, {post("/api/pause", isJSON, `{"for":"soon"}`), 400},
		{post("/api/pause", isJSON, `{"for":3600}`), 400}, {post("/api/pause", isJSON, `{"fro":"1h"}`), 400},
		{post("/api/pause", isJSON, `{} {}`), 400}, {post("/api/pause", isJSON, `[]`), 400},
		{post("/api/pause", isJSON, ` null`), 400}, {post("/api/pause", isJSON, `{`), 400},
		{post("/api/pause", isJSON, strings.Repeat("[", maxBody)), 400},
		{post("/api/pause?for=1h", isJSON, ``), 400},
		{get("/api/never"), 200}, {get("/api/never?x=1"), 400},
		{"DELETE /api/never HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n\n", 405},
		{post("/api/never", isJSON, `{"pattern":"a.example"}`), 200},
		{post("/api/never", isJSON, `{"pattern":"b.example","undo":true}`), 200},
		{post("/api/never", isJSON, `{}`), 400}, {post("/api/never", isJSON, ``), 400},
		{post("/api/never", isJSON, `{"pattern":["a"]}`), 400},
		{post("/api/never", isJSON, `{"pattern":"`+strings.Repeat("a", maxPattern+1)+`"}`), 400},
		{post("/api/never", "", `{"pattern":"a"}`), 415},
		{post("/api/never", isJSON, `{"pattern":"a","all":true}`), 400},
		{post("/api/pause", "", `{}`), 415}, {post("/api/stop", "Content-Type: text/plain\n", `{}`), 415},
		{post("/api/resume", "Content-Type: application/x-www-form-urlencoded\n", ``), 415},
		{post("/api/stop", "Content-Type: application/jsonx\n", ``), 415},
		{post("/api/resume", isJSON, `{}`), 204}, {post("/api/resume", isJSON, `{"for":"1h"}`), 400},
		{post("/api/stop", isJSON, ``), 204},
		{post("/api/pause", isJSON, strings.Repeat(" ", maxBody)), 204},
		{post("/api/pause", isJSON, strings.Repeat(" ", maxBody+1)), 413},
		{"POST /api/pause HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n" + isJSON + "Transfer-Encoding: " +
			"chunked\n\n" +
			"11000\n" + strings.Repeat(" ", 0x11000) + "\n0\n\n", 413},
		{"GET /api/status HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\nX: " + strings.Repeat("x",
			2*maxHeader) + "\n\n", 431},
	} {
		resp, body := r.raw(t, c.request)
		if resp.StatusCode != c.want {
			t.Errorf("%.100q: %d %s, want %d", c.request, resp.StatusCode, body, c.want)
		}
		if resp.StatusCode == 431 {
			continue // net/http's own
		}
		if resp.StatusCode >= 400 && !strings.HasPrefix(c.request, "HEAD") && !strings.HasPrefix(body, `{"error":"`) {
			t.Errorf("%.100q: body %q, want an error", c.request, body)
		}
		if resp.StatusCode == 405 && resp.Header.Get("Allow") == "" {
			t.Errorf("%.100q: no Allow header", c.request)
		}
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options":  "nosniff",
			"Cache-Control":           "no-store", "Referrer-Policy": "no-referrer",
		} {
			if got := resp.Header.Get(name); got != want {
				t.Errorf("%.100q: %s is %q, want %q", c.request, name, got, want)
			}
		}
	}
	want := "pause 1h0m0s, pause 0s, pause 0s, pause 0s, work 2m0s, finish, never a.example false, never b.example " +
		"true, resume, stop, pause 0s"
	if got := strings.Join(r.node.calls, ", "); got != want {
		t.Errorf("the node was told %s, want %s", got, want)
	}
}

func TestServer_ErrorsOfTheNode(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	for _, c := range []struct {
		err  error
		want int
	}{
		{errors.New("the disk is gone"), 500}, {fmt.Errorf("x: %w", context.DeadlineExceeded), 504},
		{context.Canceled, 503},
	} {
		r.node.err = c.err
		for _, path := range []string{"/api/status", "/api/domains", "/api/stats", "/metrics", "/api/events?boot=0"} {
			resp, body := r.raw(t, "GET "+path+" HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n\n")
			if resp.StatusCode != c.want || !strings.HasPrefix(body, `{"error":"`) {
				t.Errorf("%s when the node says %v: %d %s, want %d", path, c.err, resp.StatusCode, body, c.want)
			}
		}
	}
}

// What the caller can mend is not the node's fault.
func TestServer_NeverSaysWhatIsWrong(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	c, err := client.Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.Never(t.Context(), "a.example", false); err != nil ||
		got != (api.NeverChange{Pattern: "a.example", Never: true, Changed: true, Text: "Done."}) {
		t.Errorf("Never = %+v, %v", got, err)
	}
	if got, err := c.NeverList(t.Context()); err != nil || len(got.Sites) != 1 || got.Sites[0] != "a.example" {
		t.Errorf("NeverList = %+v, %v", got, err)
	}
	body := `{"pattern":"a b"}`
	request := fmt.Sprintf("POST /api/never HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\nContent-Type: "+
		"application/json\nContent-Length: %d\n\n%s", len(body), body)
	for _, e := range []struct {
		err  error
		want int
	}{
		{&api.InputError{Err: errors.New("a b is no domain")}, 400},
		{fmt.Errorf("x: %w", &api.InputError{Err: errors.New("y")}), 400}, {errors.New("the disk is full"), 500},
	} {
		r.node.err = e.err
		if resp, got := r.raw(t, request); resp.StatusCode != e.want || !strings.Contains(got, `"error"`) {
			t.Errorf("when the node says %v: %d %s, want %d", e.err, resp.StatusCode, got, e.want)
		}
	}
	r.node.err = &api.InputError{Err: errors.New("a b is no domain")}
	if _, err := c.Never(t.Context(), "a b", false); err == nil || err.Error() != "a b is no domain" {
		t.Errorf("Never with a wrong pattern: %v", err)
	}
}

// notes collects what is logged.
type notes struct {
	slog.Handler
	said chan string
}

func (n notes) Enabled(context.Context, slog.Level) bool { return true }
func (n notes) Handle(_ context.Context, r slog.Record) error {
	select {
	case n.said <- r.Message:
	default:
	}
	return nil
}

func newNotes() notes { return notes{slog.DiscardHandler, make(chan string, 100)} }

func TestServer_SurvivesPanics(t *testing.T) {
	log := newNotes()
	r := start(t, t.TempDir(), func(s *Server) { s.log = slog.New(log) })
	r.node.fail = func() { panic("a bug") }
	resp, body := r.raw(t, get+"Host: HOST\n\n")
	if resp.StatusCode != 500 || strings.Contains(body, "a bug\"") || !strings.Contains(body, "error") {
		t.Errorf("panic gives %d %s, want 500", resp.StatusCode, body)
	}
	if got := <-log.said; got != "Panic in API call" {
		t.Errorf("log says %q", got)
	}
	r.node.fail = nil
	if resp, _ := r.raw(t, get+"Host: HOST\n\n"); resp.StatusCode != 200 {
		t.Errorf("after a panic: %d, want 200", resp.StatusCode)
	}
}

func TestServer_NilListsAreEmpty(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	for path, want := range map[string]string{
		"/api/status": `"reasons":[]`, "/api/domains": `{"domains":[]}`, "/api/stats": `"hours":[]`,
		"/api/events": `"events":[]`,
		"/api/never":  `"tlds":[],"topics":[],"topic_names":[],"builtin":[]`,
	} {
		if _, body := r.raw(t,
			"GET "+path+" HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n\n"); !strings.Contains(body, want) {
			t.Errorf("%s = %s, want %s in it", path, body, want)
		}
	}
}
