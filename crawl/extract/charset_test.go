package extract

import (
	"reflect"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"github.com/forage-net/forage/crawl/extract/charset"
)

func TestHTML_Charset(t *testing.T) {
	latin1 := "<a href=caf\xe9>"
	for _, c := range []struct{ name, contentType, body, charset, want string }{
		{"header", "text/html; charset=ISO-8859-1", latin1, "windows-1252", "/dir/caf%C3%A9"},
		{"quoted, not first", `text/html; x=y; Charset="utf-8"`, "<a href=é>", "utf-8", "/dir/%C3%A9"},
		{"given twice", "text/html; charset=utf-8; charset=latin1", "<a href=é>", "utf-8", "/dir/%C3%A9"},
		{"meta", "text/html", "<meta charset=iso-8859-2><a href=\xe8>", "iso-8859-2", "/dir/%C4%8D"},
		{"meta pragma", "text/html", "<meta http-equiv=Content-Type content='text/html; charset=koi8-r'><a href=\xc1>", "koi8-r", "/dir/%D0%B0"},
		{"pragma alone", "text/html", "<meta content='text/html; charset=koi8-r'><a href=é>", "utf-8", "/dir/%C3%A9"},
		{"meta late", "text/html", strings.Repeat(" ", 1024) + "<meta charset=iso-8859-2><a href=\xe8>", "iso-8859-2", "/dir/%C4%8D"},
		{"meta late, behind links", "text/html", strings.Repeat("<a href=\xe8>", 200) + "<meta charset=iso-8859-2><a href=x>", "iso-8859-2", "/dir/%C4%8D /dir/x"},
		{"meta late, two", "text/html", strings.Repeat(" ", 1024) + "<meta charset=nonsense><meta charset=koi8-r><meta charset=iso-8859-2><a href=\xc1>", "koi8-r", "/dir/%D0%B0"},
		{"meta late, pragma", "text/html", strings.Repeat(" ", 1024) + "<meta http-equiv=content-type content='text/html;charset=big5'><a href=\xa4\xa4>", "big5", "/dir/%E4%B8%AD"},
		{"meta late, in spite of UTF-8", "text/html", "<a href=é>" + strings.Repeat(" ", 1024) + "<meta charset=koi8-r>", "koi8-r", "/dir/%D1%86%E2%95%98"},
		{"meta late, UTF-8", "text/html", "<a href=é\xff>" + strings.Repeat(" ", 1024) + "<meta charset=utf-8>", "utf-8", "/dir/%C3%A9%EF%BF%BD"},
		{"meta late, utf-16", "text/html", "<a href=é\xff>" + strings.Repeat(" ", 1024) + "<meta charset=utf-16>", "utf-8", "/dir/%C3%A9%EF%BF%BD"},
		{"meta late, x-user-defined", "text/html", strings.Repeat(" ", 1024) + "<meta charset=x-user-defined><a href=\xe9>", "windows-1252", "/dir/%C3%A9"},
		{"meta late, but a header", "text/html; charset=iso-8859-1", strings.Repeat(" ", 1024) + "<meta charset=koi8-r><a href=\xc1>", "windows-1252", "/dir/%C3%81"},
		{"meta late, but an early one", "text/html", "<meta charset=iso-8859-1>" + strings.Repeat(" ", 1024) + "<meta charset=koi8-r><a href=\xc1>", "windows-1252", "/dir/%C3%81"},
		{"meta late, but a mark", "text/html", "\xef\xbb\xbf" + strings.Repeat(" ", 1024) + "<meta charset=koi8-r><a href=é>", "utf-8", "/dir/%C3%A9"},
		{"meta late, but UTF-16", "text/html", utf16le("<!DOCTYPE html><p>" + strings.Repeat(" ", 1024) + "<meta charset=koi8-r><a href=é>"), "utf-16le", "/dir/%C3%A9"},
		{"meta late, in a script", "text/html", strings.Repeat(" ", 1024) + "<script>'<meta charset=koi8-r>'</script><a href=\xc1>", "windows-1252", "/dir/%C3%81"},
		{"meta late, behind a script", "text/html", "<head><script>" + strings.Repeat("x", 3000) + "</script><meta charset=windows-1251><a href=\xcf>", "windows-1251", "/dir/%D0%9F"},
		{"meta late, in a comment", "text/html", strings.Repeat(" ", 1024) + "<!--<meta charset=koi8-r>--><a href=\xc1>", "windows-1252", "/dir/%C3%81"},
		{"meta late, XHTML", "application/xhtml+xml", strings.Repeat(" ", 1024) + "<meta charset='koi8-r'/><a href='\xc1'/>", "windows-1252", "/dir/%C3%81"},
		{"meta says utf-16", "text/html", "<meta charset=utf-16><a href=é>", "utf-8", "/dir/%C3%A9"},
		{"header wins over meta", "text/html; charset=utf-8", "<meta charset=iso-8859-2><a href=é>", "utf-8", "/dir/%C3%A9"},
		{"unknown label", "text/html; charset=nonsense", "<meta charset=iso-8859-2><a href=\xe8>", "iso-8859-2", "/dir/%C4%8D"},
		{"mark wins over header", "text/html; charset=latin1", "\xef\xbb\xbf<a href=é>", "utf-8", "/dir/%C3%A9"},
		{"nothing, valid", "text/html", "<a href=é>", "utf-8", "/dir/%C3%A9"},
		{"nothing, cut off", "text/html", "<a href=é>\xe3\x83", "utf-8", "/dir/%C3%A9"},
		{"nothing, not valid", "text/html", latin1, "windows-1252", "/dir/caf%C3%A9"},
		{"query, too", "text/html; charset=latin1", "<a href=?\xe9>", "windows-1252", "/dir/page.html?%E9"},
		{"ASCII", "text/html; charset=shift_jis", "<a href=x>", "shift_jis", "/dir/x"},
		{"Shift_JIS", "text/html; charset=shift_jis", "<a href=\x83\x5c>", "shift_jis", "/dir/%E3%82%BD"},
		{"not like ASCII", "text/html; charset=iso-2022-jp", "<a href=\x1b$B%D\x1b(B>", "iso-2022-jp", "/dir/%E3%83%84"},
		{"UTF-16 with mark", "", utf16le("\ufeff<a href=é>"), "utf-16le", "/dir/%C3%A9"},
		{"UTF-16 by header", "text/html; charset=utf-16le", utf16le("<a href=é>"), "utf-16le", "/dir/%C3%A9"},
		{"UTF-16, big end first", "", "\xfe\xff\x00<\x00a\x00 \x00h\x00r\x00e\x00f\x00=\x30\xc4\x00>", "utf-16be", "/dir/%E3%83%84"},
		{"UTF-16 without anything", "text/html", utf16le("<!DOCTYPE html><a href=é>"), "utf-16le", "/dir/%C3%A9"},
		{"UTF-16 without anything, big end first", "", utf16be("<html lang=ja><p>日本<a href=é>"), "utf-16be", "/dir/%C3%A9"},
		{"UTF-16 without mark, XML", "", utf16be("<?xml version='1.0'?><a href=é>"), "utf-16be", "/dir/%C3%A9"},
		{"UTF-16, but the header says no", "text/html; charset=utf-8", utf16le("<!DOCTYPE html><a href=x>"), "utf-8", ""},
		{"UTF-16, mark before header", "text/html; charset=utf-8", "\xff\xfe" + utf16le("<a href=é>"), "utf-16le", "/dir/%C3%A9"},
		{"a few zeros", "text/html", "<a href=x>\x00a\x00b\x00c\x00d\x00", "utf-8", "/dir/x"},
		{"zeros on both sides", "text/html", "<a href=x>" + strings.Repeat("\x00", 100), "utf-8", "/dir/x"},
		{"zeros late", "text/html", "<a href=x>" + strings.Repeat(" ", 2000) + strings.Repeat("a\x00", 100), "utf-8", "/dir/x"},
		{"XML declaration", "application/xhtml+xml", "<?xml version='1.0' encoding = 'iso-8859-2'?><a href='\xe8'/>", "iso-8859-2", "/dir/%C4%8D"},
		{"meta before XML declaration", "", "<?xml encoding='iso-8859-2'?><meta charset=koi8-r><a href=\xc1>", "koi8-r", "/dir/%D0%B0"},
		{"XML declaration, broken", "", "<?xml encoding=iso-8859-2?><a href=\xe8>", "windows-1252", "/dir/%C3%A8"},
		{"XML declaration, not first", "", " <?xml encoding='iso-8859-2'?><a href=\xe8>", "windows-1252", "/dir/%C3%A8"},
		{"meta at the last byte", "text/html", strings.Repeat(" ", 1024-len("<meta charset=koi8-r>")) + "<meta charset=koi8-r><a href=\xc1>", "koi8-r", "/dir/%D0%B0"},
		{"meta one byte further", "text/html", strings.Repeat(" ", 1025-len("<meta charset=koi8-r>")) + "<meta charset=koi8-r><a href=\xc1>", "koi8-r", "/dir/%D0%B0"},
		{"meta in a script", "text/html", "<script>'<meta charset=koi8-r>'</script><a href=\xc1>", "koi8-r", "/dir/%D0%B0"},
		{"meta in a comment", "text/html", "<!--<meta charset=koi8-r>--><a href=\xc1>", "windows-1252", "/dir/%C3%81"},
		{"second meta", "text/html", "<meta charset=nonsense><meta charset=koi8-r><a href=\xc1>", "koi8-r", "/dir/%D0%B0"},
		{"meta says x-user-defined", "text/html", "<meta charset=x-user-defined><a href=\xe9>", "windows-1252", "/dir/%C3%A9"},
		{"header says x-user-defined", "text/html; charset=x-user-defined", "<a href=\x80>", "x-user-defined", "/dir/%EF%9E%80"},
		{"legacy, undefined byte", "text/html; charset=iso-8859-3", "<a href=\xa5>", "iso-8859-3", "/dir/%EF%BF%BD"},
		{"legacy with references", "text/html; charset=iso-8859-7", "<a href='\xe1&amp;\xe2&eacute;'>", "iso-8859-7", "/dir/%CE%B1&%CE%B2%C3%A9"},
		{"GBK", "text/html; charset=gb2312", "<a href=\xc4\xe3>", "gbk", "/dir/%E4%BD%A0"},
		{"Big5", "text/html; charset=big5", "<a href=\xa7\x41>", "big5", "/dir/%E4%BD%A0"},
		{"EUC-JP", "text/html; charset=euc-jp", "<a href=\xa4\xc4>", "euc-jp", "/dir/%E3%81%A4"},
		{"never read", "text/html; charset=hz-gb-2312", "<a href=x>", "replacement", ""},
		{"empty", "text/html", "", "utf-8", ""},
	} {
		p := HTML(pageURL(t), c.contentType, nil, []byte(c.body))
		if got := strings.Join(texts(p), " "); got != c.want || p.Charset != c.charset {
			t.Errorf("%s: %s with links %q, want %s with %q", c.name, p.Charset, got, c.charset, c.want)
		}
	}
}

