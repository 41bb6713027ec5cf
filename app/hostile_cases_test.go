package app

import (
	"fmt"
	"net"
	"os"
	"strings"
)

// ending is how a case is over for a node.
type ending string

const (
	endDone    ending = "done"    // nothing of it is queued
	endHeld    ending = "held"    // its robots.txt cannot be had; not before minutes
	endWaits   ending = "waits"   // it asked for it; not before hours
	endRetired ending = "retired" // it failed for so long that it is left alone for weeks
)

// hostileCase is a site that means us ill, and what it may cost.
type hostileCase struct {
	name string // its domain is name.test
	what string // what it does, for people
	why  string // what bounds it, for people

	seeds  []string          // paths, "/" if none
	names  []string          // further names of the site, and seeds if seedNames
	robots func(*visit) bool // nil: there is none
	answer func(*visit) bool // nil: a page without links
	begin  func(*visit)      // before the first request was read
	holds  bool              // it holds connections for as long as it can
	never  []string          // beginnings of paths that must not be asked for
	decoys []*hostileSite    // that nothing may connect to

	requests int64 // at most, for robots.txt too
	bytes    int64 // at most
	end      []ending

	seedNames bool
	site      *hostileSite
}

// hostileBudget is how many URLs are taken in of a domain here. Outside tests
// it is frontier.DefaultBudget, which the long run comes near to.
var hostileBudget = func() int64 {
	if os.Getenv("FORAGE_LONG") != "" {
		return 3000
	}
	return 150
}()

const (
	// bodyBytes is what a body that does not end costs: the limit, and what
	// the kernels hold.
	bodyBytes = 2<<20 + 512<<10
	// headBytes is what a head that does not end costs, likewise.
	headBytes = 64<<10 + 512<<10
	// fewBytes is enough for some short answers.
	fewBytes = 64 << 10
)

// once serves "/" with a handler, and nothing else.
func once(answer func(*visit) bool) func(*visit) bool {
	return func(v *visit) bool {
		if v.URL.Path != "/" {
			return v.notFound()
		}
		return answer(v)
	}
}

// raw serves "/" with bytes and closes the connection.
func raw(response string) func(*visit) bool {
	return once(func(v *visit) bool {
		v.print(response)
		return false
	})
}

const okHead = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"

func redirect(v *visit, to string) bool { return v.reply(302, "Location: "+to+"\r\n", "") }

func redirectCases() []*hostileCase {
	loop := func(hops int) func(*visit) bool {
		return func(v *visit) bool {
			at := 0
			fmt.Sscanf(v.URL.Path, "/%d", &at)
			return redirect(v, fmt.Sprintf("/%d", (at+1)%hops))
		}
	}
	const hops = "at most 10 redirects in a row are followed, and no URL is asked for twice"
	return []*hostileCase{
		{name: "redirect-self", what: "redirects to itself", why: hops, answer: func(v *visit) bool { return redirect(v, "/") },
			requests: 2, bytes: fewBytes},
		{name: "redirect-loop-2", what: "redirects in a circle of 2", why: hops, seeds: []string{"/0"}, answer: loop(2), requests: 3, bytes: fewBytes},
		{name: "redirect-loop-30", what: "redirects in a circle of 30", why: hops, seeds: []string{"/0"}, answer: loop(30), requests: 12, bytes: fewBytes},
		{name: "redirect-grows", what: "redirects to itself, its query longer each time", why: hops, requests: 12, bytes: fewBytes,
			answer: func(v *visit) bool { return redirect(v, "/?"+v.URL.RawQuery+"x") }},
		{name: "redirect-cookie", what: "redirects in a circle until a cookie comes back", why: hops + " with the same cookies, which end with their redirects",
			// Robots.txt, three of the circle and its second page by itself; and three again if the ten seconds that a lab leases for end within the circle.
			requests: 5 + 3, bytes: fewBytes,
			answer: func(v *visit) bool {
				if v.URL.RawQuery == "" {
					return v.reply(302, "Location: /?check=1\r\nSet-Cookie: seen=1\r\n", "")
				}
				return redirect(v, "/")
			}},
		{name: "redirect-long", what: "redirects to a URL of 60 KB", why: "URLs are at most 2,048 bytes", requests: 2, bytes: 128 << 10,
			answer: func(v *visit) bool { return redirect(v, "/"+strings.Repeat("x", 60_000)) }},
		{name: "refresh", what: "pages that go on to the next by meta refresh, without end", why: "a refresh is a link, and links are followed 16 deep",
			requests: 18, bytes: fewBytes, answer: func(v *visit) bool {
				return v.reply(200, htmlType, fmt.Sprintf(`<meta http-equiv="refresh" content="0; url=/%d">page %d`, v.n, v.n))
			}},
	}
}

