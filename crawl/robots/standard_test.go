package robots

import (
	"strings"
	"testing"

	"github.com/forage-net/forage/crawl"
)

// What RFC 9309 asks for, section by section. In the bodies "|" ends a line,
// and the checks are paths, with "-" before those that must not be fetched.
func TestParse_ByTheStandard(t *testing.T) {
	for _, c := range []struct{ body, checks string }{
		// §2.2.1: the product token, whole and in any case; all groups for it; "*" only if none.
		{"user-agent: forage|disallow: /", "-/ -/a /robots.txt"},
		{"USER-AGENT: FORAGE|DISALLOW: /a", "-/a /A /b"},
		{"User-Agent: ForAge|Disallow: /a", "-/a"},
		{"user-agent: forager|disallow: /", "/"},
		{"user-agent: forag|disallow: /", "/"},
		{"user-agent: myforage|disallow: /", "/"},
		{"user-agent: my-forage|disallow: /", "/"},
		{"user-agent: forage-news|disallow: /", "/"},
		{"user-agent: forage_news|disallow: /", "/"},
		{"user-agent: forage/0.1|disallow: /", "-/"},
		{"user-agent: forage bar|disallow: /", "-/"},
		{"user-agent: for age|disallow: /", "/"},
		{"user-agent: *|disallow: /a||user-agent: forage|disallow: /b", "/a -/b"},
		{"user-agent: forage|disallow: /b||user-agent: *|disallow: /a", "/a -/b"},
		{"user-agent: forage|allow: /||user-agent: *|disallow: /", "/ /a"},
		{"user-agent: forage||user-agent: *|disallow: /", "-/a"}, // one group of two agents
		{"user-agent: other|disallow: /||user-agent: *|disallow: /a", "/ -/a"},
		{"user-agent: other|disallow: /", "/"},
		{"user-agent: forage|disallow: /a||user-agent: forage|disallow: /b", "-/a -/b /c"},
		{"user-agent: forage|disallow: /a|user-agent: x|disallow: /c|user-agent: forage|disallow: /b", "-/a -/b /c"},
		{"user-agent: *|disallow: /a|user-agent: x|disallow: /c|user-agent: *|disallow: /b", "-/a -/b /c"},
		{"user-agent: x|user-agent: forage|user-agent: y|disallow: /a|allow: /a/b", "-/a /a/b"},
		{"user-agent: forage|user-agent: *|disallow: /a", "-/a"},
		{"user-agent: **|disallow: /", "/"},
		{"user-agent:|disallow: /", "/"},
		{"disallow: /a|user-agent: *|disallow: /b", "/a -/b"},
		{"user-agent: *|foo: bar|disallow: /a", "-/a"},
		{"user-agent: *|foo: bar|user-agent: x|disallow: /a", "-/a"},
		{"user-agent: *|sitemap: http://x.example/|user-agent: x|disallow: /a", "-/a"},

		// §2.2.2: the longest match, by octets; allow among equals; allowed by default.
		{"", "/ /a"},
		{"user-agent: *", "/ /a"},
		{"user-agent: *|disallow:", "/ /a"},
		{"user-agent: *|disallow: |allow: /", "/"},
		{"user-agent: *|allow: /a|disallow: /", "/a /ab -/b"},
		{"user-agent: *|disallow: /|allow: /a", "/a /ab -/b"},
		{"user-agent: *|disallow: /a|allow: /a", "/a"},
		{"user-agent: *|allow: /a|disallow: /a", "/a"},
		{"user-agent: *|allow: /a/b.html|disallow: /a/*.html", "/a/b.html -/a/c.html /a/b"},
		{"user-agent: *|allow: /a/bb.html|disallow: /a/*.html", "/a/bb.html -/a/c.html"},
		{"user-agent: *|disallow: /page|allow: /*.htm", "/page.htm -/page"},
		{"user-agent: *|disallow: /a/|allow: /a/b/|disallow: /a/b/c/", "-/a/ /a/b/ -/a/b/c/"},
		{"user-agent: *|disallow: /a", "-/a -/ab -/a/b -/a?b -/a.html /A /b/a"},
		{"user-agent: *|disallow: /a/", "/a -/a/ -/a/b"},
		{"user-agent: *|disallow: /robots.txt|disallow: /", "/robots.txt -/robots.txt.bak"},
		{"user-agent: *|disallow: /ü", "-/ü -/%C3%BC -/%c3%bc /%FC"},
		{"user-agent: *|disallow: /%c3%bc", "-/ü -/%C3%BC -/%c3%bc"},
		{"user-agent: *|disallow: /%7ea", "-/~a -/%7Ea -/%7ea"},
		{"user-agent: *|disallow: /~a", "-/~a -/%7Ea"},
		{"user-agent: *|disallow: /|allow: /%7ea", "/~a /%7Ea"},
		{"user-agent: *|disallow: /%61", "-/a -/%61"},
		{"user-agent: *|disallow: /a%2fb", "-/a%2Fb -/a%2fb /a/b"},
		{"user-agent: *|disallow: /a/b", "-/a/b /a%2Fb"},
		{"user-agent: *|disallow: /a?b=http://c", "-/a?b=http://c /a?b=http%3A%2F%2Fc"},
		{"user-agent: *|disallow: /a b", "-/a%20b"},
		{"user-agent: *|disallow: /a%20b", "-/a%20b"},
		{"user-agent: *|disallow: /a+b", "-/a+b /a%20b /aab"},
		{"user-agent: *|disallow: /a.b", "-/a.b /axb"},
		{"user-agent: *|disallow: /a(b|disallow: /c[d|disallow: /e\\f", "-/a(b -/c[d -/c%5Bd -/c%5bd?x /c /e"},

		// §2.2.3: "*", "$", "#".
		{"user-agent: *|disallow: *", "-/ -/a"},
		{"user-agent: *|disallow: /*", "-/ -/a"},
		{"user-agent: *|disallow: /a*", "-/a -/ab /b"},
		{"user-agent: *|disallow: /*.php", "-/a.php -/a.php5 -/a/b.php?c /a.ph"},
		{"user-agent: *|disallow: /*.php$", "-/a.php /a.php5 /a.php?b"},
		{"user-agent: *|disallow: /a$", "-/a /ab /a/ /a?b"},
		{"user-agent: *|disallow: /$", "-/ /a"},
		{"user-agent: *|disallow: $", "-/ /a"},
		{"user-agent: *|disallow: /a*/b", "-/a/b -/axx/b -/a/x/b /ab"},
		{"user-agent: *|disallow: /*a*a*a$", "-/aaa -/xaxaxa /aa /aaab"},
		{"user-agent: *|disallow: /a$b", "/a /ab -/a$b"},
		{"user-agent: *|disallow: /a%24", "-/a$ -/a%24b /a"},
		{"user-agent: *|disallow: /a%2a", "-/a* /ab"},
		{"user-agent: *|disallow: /a # b", "-/a /b"},
		{"user-agent: * # all|disallow: /a#b", "-/a -/a%23b"},
		{"# user-agent: *|# disallow: /|user-agent: *|#disallow: /a|disallow: /b", "/a -/b"},

		// §2.2 and what files look like: blanks, ends of lines, marks, other things.
		{"  user-agent  :  *  |\t disallow\t:\t/a\t", "-/a"},
		{"user-agent:*|disallow:/a", "-/a"},
		{"\xef\xbb\xbfuser-agent: *|disallow: /a", "-/a"},
		{"\xef\xbb\xbf|user-agent: *|disallow: /a", "-/a"},
		{"\xefuser-agent: *|disallow: /a", "-/a"},
		{"user-agent: *|\xef\xbb\xbfdisallow: /a|disallow: /b", "/a -/b"},
		{"\ufeff\ufeffuser-agent: *|disallow: /a", "/a"},
		{"<html><body>|user-agent: *|disallow: /a|</body>", "-/a"},
		{"<!doctype html><title>Not here</title><p>disallow: /", "/ /a"},
		{"\x89PNG\r\n\x1a\n\x00\x00IHDR||disallow: /", "/ /a"},
		{"{\"user-agent\": \"*\", \"disallow\": \"/\"}", "/"},
		{"noindex: /a|user-agent: *|noindex: /b|disallow: /c", "/a /b -/c"},
	} {
		for _, end := range []string{"\n", "\r\n", "\r"} {
			body := strings.ReplaceAll(c.body, "|", end)
			for _, text := range [][]byte{[]byte(body), []byte(body + end), condense([]byte(body), crawl.URL{})} {
				rules := Parse(text)
				for check := range strings.FieldsSeq(c.checks) {
					path, forbidden := strings.CutPrefix(check, "-")
					if got := rules.Allowed(pageOf(t, path)); got == forbidden {
						t.Errorf("Allowed(%s) = %v, want %v by %q", path, got, !forbidden, text)
					}
				}
			}
		}
	}
}

