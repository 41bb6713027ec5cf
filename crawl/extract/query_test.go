package extract

import (
	"strings"
	"testing"
)

func TestHTML_QueriesInTheEncodingOfThePage(t *testing.T) {
	for _, c := range []struct{ name, contentType, body, want string }{
		{"link", "text/html; charset=windows-1251", "<a href='/\xf2?q=\xf2'>", "/%D1%82?q=%F2"},
		{"Latin-1", "text/html; charset=iso-8859-1", "<a href='?q=\xe9'>", "/dir/page.html?q=%E9"},
		{"two bytes a letter", "", "<meta charset=shift_jis><a href='/s?q=\x82\xa0'>", "/s?q=%82%A0"},
		{"trail byte that RFC 3986 forbids", "text/html; charset=shift_jis", "<a href='/s?q=\x96{'>", "/s?q=%96%7B"},
		{"reference", "text/html; charset=koi8-r", "<a href='/s?q=&#1090;&eacute;&amp;x'>", "/s?q=%D4%26%23233%3B&x"},
		{"nothing declared", "text/html", "<a href='/s?q=\xe9'>", "/s?q=%E9"},
		{"nothing declared, bytes without a meaning", "text/html", "<a href='/s?q=\x81\x8d'>", "/s?q=%81%8D"},
		{"declared late", "text/html", strings.Repeat(" ", 2000) + "<a href='/s?q=&#1090;'><meta charset=koi8-r>", "/s?q=%D4"},
		{"UTF-8", "text/html; charset=utf-8", "<a href='/s?q=é'>", "/s?q=%C3%A9"},
		{"UTF-16", "text/html; charset=utf-16le", utf16le("<a href='/s?q=é'>"), "/s?q=%C3%A9"},
		{"UTF-16, declared within", "text/html", "<meta charset=utf-16><a href='/s?q=é'>", "/s?q=%C3%A9"},
		{"frame", "text/html; charset=koi8-r", "<iframe src='/s?q=\xd4'></iframe>", "/s?q=%D4"},
		{"refresh", "text/html; charset=koi8-r", "<meta http-equiv=refresh content='0;url=/s?q=\xd4'>", "/s?q=%D4"},
		{"base", "text/html; charset=koi8-r", "<base href='/b/?q=\xd4'><a href=''>", "/b/?q=%D4"},
		{"base, relative query", "text/html; charset=koi8-r", "<base href='/\xd4/'><a href='?q=\xd4'>", "/%D1%82/?q=%D4"},
		{"spelt in three ways", "text/html; charset=koi8-r", "<a href='/s?q=\xd4'><a href='/s?q=%d4'><a href=' /s?q=&#x442;#x'>", "/s?q=%D4"},
		{"blank at the end", "text/html; charset=koi8-r", "<a href='/s?q=\xd4 '>", "/s?q=%D4"},
		{"XHTML", "application/xhtml+xml", "<?xml version='1.0' encoding='gbk'?><a href='/s?q=\xd6\xd0'/>", "/s?q=%D6%D0"},
	} {
		p := HTML(pageURL(t), c.contentType, nil, []byte(c.body))
		if got := strings.Join(texts(p), " "); got != c.want {
			t.Errorf("%s: links %q, want %q", c.name, got, c.want)
		}
	}
	p := HTML(pageURL(t), "text/html; charset=koi8-r", nil, []byte("<link rel=canonical href='/?q=\xd4'><link rel=alternate hreflang=ru href='/r?q=\xd4'>"))
	if got := shortened(append(p.Alternates, p.Canonical)...); got != "/r?q=%D4 /?q=%D4" {
		t.Errorf("links of the head: %q", got)
	}
}
