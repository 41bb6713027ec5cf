package answer_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/demo"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/scope"
)

// now is what Retry-After dates are compared to.
var now = time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)

func everything(t testing.TB) *scope.Scope {
	t.Helper()
	s, err := scope.New(scope.Config{Depth: 200, Lab: func(host string) bool { return strings.HasSuffix(host, ".test") || host == "127.0.0.1" }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustURL(t testing.TB, s string) crawl.URL {
	t.Helper()
	u, err := crawl.ParseURL(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// fetchPage gets a URL for real.
func fetchPage(t testing.TB, c *fetch.Client, u crawl.URL) *fetch.Response {
	t.Helper()
	addrs, err := c.Addrs(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Get(t.Context(), fetch.Request{URL: u, Addr: addrs[0]})
	if err != nil {
		t.Fatalf("Get %s: %v", u, err)
	}
	return r
}

// both returns the outcome of a live response and that of its bytes, brought
// into the form that must not differ.
func both(t testing.TB, task crawl.Task, live *fetch.Response, s *scope.Scope) (a, b crawl.Outcome, pageA, pageB answer.Page) {
	t.Helper()
	raw := bytes.Clone(live.ResponseBytes)
	a, pageA = answer.Read(task, live, s, now, nil)
	recorded, err := fetch.ParseResponse(task.URL, raw)
	if err != nil {
		t.Fatalf("ParseResponse of %s: %v", task.URL, err)
	}
	defer recorded.Release()
	recorded.Started, recorded.Truncated = live.Started, live.Truncated // the archive has both
	b, pageB = answer.Read(task, recorded, s, now, nil)
	a.Took, a.Sent, a.Received = b.Took, b.Sent, b.Received
	if a.Result == crawl.Skipped {
		a.Reason = b.Reason // a type told by bytes that are not kept
	}
	return a, b, pageA, pageB
}

func TestRead_RecordedResponseGivesTheSameOutcome(t *testing.T) {
	web, err := demo.Start(demo.Options{Pages: 640})
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	hosts, err := fetch.ParseHosts(strings.NewReader(web.Hosts()))
	if err != nil {
		t.Fatal(err)
	}
	client, err := fetch.New(fetch.Config{World: fetch.Lab, Hosts: hosts, UserAgent: crawl.UserAgent(true)})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	s := everything(t)
	seen := map[crawl.URL]bool{}
	queue := []crawl.Task{{URL: mustURL(t, web.StartURL())}}
	counts := make(map[crawl.Result]int)
	for ; len(queue) > 0 && len(seen) < 200; queue = queue[1:] {
		task := queue[0]
		if seen[task.URL] || web.Endless() != "" && strings.HasPrefix(task.URL.String(), web.Endless()) {
			continue
		}
		seen[task.URL] = true
		if addrs, err := client.Addrs(t.Context(), task.URL); err != nil || len(addrs) == 0 {
			continue // another name than those of this web
		}
		live := fetchPage(t, client, task.URL)
		a, b, pageA, pageB := both(t, task, live, s)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: live and recorded differ:\n%+v\n%+v", task.URL, a, b)
		}
		if !reflect.DeepEqual(pageA, pageB) {
			t.Errorf("%s: page %+v live, %+v recorded", task.URL, pageA, pageB)
		}
		live.Release()
		counts[a.Result]++
		for _, l := range a.Outlinks {
			queue = append(queue, crawl.Task{URL: l.URL, Depth: l.Depth, Redirects: l.Redirects})
		}
	}
	for _, r := range []crawl.Result{crawl.Fetched, crawl.Redirected, crawl.Gone} {
		if counts[r] == 0 {
			t.Errorf("no answer was %v; this test tries less than it says", r)
		}
	}
}

// What servers get wrong is archived as it is, and read back as it was read.
func TestRead_RecordedResponseOfABadServerGivesTheSameOutcome(t *testing.T) {
	const link = `<title>t</title><a href="/a">a</a>`
	for name, answer := range map[string]string{
		"no type, html":            "HTTP/1.1 200 OK\r\nContent-Length: 34\r\n\r\n" + link,
		"no type, binary":          "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n\x89PNG\r\n\x1a\n",
		"no type, empty":           "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
		"nonsense type":            "HTTP/1.1 200 OK\r\nContent-Type: nonsense\r\nContent-Length: 34\r\n\r\n" + link,
		"image with a body":        "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 8\r\n\r\n\x89PNG\r\n\x1a\n",
		"ends early":               "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n" + link,
		"chunk ends early":         "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n22\r\n" + link + "\r\nff\r\nand",
		"chunked without type":     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n22\r\n" + link + "\r\n0\r\n\r\n",
		"bad chunk":                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n22\r\n" + link + "\r\nzz\r\n",
		"until the end":            "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + link,
		"interim":                  "HTTP/1.1 103 Early Hints\r\nLink: </s.css>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 34\r\n\r\n" + link,
		"not gzip":                 "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: 34\r\n\r\n" + link,
		"unknown coding":           "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: rot13\r\nContent-Length: 34\r\n\r\n" + link,
		"204":                      "HTTP/1.1 204 No Content\r\n\r\n",
		"206":                      "HTTP/1.1 206 Partial Content\r\nContent-Type: text/html\r\nContent-Length: 34\r\n\r\n" + link,
		"304":                      "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n",
		"redirect with a body":     "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Type: text/html\r\nContent-Length: 34\r\n\r\n" + link,
		"redirect to mail":         "HTTP/1.1 302 Found\r\nLocation: mailto:a@b.test\r\nContent-Length: 0\r\n\r\n",
		"redirect in Latin-1":      "HTTP/1.1 302 Found\r\nLocation: /caf\xe9\r\nContent-Length: 0\r\n\r\n",
		"Retry-After date":         "HTTP/1.1 503 Busy\r\nRetry-After: Sun, 01 Feb 2026 12:05:00 GMT\r\nContent-Length: 0\r\n\r\n",
		"999":                      "HTTP/1.1 999 No\r\nContent-Type: text/html\r\nContent-Length: 34\r\n\r\n" + link,
		"links in headers":         "HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nLink: </caf\xe9>; rel=next\r\nRefresh: 0; url=/x\r\nContent-Length: 4\r\n\r\n%PDF",
		"nofollow by header":       "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: nofollow\r\nContent-Length: 34\r\n\r\n" + link,
		"long validators":          "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: " + strings.Repeat("e", 300) + "\r\nContent-Length: 34\r\n\r\n" + link,
		"two lengths that agree":   "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 34\r\nContent-Length: 34\r\n\r\n" + link,
		"body longer than allowed": "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2100000\r\n\r\n" + link + strings.Repeat(" ", 2100000-34),
	} {
		t.Run(name, func(t *testing.T) {
			server := rawServer(t, answer)
			client, err := fetch.New(fetch.Config{World: fetch.Lab, UserAgent: crawl.UserAgent(true)})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			task := crawl.Task{URL: mustURL(t, "http://"+server.String()+"/")}
			live := fetchPage(t, client, task.URL)
			defer live.Release()
			a, b, pageA, pageB := both(t, task, live, everything(t))
			if !reflect.DeepEqual(a, b) {
				t.Errorf("live and recorded differ:\n%+v\n%+v", a, b)
			}
			if !reflect.DeepEqual(pageA, pageB) {
				t.Errorf("page %+v live, %+v recorded", pageA, pageB)
			}
		})
	}
}

// rawServer sends the same bytes on every connection and closes it.
func rawServer(t testing.TB, answer string) netip.AddrPort {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		conn.Write([]byte(answer))
	}))
	t.Cleanup(server.Close)
	return netip.MustParseAddrPort(server.Listener.Addr().String())
}

func TestRead_Redirects(t *testing.T) {
	s := everything(t)
	for _, c := range []struct {
		name, location string
		redirects      uint8
		depth          uint8
		want           crawl.Result
		link, reason   string
	}{
		{"first", "/b#f", 0, 3, crawl.Redirected, "http://a.test/b", "http://a.test/b"},
		{"other host", "http://b.test/", 0, 0, crawl.Redirected, "http://b.test/", "http://b.test/"},
		{"ninth", "/b", 9, 0, crawl.Redirected, "http://a.test/b", "http://a.test/b"},
		{"eleventh", "/b", 10, 0, crawl.Gone, "", "too many redirects in a row"},
		{"out of scope", "http://a.example/", 0, 0, crawl.Redirected, "", "http://a.example/"},
		{"no target", "", 0, 0, crawl.Gone, "", "Found without a usable target"},
		{"no URL", "http://[", 0, 0, crawl.Gone, "", "Found without a usable target"},
		{"at the deepest", "/b", 0, 200, crawl.Redirected, "http://a.test/b", "http://a.test/b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			task := crawl.Task{URL: mustURL(t, "http://a.test/a"), Redirects: c.redirects, Depth: c.depth}
			r, err := fetch.ParseResponse(task.URL, []byte("HTTP/1.1 302 Found\r\nLocation: "+c.location+"\r\nContent-Length: 0\r\n\r\n"))
			if err != nil {
				t.Fatal(err)
			}
			o, _ := answer.Read(task, r, s, now, nil)
			if o.Result != c.want || words.Shown(words.English, o.Reason) != c.reason {
				t.Errorf("%v, %q; want %v, %q", o.Result, o.Reason, c.want, c.reason)
			}
			if c.link == "" {
				if len(o.Outlinks) != 0 {
					t.Errorf("outlinks %v", o.Outlinks)
				}
				return
			}
			want := crawl.Outlink{URL: mustURL(t, c.link), Depth: c.depth, Redirects: c.redirects + 1, Priority: crawl.PriorityHigh}
			if len(o.Outlinks) != 1 || o.Outlinks[0] != want {
				t.Errorf("outlinks %v, want %v", o.Outlinks, want)
			}
		})
	}
}

// Links in headers count for successful answers of every type.
func TestRead_LinksOfHeaders(t *testing.T) {
	for _, c := range []struct{ name, head, want string }{
		{"refresh", "200 OK\r\nContent-Type: text/html\r\nRefresh: 0; url=/new", "/new"},
		{"link", "200 OK\r\nContent-Type: text/html\r\nLink: </2>; rel=next, </c>; rel=canonical\r\nLink: <0>; rel=prev", "/c /2 /0"},
		{"text", "200 OK\r\nContent-Type: text/plain\r\nRefresh: 0;/new\r\nLink: </f>; rel=alternate; type=application/rss+xml", "/new /f"},
		{"no text", "200 OK\r\nContent-Type: application/pdf\r\nLink: </paper.html>; rel=canonical", "/paper.html"},
		{"no type", "200 OK\r\nRefresh: 3;url=/new", "/new"},
		{"not UTF-8", "200 OK\r\nContent-Type: text/html\r\nRefresh: 0; url=/caf\xe9\r\nLink: </caf\xc3\xa9>; rel=next", "/caf%E9 /caf%C3%A9"},
		{"nofollow", "200 OK\r\nContent-Type: application/pdf\r\nX-Robots-Tag: nofollow\r\nRefresh: 0; url=/new\r\nLink: </c>; rel=canonical", ""},
		{"not found", "404 Not Found\r\nContent-Type: text/html\r\nRefresh: 0; url=/new\r\nLink: </c>; rel=canonical", ""},
	} {
		r, err := fetch.ParseResponse(mustURL(t, "http://a.test/a"), []byte("HTTP/1.1 "+c.head+"\r\nContent-Length: 0\r\n\r\n"))
		if err != nil {
			t.Fatal(err)
		}
		o, _ := answer.Read(crawl.Task{URL: r.URL}, r, everything(t), now, nil)
		var got []string
		for _, l := range o.Outlinks {
			got = append(got, l.URL.Path())
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: outlinks %q, want %q", c.name, got, c.want)
		}
	}
}

func TestRead_LinksEndAtTheDepthOfTheScope(t *testing.T) {
	for _, c := range []struct{ scope, task, want int }{{0, 0, 0}, {1, 0, 2}, {1, 1, 0}, {255, 254, 2}, {255, 255, 0}} {
		s, err := scope.New(scope.Config{Depth: c.scope, Lab: func(string) bool { return true }})
		if err != nil {
			t.Fatal(err)
		}
		body := `<a href=/1>1</a><a href=/2>2</a>`
		task := crawl.Task{URL: mustURL(t, "http://a.test/"), Depth: uint8(c.task)}
		r, err := fetch.ParseResponse(task.URL, fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
		if err != nil {
			t.Fatal(err)
		}
		o, page := answer.Read(task, r, s, now, nil)
		if len(o.Outlinks) != c.want || page.Depth != uint8(c.task) {
			t.Errorf("scope %d, task %d: %d links, page at depth %d", c.scope, c.task, len(o.Outlinks), page.Depth)
		}
		for _, l := range o.Outlinks {
			if int(l.Depth) != c.task+1 || l.Priority != crawl.PriorityNormal {
				t.Errorf("link %+v", l)
			}
		}
	}
}

// A type that says nothing is told by the body, whose title and links then count as those of text/html do.
func TestRead_VagueTypes(t *testing.T) {
	for _, fields := range []string{
		"", "Content-Type:\r\n", "Content-Type: */*\r\n", "Content-Type: html\r\n", "Content-Type: text/html charset=utf-8\r\n", "Content-Type: unknown/unknown\r\n",
		"Content-Type: text/html, text/html; charset=utf-8\r\n", "Content-Type: text/plain\r\nContent-Type: text/html\r\n", "Content-Type: text/html\r\nContent-Type: bad\r\n",
	} {
		raw := "HTTP/1.1 200 OK\r\n" + fields + "\r\n<!DOCTYPE html><title>A title</title><a href=/next>n</a>"
		r, err := fetch.ParseResponse(mustURL(t, "http://a.test/"), []byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		o, page := answer.Read(crawl.Task{URL: r.URL}, r, everything(t), now, nil)
		if o.Result != crawl.Fetched || page.Title != "A title" || o.Title != "A title" || len(o.Outlinks) != 1 {
			t.Errorf("%q: %v, title %q, outlinks %v", fields, o.Result, page.Title, o.Outlinks)
		}
	}
}

func TestRead_RedirectThatIsNotToBeFollowed(t *testing.T) {
	for _, c := range []struct {
		fields, body string
		links        int
	}{
		{"", "", 1},
		{"X-Robots-Tag: nofollow\r\n", "", 0},
		{"X-Robots-Tag: none\r\n", "", 0},
		{"X-Robots-Tag: forage: nofollow\r\n", "", 0},
		{"X-Robots-Tag: otherbot: nofollow\r\n", "", 1},
		{"Content-Type: text/html\r\n", "<meta name=robots content=nofollow>", 0},
		{"X-Robots-Tag: noindex\r\n", "", 1},
	} {
		r, err := fetch.ParseResponse(mustURL(t, "http://a.test/"), []byte("HTTP/1.1 302 Found\r\nLocation: /x\r\n"+c.fields+"\r\n"+c.body))
		if err != nil {
			t.Fatal(err)
		}
		o, _ := answer.Read(crawl.Task{URL: r.URL}, r, everything(t), now, nil)
		if o.Result != crawl.Redirected || len(o.Outlinks) != c.links {
			t.Errorf("%q, %q: %v, outlinks %v, want %d", c.fields, c.body, o.Result, o.Outlinks, c.links)
		}
	}
}
