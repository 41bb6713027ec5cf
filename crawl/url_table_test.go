package crawl

import (
	"strings"
	"testing"
)

// link is a link on a page and the URL it leads to; "" where it leads nowhere we go.
type link struct{ ref, want string }

// linksByPage are links by the page they are on; "" is no page.
var linksByPage = map[string][]link{
	"": {
		// Scheme and authority.
		{"http://a.example", "http://a.example/"}, {"https://a.example", "https://a.example/"}, {"HtTpS://a.example", "https://a.example/"},
		{"http:a.example", "http://a.example/"}, {"http:/a.example", "http://a.example/"}, {"http:///a.example/b", "http://a.example/b"},
		{"http:\\\\a.example\\b", "http://a.example/b"}, {"\thttp://a.ex\nample/\r\n", "http://a.example/"}, {"\x00\x1f http://a.example/ \x0b", "http://a.example/"},
		{"http", ""}, {"http:", ""}, {"http:/", ""}, {"http://", ""}, {"http://?q", ""}, {"http://#f", ""}, {"//a.example/", ""}, {"/a", ""}, {"?a", ""}, {"#a", ""},
		{"ftp://a.example/", ""}, {"ws://a.example/", ""}, {"file:///etc/passwd", ""}, {"data:text/html,x", ""}, {"about:blank", ""}, {"blob:http://a.example/1", ""},
		{"view-source:http://a.example/", ""}, {"urn:isbn:1", ""}, {"JavaScript:alert(1)", ""}, {"h ttp://a.example/", ""}, {"1http://a.example/", ""},
		// User, port.
		{"http://u@a.example/", "http://a.example/"}, {"http://u:p@a.example/", "http://a.example/"}, {"http://u:p@q@a.example/", "http://a.example/"},
		{"http://:@a.example/", "http://a.example/"}, {"http://u@/", ""}, {"http://@/", ""}, {"http://a.example@b.example/", "http://b.example/"},
		{"http://a.example:80/", "http://a.example/"}, {"https://a.example:80/", "https://a.example:80/"}, {"https://a.example:443", "https://a.example/"},
		{"http://a.example:/", "http://a.example/"}, {"http://a.example:0080/", "http://a.example/"}, {"http://a.example:65535/", "http://a.example:65535/"},
		{"http://a.example:65536/", ""}, {"http://a.example:8o/", ""}, {"http://a.example:-1/", ""}, {"http://a.example:80:80/", ""}, {"http://:80/", ""},
		// Names.
		{"http://A.EXAMPLE/", "http://a.example/"}, {"http://%61.example/", "http://a.example/"}, {"http://a%2Eexample/", "http://a.example/"},
		{"http://a。example/", "http://a.example/"}, {"http://a.example./", "http://a.example/"}, {"http://a.example../", ""}, {"http://.a.example/", ""},
		{"http://a..example/", ""}, {"http://a_b.example/", "http://a_b.example/"}, {"http://-a-.example/", "http://-a-.example/"}, {"http://a/", "http://a/"},
		{"http://a b.example/", ""}, {"http://a%20b.example/", ""}, {"http://a<b.example/", ""}, {"http://a^b.example/", ""}, {"http://a|b.example/", ""},
		{"http://a%2fb.example/", ""}, {"http://a%00.example/", ""}, {"http://a%.example/", ""}, {"http://a%2541.example/", ""}, {"http://%5B::1]/", ""},
		{"http://a\u00adb.example/", "http://ab.example/"}, {"http://\u00ad/", ""}, {"http://a\u2025b.example/", ""}, {"http://a\ufffd.example/", ""}, {"http://a%ff.example/", ""},
		{"http://a!$&'()*+,;=~.example/", "http://a!$&'()*+,;=~.example/"},
		// International names.
		{"http://BÜCHER.example/", "http://xn--bcher-kva.example/"}, {"http://b%C3%BCcher.example/", "http://xn--bcher-kva.example/"},
		{"http://bu\u0308cher.example/", "http://xn--bcher-kva.example/"}, {"http://XN--bcher-KVA.example/", "http://xn--bcher-kva.example/"},
		{"http://straße.example/", "http://xn--strae-oqa.example/"}, {"http://STRAẞE.example/", "http://xn--strae-oqa.example/"},
		{"http://日本語.example/", "http://xn--wgv71a119e.example/"}, {"http://例え.テスト/", "http://xn--r8jz45g.xn--zckzah/"}, {"http://ａ.example/", "http://a.example/"},
		{"http://№.example/", "http://no.example/"}, {"http://Ӏ.example/", "http://xn--s5a.example/"}, {"http://Ⴀ.example/", "http://xn--rkj.example/"},
		{"http://a\u180eb.example/", "http://ab.example/"}, {"http://≠.example/", "http://xn--1ch.example/"}, {"http://=\u0338.example/", "http://xn--1ch.example/"},
		{"http://xn--.example/", "http://xn--.example/"}, {"http://xn--a.example/", "http://xn--a.example/"}, {"http://xn--a.bücher.example/", ""},
		{"http://yn--a.example/", "http://yn--a.example/"}, {"http://yn--xn--a.example/", "http://yn--xn--a.example/"}, {"http://xn--yn--a.example/", "http://xn--yn--a.example/"},
		{"http://a\u200db.example/", ""}, {"http://אa.example/", ""}, {"http://\u0300a.example/", ""}, {"http://xn--bücher.example/", ""}, {"http://℀.example/", ""},
		// Addresses.
		{"http://127.0.0.1/", "http://127.0.0.1/"}, {"http://127.1/", "http://127.0.0.1/"}, {"http://2130706433/", "http://127.0.0.1/"}, {"http://0x7f000001/", "http://127.0.0.1/"},
		{"http://0177.0.0.01/", "http://127.0.0.1/"}, {"http://127.0.0.1./", "http://127.0.0.1/"}, {"http://0/", "http://0.0.0.0/"}, {"http://0x/", "http://0.0.0.0/"},
		{"http://１２７.0.0.1/", "http://127.0.0.1/"}, {"http://256.0.0.1/", ""}, {"http://1.2.3.4.5/", ""}, {"http://1.2.3.08/", ""}, {"http://a.1/", ""}, {"http://4294967296/", ""},
		{"http://1.2.3.4a/", "http://1.2.3.4a/"}, {"http://0x7f.a/", "http://0x7f.a/"}, {"http://a.0x1g/", "http://a.0x1g/"}, {"http://a.0x1/", ""},
		{"http://[::1]/", "http://[::1]/"}, {"http://[0:0:0:0:0:0:0:1]/", "http://[::1]/"}, {"http://[2001:DB8::00A]:80/", "http://[2001:db8::a]/"},
		{"http://[::ffff:1.2.3.4]/", "http://[::ffff:102:304]/"}, {"http://[1:0:0:2::]/", "http://[1:0:0:2::]/"}, {"http://[::1/", ""}, {"http://[::1%eth0]/", ""},
		{"http://[1::2::3]/", ""}, {"http://[]/", ""}, {"http://[1:2:3:4:5:6:7:8:9]/", ""}, {"http://[::g]/", ""}, {"http://[::1]a/", ""},
		// Path.
		{"http://a.example/b/../c", "http://a.example/c"}, {"http://a.example/../../c", "http://a.example/c"}, {"http://a.example/b/./c/.", "http://a.example/b/c/"},
		{"http://a.example/b/..", "http://a.example/"}, {"http://a.example/%2e%2E/c", "http://a.example/c"}, {"http://a.example/b/.%2e/c", "http://a.example/c"},
		{"http://a.example/...", "http://a.example/..."}, {"http://a.example/.b", "http://a.example/.b"}, {"http://a.example//b//", "http://a.example//b//"},
		{"http://a.example/b\\c", "http://a.example/b/c"}, {"http://a.example/b%5Cc", "http://a.example/b%5Cc"}, {"http://a.example/b\tc", "http://a.example/bc"},
		{"http://a.example/B", "http://a.example/B"}, {"http://a.example/ü", "http://a.example/%C3%BC"}, {"http://a.example/%c3%bc", "http://a.example/%C3%BC"},
		{"http://a.example/b c", "http://a.example/b%20c"}, {"http://a.example/b c #d", "http://a.example/b%20c%20"}, {"http://a.example/b c ", "http://a.example/b%20c"},
		{"http://a.example/\"<>`{}^", "http://a.example/%22%3C%3E%60%7B%7D%5E"}, {"http://a.example/|[]", "http://a.example/%7C%5B%5D"},
		{"http://a.example/!$&'()*+,;=:@", "http://a.example/!$&'()*+,;=:@"}, {"http://a.example/%7Eb%2Dc%5f", "http://a.example/~b-c_"},
		{"http://a.example/%21%2f%3f%23", "http://a.example/%21%2F%3F%23"}, {"http://a.example/100%", "http://a.example/100%"}, {"http://a.example/%zz%4", "http://a.example/%zz%4"},
		{"http://a.example/%%41", "http://a.example/%%41"}, {"http://a.example/%2541", "http://a.example/%2541"}, {"http://a.example/\x7f\x01b", "http://a.example/%7F%01b"},
		{"http://a.example/\xff", "http://a.example/%EF%BF%BD"}, {"http://a.example/\ufeff", "http://a.example/%EF%BB%BF"}, {"http://a.example/\U0001f600", "http://a.example/%F0%9F%98%80"},
		{"http://a.example/;p=1/b", "http://a.example/;p=1/b"}, {"http://a.example/C:/x", "http://a.example/C:/x"}, {"http://a.example/C|/x", "http://a.example/C%7C/x"},
		// Query and fragment.
		{"http://a.example?b", "http://a.example/?b"}, {"http://a.example/?", "http://a.example/"}, {"http://a.example/?#b", "http://a.example/"}, {"http://a.example/??", "http://a.example/??"}, {"http://a.example/??#", "http://a.example/??"}, {"http://a.example???#b", "http://a.example/???"},
		{"http://a.example/#", "http://a.example/"}, {"http://a.example/#b?c#d", "http://a.example/"}, {"http://a.example/?b=c&d", "http://a.example/?b=c&d"},
		{"http://a.example/?ü=ß", "http://a.example/?%C3%BC=%C3%9F"}, {"http://a.example/?'\"<> ", "http://a.example/?%27%22%3C%3E"}, {"http://a.example/?a b", "http://a.example/?a%20b"},
		{"http://a.example/?`{}^|[]\\", "http://a.example/?%60%7B%7D%5E%7C%5B%5D%5C"}, {"http://a.example/?b/../c", "http://a.example/?b/../c"}, {"http://a.example/?%2E%2e=%3d", "http://a.example/?..=%3D"},
		{"http://a.example/?a+b", "http://a.example/?a+b"}, {"http://a.example/?%", "http://a.example/?%"},
	},
	"https://www.a.example:8443/b/c/d.html?e=f": {
		{"", "https://www.a.example:8443/b/c/d.html?e=f"}, {"#", "https://www.a.example:8443/b/c/d.html?e=f"}, {" \t", "https://www.a.example:8443/b/c/d.html?e=f"},
		{"?", "https://www.a.example:8443/b/c/d.html"}, {"?#", "https://www.a.example:8443/b/c/d.html"}, {"??#", "https://www.a.example:8443/b/c/d.html??"}, {"g?#", "https://www.a.example:8443/b/c/g"}, {"?g", "https://www.a.example:8443/b/c/d.html?g"}, {"?g#h", "https://www.a.example:8443/b/c/d.html?g"},
		{".", "https://www.a.example:8443/b/c/"}, {"./", "https://www.a.example:8443/b/c/"}, {"..", "https://www.a.example:8443/b/"}, {"../", "https://www.a.example:8443/b/"},
		{"../..", "https://www.a.example:8443/"}, {"../../../x", "https://www.a.example:8443/x"}, {"./../x", "https://www.a.example:8443/b/x"}, {"x/../y", "https://www.a.example:8443/b/c/y"},
		{"%2e%2e/x", "https://www.a.example:8443/b/x"}, {"..x", "https://www.a.example:8443/b/c/..x"}, {".x/", "https://www.a.example:8443/b/c/.x/"}, {"x//y", "https://www.a.example:8443/b/c/x//y"},
		{"/x", "https://www.a.example:8443/x"}, {"/", "https://www.a.example:8443/"}, {"\\x", "https://www.a.example:8443/x"}, {"//b.example", "https://b.example/"},
		{"\\\\b.example\\x", "https://b.example/x"}, {"///b.example/x", "https://b.example/x"}, {"//b.example:443/", "https://b.example/"}, {"//", ""}, {"//:80", ""},
		{"https:x", "https://www.a.example:8443/b/c/x"}, {"https:/x", "https://www.a.example:8443/x"}, {"https://x", "https://x/"}, {"http:x", "http://x/"},
		{"HTTPS:?y", "https://www.a.example:8443/b/c/d.html?y"}, {"https:#y", "https://www.a.example:8443/b/c/d.html?e=f"}, {"https:", "https://www.a.example:8443/b/c/d.html?e=f"},
		{"x:y", ""}, {"mailto:x", ""}, {"x.y:z", ""}, {"./x:y", "https://www.a.example:8443/b/c/x:y"}, {"x/y:z", "https://www.a.example:8443/b/c/x/y:z"}, {":x", "https://www.a.example:8443/b/c/:x"},
		{"1:x", "https://www.a.example:8443/b/c/1:x"}, {"java\tscript:x", ""}, {" x ", "https://www.a.example:8443/b/c/x"}, {"x y", "https://www.a.example:8443/b/c/x%20y"},
		{"x\ny", "https://www.a.example:8443/b/c/xy"}, {"ü?ü#ü", "https://www.a.example:8443/b/c/%C3%BC?%C3%BC"}, {"x?y=http://z/", "https://www.a.example:8443/b/c/x?y=http://z/"},
		{"%7e", "https://www.a.example:8443/b/c/~"}, {"x;y=1", "https://www.a.example:8443/b/c/x;y=1"}, {"x?\u00e4=%e4", "https://www.a.example:8443/b/c/x?%C3%A4=%E4"},
	},
	"http://a.example": {{"x", "http://a.example/x"}, {"..", "http://a.example/"}, {"?x", "http://a.example/?x"}, {"../x/.", "http://a.example/x/"}, {"./", "http://a.example/"}},
	"http://a.example/b//c": {
		{"d", "http://a.example/b//d"}, {"../d", "http://a.example/b/d"}, {"../../d", "http://a.example/d"}, {"/d//e/..", "http://a.example/d//"}, {"?d", "http://a.example/b//c?d"},
	},
	"http://[2001:db8::1]:8080/x/": {{"y", "http://[2001:db8::1]:8080/x/y"}, {"/y", "http://[2001:db8::1]:8080/y"}, {"//[::2]/", "http://[::2]/"}},
	"http://xn--a.example/x":       {{"y", "http://xn--a.example/y"}, {"/ü", "http://xn--a.example/%C3%BC"}, {"//bücher.example", "http://xn--bcher-kva.example/"}},
}

