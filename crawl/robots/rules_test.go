package robots

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/temoto/robotstxt"

	"github.com/forage-net/forage/crawl"
)

// pageOf returns the URL of a path on a test site.
func pageOf(t testing.TB, path string) crawl.URL {
	t.Helper()
	u, err := crawl.ParseURL("http://www.example.com" + path)
	if err != nil {
		t.Fatalf("path %q: %v", path, err)
	}
	return u
}

func TestParse_Allowed(t *testing.T) {
	type checks map[string]bool
	for _, c := range []struct {
		name, body string
		checks     checks
	}{
		{"empty", "", checks{"/": true}},
		{"ours, not everybody's", "User-agent: *\nDisallow: /\n\nUser-agent: Forage\nDisallow: /x\n", checks{"/": true, "/x": false}},
		{"ours is empty", "User-agent: forage\nDisallow:\nUser-agent: *\nDisallow: /\n", checks{"/": true}},
		{"ours says nothing", "User-agent: *\nDisallow: /\nUser-agent: forage\n", checks{"/": true}},
		{"several agents", "User-agent: a\nUser-agent: forage\nUser-agent: b\nDisallow: /x\n", checks{"/x": false}},
		{"groups of ours are merged", "User-agent: forage\nDisallow: /a\nUser-agent: b\nDisallow: /b\nUser-agent: FORAGE\nDisallow: /c\n",
			checks{"/a": false, "/b": true, "/c": false}},
		{"groups of all are merged", "User-agent: *\nDisallow: /a\nUser-agent: b\nDisallow: /b\nUser-agent: *\nDisallow: /c\n",
			checks{"/a": false, "/b": true, "/c": false}},
		{"no prefix of a token", "User-agent: for\nDisallow: /\nUser-agent: foragebot\nDisallow: /\nUser-agent: forage2\nDisallow: /\nUser-agent: forage-x\nDisallow: /\n",
			checks{"/": true}},
		{"token with version", "User-agent: forage/1.0 (+http://x)\nDisallow: /\n", checks{"/": false}},
		{"rules before any agent", "Disallow: /a\nUser-agent: *\nDisallow: /b\n", checks{"/a": true, "/b": false}},
		{"sitemap ends no group", "User-agent: *\nSitemap: http://x.example/s\nUser-agent: z\nDisallow: /\n", checks{"/": false}},
		{"delay ends no group", "User-agent: *\nCrawl-delay: 1\nUser-agent: z\nDisallow: /\n", checks{"/": false}},
		{"junk ends no group", "User-agent: *\n<br>\nHost: x\nDisallow: /a\n", checks{"/a": false}},
		{"blanks around the colon", "User-agent : *\nCrawl-delay : 60\nDisallow : /a\n", checks{"/a": false, "/b": true}},
		{"forgotten colon", "user-agent *\ndisallow /a\ndisallow b c\n", checks{"/a": false, "/b": true}},
		{"misspelt", "useragent: *\nDissallow: /a\n", checks{"/a": false}},
		{"comment without a blank", "User-agent: *#all\nDisallow: /a#b\n#Disallow: /c\n", checks{"/a": false, "/c": true}},
		{"CR", "User-agent: *\rDisallow: /a\r", checks{"/a": false, "/b": true}},
		{"CRLF and no end", "User-agent: *\r\nDisallow: /a", checks{"/a": false, "/b": true}},
		{"byte order mark", "\xef\xbb\xbfUser-agent: *\nDisallow: /a", checks{"/a": false}},
		{"torn byte order mark", "\xef\xbbUser-agent: *\nDisallow: /a", checks{"/a": false}},
		{"UTF-16", utf16le("\ufeffUser-agent: *\r\nDisallow: /a\r\n"), checks{"/a": false, "/b": true}},
		{"HTML", "<!DOCTYPE html>\n<html><head><title>Not found: /</title></head>\n<body>Disallow: /</body></html>", checks{"/": true}},
		{"binary", "\x7fELF\x02\x01\x01\x00\x00\xff\xfe:\n\x00\x00", checks{"/": true}},
		{"no slash", "User-agent: *\nDisallow: private\n", checks{"/private": false, "/": true}},
		{"allow without a slash", "User-agent: *\nDisallow: /\nAllow: private\n", checks{"/private": false, "/": false}},
		{"allow of a host", "User-agent: *\nDisallow: /\nAllow: a.example/x\nAllow: http://a.example/x\n", checks{"/x": false, "/a.example/x": false, "/": false}},
		{"allow of an encoded slash", "User-agent: *\nDisallow: /\nAllow: %2Fx\n", checks{"/x": false, "/%2Fx": false}},
		{"allow of a backslash", "User-agent: *\nDisallow: /\nAllow: \\x\n", checks{"/x": false, "/%5Cx": false}},
		{"allow of an end", "User-agent: *\nDisallow: /\nAllow: $\nAllow: ./x\nAllow: ?x\n", checks{"/": false, "/x": false, "/?x": false}},
		{"allow by a wildcard", "User-agent: *\nDisallow: /\nAllow: *.css$\n", checks{"/x.css": true, "/x": false}},
		{"allow without a slash ends no lines of agents", "User-agent: *\nAllow: private\nUser-agent: b\nDisallow: /x\n", checks{"/x": false, "/": true}},
		{"everybody and no-break spaces", "User-agent: *\xa0\xa0 \r\nDisallow: /x\r\n", checks{"/x": false, "/": true}},
		{"everybody and a no-break space in UTF-8", "User-agent: *\u00a0\nDisallow: /x\n", checks{"/x": false, "/": true}},
		{"everybody and a zero-width space", "User-agent: \u200b*\u200b\nDisallow: /x\n", checks{"/x": false, "/": true}},
		{"everybody and punctuation", "User-agent: *;\nDisallow: /x\n", checks{"/x": false, "/": true}},
		{"everybody and a control character", "User-agent: *\x1a\nDisallow: /x\n", checks{"/x": false, "/": true}},
		{"everybody and a mark", "User-agent: \ufeff*\nDisallow: /x\n", checks{"/x": false, "/": true}},
		{"everybody and words", "User-agent: * (all)\nDisallow: /x\n", checks{"/x": false, "/": true}},
		{"no everybody", "User-agent: *bot\nDisallow: /\nUser-agent: a*\nDisallow: /\n", checks{"/": true}},
		{"nobody but a blank", "User-agent: \xa0\nDisallow: /\n", checks{"/": true}},
		{"ours behind a no-break space", "User-agent: \xa0forage\xa0\nDisallow: /x\nUser-agent: *\nDisallow: /\n", checks{"/x": false, "/": true}},
		{"robots.txt itself", "User-agent: *\nDisallow: /\n", checks{"/robots.txt": true, "/robots.txt?x": false, "/robots.txt2": false}},
		{"query", "User-agent: *\nDisallow: /*?\nAllow: /a?ok=\n", checks{"/a": true, "/a?b": false, "/a?ok=1": true}},
		{"fragment", "User-agent: *\nDisallow: /a$\n", checks{"/a#b": false, "/a?b": true}},

		{"longest wins", "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\n", checks{"/a": false, "/a/b": true, "/a/b/cd": false}},
		{"allow wins a tie", "User-agent: *\nDisallow: /a\nAllow: /a\n", checks{"/a": true}},
		{"a wildcard is an octet", "User-agent: *\nAllow: /a\nDisallow: /*b\n", checks{"/ab": false, "/a": true}},
		{"wildcards", "User-agent: *\nDisallow: /a*b*c$\n", checks{"/abc": false, "/axbxc": false, "/abcx": true, "/abcbc": false, "/acb": true, "/xabc": true}},
		{"wildcards last", "User-agent: *\nDisallow: /a***\nDisallow: /b*$\n", checks{"/a": false, "/ab": false, "/b": false, "/bc": false, "/c": true}},
		{"wildcard first", "User-agent: *\nDisallow: *.php$\n", checks{"/x.php": false, "/x.php5": true, "/.php": false}},
		{"end alone", "User-agent: *\nAllow: /$\nDisallow: /\n", checks{"/": true, "/a": false, "/?a": false}},
		{"end in the middle", "User-agent: *\nDisallow: /a$b\n", checks{"/a": true, "/a$b": false, "/a%24b": false}},
		{"one end, one dollar", "User-agent: *\nDisallow: /a$$\n", checks{"/a": true, "/a$": false, "/a$b": true}},
		{"piece is not counted twice", "User-agent: *\nDisallow: /ab*ba$\n", checks{"/aba": true, "/abba": false}},

		// RFC 9309 §2.2.2 and §2.2.3.
		{"encoded star", "User-agent: *\nDisallow: /a-%2A.html\n", checks{"/a-*.html": false, "/a-%2a.html": false, "/a-b.html": true}},
		{"encoded dollar", "User-agent: *\nDisallow: /a-%24\n", checks{"/a-$": false, "/a-$b": false, "/a-": true}},
		{"not ASCII", "User-agent: *\nDisallow: /ツ\nDisallow: /%e3%83%85\n", checks{"/ツ": false, "/%E3%83%84x": false, "/ヅ": false, "/": true}},
		{"unreserved", "User-agent: *\nDisallow: /%62%61%7A\n", checks{"/baz": false, "/%62az": false}},
		{"reserved", "User-agent: *\nDisallow: /a%2fb\nDisallow: /q?u=http://\n", checks{"/a%2Fb": false, "/a/b": true, "/q?u=http://x": false, "/q?u=http%3A": true}},
		{"what browsers encode", "User-agent: *\nDisallow: /a b\nDisallow: /q?x='{\"|\nDisallow: /c{d}`^\n",
			checks{"/a%20b": false, "/q?x='{\"|": false, "/c{d}`^": false, "/c%7Bd%7D%60%5E": false}},
		{"stray percent", "User-agent: *\nDisallow: /100%\nDisallow: /%zz\n", checks{"/100%": false, "/%zz": false, "/100": true}},
		{"case", "User-agent: *\nDisallow: /A\n", checks{"/A": false, "/a": true}},
	} {
		r := Parse([]byte(c.body))
		stored := Parse(condense([]byte(c.body), crawl.URL{}))
		for path, want := range c.checks {
			if got := r.Allowed(pageOf(t, path)); got != want {
				t.Errorf("%s: Allowed(%s) = %v, want %v", c.name, path, got, want)
			}
			if got := stored.Allowed(pageOf(t, path)); got != want {
				t.Errorf("%s: Allowed(%s) = %v by the stored text, want %v", c.name, path, got, want)
			}
		}
	}
}

