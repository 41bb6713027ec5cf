package extract

import (
	"strings"
	"testing"

	"golang.org/x/net/html/charset"
)

func TestHTML_Charset(t *testing.T) {
	latin1 := "<a href=caf\xe9>"
	utf16le := func(s string) string {
		var b strings.Builder
		for _, c := range s {
			b.Write([]byte{byte(c), byte(c >> 8)})
		}
		return b.String()
	}
	for _, c := range []struct{ name, contentType, body, charset, want string }{
		{"header", "text/html; charset=ISO-8859-1", latin1, "windows-1252", "/dir/caf%C3%A9"},
		{"quoted, not first", `text/html; x=y; Charset="utf-8"`, "<a href=é>", "utf-8", "/dir/%C3%A9"},
		{"given twice", "text/html; charset=utf-8; charset=latin1", "<a href=é>", "utf-8", "/dir/%C3%A9"},
		{"meta", "text/html", "<meta charset=iso-8859-2><a href=\xe8>", "iso-8859-2", "/dir/%C4%8D"},
		{"meta pragma", "text/html", "<meta http-equiv=Content-Type content='text/html; charset=koi8-r'><a href=\xc1>", "koi8-r", "/dir/%D0%B0"},
		{"pragma alone", "text/html", "<meta content='text/html; charset=koi8-r'><a href=é>", "utf-8", "/dir/%C3%A9"},
		{"meta too late", "text/html", strings.Repeat(" ", 1024) + "<meta charset=iso-8859-2><a href=\xe8>", "windows-1252", "/dir/%C3%A8"},
		{"meta says utf-16", "text/html", "<meta charset=utf-16><a href=é>", "utf-8", "/dir/%C3%A9"},
		{"header wins over meta", "text/html; charset=utf-8", "<meta charset=iso-8859-2><a href=é>", "utf-8", "/dir/%C3%A9"},
		{"unknown label", "text/html; charset=nonsense", "<meta charset=iso-8859-2><a href=\xe8>", "iso-8859-2", "/dir/%C4%8D"},
		{"mark wins over header", "text/html; charset=latin1", "\xef\xbb\xbf<a href=é>", "utf-8", "/dir/%C3%A9"},
		{"nothing, valid", "text/html", "<a href=é>", "utf-8", "/dir/%C3%A9"},
		{"nothing, cut off", "text/html", "<a href=é>\xe3\x83", "utf-8", "/dir/%C3%A9"},
		{"nothing, not valid", "text/html", latin1, "windows-1252", "/dir/caf%C3%A9"},
		{"query, too", "text/html; charset=latin1", "<a href=?\xe9>", "windows-1252", "/dir/page.html?%C3%A9"},
		{"ASCII", "text/html; charset=shift_jis", "<a href=x>", "shift_jis", "/dir/x"},
		{"Shift_JIS", "text/html; charset=shift_jis", "<a href=\x83\x5c>", "shift_jis", "/dir/%E3%82%BD"},
		{"not like ASCII", "text/html; charset=iso-2022-jp", "<a href=\x1b$B%D\x1b(B>", "iso-2022-jp", "/dir/%E3%83%84"},
		{"UTF-16 with mark", "", utf16le("\ufeff<a href=é>"), "utf-16le", "/dir/%C3%A9"},
		{"UTF-16 by header", "text/html; charset=utf-16le", utf16le("<a href=é>"), "utf-16le", "/dir/%C3%A9"},
		{"UTF-16, big end first", "", "\xfe\xff\x00<\x00a\x00 \x00h\x00r\x00e\x00f\x00=\x30\xc4\x00>", "utf-16be", "/dir/%E3%83%84"},
		{"never read", "text/html; charset=hz-gb-2312", "<a href=x>", "replacement", ""},
		{"empty", "text/html", "", "utf-8", ""},
	} {
		p := HTML(pageURL(t), c.contentType, nil, []byte(c.body))
		if got := strings.Join(texts(p), " "); got != c.want || p.Charset != c.charset {
			t.Errorf("%s: %s with links %q, want %s with %q", c.name, p.Charset, got, c.charset, c.want)
		}
	}
}

// For pages that declare something within reach, the library must say the same.
func TestDecode_AgreesWithLibrary(t *testing.T) {
	for _, body := range html5libCases(t) {
		_, name, _ := charset.DetermineEncoding(body, "")
		s := scratch{}
		_, got := s.decode(body, "")
		if declared(body[:min(len(body), prescanBytes)]) == "" {
			continue // we look at the whole page
		}
		if got != name {
			t.Errorf("encoding of %.300q is %s, want %s", body, got, name)
		}
	}
}
