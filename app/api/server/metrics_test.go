package server

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestMetrics(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	r.node.status.Network = "a\"b\\c\nd"
	r.node.status.Queued = 1 << 40
	r.node.stats.Totals.Pages = 12
	resp, body := r.raw(t, "GET /metrics HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n\n")
	if got := resp.Header.Get("Content-Type"); got != "text/plain; version=0.0.4; charset=utf-8" {
		t.Errorf("Content-Type %s", got)
	}
	const name = `(forage_[a-z_]+)`
	help := regexp.MustCompile(`^# HELP ` + name + ` [^\\]+\.$`)
	kind := regexp.MustCompile(`^# TYPE ` + name + ` (counter|gauge)$`)
	sample := regexp.MustCompile(`^` + name + `(\{[a-z]+="(?:[^"\\\n]|\\["\\n])*"(?:,[a-z]+="(?:[^"\\\n]|\\["\\n])*")*\})? ([0-9.]+)$`)
	values, current, described := map[string]float64{}, "", map[string]bool{}
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(line, "\n")
		if m := help.FindStringSubmatch(line); m != nil {
			if described[m[1]] {
				t.Errorf("%s is described twice", m[1])
			}
			current, described[m[1]] = m[1], true
		} else if m := kind.FindStringSubmatch(line); m != nil {
			if m[1] != current || (m[2] == "counter") != strings.HasSuffix(m[1], "_total") {
				t.Errorf("line %q after the help of %s", line, current)
			}
		} else if m := sample.FindStringSubmatch(line); m != nil && m[1] == current {
			v, err := strconv.ParseFloat(m[3], 64)
			if _, twice := values[m[1]+m[2]]; err != nil || twice {
				t.Errorf("line %q: %v, or twice", line, err)
			}
			values[m[1]+m[2]] = v
		} else {
			t.Errorf("line %q is no metric of %s", line, current)
		}
	}
	for name, want := range map[string]float64{
		"forage_queued_urls": 1 << 40, "forage_pages_total": 12, `forage_state{state="working"}`: 1,
		`forage_state{state="paused"}`:                  0,
		`forage_info{version="1",network="a\"b\\c\nd"}`: 1, "forage_members": 3,
		`forage_peer_frames_total{kind="ping",direction="sent"}`:                     1,
		`forage_peer_bytes_total{kind="report",direction="sent"}`:                    500,
		`forage_peer_bytes_total{kind="ping",direction="received"}`:                  21,
		`forage_peer_stream_bytes_total{protocol="/meshsub/1.2.0",direction="sent"}`: 7,
	} {
		if got, ok := values[name]; !ok || got != want {
			t.Errorf("%s = %v, %t, want %v", name, got, ok, want)
		}
	}
}

// FuzzRequest gives the server queries, headers and bodies of callers who
// know the token.
func FuzzRequest(f *testing.F) {
	f.Add("/api/events", "boot=ab&since=1&limit=5", "text/event-stream", "ab-3", "application/json", "")
	f.Add("/api/domains", "after=a.example&limit=1", "", "", "", "")
	f.Add("/api/pause", "", "", "", "application/json; charset=utf-8", `{"for":"1h"}`)
	f.Add("/metrics", "%", "", "", "", "")
	node := newTestNode("ab")
	node.publish(3)
	h := New(Config{Node: node, Token: "secret", BootID: "ab"}).handler("1")
	f.Fuzz(func(t *testing.T, path, query, accept, last, kind, body string) {
		method := http.MethodGet
		if body != "" {
			method = http.MethodPost
		}
		r := httptest.NewRequest(method, "/", io.NopCloser(strings.NewReader(body)))
		r.ContentLength = int64(len(body))
		r.URL.Path, r.URL.RawQuery, r.Host = path, query, "127.0.0.1:1"
		r.Header = http.Header{"Authorization": {"Bearer secret"}, "Accept": {accept}, "Last-Event-Id": {last},
			"Content-Type": {kind}}
		w := &recorder{ResponseRecorder: httptest.NewRecorder()}
		h.ServeHTTP(w, r)
		node.calls = nil
		if w.Code >= 500 {
			t.Errorf("%s %q?%q with %q: %d %s", method, path, query, body, w.Code, w.Body)
		}
		if strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") &&
			!json.Valid(bytes.TrimSpace(w.Body.Bytes())) {
			t.Errorf("%s %q?%q: not JSON: %q", method, path, query, w.Body)
		}
	})
}

// recorder ends a stream at its first flush, as if the reader had left.
type recorder struct{ *httptest.ResponseRecorder }

func (w *recorder) FlushError() error { return io.ErrClosedPipe }
