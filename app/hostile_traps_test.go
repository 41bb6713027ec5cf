package app

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// endlessRequests is what a site costs of which there is always more: its
// budget, robots.txt and the first page.
var endlessRequests = hostileBudget + 10

// endless serves pages that lead to ever more pages.
func endless(links func(v *visit) []string) func(*visit) bool {
	return func(v *visit) bool {
		return v.page(fmt.Sprintf("page %d, at %s", v.n, v.URL.RequestURI()), links(v)...)
	}
}

func trapCases() []*hostileCase {
	const budget = "a domain has a budget of URLs: 10,000, more if others link to it, less if its answers are worth little"
	trap := func(name, what, why string, links func(v *visit) []string) *hostileCase {
		return &hostileCase{name: name, what: what, why: why, answer: endless(links), requests: endlessRequests, bytes: endlessRequests * (16 << 10)}
	}
	facet := func(params int) func(v *visit) []string {
		return func(v *visit) []string {
			links := make([]string, 10)
			for i := range links {
				values := make([]string, params)
				for j := range values {
					values[j] = fmt.Sprintf("f%d=%d", j, rand.IntN(50))
				}
				links[i] = "/shop?" + strings.Join(values, "&")
			}
			return links
		}
	}
	list := []*hostileCase{
		trap("calendar-path", "a calendar, /2026/11/20/, with links to all months of the years around", "of addresses that look endless, as dates before 1800 and after next year, 50 are taken in; then the budget", func(v *visit) []string {
			year, month, day := time.Now().Year(), 1, 1
			fmt.Sscanf(v.URL.Path, "/%d/%d/%d/", &year, &month, &day)
			var links []string
			for y := year - 1; y <= year+1; y++ {
				for m := 1; m <= 12; m++ {
					links = append(links, fmt.Sprintf("/%04d/%02d/%02d/", y, m, 1+(day+m)%28))
				}
			}
			return links
		}),
		trap("calendar-next", "a calendar, ?month=2026-11, with links to the month before and after", "links are followed 16 deep; of addresses that look endless 50 are taken in", func(v *visit) []string {
			at, err := time.Parse("2006-01", v.URL.Query().Get("month"))
			if err != nil {
				at = time.Now()
			}
			return []string{"/cal?month=" + at.AddDate(0, -1, 0).Format("2006-01"), "/cal?month=" + at.AddDate(0, 1, 0).Format("2006-01")}
		}),
		trap("segments", "relative links that repeat: a/b/a/b/", "of paths that repeat a group of segments three times, or have more than 20, 50 are taken in", func(*visit) []string { return []string{"a/", "b/", "a/b/"} }),
		trap("session-path", "a new session id in the path with each visit", budget, func(v *visit) []string {
			return numbered(fmt.Sprintf("/s%d/%%d.html", v.n), 5)
		}),
		trap("session-query", "a new session id in the query with each visit", budget, func(v *visit) []string {
			return numbered(fmt.Sprintf("/p%%d.html?sid=%x", rand.Uint64()), 5)
		}),
		trap("soft404-new", "a page for any path, with a new text each time", budget, func(*visit) []string { return []string{"x/", "y/", "z/1.html"} }),
		trap("deep", "unique pages, each with three more below it", budget+"; links are followed 16 deep", func(v *visit) []string {
			return numbered(fmt.Sprintf("/p%s-%%d", strings.TrimPrefix(v.URL.Path, "/p")), 3)
		}),
		trap("wide", "1,000 new pages on each page", budget, func(v *visit) []string {
			return numbered(fmt.Sprintf("/%d/%%d", v.n), 1000)
		}),
	}
	list[len(list)-1].bytes = endlessRequests * (64 << 10)
	for params := 2; params <= 8; params += 2 {
		list = append(list, trap(fmt.Sprintf("facets-%d", params), fmt.Sprintf("a shop that combines %d filters", params),
			"of one path 2,000 URLs with two parameters are taken in, 500 with three, 100 with more; then the budget", facet(params)))
	}
	for _, c := range list {
		if c.name == "facets-4" || c.name == "facets-6" || c.name == "facets-8" {
			c.requests = 100 + 10
		}
	}
	return append(list,
		&hostileCase{name: "soft404", what: "the same page for any path, with relative links", why: "a payload that comes a fourth time under another URL leads nowhere",
			answer: func(v *visit) bool { return v.page("all well", "a/", "b/", "c.html", "d.html", "e.html") }, requests: 40, bytes: fewBytes},
		&hostileCase{name: "echo", what: "pages that differ by their own path only", why: budget, requests: endlessRequests, bytes: endlessRequests * (16 << 10),
			answer: func(v *visit) bool { return v.page(v.URL.Path, numbered(v.URL.Path+"-%d", 4)...) }},
		&hostileCase{name: "heavy", what: "endless pages of 2 MB", why: "a domain has a budget of bytes too, 128 KiB for each URL of the other; the lease at hand is finished",
			requests: hostileBudget/16 + 128 + 4, bytes: (hostileBudget/16 + 128 + 4) * bodyBytes, end: []ending{endRetired},
			answer: func(v *visit) bool {
				text := strings.Repeat(fmt.Sprintf("heavy page %d ", v.n), (2<<20-4096)/16)
				page := pageOf("a heavy page", numbered(fmt.Sprintf("/%d-%%d", v.n), 4)...) // its links come, whatever is cut
				return v.reply(200, htmlType, page+text)
			}},
		&hostileCase{name: "hosts", what: "endless hosts, each with links to more", why: "the budget is the domain's, whatever its hosts", requests: 2*hostileBudget + 10, bytes: endlessRequests * (16 << 10),
			names: numbered("h%d.hosts.test", 2*int(hostileBudget)), answer: endless(func(*visit) []string {
				links := make([]string, 10)
				for i := range links {
					links[i] = fmt.Sprintf("http://h%d.hosts.test/", rand.IntN(2*int(hostileBudget)))
				}
				return links
			})},
	)
}
