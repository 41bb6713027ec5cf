package scope

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
)

// refusals returns those of a lab, so that the built-in list says nothing.
func refusals(t testing.TB, cfg RefusalsConfig) *Refusals {
	t.Helper()
	r, err := NewRefusals(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRefusals_Sites(t *testing.T) {
	for _, c := range []struct {
		site, url string
		want      bool
	}{
		{"example.org", "https://example.org/", true},
		{"example.org", "http://example.org:8080/x?y", true},
		{"example.org", "https://a.b.example.org/", true},
		{"*.example.org", "https://example.org/", true},
		{"EXAMPLE.org.", "https://www.example.org/", true},
		{"example.org", "https://notexample.org/", false},
		{"example.org", "https://example.org.evil.com/", false},
		{"example.org", "https://org/", false},
		{"www.example.org", "https://example.org/", false},
		{"www.example.org", "https://a.www.example.org/", true},
		{"example.org/shop", "https://example.org/shop", true},
		{"example.org/shop", "https://example.org/shopping/", true},
		{"example.org/shop/", "https://example.org/shop", false},
		{"example.org/shop/", "https://www.example.org/shop/1", false},
		{"*.example.org/shop/", "https://www.example.org/shop/1", true},
		{"*.example.org/shop/", "https://example.org/shop/1", true},
		{"*.example.org/shop/", "https://badexample.org/shop/1", false},
		{"example.org/*/print", "https://example.org/a/b/print?x", true},
		{"example.org/*/print", "https://example.org/print", false},
		{"example.org/search?", "https://example.org/search?q=1", true},
		{"example.org/search?", "https://example.org/search", false},
		{"example.org/ä", "https://example.org/%C3%A4/x", true},
		{"example.org/%7euser", "https://example.org/~user/", true},
		{"example.org/", "https://a.example.org/", true},
		{"example.org/*", "https://a.example.org/", true},
		{"bücher.example", "https://xn--bcher-kva.example/", true},
		{"93.184.215.14", "http://93.184.215.14/x", true},
		{"93.184.215.14", "http://3.184.215.14/x", false},
		{"[2001:db8::1]", "http://[2001:DB8::1]/", true},
		{"[2001:db8::1]", "http://[2001:db8::2]/", false},
		{"example.org:8080", "http://example.org:8080/", true},
		{"example.org:8080", "http://example.org/", false},
	} {
		r := refusals(t, RefusalsConfig{Sites: []string{c.site}, Lab: true})
		want := ""
		if c.want {
			want = said(reasonSite)
		}
		if got := said(r.Reason(parse(t, c.url))); got != want {
			t.Errorf("with %q: Reason(%s) = %q, want %q", c.site, c.url, got, want)
		}
	}
}

// said is a reason in English, "" for none.
func said(reason *words.Message) string {
	if reason == nil {
		return ""
	}
	return reason.Error()
}

func TestRefusals_TopLevelDomains(t *testing.T) {
	r := refusals(t, RefusalsConfig{TLDs: []string{"zip", "MIL", "рф"}, Lab: true})
	for _, c := range []struct{ url, want string }{
		{"https://a.zip/", "you asked never to visit .zip"},
		{"https://www.army.mil/", "you asked never to visit .mil"},
		{"https://пример.рф/", "you asked never to visit .xn--p1ai"},
		{"https://zip.org/", ""},
		{"https://a.zipper/", ""},
		{"http://zip/", ""},
		{"http://93.184.215.14/", ""},
		{"http://[2001:db8::1]/", ""},
	} {
		if got := said(r.Reason(parse(t, c.url))); got != c.want {
			t.Errorf("Reason(%s) = %q, want %q", c.url, got, c.want)
		}
	}
}

func TestRefusals_Topics(t *testing.T) {
	r := refusals(t, RefusalsConfig{Topics: []string{"adult", "gambling"}, Lab: true})
	for _, c := range []struct{ url, want string }{
		{"https://something.xxx/", "topic: adult"},
		{"https://free-porn.example.com/", "topic: adult"},
		{"https://porn.example.com/", "topic: adult"},
		{"https://online-casino.com/", "topic: gambling"},
		{"https://my.bet/", "topic: gambling"},
		{"https://www.casino.example.com/", "topic: gambling"},
		{"https://unicorn.com/", ""},
		{"https://sussex.ac.uk/", ""},
		{"https://essex-cats.org/", ""},
		{"https://alphabet.com/", ""},
		{"https://example.com/casino", ""},
		{"https://xn--casino-abc.example/", ""},
		{"https://vodka.example/", ""},
	} {
		if got := said(r.Reason(parse(t, c.url))); got != c.want {
			t.Errorf("Reason(%s) = %q, want %q", c.url, got, c.want)
		}
	}
}

func TestRefusals_BuiltIn(t *testing.T) {
	public, lab := refusals(t, RefusalsConfig{}), refusals(t, RefusalsConfig{Lab: true})
	for _, c := range []struct{ url, want string }{
		{"https://web.archive.org/web/2020/https://example.org/", "built-in list: an endless mirror of other sites"},
		{"https://en-wikipedia-org.translate.goog/wiki/Bread", "built-in list: an endless mirror of other sites"},
		{"https://www.google.com/search?q=bread", "built-in list: search results"},
		{"https://www.facebook.com/sharer/sharer.php?u=x",
			"built-in list: a share button, with an address for every page of the web"},
		{"https://stats.g.doubleclick.net/x", "built-in list: advertising or measurement, no pages"},
		{"https://github.com/login?return_to=%2F", "built-in list: a sign-in, not a page"},
		{"https://archive.org/details/bread", ""},
		{"https://www.google.com/", ""},
		{"https://www.facebook.com/travel", ""},
		{"https://github.com/loginov", ""},
		{"https://onion.example.org/", ""},
	} {
		if got := said(public.Reason(parse(t, c.url))); got != c.want {
			t.Errorf("Reason(%s) = %q, want %q", c.url, got, c.want)
		}
		if got := said(lab.Reason(parse(t, c.url))); got != "" {
			t.Errorf("in a lab: Reason(%s) = %q, want none", c.url, got)
		}
	}
}

func TestRefusals_Domain(t *testing.T) {
	r := refusals(t, RefusalsConfig{
		Sites: []string{"a.org", "www.b.org", "c.org/x", "*.d.org/"}, TLDs: []string{"zip"},
		Topics: []string{"gambling"},
	})
	for _, c := range []struct {
		domain crawl.Domain
		want   string
	}{
		{"a.org", said(reasonSite)}, {"b.org", ""}, {"c.org", ""}, {"d.org", said(reasonSite)},
		{"e.zip", "you asked never to visit .zip"},
		{"casino.org", "topic: gambling"}, {"doubleclick.net", "built-in list: advertising or measurement, no pages"},
		{"google.com", ""}, {"", ""}, {"2001:db8::1", ""},
	} {
		if got := said(r.Domain(c.domain)); got != c.want {
			t.Errorf("Domain(%s) = %q, want %q", c.domain, got, c.want)
		}
	}
	if got := (*Refusals)(nil).Domain("a.org"); got != nil {
		t.Errorf("nil refuses a domain: %q", got)
	}
	if got := (*Refusals)(nil).Reason(parse(t, "https://a.org/")); got != nil {
		t.Errorf("nil refuses: %q", got)
	}
	if got := r.Reason(crawl.URL{}); got != nil {
		t.Errorf("no URL is refused: %q", got)
	}
}

func TestNewRefusals_NamesWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		cfg  RefusalsConfig
		want string
	}{
		{RefusalsConfig{Sites: []string{"a b"}},
			`sites.never: "a b" is neither a domain (example.org) nor a host with a path (example.org/docs/*)`},
		{RefusalsConfig{Sites: []string{"https://www.example.org/x"}},
			`sites.never: "https://www.example.org/x" is the address of a page; write its domain, example.org`},
		{RefusalsConfig{Sites: []string{"com"}},
			`sites.never: "com" is not the domain of a site; for a whole top-level domain there is tld.never`},
		{RefusalsConfig{TLDs: []string{".zip"}},
			`tld.never: ".zip" is not a top-level domain; write one without a dot, such as "zip"`},
		{RefusalsConfig{Topics: []string{"sports"}},
			`topics.never: "sports" is not a topic; ` +
				`there are adult, alcohol, dating, drugs, gambling, piracy, tobacco, weapons`},
	} {
		_, err := NewRefusals(c.cfg)
		var bad *PatternError
		if err == nil || err.Error() != c.want || !errors.As(err, &bad) {
			t.Errorf("NewRefusals(%v): %v, want %s", c.cfg, err, c.want)
		}
	}
	if _, err := NewRefusals(RefusalsConfig{Sites: slices.Repeat([]string{"a.org"}, maxPatterns+1)}); err == nil {
		t.Error("more sites than possible are taken")
	}
}

