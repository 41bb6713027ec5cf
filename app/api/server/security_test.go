package server

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// Who adds a route that strangers may use says so here, and why it tells them nothing.
var openRoutes = []string{
	"GET /",             // the dashboard's page, the same for all
	"GET " + script,     // a file of it
	"GET /archive/x",    // who has the name of a view, which is the secret
	"GET /download/x",   // who has a ticket, which is the secret
	"GET /healthz",      // that forage runs
	"GET /api/session",  // whether there is a password
	"POST /api/session", // lets in who has a one-time key
}

// browsedRoutes are those for which a session's cookie is enough, since no script asks for them.
var browsedRoutes = []string{}

// onRoutes calls fn for every path and method that the server takes.
func onRoutes(t *testing.T, r *running, fn func(method, path string, rt route)) {
	t.Helper()
	table := r.server.table()
	if len(table) < 15 {
		t.Fatalf("there are %d routes", len(table))
	}
	for _, path := range slices.Sorted(maps.Keys(table)) {
		rt := table[path]
		if strings.HasSuffix(path, "/") && path != "/" {
			path += "x"
		}
		for _, method := range rt.methods() {
			fn(method, path, rt)
		}
	}
}

func aServer(t *testing.T) *running {
	t.Helper()
	files := aDashboard()
	maps.DeleteFunc(files, func(name string, _ *fstest.MapFile) bool {
		return name != "index.html" &&
			"/"+name != script
	})
	return start(t, t.TempDir(), show(t, files))
}

// What strangers may use is in the lists above, and nothing else is open.
func TestEveryRoute_IsClosed(t *testing.T) {
	r := aServer(t)
	a, b := r.enter(t), r.enter(t)
	var open, browsed []string
	onRoutes(t, r, func(method, path string, rt route) {
		if rt.open {
			open = append(open, method+" "+path)
			return
		}
		if rt.browsed {
			browsed = append(browsed, method+" "+path)
		}
		for what, headers := range map[string]string{
			"nothing":                      "",
			"a wrong token":                "Authorization: Bearer " + strings.Repeat("0", 64) + "\n",
			"an empty token":               "Authorization: Bearer \n",
			"the token in a cookie":        "Cookie: token=TOKEN\n",
			"the token as the proof":       "Cookie: " + a.cookie + "x\n" + proofHeader + ": TOKEN\n",
			"a proof without cookie":       proofHeader + ": " + a.proof + "\n",
			"a cookie without proof":       "Cookie: " + a.cookie + "\n",
			"a cookie and a foreign proof": "Cookie: " + a.cookie + "\n" + proofHeader + ": " + b.proof + "\n",
			"a wrong token and a session":  "Authorization: Bearer x\n" + a.headers(),
		} {
			if rt.browsed && strings.HasPrefix(what, "a cookie") {
				continue
			}
			resp, body := r.ask(t, method, path, headers, "")
			if resp.StatusCode != 401 || !resp.Close || !strings.HasPrefix(body, `{"error":"`) {
				t.Errorf("%s %s with %s: %d %.100s, want 401", method, path, what, resp.StatusCode, body)
			}
		}
		for _, query := range []string{"?token=TOKEN", "?access_token=TOKEN", "?proof=" + a.proof} {
			if resp, _ := r.ask(t, method, path+query, "", ""); resp.StatusCode != 401 {
				t.Errorf("%s %s%.12s: %d, want 401", method, path, query, resp.StatusCode)
			}
		}
	})
	if !slices.Equal(open, sorted(openRoutes)) {
		t.Errorf("open are\n%q, want\n%q", open, sorted(openRoutes))
	}
	if !slices.Equal(browsed, sorted(browsedRoutes)) {
		t.Errorf("open to a cookie are\n%q, want\n%q", browsed, sorted(browsedRoutes))
	}
	if len(r.node.calls) != 0 {
		t.Errorf("strangers made the node %q", r.node.calls)
	}
}

// sorted sorts routes by path.
func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b string) int {
		return strings.Compare(a[strings.IndexByte(a, ' '):], b[strings.IndexByte(b, ' '):])
	})
	return list
}

