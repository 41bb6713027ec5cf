package main

import (
	"net/url"
	"strings"
	"testing"
)

func TestRules_Allows(t *testing.T) {
	const text = "\ufeffDisallow: /early\nUser-agent: other\nDisallow: /\n\nUser-agent: *\nuser-agent: x\n" +
		"Disallow: /a/ # comment\nAllow: /a/b\nDisallow: /*.php$\nDisallow: /é\nAllow: /tie\nDisallow: " +
		"/tie\nDisallow:\n" +
		"User-agent: *\nDisallow: /q?x=*y\n"
	rs := parseRobots(text)
	for _, c := range []struct {
		target string
		want   bool
	}{
		{"/", true}, {"/early", true}, {"/a", true}, {"/a/", false}, {"/a/c", false}, {"/a/bc", true},
		{"/%61/c", false},
		{"/x.php", false}, {"/x.php?y", true}, {"/x.phpx", true}, {"/%C3%A9t%C3%A9", false}, {"/%c3%a9", false},
		{"/tie", true}, {"/q?x=1y2", false}, {"/q?x=1", true}, {"/robots.txt", true},
	} {
		if got := rs.allows(c.target); got != c.want {
			t.Errorf("allows(%q) = %v, want %v", c.target, got, c.want)
		}
	}
	own := parseRobots("User-agent: *\nDisallow: /\nUser-agent: Forage\nAllow: /\nDisallow: /me")
	if !own.allows("/x") || own.allows("/me") {
		t.Error("a group for the agent itself does not replace the one for all")
	}
	if all := parseRobots("User-agent: forage\nUser-agent: x\nDisallow:\n\nUser-agent: *\nDisallow: " +
		"/"); !all.allows("/x") {
		t.Error("a group of an empty rule does not allow everything")
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"/", "/x", true}, {"/$", "/x", false}, {"/$", "/", true}, {"*", "", true}, {"/*/b$", "/a/b", true},
		{"/*/b$", "/a/b/b", true}, {"/*/b$", "/a/b/c", false}, {"/a*a$", "/a", false}, {"/a*b*c", "/axbxc", true},
		{"/a*b*c", "/acb", false},
	} {
		if got := matches(c.pattern, c.s); got != c.want {
			t.Errorf("matches(%q, %q) = %v, want %v", c.pattern, c.s, got, c.want)
		}
	}
}

func TestResolve(t *testing.T) {
	base, err := url.Parse("http://a.test/dir/page.html?q=1")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ ref, want string }{
		{" x.html\n", "http://a.test/dir/x.html"}, {"", "http://a.test/dir/page.html?q=1"},
		{"#f", "http://a.test/dir/page.html?q=1"},
		{"a:b.html", ""}, {"1:b.html", "http://a.test/dir/1:b.html"}, {`\x\y`, "http://a.test/x/y"},
		{"x%zz", "http://a.test/dir/x%25zz"},
		{"ü?ü", "http://a.test/dir/%C3%BC?%C3%BC"}, {"//B.test/x", "http://b.test/x"}, {"javascript:x", ""},
		{"http://", ""}, {"x?", "http://a.test/dir/x"},
	} {
		u, ok := resolve(base, c.ref)
		if got := ""; ok {
			got = u.String()
			if got != c.want {
				t.Errorf("resolve(%q) = %q, want %q", c.ref, got, c.want)
			}
		} else if c.want != "" {
			t.Errorf("resolve(%q) failed, want %q", c.ref, c.want)
		}
	}
}

func TestReadLog_Refuses(t *testing.T) {
	for _, text := range []string{"x\n", "x\ta.test\t200\tGET\t/\ttext/html\n", "1\ta.test\tx\tGET\t/\ttext/html\n",
		"1\ta.test\t200\tGET\t/\ttext/html\t1\t-\t1\tx\ty\n"} {
		if hits, err := readLog(strings.NewReader(text)); err == nil {
			t.Errorf("readLog(%q) = %v, want an error", text, hits)
		}
	}
}

func FuzzPageLinks(f *testing.F) {
	f.Add(`<base href=x><a href="../y?z#w">`)
	f.Add(`<meta http-equiv=refresh content="0;url='/x">`)
	base, err := url.Parse("http://a.test/dir/")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		links, err := pageLinks(strings.NewReader(doc), base)
		if err != nil {
			return
		}
		for _, u := range links {
			if u.Host == "" || u.Fragment != "" || !strings.HasPrefix(u.RequestURI(), "/") {
				t.Errorf("link %q of %q", u, doc)
			}
			keyOf(u.Host, u.RequestURI())
		}
	})
}

func FuzzRobots(f *testing.F) {
	f.Add("User-agent: *\nDisallow: /a*b$", "/ab")
	f.Fuzz(func(t *testing.T, text, target string) {
		parseRobots(text).allows(target)
	})
}

func FuzzReadLog(f *testing.F) {
	f.Add("1.5\ta.test\t200\tGET\t/\\xC3\ttext/html\t1\n")
	f.Fuzz(func(t *testing.T, text string) {
		readLog(strings.NewReader(text))
		cleanPath(decodePercent(text))
	})
}