func slowCases() []*hostileCase {
	const tries = "a request has 30 seconds, a failed page three tries"
	list := []*hostileCase{
		{name: "silent", what: "accepts and never answers", why: tries, holds: true, requests: 4, bytes: fewBytes,
			answer: func(v *visit) bool { v.hold(); return false }},
		{name: "drip-head", what: "sends a head a byte at a time", why: "less than 1 KiB/s is too slow; three tries", holds: true, requests: 4, bytes: fewBytes,
			answer: func(v *visit) bool { v.print(okHead); v.drip("X-A: b\r\n", 1); return false }},
		{name: "drip-body", what: "sends a body a byte at a time", why: "less than 1 KiB/s is too slow; the page is kept as far as it came", holds: true,
			requests: 2, bytes: fewBytes, answer: func(v *visit) bool {
				v.print(okHead + "\r\n")
				v.drip("a page that takes its time ", 1)
				return false
			}},
		{name: "drip-chunks", what: "sends chunks of a byte", why: "as drip-body", holds: true, requests: 2, bytes: fewBytes,
			answer: func(v *visit) bool {
				v.print(okHead + "Transfer-Encoding: chunked\r\n\r\n")
				v.drip("1\r\nx\r\n", 1)
				return false
			}},
		{name: "reset", what: "resets each connection", why: "its robots.txt cannot be had, so nothing is fetched; asked again after 5 minutes, doubled each time",
			requests: 0, bytes: 0, end: []ending{endHeld}, begin: func(v *visit) {
				v.conn.(*net.TCPConn).SetLinger(0)
				v.conn.Close()
			}},
		{name: "reset-page", what: "resets the connection when a page is asked for", why: "three tries; a kept connection that is dead is replaced once", requests: 5, bytes: fewBytes,
			answer: func(v *visit) bool { v.conn.(*net.TCPConn).SetLinger(0); return false }},
	}
	for i := range 2 {
		list = append(list, &hostileCase{
			name: fmt.Sprintf("tarpit-%d", i), what: "30 pages, none of which answers", why: "failures put a site off, and in the end it retires",
			seeds: numbered("/%d", 30), holds: true, requests: 92, bytes: fewBytes, end: []ending{endDone, endRetired},
			answer: untilGood(func(v *visit) { v.hold() }),
		}, &hostileCase{
			name: fmt.Sprintf("syrup-%d", i), what: "200 pages that come at 2 KiB/s without end", why: "a request has 30 seconds; the pages are kept as far as they came",
			seeds: numbered("/%d", 200), holds: true, requests: 202, bytes: 202 * fewBytes,
			answer: untilGood(func(v *visit) {
				v.print(okHead + "\r\n")
				v.drip(fmt.Sprintf("syrup of %s ", v.URL.Path), 200)
			}),
		})
	}
	return append(list, &hostileCase{
		name: "crowd", what: "40 domains on one address that drips", why: "one request at a time for an address; who waits for it holds no fetcher",
		names: numbered("crowd-%d.test", 40), seedNames: true, holds: true, requests: 90, bytes: 2 * fewBytes, end: []ending{endDone, endHeld},
		robots: untilGood(func(v *visit) {
			v.print(okHead + "\r\n")
			v.drip("# robots ", 1)
		}),
	})
}

// untilGood holds every connection until all pages of the good sites were
// asked for; then there is nothing more to hold it for.
func untilGood(hold func(*visit)) func(*visit) bool {
	return func(v *visit) bool {
		select {
		case <-v.site.lab.goodDone:
			return v.notFound()
		default:
		}
		hold(v)
		return false
	}
}

func numbered(format string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(format, i)
	}
	return list
}