// A page on another site can make a browser call, with the cookie if it comes to that. It gets nothing,
// by whatever name it calls this computer.
func TestEveryRoute_AnswersNoOtherSite(t *testing.T) {
	r := aServer(t)
	b := r.enter(t)
	port := r.desc.Addr[strings.LastIndexByte(r.desc.Addr, ':'):]
	onRoutes(t, r, func(method, path string, rt route) {
		for _, c := range []struct {
			headers string
			want    int
		}{
			{"Host: evil.example\n", 421},
			{"Host: evil.example" + port + "\n", 421}, // DNS rebinding
			{"Host: 127.0.0.1.evil.example" + port + "\n", 421},
			{"Host: evil.example" + port + "\nOrigin: http://evil.example" + port + "\nSec-Fetch-Site: " +
				"same-origin\n", 421},
			{"Host: evil.example" + port + "\nX-Forwarded-Host: HOST\nForwarded: host=HOST\n", 421},
			{"Host: 0.0.0.0" + port + "\n", 421},
			{"Origin: http://evil.example\n", 403},
			{"Origin: https://HOST\n", 403},
			{"Origin: http://127.0.0.1:1\n", 403}, // another program on this computer
			{"Origin: null\n", 403},
			{"Origin: http://HOST\nOrigin: http://evil.example\n", 403},
			{"Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: no-cors\n", 403},
			{"Sec-Fetch-Site: same-site\nSec-Fetch-Mode: cors\n", 403},
			{"Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: iframe\n", 403},
			{"Accept: text/event-stream\nOrigin: http://evil.example\n", 403},
			{"Accept: text/event-stream\nSec-Fetch-Site: cross-site\n", 403},
		} {
			for _, who := range []string{"", b.headers(), "Authorization: Bearer TOKEN\n"} {
				resp, body := r.ask(t, method, path, who+c.headers, "")
				if resp.StatusCode != c.want || !strings.HasPrefix(body, `{"error":"`) {
					t.Errorf("%s %s from %q: %d %.100s, want %d", method, path, c.headers, resp.StatusCode, body,
						c.want)
				}
				for name := range resp.Header {
					if strings.HasPrefix(name, "Access-Control-") || name == "Set-Cookie" {
						t.Errorf("%s %s from %q: header %s", method, path, c.headers, name)
					}
				}
			}
		}
		visit := "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: document\n"
		want := 403
		if path == "/" {
			want = 200 // a bookmark, or the file by which the command opens it
		}
		if resp, _ := r.ask(t, method, path, b.headers()+visit, ""); resp.StatusCode != want {
			t.Errorf("%s %s by a link of another site: %d, want %d", method, path, resp.StatusCode, want)
		}
	})
	if len(r.node.calls) != 0 {
		t.Errorf("other sites made the node %q", r.node.calls)
	}
}

