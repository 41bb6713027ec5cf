package crawl

import (
	"errors"
	"strings"
	"testing"
)

func TestParseURL_Canonical(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"http://example.com", "http://example.com/"},
		{"HTTP://Example.COM:80/a/../b/./c?#frag", "http://example.com/b/c"},
		{"https://example.com:443/%7euser/%c3%a9?q=%2f", "https://example.com/~user/%C3%A9?q=%2F"},
		{"https://user:secret@example.com/x", "https://example.com/x"},
		{"http://example.com./x", "http://example.com/x"},
		{"http://example.com/a b", "http://example.com/a%20b"},
		{"http://bücher.example/", "http://xn--bcher-kva.example/"},
		{"http://0x7f.1/", "http://127.0.0.1/"},
		{"http://[::1]:8080/x", "http://[::1]:8080/x"},
		{"http://example.com:8080?x", "http://example.com:8080/?x"},
		{" http://example.com/\n", "http://example.com/"},
		{"http://example.com/%%34%31/%4%31/%%%3333", "http://example.com/%%341/%4%31/%%%3333"},
		{"http://example.com/?a=it's", "http://example.com/?a=it%27s"},
	} {
		u, err := ParseURL(c.in)
		if err != nil || u.String() != c.want {
			t.Errorf("ParseURL(%q) = %q, %v, want %q", c.in, u, err, c.want)
			continue
		}
		if again, err := ParseURL(u.String()); err != nil || again != u {
			t.Errorf("ParseURL(%q) = %#v, %v, want %#v: not idempotent", u, again, err, u)
		}
	}
}

func TestParseURL_Refuses(t *testing.T) {
	for _, c := range []struct {
		in   string
		want error
	}{
		{"", ErrSyntax}, {"example.com", ErrSyntax}, {"/path", ErrSyntax}, {"http://", ErrSyntax},
		{"http://a b/", ErrSyntax}, {"http://1.2.3.999/", ErrSyntax}, {"http://./", ErrSyntax},
		{"http://" + strings.Repeat("a", 64) + ".example/", ErrSyntax}, {"http://" + strings.Repeat("ü", 64) + "。example/", ErrSyntax},
		{"http://" + strings.Repeat("a.", 125) + "example/", ErrSyntax}, {"http://" + strings.Repeat("%C3%BC", 64) + ".example/", ErrSyntax},
		{"http://a..example/", ErrSyntax}, {"http:0..", ErrSyntax}, {"http://x../", ErrSyntax},
		{"ftp://example.com/", ErrScheme}, {"mailto:a@example.com", ErrScheme}, {"javascript:void(0)", ErrScheme},
		{"http://example.com/" + strings.Repeat("x", MaxURL), ErrTooLong},
		{"http://example.com/" + strings.Repeat("x", 5*MaxURL), ErrTooLong},
	} {
		if u, err := ParseURL(c.in); !errors.Is(err, c.want) {
			t.Errorf("ParseURL(%.40q) = %q, %v, want error %v", c.in, u, err, c.want)
		}
	}
}

func TestURL_Resolve(t *testing.T) {
	base, err := ParseURL("http://www.example.co.uk/a/b/c.html?q=1")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ ref, want string }{
		{"", "http://www.example.co.uk/a/b/c.html?q=1"},
		{"#top", "http://www.example.co.uk/a/b/c.html?q=1"},
		{"d.html#x", "http://www.example.co.uk/a/b/d.html"},
		{"../d", "http://www.example.co.uk/a/d"},
		{"../../../../d", "http://www.example.co.uk/d"},
		{"./d/", "http://www.example.co.uk/a/b/d/"},
		{"/d?e=f?g", "http://www.example.co.uk/d?e=f?g"},
		{"?z", "http://www.example.co.uk/a/b/c.html?z"},
		{"?", "http://www.example.co.uk/a/b/c.html"},
		{"//other.example/x", "http://other.example/x"},
		{"https://other.example", "https://other.example/"},
		{"http-is-a-name", "http://www.example.co.uk/a/b/http-is-a-name"},
		{"..", "http://www.example.co.uk/a/"},
		{"x/..", "http://www.example.co.uk/a/b/"},
		{"\\x\\y", "http://www.example.co.uk/x/y"},
		{"/ü", "http://www.example.co.uk/%C3%BC"},
	} {
		u, err := base.Resolve(c.ref)
		if err != nil || u.String() != c.want {
			t.Errorf("Resolve(%q) = %q, %v, want %q", c.ref, u, err, c.want)
		}
	}
}