func utf16le(s string) string {
	var b strings.Builder
	for _, c := range s {
		b.Write([]byte{byte(c), byte(c >> 8)})
	}
	return b.String()
}

func TestParse_CrawlDelay(t *testing.T) {
	for _, c := range []struct {
		body string
		want time.Duration
	}{
		{"User-agent: *\nCrawl-delay: 10\n", 10 * time.Second},
		{"User-agent: *\nCrawl-delay : 2.5 # please\n", 2500 * time.Millisecond},
		{"User-agent: *\nCrawl-delay: 1\nUser-agent: forage\nCrawl-delay: 7\nCrawl-delay: 3\n", 7 * time.Second},
		{"User-agent: *\nCrawl-delay: 1\nUser-agent: forage\nDisallow:\n", 0},
		{"User-agent: x\nCrawl-delay: 9\nUser-agent: *\nDisallow: /a\n", 0},
		{"User-agent: *\nCrawl-delay: 86400\n", crawl.MaxCrawlDelay},
		{"User-agent: *\nCrawl-delay: 1e300\n", crawl.MaxCrawlDelay},
		{"User-agent: *\nCrawl-delay: Inf\n", crawl.MaxCrawlDelay},
		{"User-agent: *\nCrawl-delay: NaN\n", 0},
		{"User-agent: *\nCrawl-delay: -5\n", 0},
		{"User-agent: *\nCrawl-delay: 10s\n", 0},
		{"User-agent: *\nCrawl-delay:\n", 0},
		{"Crawl-delay: 5\n", 0},
		{"User-agent: *\nCrawl-delay: " + strings.Repeat("9", 100) + "\n", 0},
	} {
		if got := Parse([]byte(c.body)).CrawlDelay(); got != c.want {
			t.Errorf("CrawlDelay of %q = %v, want %v", c.body, got, c.want)
		}
	}
}