// By no other name is this computer called, and from no other origin, with the token or without.
func TestForms_OfHostAndOrigin(t *testing.T) {
	r := aServer(t)
	_, port, _ := strings.Cut(r.desc.Addr, ":")
	hosts := []string{
		"evil.example", "evil.example:PORT", "127.0.0.1.evil.example:PORT", "localhost.evil.example:PORT",
		"127.0.0.1:", "localhost:", "[::1",
		"127.0.0.1:0", "localhost:65536", "[::1]:+1", "0.0.0.0:PORT", "[::]:PORT", "127.0.0.2:PORT", "127.1:PORT",
		"2130706433:PORT", "0x7f000001:PORT", "0177.0.0.1:PORT",
		"[::ffff:127.0.0.1]:PORT", "[0:0:0:0:0:0:0:1]:PORT", "::1:PORT", "localhost.:PORT",
		"127.0.0.1:PORT.evil.example", "user@127.0.0.1:PORT", "127.0.0.1:PORT@evil.example",
		"127.0.0.1:0PORT", "LOCALHOST.localdomain:PORT", "", "127.0.0.1:PORT, evil.example", "192.168.7.2:PORT",
	}
	if name, err := os.Hostname(); err == nil { // a name of the local network is none without TLS, at any port
		hosts = append(hosts, name, name+":PORT", name+".local:PORT", "192.168.7.2")
	}
	origins := []string{
		"http://evil.example", "https://evil.example", "http://evil.example:PORT",
		"http://127.0.0.1.evil.example:PORT", "https://127.0.0.1:PORT", "http://127.0.0.1", "http://127.0.0.1:1",
		"http://localhost:PORT", "http://[::1]:PORT", "null", "", "file://", "http://127.0.0.1:PORT/",
		"http://user@127.0.0.1:PORT", "chrome-extension://aaaa",
	}
	for _, who := range []string{"", "Authorization: Bearer TOKEN\n"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			path := map[string]string{http.MethodGet: "/api/status", http.MethodPost: "/api/stop"}[method]
			for _, host := range hosts {
				resp, body := r.ask(t, method, path, who+"Host: "+strings.ReplaceAll(host, "PORT", port)+"\n", "")
				if resp.StatusCode != 421 && resp.StatusCode != 400 || strings.Contains(body, "boot") {
					t.Errorf("%s with Host %q: %d %.100s, want 421", method, host, resp.StatusCode, body)
				}
			}
			for _, origin := range origins {
				resp, body := r.ask(t, method, path,
					who+"Host: 127.0.0.1:"+port+"\nOrigin: "+strings.ReplaceAll(origin, "PORT", port)+"\n", "")
				if resp.StatusCode != 403 {
					t.Errorf("%s with Origin %q: %d %.100s, want 403", method, origin, resp.StatusCode, body)
				}
			}
		}
	}
	if len(r.node.calls) != 0 {
		t.Errorf("the node was made to %q", r.node.calls)
	}
}

// By the names that lead nowhere but to this computer it may be called at any port: a tunnel ends at another
// one. That lets in nobody who is not let in at the port itself: the token is needed, and the origin is that of
// the call.
func TestForms_OfOwnNames(t *testing.T) {
	r := aServer(t)
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "127.0.0.1:1", "localhost:80", "[::1]:65535",
		"LocalHost:8080"} {
		for headers, want := range map[string]int{
			"":                              401,
			"Authorization: Bearer TOKEN\n": 200,
			"Authorization: Bearer TOKEN\nOrigin: http://" + host + "\n": 200,
			// the port it listens at, and not the one that was called
			"Authorization: Bearer TOKEN\nOrigin: http://HOST\n":          403,
			"Authorization: Bearer TOKEN\nOrigin: http://localhost:81\n":  403,
			"Authorization: Bearer TOKEN\nOrigin: https://" + host + "\n": 403,
			"Authorization: Bearer TOKEN\nOrigin: http://evil.example\n":  403,
			// a page at another port of this computer
			"Authorization: Bearer TOKEN\nSec-Fetch-Site: same-site\n":        403,
			"Authorization: Bearer TOKEN\nHost: evil.example\nOrigin: null\n": 400, // two of them
		} {
			resp, body := r.ask(t, http.MethodGet, "/api/status", "Host: "+host+"\n"+headers, "")
			if resp.StatusCode != want {
				t.Errorf("Host %s with %q: %d %.100s, want %d", host, headers, resp.StatusCode, body, want)
			}
		}
	}
}

// What a form on a web page can send does nothing, and neither does what is too large.
func TestEveryRoute_TakesNothingButSmallJSON(t *testing.T) {
	r := aServer(t)
	b := r.enter(t)
	large := `{"x":"` + strings.Repeat("x", 1<<20) + `"}`
	onRoutes(t, r, func(method, path string, rt route) {
		if method != http.MethodPost {
			if resp, body := r.ask(t, method, path, b.headers(), "{}"); resp.StatusCode/100 != 4 && !rt.open &&
				!rt.browsed {
				t.Errorf("%s %s with a body: %d %.100s, want it refused", method, path, resp.StatusCode, body)
			}
			return
		}
		for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded",
			"multipart/form-data; boundary=x", "application/jsonx", "text/plain; application/json"} {
			resp, body := r.ask(t, method, path, b.headers()+"Content-Type: "+kind+"\n", "{}")
			if resp.StatusCode != 415 {
				t.Errorf("%s of %q: %d %.100s, want 415", path, kind, resp.StatusCode, body)
			}
		}
		if resp, body := r.ask(t, method, path, b.headers(), large); resp.StatusCode != 413 {
			t.Errorf("%s of %d bytes: %d %.100s, want 413", path, len(large), resp.StatusCode, body)
		}
		if resp, body := r.ask(t, method, path+"?x=1", b.headers(), "{}"); resp.StatusCode != 400 {
			t.Errorf("%s with a query: %d %.100s, want 400", path, resp.StatusCode, body)
		}
		if resp, body := r.ask(t, method, path, b.headers(), `{"no such key":1}`); resp.StatusCode != 400 {
			t.Errorf("%s with a key that is none: %d %.100s, want 400", path, resp.StatusCode, body)
		}
	})
	if len(r.node.calls) != 0 {
		t.Errorf("the node was made to %q", r.node.calls)
	}
	if got := r.status(t, b.headers()); got != 200 {
		t.Errorf("after all that: %d, want 200", got)
	}
}