func TestURL_Parts(t *testing.T) {
	u, err := ParseURL("https://shop.example.co.uk:8443/a/b?c=d")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, got, want string }{
		{"Scheme", u.Scheme(), "https"}, {"Host", u.Host(), "shop.example.co.uk:8443"},
		{"Hostname", u.Hostname(), "shop.example.co.uk"}, {"Port", u.Port(), "8443"},
		{"Origin", u.Origin(), "https://shop.example.co.uk:8443"}, {"Path", u.Path(), "/a/b?c=d"},
		{"Domain", string(u.Domain()), "example.co.uk"},
	} {
		if c.got != c.want {
			t.Errorf("%s = %q, want %q", c.name, c.got, c.want)
		}
	}
	v6, _ := ParseURL("http://[2001:db8::1]/")
	if v6.Hostname() != "2001:db8::1" || v6.Domain() != "2001:db8::1" || v6.Port() != "80" {
		t.Errorf("IPv6: hostname %q, domain %q, port %q", v6.Hostname(), v6.Domain(), v6.Port())
	}
}

// FuzzURL holds the fast path to the answer of the standard's parser, and the
// canonical form to being canonical.
func FuzzURL(f *testing.F) {
	for _, s := range []string{
		"http://example.com/a/b?c=d#e", "../x/./y", "//h.example/%41%zz", "?q=it's", "https://a-b.example.co.uk:443/",
		"/a//b/../c", "a:b", "http:x", "..", "http://1.2.3.4/", "HTTP://Ex.com/%2e%2E/", "http://x.example?a#b", "??", "/%2E/", "h//..", "%%34%31", "%4%31", "%%%%%3333",
		"/wiki/東京都?q=Köln#ü", "http://ex.example/a b#c", "/a b #c", " /a", "/a\x00b", "/%c3%a9%7E%2e", "/{a}`^|[]?{a}`^|[]'", "javascript:void(0)", "MAILTO:a@b",
		"h\tttp://x.example/", "/%u0442|%u044[", "?%75", "/%%u0442?%%750041", "https://xn--a.example/", "http://bücher.example/", "//xn--xn--a-.yn--b.example/", "http://a_b-.example/", "http://%5B::1]/",
		"http://a%2541.example/", "http://ⅷ.example/", "/\xff", "?\ufeff", "\u00a0/a", "/a\x7f", "??#", "a?#", "?'#", "http:\\\\x.example\\y", "#" + strings.Repeat("x", 4*MaxURL),
		"/" + strings.Repeat("ü", MaxURL/6), "/" + strings.Repeat("%41", MaxURL/2),
	} {
		f.Add("http://www.example.org/dir/page.html?x=1", s)
		f.Add(s, "")
	}
	f.Fuzz(func(t *testing.T, baseText, ref string) {
		slow, slowErr := parseStandard(nil, baseText)
		base, err := ParseURL(baseText)
		if (err == nil) != (slowErr == nil) || base != slow {
			t.Fatalf("ParseURL(%q) = %#v, %v; by the standard %#v, %v", baseText, base, err, slow, slowErr)
		}
		if err != nil {
			return
		}
		if again, err := ParseURL(base.String()); err != nil || again != base {
			t.Fatalf("ParseURL(%q) = %#v, %v, want %#v", base, again, err, base)
		}
		w, err := standard.Parse(base.String())
		if err != nil {
			t.Fatalf("canonical %q is no URL: %v", base, err)
		}
		slow, slowErr = parseStandard(w, ref)
		got, err := base.Resolve(ref)
		if (err == nil) != (slowErr == nil) || got != slow {
			t.Fatalf("%q.Resolve(%q) = %#v, %v; by the standard %#v, %v", base, ref, got, err, slow, slowErr)
		}
		if err == nil && !strings.HasSuffix(got.Hostname(), string(got.Domain())) {
			t.Fatalf("domain %q of %q", got.Domain(), got)
		}
	})
}
