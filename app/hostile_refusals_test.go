package app

import (
	"fmt"
	"math"
	"testing"
)

func statusCases() []*hostileCase {
	return []*hostileCase{
		{name: "all-403", what: "403 for each of 40 pages", why: "20 pages fail and none does not: the site is put off, and retires after 13 more", seeds: numbered("/%d", 40),
			answer: func(v *visit) bool { return v.reply(403, "", "no") }, requests: 36, bytes: fewBytes, end: []ending{endRetired}},
		{name: "all-503", what: "503, to be asked again in a day", why: "Retry-After is kept to, up to a day", answer: func(v *visit) bool {
			return v.reply(503, "Retry-After: 86400\r\n", "")
		}, requests: 2, bytes: fewBytes, end: []ending{endWaits}},
		{name: "all-429", what: "429, to be asked again in 30 years", why: "Retry-After is kept to, up to a day; ten tries", answer: func(v *visit) bool {
			return v.reply(429, "Retry-After: 1000000000\r\n", "")
		}, requests: 2, bytes: fewBytes, end: []ending{endWaits}},
		{name: "all-500", what: "500 for each of 40 pages", why: "three tries for a page, the second after the first of all others; the site retires like all-403", seeds: numbered("/%d", 40),
			answer: func(v *visit) bool { return v.reply(500, "", "") }, requests: 36, bytes: fewBytes, end: []ending{endRetired}},
		{name: "retry-overflow", what: "503 and a Retry-After beyond 64 bits", why: "as all-429", answer: func(v *visit) bool {
			return v.reply(503, fmt.Sprintf("Retry-After: %d0\r\n", uint64(math.MaxUint64)), "")
		}, requests: 2, bytes: fewBytes, end: []ending{endWaits}},
	}
}

// guardCases lead to where nothing may go.
func guardCases(t testing.TB, l *hostileLab) []*hostileCase {
	decoy := func() *hostileSite {
		s := l.newSite(t) // without a name
		s.answer = func(v *visit) bool { return v.page("a page") }
		s.serve()
		return s
	}
	targets := func(addr string) []string {
		return []string{
			"http://169.254.169.254/latest/meta-data/", "http://" + addr + "/inside", "http://10.0.0.1/", "http://[::1]/", "http://[::ffff:127.0.0.1]/",
			"http://0x7f000001/", "http://2130706433/", "http://127.1/", "http://0/", "file:///etc/passwd", "gopher://a.test/", "javascript:alert(1)", "data:text/html,x",
			"ftp://a.test/", "http://user:pass@" + addr + "/", "//" + addr + "/", "http://localhost/", "http://unknown.test/",
		}
	}
	byLink, byRedirect, byRobots := decoy(), decoy(), decoy()
	const why = "links and redirects go to names of the crawl only, and connections to addresses the guard allows"
	return []*hostileCase{
		{name: "guard-links", what: "links to addresses inside the network, and to other schemes", why: why, requests: 2, bytes: fewBytes, decoys: []*hostileSite{byLink},
			answer: once(func(v *visit) bool { return v.page("a page", targets(byLink.ln.Addr().String())...) })},
		{name: "guard-redirects", what: "redirects there", why: why, requests: 20, bytes: fewBytes, decoys: []*hostileSite{byRedirect},
			seeds: numbered("/%d", 18), answer: func(v *visit) bool {
				i := 0
				fmt.Sscanf(v.URL.Path, "/%d", &i)
				list := targets(byRedirect.ln.Addr().String())
				return redirect(v, list[i%len(list)])
			}},
		// Before any site has answered, a redirect to another host may be the log-in page of a network: it is asked for once more.
		{name: "guard-robots", what: "a robots.txt that redirects there", why: why, requests: 2, bytes: fewBytes, decoys: []*hostileSite{byRobots}, end: []ending{endHeld},
			robots: func(v *visit) bool { return redirect(v, "http://"+byRobots.ln.Addr().String()+"/inside") }},
	}
}