func TestParse_Sitemaps(t *testing.T) {
	body := "Sitemap: http://a.example/s.xml\nUser-agent: x\nDisallow: /\nsitemap:HTTPS://B.example/ü s.xml\nSitemap: /relative.xml\nSitemap: ftp://c.example/\nSitemap:\n" +
		"Sitemap : http://A.example:80/s.xml # again\nSite-map: http://a.example/t.xml#x\nSitemap: http://a.example/" + strings.Repeat("x", crawl.MaxURL) + "\n"
	want := []string{"http://a.example/s.xml", "https://b.example/%C3%BC%20s.xml", "http://a.example/t.xml"}
	for _, r := range []*Rules{Parse([]byte(body)), Parse(condense([]byte(body), crawl.URL{}))} {
		var got []string
		for _, u := range r.Sitemaps() {
			got = append(got, u.String())
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("Sitemaps() = %q, want %q", got, want)
		}
	}
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, "Sitemap: http://a.example/%d.xml\n", i/2)
	}
	if got := len(Parse([]byte(many.String())).Sitemaps()); got != 50 {
		t.Errorf("%d sitemaps of 500, want 50", got)
	}
}

// A relative sitemap is one of the host that the file is asked for.
func TestCondense_ResolvesSitemaps(t *testing.T) {
	for line, want := range map[string]string{
		"/sitemap.xml": "https://a.example:8443/sitemap.xml", "sitemap.xml": "https://a.example:8443/sitemap.xml", "./s/x.xml": "https://a.example:8443/s/x.xml",
		"../x.xml": "https://a.example:8443/x.xml", "//cdn.test/x.xml": "https://cdn.test/x.xml", "?sitemap=1": "https://a.example:8443/robots.txt?sitemap=1",
		"http://b.example/x.xml": "http://b.example/x.xml", "": "", "ftp://c.example/x.xml": "", "mailto:a@b.example": "",
		strings.Repeat("x", crawl.MaxURL): "",
	} {
		base := urlOf(t, "https://a.example:8443/robots.txt?x")
		got := ""
		for _, u := range Parse(condense([]byte("Sitemap: "+line+"\nUser-agent: *\nDisallow:\n"), base)).Sitemaps() {
			got += u.String()
		}
		if got != want {
			t.Errorf("sitemap %.80q is %q, want %q", line, got, want)
		}
	}
}