func TestRefusals_AllocateNothing(t *testing.T) {
	r := refusals(t, busyConfig())
	for _, text := range benchURLs {
		u := parse(t, text)
		if n := testing.AllocsPerRun(100, func() { r.Reason(u); r.Domain(u.Domain()) }); n != 0 {
			t.Errorf("Reason(%s) allocates %v times", text, n)
		}
	}
}

func TestRefusals_AreSafeForConcurrentUse(t *testing.T) {
	r := refusals(t, busyConfig())
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for _, text := range benchURLs {
				u, _ := crawl.ParseURL(text)
				r.Reason(u)
			}
		})
	}
	group.Wait()
}

// busyConfig is that of a user who takes all that there is.
func busyConfig() RefusalsConfig {
	cfg := RefusalsConfig{TLDs: []string{"zip", "mov"}, Topics: TopicNames()}
	for i := range 500 {
		cfg.Sites = append(cfg.Sites, fmt.Sprintf("site%d.example.org", i), fmt.Sprintf("other%d.com/path/*/x", i))
	}
	return cfg
}

var benchURLs = []string{
	"https://en.wikipedia.org/wiki/Bread",
	"http://some-long-host-name.with.five.labels.example.co.uk/a/b/c?d=e",
	"https://other7.com/path/to/y",
	"http://93.184.215.14:8080/",
	"https://web.archive.org/web/2020/https://example.org/",
}

