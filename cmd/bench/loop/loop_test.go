package main

import (
	"slices"
	"testing"
)

func TestLinks(t *testing.T) {
	const text = `<p><a href="/x?a=1&amp;b=2#c"><A class=y href='z.html'>< a href="no"><a href="../up"><a href="?q">` +
		`<a href="//b.test/"><a href="mailto:me"><abbr href="no"><a href="http://c.test/"><a href="open`
	want := []string{"http://a.test/x?a=1&b=2", "http://a.test/d/z.html", "http://a.test/up", "http://a.test/d/p?q",
		"http://b.test/", "mailto:me", "http://c.test/"}
	if got := links("a.test", "/d/p?old", []byte(text)); !slices.Equal(got, want) {
		t.Errorf("links are\n%q, want\n%q", got, want)
	}
}

func TestPartOf(t *testing.T) {
	for part, stack := range map[string][]string{
		"inflating": {"runtime.memmove", "github.com/klauspost/compress/flate.(*decompressor).copyData", "x/crawl/extract.HTML"},
		"links":     {"indexbytebody", "x/crawl/extract.(*scanner).next", "x/crawl/worker.read"},
		"other":     {"runtime.mstart"},
	} {
		if got := parts[partOf(stack)].name; got != part {
			t.Errorf("%q is of %s, want %s", stack, got, part)
		}
	}
}