// Bytes of a legacy encoding are read where they stand; that must be the same
// as decoding the page first.
func TestHTML_ReadsLegacyTextAsIfDecoded(t *testing.T) {
	var high strings.Builder
	for c := 0x80; c < 0x100; c++ {
		high.WriteByte(byte(c))
	}
	body := "<title>" + high.String()[:60] + "&amp;</title><a href='/" + high.String() + "&amp;" + high.String() + "'><base href='/" + high.String() + "/'>" +
		"<link rel=canonical href=" + high.String()[:9] + "><\xe1 a><a \xe2 href=x\xe3><meta name=robots content='\xa0noarchive'>"
	for _, label := range []string{"windows-1252", "windows-1251", "iso-8859-2", "iso-8859-8", "koi8-u", "ibm866", "macintosh", "windows-874", "x-user-defined"} {
		e, name := charset.Lookup(label)
		var decoded strings.Builder
		for i := range len(body) {
			decoded.WriteRune(charset.DecodeByte(e.(*charmap.Charmap), body[i]))
		}
		got, want := HTML(pageURL(t), "text/html; charset="+label, nil, []byte(body)), HTML(pageURL(t), htmlType, nil, []byte(decoded.String()))
		if want.Charset = name; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", label, got, want)
		}
	}
}

// The tests let a declaration anywhere in a page count, as for a browser, which
// reads such a page twice; and for a page without one they expect the default,
// where we look whether it is UTF-8.
func TestDeclared_FindsWhatHTML5LibExpects(t *testing.T) {
	checked := 0
	for _, c := range html5libCases(t) {
		if c.encoding == "" {
			continue
		}
		checked++
		text, got := charset.SniffMark(c.data)
		if got == "" {
			got = declared(text)
		}
		if got == "" {
			got = charset.Default
		}
		if _, want := charset.Lookup(c.encoding); got != want {
			t.Errorf("%s: encoding of %.300q is %s, want %s", c.name, c.data, got, want)
		}
	}
	if checked < 82 {
		t.Errorf("checked %d pages, want 82", checked)
	}
}
