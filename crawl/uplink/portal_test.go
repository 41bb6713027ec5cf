package uplink

import (
	"fmt"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
)

// answerTo makes the answer of a domain: a status, and where it leads.
func answerTo(t testing.TB, domain crawl.Domain, status int, location string) *fetch.Response {
	t.Helper()
	raw := fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Length: 0\r\n", status)
	if location != "" {
		raw += "Location: " + location + "\r\n"
	}
	u, err := crawl.ParseURL("http://" + string(domain) + "/")
	if err != nil {
		t.Fatal(err)
	}
	r, err := fetch.ParseResponse(u, []byte(raw+"\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestPortal(t *testing.T) {
	type answer struct {
		after    time.Duration // since the one before
		domain   crawl.Domain
		status   int
		location string
		wait     time.Duration // wanted
		closed   bool          // wanted
	}
	const login, own, other = "http://portal.test/login?from=x", "/next", "http://d.test/"
	for name, answers := range map[string][]answer{
		"all lead to one": {
			{0, "a.test", 302, login, portalWait, false}, {0, "b.test", 302, login, portalWait, false},
			{0, "c.test", 302, login, portalWait, true}, {4 * time.Second, "d.test", 302, login, 6 * time.Second, true},
		},
		"whatever the redirect": {
			{0, "a.test", 301, login, portalWait, false}, {0, "b.test", 303, login, portalWait, false},
			{0, "c.test", 307, login, portalWait, true}, {0, "d.test", 308, login, portalWait, true},
		},
		"by a path for each host": {
			{0, "a.test", 302, "http://gw.portal.test/a", portalWait, false}, {0, "b.test", 302, "https://portal.test/b", portalWait, false},
			{0, "c.test", 302, "//login.portal.test/", portalWait, true},
		},
		"it stays closed": {
			{0, "a.test", 511, "", portalWait, true}, {portalWait, "a.test", 511, "", 2 * portalWait, true},
			{2 * portalWait, "b.test", 511, "", 4 * portalWait, true}, {4 * portalWait, "b.test", 511, "", 8 * portalWait, true},
			{time.Hour, "b.test", 511, "", 16 * portalWait, true}, {time.Hour, "b.test", 511, "", offlineWait, true}, {time.Hour, "b.test", 511, "", offlineWait, true},
		},
		"it opens": {
			{0, "a.test", 302, login, portalWait, false}, {0, "b.test", 302, login, portalWait, false}, {0, "c.test", 302, login, portalWait, true},
			{portalWait, "a.test", 200, "", 0, false}, {0, "b.test", 302, other, 0, false}, {0, "c.test", 404, "", 0, false},
		},
		"while it crawls": {
			{0, "a.test", 200, "", 0, false}, {0, "b.test", 302, login, 0, false}, {0, "c.test", 302, login, portalWait, false},
			{0, "d.test", 302, login, portalWait, true},
		},
		"its own page is no proof": {
			{0, "a.test", 302, login, portalWait, false}, {0, "portal.test", 200, "", 0, false}, {0, "b.test", 302, login, portalWait, false},
			{0, "portal.test", 302, own, 0, false}, {0, "c.test", 302, login, portalWait, true},
		},
		"a site that moved": {
			{0, "a.test", 301, login, portalWait, false}, {portalWait, "a.test", 301, login, 0, false}, {0, "a.test", 301, login, 0, false},
		},
		"two sites that moved": {
			{0, "a.test", 301, login, portalWait, false}, {0, "b.test", 301, login, portalWait, false}, {portalWait, "a.test", 301, login, portalWait, false},
			{provenFor, "a.test", 301, login, 0, false}, {0, "b.test", 301, login, 0, false},
		},
		"three sites that moved, and nothing else": {
			{0, "a.test", 301, login, portalWait, false}, {0, "b.test", 301, login, portalWait, false}, {0, "c.test", 301, login, portalWait, true},
			{portalDoubt + 1, "a.test", 301, login, 0, true},
		},
		"many that moved, beside others": {
			{0, "x.test", 200, "", 0, false}, {0, "a.test", 301, login, 0, false}, {0, "x.test", 200, "", 0, false}, {0, "b.test", 301, login, 0, false},
			{0, "y.test", 503, "", 0, false}, {0, "c.test", 301, login, 0, false}, {0, "x.test", 404, "", 0, false}, {0, "d.test", 301, login, 0, false},
		},
		"each elsewhere": {
			{0, "x.test", 200, "", 0, false}, {0, "a.test", 302, "http://1.test/", 0, false}, {0, "b.test", 302, "http://2.test/", 0, false}, {0, "c.test", 302, "http://3.test/", 0, false},
		},
		"within themselves": {
			{0, "a.test", 302, "http://www.a.test/", 0, false}, {0, "b.test", 302, own, 0, false}, {0, "c.test", 302, "https://c.test/", 0, false},
		},
		"nowhere": {{0, "a.test", 302, "", 0, false}, {0, "b.test", 302, "mailto:a@b.test", 0, false}, {0, "c.test", 304, "", 0, false}},
	} {
		now := time.Unix(1e9, 0)
		l := New(func() time.Time { return now }, true)
		for i, a := range answers {
			now = now.Add(a.after)
			r := answerTo(t, a.domain, a.status, a.location)
			if wait := l.Judge(a.domain, r); wait != a.wait || l.Captive() != a.closed {
				t.Errorf("%s, %d: wait %v, closed %v, want %v, %v", name, i, wait, l.Captive(), a.wait, a.closed)
			}
			if len(l.portal.led) > portalFrom {
				t.Errorf("%s: %d domains are kept", name, len(l.portal.led))
			}
		}
	}
}