// Every answer tells the browser what it may do with it.
func TestEveryRoute_SecurityHeaders(t *testing.T) {
	r := aServer(t)
	onRoutes(t, r, func(method, path string, rt route) {
		for _, who := range []string{"", "Authorization: Bearer TOKEN\n"} {
			// A method that no route takes is answered as a route's own errors are.
			for _, m := range []string{method, "DELETE", "PUT", "OPTIONS", "TRACE"} {
				if m == http.MethodPost {
					who += "Content-Type: text/plain\n"
				}
				resp, _ := r.ask(t, m, path, who, "")
				if m != method && !rt.open && resp.StatusCode != map[bool]int{true: 401,
					false: 405}[strings.HasPrefix(who, "Auth") == false] {
					t.Errorf("%s %s: %d", m, path, resp.StatusCode)
				}
				policy := resp.Header.Get("Content-Security-Policy")
				if !strings.HasPrefix(policy, "default-src 'none'; ") ||
					!strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") {
					t.Errorf("%s %s: policy %q", m, path, policy)
				}
				for name, want := range map[string]string{
					"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
					"Cross-Origin-Resource-Policy": "same-origin",
				} {
					if got := resp.Header.Get(name); got != want {
						t.Errorf("%s %s: %s is %q, want %q", m, path, name, got, want)
					}
				}
				if cache := resp.Header.Get("Cache-Control"); cache != "no-store" && path != script {
					t.Errorf("%s %s: Cache-Control is %q", m, path, cache)
				}
			}
		}
	})
}

// A session opens every route to its browser, as the token does to commands.
func TestEveryRoute_OpensToASession(t *testing.T) {
	r := aServer(t)
	b := r.enter(t)
	onRoutes(t, r, func(method, path string, rt route) {
		if rt.open || path == "/api/session/end" {
			return
		}
		headers := b.headers() + fmt.Sprintf("Origin: http://%s\nSec-Fetch-Site: same-origin\n", r.desc.Addr)
		if resp, body := r.ask(t, method, path, headers, ""); resp.StatusCode == 401 || resp.StatusCode == 403 {
			t.Errorf("%s %s: %d %.100s", method, path, resp.StatusCode, body)
		}
	})
}

func TestLookUp(t *testing.T) {
	named, below, deep := route{open: true}, route{browsed: true}, route{open: true, deep: true}
	routes := map[string]route{"/": named, "/api/a": named, "/download/": below, "/archive/": deep}
	for path, want := range map[string]route{
		"/": named, "/api/a": named, "/download/x": below, "/download/..": below,
		"/download/": below, "/download": {}, "/download/x/y": {}, "/x": {}, "/api/a/": {}, "/api/": {}, "": {},
		"*": {}, "//": {},
		"/archive/": deep, "/archive/x": deep, "/archive/x/": deep, "/archive/x/y/p/z": deep, "/archive//x": deep,
		"/archive": {}, "//archive/x": {}, "/x/archive/y/z": {},
	} {
		rt, found := lookUp(routes, path)
		if rt.open != want.open || rt.deep != want.deep || rt.browsed != want.browsed ||
			found != (want.open || want.browsed) {
			t.Errorf("lookUp(%q) = %v, %v", path, rt, found)
		}
	}
}