func TestParse_ReadsNoMoreThanMaxBody(t *testing.T) {
	head := "User-agent: *\nDisallow: /first\n"
	last := "Disallow: /last\n"
	fill := strings.Repeat("#\n", (MaxBody-len(head)-len(last))/2)
	for _, c := range []struct {
		pad  string
		last bool
	}{{"", true}, {"\n\n\n", false}} {
		r := Parse([]byte(head + fill + c.pad + last + "Disallow: /beyond\n"))
		if r.Allowed(pageOf(t, "/first")) || r.Allowed(pageOf(t, "/last")) == c.last || !r.Allowed(pageOf(t, "/beyond")) {
			t.Errorf("with %d bytes before it: /first %v, /last %v, /beyond %v", len(head+fill+c.pad),
				r.Allowed(pageOf(t, "/first")), r.Allowed(pageOf(t, "/last")), r.Allowed(pageOf(t, "/beyond")))
		}
	}
	// A line that is cut in two is not half a rule.
	if r := Parse([]byte(head + "Allow: /" + strings.Repeat("x", MaxBody))); len(r.spans) != 1 {
		t.Errorf("%d rules, want 1: the torn line is none", len(r.spans))
	}
}

func TestParse_AgentNamedOftenCountsOnce(t *testing.T) {
	body := strings.Repeat("User-agent: *\n", 10_000) + strings.Repeat("Disallow: /x\n", 10_000)
	if r := Parse([]byte(body)); len(r.spans) != 10_000 || r.Allowed(pageOf(t, "/x")) {
		t.Errorf("%d rules, want 10000", len(r.spans))
	}
}

// The library's own matcher is right where rules have no wildcards and no two
// of a length differ, so there it must agree.
func TestParse_AgreesWithLibraryOnPlainRules(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	path := func() string {
		return "/" + strings.Repeat("a", rng.IntN(3)) + strings.Repeat("b", rng.IntN(3)) + strings.Repeat("/", rng.IntN(2)) + strings.Repeat("c", rng.IntN(2))
	}
	for range 300 {
		rules := map[string]bool{}
		body := "User-agent: *\n"
		for range rng.IntN(6) {
			p := path()
			if _, ok := rules[p]; ok {
				continue
			}
			rules[p] = rng.IntN(2) == 0
			body += map[bool]string{true: "Allow: ", false: "Disallow: "}[rules[p]] + p + "\n"
		}
		theirs, err := robotstxt.FromString(body)
		if err != nil {
			t.Fatal(err)
		}
		ours := Parse([]byte(body))
		for range 20 {
			p := path()
			if got, want := ours.Allowed(pageOf(t, p)), theirs.TestAgent(p, crawl.Token); got != want {
				t.Errorf("Allowed(%s) = %v, the library says %v, by\n%s", p, got, want, body)
			}
		}
	}
}

