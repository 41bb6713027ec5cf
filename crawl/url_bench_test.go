package crawl

import (
	"slices"
	"strings"
	"testing"
)

// linksOfPages are links as pages of the web write them, about as often as
// they do: mostly plain, now and then in a script of its own, from an old
// editor, or for something else than a crawler.
var linksOfPages = []string{
	"../library/functions.html#print", "index.html", "/", "#top", "search.html?q=url&check_keywords=yes", "/about/", "./images/logo.svg",
	"https://other.example.org/a/b", "http://www.example.org/news/2026/01/title-of-the-story", "//cdn.example.net/site.css?v=3.1",
	"/wiki/Universit%C3%A4t_Z%C3%BCrich", "/wiki/%e6%97%a5%e6%9c%ac%e8%aa%9e", "/wiki/東京都", "/straße/größe.html", "?seite=2&ort=Köln",
	"annual report 2025.pdf", "/%7Eanna/", "mailto:office@example.org", "javascript:void(0)", "tel:+41-44-000-00-00",
	"https://xn--bcher-kva.example/liste", "https://bücher.example/", "HTTPS://WWW.Example.ORG/Start", "https://shop.example.org:8443/cart",
	"/a/../b/./c", "/it's-all-here?q='x'", "/list?filter[]=a&filter[]=b", "/page?next=https://www.example.org/", "/tags/{tag}", "/search?q=a|b",
}

func BenchmarkResolve(b *testing.B) {
	base, err := ParseURL("http://www.example.org/dir/page.html")
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		refs []string
	}{
		{"mixed", linksOfPages},
		{"plain", []string{"../library/functions.html#print"}},
		{"odd", []string{"../library/a b.html"}},
		{"utf8", []string{"/wiki/東京都"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				u, err := base.Resolve(c.refs[i])
				if err == nil && u.IsZero() {
					b.Fatal(c.refs[i])
				}
				if i++; i == len(c.refs) {
					i = 0
				}
			}
		})
	}
	b.Run("page", func(b *testing.B) { // a hundred links
		b.ReportAllocs()
		for b.Loop() {
			r := Resolver{Base: base}
			for range 100 {
				if u, err := r.Resolve("../library/functions.html#print"); err != nil || u.IsZero() {
					b.Fatal(u, err)
				}
			}
		}
	})
}

// What a Resolver returns is what the page's URL does, and later links do not change it.
func TestResolver(t *testing.T) {
	base, err := ParseURL("http://www.example.org/dir/page.html")
	if err != nil {
		t.Fatal(err)
	}
	r := Resolver{Base: base}
	refs := append(linksOfPages, strings.Repeat("x", textsStep+1), strings.Repeat("y", textsStep-1))
	var got, want []URL
	for range 50 {
		for _, ref := range refs {
			u, err := r.Resolve(ref)
			v, wrong := base.Resolve(ref)
			if (err == nil) != (wrong == nil) {
				t.Fatalf("%q: %v, want %v", ref, err, wrong)
			}
			got, want = append(got, u), append(want, v)
		}
	}
	if !slices.Equal(got, want) {
		t.Error("links of one page are resolved otherwise")
	}
}