func BenchmarkRefusals_Reason(b *testing.B) {
	for name, cfg := range map[string]RefusalsConfig{"default": {}, "everything": busyConfig()} {
		b.Run(name, func(b *testing.B) {
			r := refusals(b, cfg)
			u, _ := crawl.ParseURL(benchURLs[0])
			b.ReportAllocs()
			for b.Loop() {
				r.Reason(u)
			}
		})
	}
}

func FuzzNeverPattern(f *testing.F) {
	for _, seed := range []string{
		"example.org", "*.example.org/a/*/b?", "bücher.example/ä", "[::1]/x", "https://example.org/x?y#z", "a/",
		"/", "//", "*.", "*",
		"example.org/..", "example.org/?", "example.org/%2a*", "example.org:99999", "a.b/**", "1.2/x", "xn--/",
		"a.org//b", "a\\b.org",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4*crawl.MaxURL {
			return
		}
		pattern, err := NeverFrom(text)
		if err != nil {
			var bad *PatternError
			if !errors.As(err, &bad) || bad.Reason == nil || len(err.Error()) > 2000 {
				t.Fatalf("NeverFrom(%q): error %v", text, err)
			}
			return
		}
		// The canonical form is a pattern, and its own canonical form.
		if again, err := NeverPattern(pattern); err != nil || again != pattern {
			t.Fatalf("NeverFrom(%q) = %q, but NeverPattern of that is %q, %v", text, pattern, again, err)
		}
		r, err := NewRefusals(RefusalsConfig{Sites: []string{pattern}, Lab: true})
		if err != nil {
			t.Fatal(err)
		}
		// What it says, it refuses.
		example := strings.ReplaceAll(strings.TrimPrefix(pattern, "*."), "*", "x")
		if u, err := crawl.ParseURL("http://" + example); err == nil && u.String() == "http://"+example &&
			r.Reason(u) == nil {
			t.Fatalf("%q does not refuse %s", pattern, u)
		}
		// What is pasted from the browser is refused.
		if u, err := crawl.ParseURL(text); err == nil && r.Reason(u) == nil {
			t.Fatalf("%q of %q does not refuse it", pattern, text)
		}
	})
}

func FuzzRefusals_Reason(f *testing.F) {
	r, err := NewRefusals(RefusalsConfig{
		Sites: []string{"example.org", "*.b.org/x*y", "[::1]"}, TLDs: []string{"zip"}, Topics: TopicNames(),
	})
	if err != nil {
		f.Fatal(err)
	}
	for _, u := range benchURLs {
		f.Add(u)
	}
	f.Add("http://-a--b-.xn--c-.org/")
	f.Fuzz(func(t *testing.T, text string) {
		u, err := crawl.ParseURL(text)
		if err != nil {
			return
		}
		// What is refused of a whole domain is refused of each of its URLs.
		if why := r.Domain(u.Domain()); why != nil && r.Reason(u) == nil {
			t.Fatalf("Domain(%s) = %q, but %s may be visited", u.Domain(), why, u)
		}
	})
}
