package app

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
)

func robotsCases() []*hostileCase {
	page := func(v *visit) bool { return v.page("a page") }
	held := []ending{endHeld}
	const wait, size = "what cannot be had in full forbids everything; asked again after 5 minutes, doubled up to a day", "500 KiB of a robots.txt are read"
	rules := strings.Repeat("User-agent: *\nDisallow: /private\n\n", 1000)
	list := []*hostileCase{
		{name: "robots-endless", what: "a robots.txt without end", why: size, requests: 2, bytes: bodyBytes,
			robots: func(v *visit) bool {
				v.print("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
				v.flood(rules)
				return false
			}},
		{name: "robots-10mb", what: "a robots.txt of 10 MB", why: size, requests: 2, bytes: bodyBytes,
			robots: func(v *visit) bool {
				v.reply(200, "Content-Type: text/plain\r\n", strings.Repeat(rules, 10<<20/len(rules)))
				return false
			}},
		{name: "robots-drip", what: "a robots.txt that drips", why: wait, holds: true, requests: 1, bytes: fewBytes, end: held,
			robots: func(v *visit) bool {
				v.print("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
				v.drip("User-agent: *\n", 1)
				return false
			}},
		{name: "robots-silent", what: "a robots.txt that never answers", why: wait, holds: true, requests: 1, bytes: fewBytes, end: held,
			robots: func(v *visit) bool { v.hold(); return false }},
		{name: "robots-loop", what: "a robots.txt that redirects in a circle", why: "5 redirects are followed; " + wait, requests: 6, bytes: fewBytes, end: held,
			robots: func(v *visit) bool { return redirect(v, "/robots.txt?"+v.URL.RawQuery+"x") }},
		{name: "robots-500", what: "500 to robots.txt, for ever", why: wait, requests: 1, bytes: fewBytes, end: held,
			robots: func(v *visit) bool { return v.reply(500, "", "") }},
		{name: "robots-429", what: "429 to robots.txt, to be asked again in 30 years", why: wait, requests: 1, bytes: fewBytes, end: held,
			robots: func(v *visit) bool { return v.reply(429, "Retry-After: 1000000000\r\n", "") }},
		{name: "robots-html", what: "a page in place of robots.txt", why: "lines that are no rules are passed over", requests: 2, bytes: fewBytes,
			robots: func(v *visit) bool { return v.page("no robots here", "/1") }},
		{name: "robots-binary", what: "1 MB of noise in place of robots.txt", why: size, requests: 2, bytes: bodyBytes,
			robots: func(v *visit) bool {
				noise := make([]byte, 1<<20)
				random := rand.NewChaCha8([32]byte{})
				random.Read(noise)
				return v.reply(200, "Content-Type: text/plain\r\n", string(noise))
			}},
		{name: "robots-line", what: "a robots.txt of one rule of 400 KB with 400,000 stars", why: "matching takes time by the rule times the path, no more", requests: 2, bytes: bodyBytes,
			robots: func(v *visit) bool {
				return v.reply(200, "Content-Type: text/plain\r\n", "User-agent: *\nDisallow: /"+strings.Repeat("*a", 200_000)+"$\n")
			}},
		{name: "robots-again", what: "a robots.txt that must not be kept for a second", why: "a copy is good for 5 minutes at least", requests: 22, bytes: fewBytes, seeds: numbered("/%d", 20),
			robots: func(v *visit) bool {
				return v.reply(200, "Content-Type: text/plain\r\nCache-Control: no-store, max-age=0\r\n", "User-agent: *\n")
			}},
		{name: "robots-hosts", what: "12 hosts, each with 490 KB of rules for us", why: "500 KiB of a robots.txt are kept for each host", requests: 2 * 13, bytes: 13 * (512 << 10),
			names: numbered("h%d.robots-hosts.test", 12), seedNames: true, robots: func(v *visit) bool {
				return v.reply(200, "Content-Type: text/plain\r\n", "User-agent: forage\n"+strings.Repeat("Disallow: /"+v.Host+"/private\n", 490_000/45))
			}},
		{name: "robots-delay", what: "a Crawl-delay of 30 years", why: "a Crawl-delay counts up to an hour (not at all in this test)", requests: 2, bytes: fewBytes,
			robots: func(v *visit) bool {
				return v.reply(200, "Content-Type: text/plain\r\n", "User-agent: *\nCrawl-delay: 1000000000\n")
			}},
	}
	for _, c := range list {
		c.answer = page
	}
	return list
}

// sitemapHead begins a sitemap; urlset or sitemapindex.
const sitemapHead = `<?xml version="1.0"?><%s xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`

// sitemapOf makes a sitemap, or an index of them, of so many entries.
func sitemapOf(kind string, n int, entry func(i int) string) string {
	child := map[string]string{"urlset": "url", "sitemapindex": "sitemap"}[kind]
	var b strings.Builder
	fmt.Fprintf(&b, sitemapHead, kind)
	for i := range n {
		fmt.Fprintf(&b, "<%s><loc>%s</loc><lastmod>%s</lastmod></%[1]s>", child, entry(i), time.Now().UTC().Format(time.RFC3339))
	}
	fmt.Fprintf(&b, "</%s>", kind)
	return b.String()
}

func sitemapCases(t testing.TB) []*hostileCase {
	const depth, budget = "sitemaps nest three deep", "a domain's budget counts for its sitemaps too"
	with := func(name, what, why string, requests, bytes int64, answer func(v *visit, number int) bool) *hostileCase {
		return &hostileCase{name: name, what: what, why: why, requests: requests, bytes: bytes,
			robots: func(v *visit) bool {
				return v.reply(200, "Content-Type: text/plain\r\n", "Sitemap: http://"+v.Host+"/sitemap-0.xml\n")
			},
			answer: func(v *visit) bool {
				number := 0
				if _, err := fmt.Sscanf(v.URL.Path, "/sitemap-%d.xml", &number); err != nil {
					return v.page("a page at " + v.URL.Path)
				}
				return answer(v, number)
			}}
	}
	xml := func(v *visit, s string) bool { return v.reply(200, "Content-Type: application/xml\r\n", s) }
	site := func(v *visit, format string) func(int) string {
		return func(i int) string { return fmt.Sprintf("http://"+v.Host+format, i) }
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	for range bombSize >> 20 {
		if _, err := w.Write(bytes.Repeat([]byte("<url>\n\n\n\n\n"), 1<<20/10)); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	return []*hostileCase{
		with("sitemap-bomb", "a sitemap of some KB that unfolds to 48 MB", "a sitemap unfolds to 200 times its length at most", 3, 512<<10, func(v *visit, _ int) bool {
			return v.reply(200, "Content-Type: application/gzip\r\n", packed.String())
		}),
		with("sitemap-self", "an index that lists itself", "no URL is asked for twice", 3, fewBytes, func(v *visit, _ int) bool {
			return xml(v, sitemapOf("sitemapindex", 100, func(int) string { return "http://" + v.Host + "/sitemap-0.xml" }))
		}),
		with("sitemap-deep", "an index of three indices of three indices, and so on", depth, 2+1+3+9, fewBytes, func(v *visit, n int) bool {
			return xml(v, sitemapOf("sitemapindex", 3, func(i int) string { return fmt.Sprintf("http://%s/sitemap-%d.xml", v.Host, 3*n+i+1) }))
		}),
		with("sitemap-wide", "an index of 50,000 indices, each of 50,000 more", budget, endlessRequests, hostileBudget*bodyBytes/2, func(v *visit, n int) bool {
			return xml(v, sitemapOf("sitemapindex", 1000, func(i int) string { return fmt.Sprintf("http://%s/sitemap-%d.xml", v.Host, 1000*n+i+1) }))
		}),
		with("sitemap-million", "a sitemap of a million pages", "a sitemap has 12 MiB and 50,000 links; "+budget, endlessRequests, 14<<20+endlessRequests*(4<<10), func(v *visit, _ int) bool {
			v.print("HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\n\r\n")
			whole := sitemapOf("urlset", 50_000, site(v, "/%d"))
			v.print(whole)
			v.flood(strings.TrimPrefix(whole, fmt.Sprintf(sitemapHead, "urlset")))
			return false
		}),
		with("sitemap-now", "100 pages that all changed just now, in three sitemaps", "a page is visited again after a day at the earliest, whatever a sitemap says", 2+3+100, 1<<20, func(v *visit, n int) bool {
			if n == 0 {
				return xml(v, sitemapOf("sitemapindex", 2, func(i int) string { return fmt.Sprintf("http://%s/sitemap-%d.xml", v.Host, i+1) }))
			}
			return xml(v, sitemapOf("urlset", 100, site(v, "/%d")))
		}),
		with("sitemap-entities", "a sitemap with entities of entities", "entities that a document defines are not unfolded", 4, fewBytes, func(v *visit, _ int) bool {
			var b strings.Builder
			b.WriteString(`<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "/lol">`)
			for i := 1; i < 10; i++ {
				fmt.Fprintf(&b, `<!ENTITY a%d "%s">`, i, strings.Repeat(fmt.Sprintf("&a%d;", i-1), 10))
			}
			return xml(v, b.String()+"]><urlset><url><loc>http://sitemap-entities.test/&a9;</loc></url></urlset>")
		}),
	}
}