// Encoded letters in an allow rule are in doubt: they open no other spelling.
func TestRules_AllowOfEncodedLetters(t *testing.T) {
	for _, c := range []struct {
		rules, path string
		want        bool
	}{
		{"Allow: /%62%61%7a", "/baz", false}, {"Allow: /%62%61%7a", "/%62%61%7A", true}, {"Allow: /%62%61%7a", "/%62%61%7A/x", true}, {"Allow: /%62%61%7a", "/%62az", false},
		{"Allow: /baz", "/%62%61%7A", true}, {"Allow: /baz", "/baz", true}, {"Allow: /%7E%2d%5F%2Ex", "/~-_.x", true}, {"Allow: /%7E%2d%5F%2Ex", "/%7e-%5f.x", true},
		{"Allow: /%C3%BC%61", "/%C3%BCa", false}, {"Allow: /%C3%BC", "/ü", true}, {"Allow: /%31*", "/1", false}, {"Allow: /a%", "/a%", true}, {"Allow: /a%6", "/a%6", true},
		{"Allow: /%62%61%7a\nDisallow: /baz/no", "/%62%61%7a/no", false}, {"Allow: /%62%61%7a\nDisallow: /baz", "/%62%61%7a", true},
		{"Allow: /b*\nDisallow: /%62%61%7a", "/baz", false},
	} {
		r := Parse([]byte("User-agent: *\nDisallow: /\n" + c.rules + "\n"))
		if got := r.allows(c.path); got != c.want {
			t.Errorf("allows(%s) = %v, want %v by %q", c.path, got, c.want, c.rules)
		}
	}
}
