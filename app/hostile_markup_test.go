package app

import (
	"bytes"
	"fmt"
	"strings"
)

// foreignNames is how many domains a page links to, and there are, in the case
// of that name.
const foreignNames = 3000

func markupCases() []*hostileCase {
	const parser, body = "the reader keeps nothing that grows with the page but its first 10,000 links", "a body has 2 MiB"
	one := func(name, what, why, contentType, text string) *hostileCase {
		return &hostileCase{name: name, what: what, why: why, requests: 8, bytes: bodyBytes, never: []string{"/late"},
			answer: once(func(v *visit) bool { return v.reply(200, "Content-Type: "+contentType+"\r\n", text) })}
	}
	tricks := func(name, what, base string, links ...string) *hostileCase {
		return &hostileCase{name: name, what: what, why: "as segments; a base that is no http URL does not count", requests: 80, bytes: 4 * fewBytes,
			answer: func(v *visit) bool {
				return v.reply(200, htmlType, fmt.Sprintf(`<base href="%s">`, base)+pageOf(fmt.Sprint("page ", v.n), links...))
			}}
	}
	utf16 := bytes.Repeat([]byte{0xff, 0xfe, 0x00, 0xd8}, 10_000) // lone surrogates
	longBase := strings.Repeat("x", 1900)
	return []*hostileCase{
		{name: "links-own", what: "100,000 links to its own pages", why: "10,000 links of a page are followed; then the budget", requests: endlessRequests, bytes: 4<<20 + endlessRequests*(4<<10),
			answer: func(v *visit) bool {
				if v.URL.Path != "/" {
					return v.page("page at " + v.URL.Path)
				}
				return v.page("a page", numbered("/%d", 100_000)...)
			}},
		// On a busy computer its links cost more than the ten seconds that a lab leases for, and it is asked for again.
		{name: "links-foreign", what: "100,000 links to domains that are not there", why: "10,000 links of a page are followed", requests: 6, bytes: bodyBytes,
			answer: once(func(v *visit) bool { return v.page("a page", numbered("http://unknown-%d.test/", 100_000)...) })},
		{name: "foreign", what: fmt.Sprintf("%d links to as many domains, 300 on a page", foreignNames), why: "what a domain brings in of others is bounded by its budget",
			names: numbered("foreign-%d.test", foreignNames), requests: 2*5*hostileBudget + 40, bytes: 16 << 20, end: []ending{endDone},
			answer: func(v *visit) bool {
				if !strings.HasPrefix(v.Host, "foreign.") {
					return v.notFound()
				}
				i := 0
				fmt.Sscanf(v.URL.Path, "/%d", &i)
				links := numbered("/%d", foreignNames/300)
				for n := range 300 {
					links = append(links, fmt.Sprintf("http://foreign-%d.test/", i*300+n))
				}
				return v.page(fmt.Sprint("page ", i), links...)
			}},
		{name: "links-long", what: "short pages with 10,000 links, each of 1,900 bytes by way of a long base", why: "10,000 links, and links of so many bytes, of a page are followed",
			requests: endlessRequests, bytes: endlessRequests * (320 << 10), end: []ending{endDone, endRetired}, answer: func(v *visit) bool {
				links := numbered(fmt.Sprintf("%d-%%d", v.n), 10_000)
				return v.reply(200, htmlType, fmt.Sprintf(`<base href="/%s/">`, longBase)+pageOf(fmt.Sprint("page ", v.n), links...))
			}},
		{name: "nested", what: "50 MB of nested tags", why: body, requests: 2, bytes: bodyBytes, answer: once(func(v *visit) bool {
			v.print(okHead + "Content-Length: 52428800\r\n\r\n")
			v.flood(strings.Repeat("<div><b>", 4096))
			return false
		})},
		one("title", "a title of 1 MB", parser, "text/html", "<title>"+strings.Repeat("t", 1<<20)+"</title>"),
		one("attribute", "an attribute of 5 MB", parser, "text/html", `<a href="`+strings.Repeat("a", 5<<20)+`">x</a>`),
		one("comment", "a comment of 2 MB without end", parser, "text/html", "<!-- "+strings.Repeat("- ", 1<<20)),
		one("entities", "1 MB of entities in an address", parser, "text/html", `<a href="/`+strings.Repeat("&amp;", 200_000)+`">x</a>`),
		one("unquoted", "a million attributes in one tag", parser, "text/html", "<a "+strings.Repeat("a=b ", 500_000)+">"),
		one("charset-utf16", "UTF-8, declared as UTF-16", parser, "text/html; charset=utf-16", pageOf("text", numbered("/%d", 5)...)),
		one("charset-none", "UTF-16 of lone surrogates", parser, "text/html; charset=utf-16le", string(utf16)),
		one("charset-odd", "a charset that is none", parser, "text/html; charset="+strings.Repeat("x-", 1000), pageOf("text", "/1")),
		one("nul", "NULs in tags, links and text", parser, "text/html", strings.Repeat("<a\x00 href=\"/\x00\x00\">\x00</a\x00>", 1000)),
		one("storm-comments", "2 MB of comments that begin", parser, "text/html", strings.Repeat("<!--", 500_000)),
		one("storm-titles", "2 MB of titles that begin", parser, "text/html", strings.Repeat("<title>", 280_000)),
		one("storm-scripts", "2 MB of scripts that begin", parser, "text/html", strings.Repeat("<script><!--", 160_000)),
		one("storm-quotes", "2 MB of attributes that begin", parser, "text/html", strings.Repeat(`<a href="`, 220_000)),
		one("storm-tags", "2 MB of tags that begin", parser, "text/html", strings.Repeat("<a", 1<<20)),
		tricks("base-relative", "a base that grows: deeper/", "deeper/", "a/", "b"),
		tricks("base-script", "a base of javascript:", "javascript:alert(1)//", "a", "b"),
		tricks("base-dots", "a base of 500 ../", strings.Repeat("../", 500), "a", "../../b", "./././c"),
	}
}
