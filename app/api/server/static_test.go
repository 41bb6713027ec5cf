package server

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/forage-net/forage/app/api/dashboard"
)

const script = "/assets/index-4f0a.js"

func aDashboard() fstest.MapFS {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	return fstest.MapFS{
		"index.html":             file("<!doctype html><script type=module src=/assets/index-4f0a.js></script>"),
		"assets/index-4f0a.js":   file(strings.Repeat("export const words = 1;\n", 1000)),
		"assets/font-1.woff2":    file(strings.Repeat("f", 1000)),
		"assets/tiny.css":        file("a{}"),
		"manifest.webmanifest":   file("{}"),
		"strange.ending":         file("x"),
		".hidden":                file("secret"),
		"assets/.vite/manifest":  file("of the build"),
		"api/status":             file("not the node's"),
		"a b/%2e%2e/odd \x7f.js": file("odd"),
	}
}

// show makes a server show a dashboard.
func show(t testing.TB, files fstest.MapFS) func(*Server) {
	return func(s *Server) {
		var err error
		if s.files, err = dashboard.Read(files); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStatic(t *testing.T) {
	r := start(t, t.TempDir(), show(t, aDashboard()))
	for _, c := range []struct {
		path, kind, cache string
		tag               bool
	}{
		{"/", "text/html; charset=utf-8", "no-store", false},
		{script, "text/javascript; charset=utf-8", "public, max-age=31536000, immutable", true},
		{"/assets/tiny.css", "text/css; charset=utf-8", "public, max-age=31536000, immutable", true},
		{"/assets/font-1.woff2", "font/woff2", "public, max-age=31536000, immutable", true},
		{"/manifest.webmanifest", "application/manifest+json", "no-cache", true},
		{"/strange.ending", "application/octet-stream", "no-cache", true},
	} {
		resp, body := r.ask(t, http.MethodGet, c.path, "", "")
		name := strings.TrimPrefix(c.path, "/")
		if name == "" {
			name = "index.html"
		}
		if want := aDashboard()[name].Data; resp.StatusCode != 200 || body != string(want) {
			t.Errorf("%s: %d, %d bytes, want %d", c.path, resp.StatusCode, len(body), len(want))
		}
		for name, want := range map[string]string{
			"Content-Type": c.kind, "Cache-Control": c.cache, "Vary": "Accept-Encoding", "Content-Encoding": "",
			"Content-Security-Policy": dashboard.Policy,
			"X-Content-Type-Options":  "nosniff", "Cross-Origin-Resource-Policy": "same-origin",
			"Referrer-Policy": "no-referrer", "Set-Cookie": "",
		} {
			if got := resp.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", c.path, name, got, want)
			}
		}
		tag := resp.Header.Get("ETag")
		if (tag != "") != c.tag {
			t.Errorf("%s: tag %q", c.path, tag)
		}
		if tag == "" {
			continue
		}
		for _, c2 := range []struct {
			header string
			want   int
		}{{tag, 304}, {`"x", W/` + tag, 304}, {"*", 304}, {`"x"`, 200}, {strings.Trim(tag, `"`), 200}} {
			if resp, body := r.ask(t, http.MethodGet, c.path, "If-None-Match: "+c2.header+"\n",
				""); resp.StatusCode != c2.want || c2.want == 304 && body != "" {
				t.Errorf("%s with If-None-Match %s: %d, want %d", c.path, c2.header, resp.StatusCode, c2.want)
			}
		}
	}
}

func TestStatic_Gzip(t *testing.T) {
	r := start(t, t.TempDir(), show(t, aDashboard()))
	for _, c := range []struct {
		path, accept string
		zipped       bool
	}{
		{script, "gzip", true}, {script, "br, GZIP;q=0.5, *", true}, {script, "deflate,gzip; q=1", true},
		{script, "gzip;q=0", false}, {script, "gzip;q=x", false}, {script, "x-gzip, br", false},
		{script, "*", false}, {script, "", false},
		{"/assets/tiny.css", "gzip", false}, {"/assets/font-1.woff2", "gzip", false},
	} {
		resp, body := r.ask(t, http.MethodGet, c.path, "Accept-Encoding: "+c.accept+"\n", "")
		if zipped := resp.Header.Get("Content-Encoding") == "gzip"; zipped != c.zipped {
			t.Errorf("%s with %q: zipped %v, want %v", c.path, c.accept, zipped, c.zipped)
		}
		if c.zipped {
			z, err := gzip.NewReader(strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			plain, err := io.ReadAll(z)
			if err != nil || len(body) > len(plain)/4 {
				t.Errorf("%s: %d bytes for %d, %v", c.path, len(body), len(plain), err)
			}
			body = string(plain)
		}
		if want := string(aDashboard()[c.path[1:]].Data); body != want {
			t.Errorf("%s with %q: other bytes", c.path, c.accept)
		}
	}
}

// Nothing is served but the dashboard's own files, whatever a path says.
func TestStatic_NothingElse(t *testing.T) {
	r := start(t, t.TempDir(), show(t, aDashboard()))
	for _, path := range []string{
		"/index.html", "/.hidden", "/assets", "/assets/", "/assets/.vite/manifest", "/assets/none.js",
		"//assets/tiny.css", "/assets//tiny.css",
		"/../session_test.go", "/assets/../../session_test.go", "/assets/%2e%2e/.hidden", "/assets/..%2findex.html",
		"/%2e%2e/%2e%2e/etc/passwd",
		"/..%5c..%5cetc%5cpasswd", "/assets/tiny.css%00", "/assets/tiny.css/", "/assets/./tiny.css", "/etc/passwd",
		"/favicon.ico", "/now", "/ASSETS/tiny.css",
	} {
		resp, body := r.ask(t, http.MethodGet, path, "", "")
		if resp.StatusCode != 401 {
			t.Errorf("%s: %d %q, want 401", path, resp.StatusCode, body)
		}
		resp, body = r.ask(t, http.MethodGet, path, "Authorization: Bearer TOKEN\n", "")
		if resp.StatusCode != 404 {
			t.Errorf("%s with token: %d %q, want 404", path, resp.StatusCode, body)
		}
	}
	if resp, _ := r.ask(t, http.MethodGet, "/api/status", "", ""); resp.StatusCode != 401 {
		t.Errorf("a file in the place of the API: %d, want 401", resp.StatusCode)
	}
	if _, body := r.ask(t, http.MethodGet, "/api/status", "Authorization: Bearer TOKEN\n",
		""); !strings.Contains(body, "boot_id") {
		t.Errorf("a file in the place of the API: %s", body)
	}
	if resp, _ := r.ask(t, http.MethodPost, "/", "", "{}"); resp.StatusCode != 405 {
		t.Errorf("POST /: %d, want 405", resp.StatusCode)
	}
}

func TestStatic_NotBuilt(t *testing.T) {
	for name, files := range map[string]fstest.MapFS{"nil": nil,
		"a placeholder": {"placeholder.html": {Data: []byte("x")}}} {
		r := start(t, t.TempDir(), show(t, files))
		resp, body := r.ask(t, http.MethodGet, "/", "", "")
		if resp.StatusCode != 200 || !strings.Contains(body, "make dashboard") ||
			!strings.Contains(resp.Header.Get("Content-Security-Policy"), "script-src 'self'") {
			t.Errorf("%s: %d %s", name, resp.StatusCode, body)
		}
		if resp, _ := r.ask(t, http.MethodGet, "/placeholder.html", "", ""); resp.StatusCode != 401 {
			t.Errorf("%s: the placeholder is served", name)
		}
	}
	if s := New(Config{}); s.files["/"] == nil {
		t.Error("a server without dashboard shows nothing")
	}
	large := fstest.MapFS{"index.html": {}, "a": {Data: make([]byte, 20<<20)}}
	if s := New(Config{Dashboard: large}); len(s.files) != 1 || s.files["/"] == nil {
		t.Error("there is no page where there is too much for one")
	}
}

// A browser at an address that there is not shows words and the way to the dashboard; programs get JSON.
func TestNoPage(t *testing.T) {
	r := start(t, t.TempDir(), show(t, aDashboard()))
	for _, c := range []struct {
		path, headers string
		status        int
		kind, says    string
	}{
		{"/nonsense", "Accept: text/html,*/*;q=0.8\n", 401, "text/html; charset=utf-8", "Check the address"},
		{"/nonsense", "Accept: text/html\nAccept-Language: de\n", 401, "text/html; charset=utf-8",
			"Hier ist keine Seite"},
		{"/nonsense", "Accept: text/html\nAuthorization: Bearer TOKEN\n", 404, "text/html; charset=utf-8",
			"There is no page here"},
		{"/nonsense", "", 401, "application/json", `{"error":`},
		{"/api/nonsense", "Accept: text/html\n", 401, "application/json", `{"error":`},
	} {
		resp, body := r.ask(t, http.MethodGet, c.path, c.headers, "")
		if kind := resp.Header.Get("Content-Type"); resp.StatusCode != c.status || kind != c.kind ||
			!strings.Contains(body, c.says) {
			t.Errorf("%s with %q: %d %s %q", c.path, c.headers, resp.StatusCode, kind, body)
		}
		if c.kind != "application/json" && !strings.Contains(body, `<a href="/">`) {
			t.Errorf("%s with %q leads nowhere: %q", c.path, c.headers, body)
		}
	}
}