func TestURL_Links(t *testing.T) {
	n := 0
	for page, links := range linksByPage {
		for _, l := range links {
			n++
			parse := ParseURL
			if page != "" {
				base, err := ParseURL(page)
				if err != nil {
					t.Fatal(err)
				}
				parse = base.Resolve
			}
			u, err := parse(l.ref)
			if u.String() != l.want || (err == nil) != (l.want != "") {
				t.Errorf("%q on %q = %q, %v, want %q", l.ref, page, u, err, l.want)
				continue
			}
			if l.want == "" {
				continue
			}
			if again, err := ParseURL(l.want); err != nil || again != u {
				t.Errorf("%q on %q: %#v is not canonical: %#v, %v", l.ref, page, u, again, err)
			}
		}
	}
	if n < 180 {
		t.Errorf("%d links, want 180 at least", n)
	}
}

// Characters that RFC 3986 does not allow have one spelling, in a path and in a
// query, read fast or by the standard.
func TestURL_OneSpelling(t *testing.T) {
	for _, c := range []struct{ a, b string }{
		{"/?f[0]=a", "/?f%5B0%5D=a"}, {"/?t=A|B", "/?t=A%7CB"}, {"/a|b", "/a%7cb"}, {"/w[1]", "/w%5B1%5d"}, {"/k?x={1}", "/k?x=%7B1%7D"}, {"/k?x=^", "/k?x=%5E"},
		{"/k?x=`", "/k?x=%60"}, {"/k?x=\\", "/k?x=%5C"}, {"/k?x=\"<>", "/k?x=%22%3C%3E"}, {"/k?x=a b", "/k?x=a%20b"}, {"/`{}^", "/%60%7b%7D%5e"}, {"/{a}/[b]?c|d", "/%7Ba%7D/%5Bb%5D?c%7Cd"},
		{"/x/../[", "/%5B"}, {"/?x=ü|", "/?x=%C3%BC%7C"}, {"/?%[", "/?%%5B"}, {"/?'[", "/?%27%5B"},
	} {
		for _, host := range []string{"http://h.example", "http://user@h.example:80"} {
			a, b := mustParse(t, host+c.a), mustParse(t, host+c.b)
			if a != b {
				t.Errorf("%s and %s are two pages: %s and %s", c.a, c.b, a, b)
			}
			if again := mustParse(t, a.String()); again != a || strings.ContainsAny(a.String(), "[]|{}^`\\\"<> ") {
				t.Errorf("%s is %s, and that is %s", c.a, a, again)
			}
		}
	}
}

// These pairs differ for a server, so they stay two pages.
func TestURL_TwoPages(t *testing.T) {
	for _, c := range []struct{ a, b string }{
		{"/a%2Fb", "/a/b"}, {"/?a%26b", "/?a&b"}, {"/?a+b", "/?a%20b"}, {"/?a%2Bb", "/?a+b"}, {"/it's", "/it%27s"}, {"/a;b", "/a%3Bb"}, {"/?a%3Db", "/?a=b"}, {"/%2541", "/A"},
		{"/?q=%u0442", "/?q=%25u0442"}, {"/a!", "/a%21"}, {"/100%", "/100%25"}, {"/?[", "/?]"}, {"/p(1)", "/p%281%29"},
	} {
		if a, b := mustParse(t, "http://h.example"+c.a), mustParse(t, "http://h.example"+c.b); a == b {
			t.Errorf("%s and %s are one page", c.a, c.b)
		}
	}
}