func BenchmarkAllowed(b *testing.B) {
	for _, c := range []struct{ name, line string }{
		{"plain", "Disallow: /some/path/%d\n"},
		{"hostile", "Disallow: /*a*a*a*a*a*a*a*b%d\n"},
	} {
		b.Run(c.name, func(b *testing.B) {
			var body strings.Builder
			body.WriteString("User-agent: *\n")
			for i := range 10_000 {
				fmt.Fprintf(&body, c.line, i)
			}
			r := Parse([]byte(body.String()))
			u := pageOf(b, "/"+strings.Repeat("a", 1900))
			for b.Loop() {
				r.Allowed(u)
			}
		})
	}
}

func TestParse_Nodes(t *testing.T) {
	const a, b = "12D3KooWG8NEX5PUVEEBNsbGEuy51HpBWScrenAMmnsYiNad4sPr", "12D3KooWother"
	long := strings.Repeat("x", maxNode+1)
	for _, c := range []struct {
		name, body string
		want       []string
	}{
		{"as it is told", "User-agent: *\nDisallow: /x\n# forage-node: " + a + "\n", []string{a}},
		{"without blanks, and no end", "#forage-node:" + a, []string{a}},
		{"blanks, tabs and capitals", " \t# \tForage-Node:\t" + a + " \r\n", []string{a}},
		{"two, one of them twice", "# forage-node: " + a + "\n# forage-node: " + b + "\n# forage-node: " + a + "\n", []string{a, b}},
		{"within a group", "User-agent: x\n# forage-node: " + a + "\nDisallow: /\n", []string{a}},
		{"UTF-16", utf16le("\ufeff# forage-node: " + a + "\r\n"), []string{a}},
		{"byte order mark", "\xef\xbb\xbf# forage-node: " + a, []string{a}},
		{"behind a rule", "Disallow: / # forage-node: " + a, nil},
		{"no comment", "forage-node: " + a, nil},
		{"in a comment", "# see forage-node: " + a, nil},
		{"two comments", "## forage-node: " + a, nil},
		{"a blank before the colon", "# forage-node : " + a, nil},
		{"nobody", "# forage-node:\n# forage-node: \n", nil},
		{"two words", "# forage-node: " + a + " " + b, nil},
		{"no letters", "# forage-node: 12D3/KooW\n# forage-node: ä\n# forage-node: a-b\n# forage-node: \"" + a + "\"", nil},
		{"too long", "# forage-node: " + long, nil},
		{"in the path", "User-agent: *\nDisallow: /# forage-node: " + a, nil},
	} {
		rules := Parse([]byte(c.body))
		for what, r := range map[string]*Rules{"read": rules, "stored": Parse(condense([]byte(c.body), crawl.URL{}))} {
			if got := r.Nodes(); !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s, %s: nodes %q, want %q", c.name, what, got, c.want)
			}
		}
	}
	var many strings.Builder
	for i := range 100 {
		fmt.Fprintf(&many, "# forage-node: node%d\n", i)
	}
	if got := Parse([]byte(many.String())).Nodes(); len(got) != maxNodes || got[0] != "node0" {
		t.Errorf("of 100 nodes %q are kept, want the first %d", got, maxNodes)
	}
}

// A file that names a node allows and forbids what it does without.
func TestParse_NodesChangeNoRule(t *testing.T) {
	const body = "User-agent: *\nCrawl-delay: 3\nDisallow: /a\n\nUser-agent: forage\n%sDisallow: /b\nSitemap: http://a.example/s\n"
	with, without := Parse(fmt.Appendf(nil, body, "# forage-node: x\n")), Parse(fmt.Appendf(nil, body, ""))
	if with.nodes = nil; !reflect.DeepEqual(with, without) {
		t.Errorf("with a node the rules are %+v, want %+v", with, without)
	}
}
