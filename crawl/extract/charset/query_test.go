package charset

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
)

func TestQueryEncoder(t *testing.T) {
	for _, c := range []struct{ label, in, want string }{
		{"windows-1251", "тест€ü", "%F2%E5%F1%F2%88%26%23252%3B"},
		{"koi8-r", "тест€", "%D4%C5%D3%D4%26%238364%3B"},
		{"windows-1252", "ärger €5 日", "%E4rger%20%805%20%26%2326085%3B"},
		{"iso-8859-1", "é\u0081", "%E9%81"},
		{"windows-1251", "\u0080\u0098", "%26%23128%3B%98"},
		{"iso-8859-2", "žluť¢", "%BElu%BB%26%23162%3B"},
		{"windows-1250", "łódź", "%B3%F3d%9F"},
		{"iso-8859-7", "αβγ", "%E1%E2%E3"},
		{"windows-1254", "ığş", "%FD%F0%FE"},
		{"windows-874", "ไทย", "%E4%B7%C2"},
		{"shift_jis", "日本ソ表ｶﾅ−¥‾ⅱ♥\u0080", `%93%FA%96{%83\%95\%B6%C5%81|\~%FAA%26%239829%3B%80`},
		{"euc-jp", "日本ｶ丂−¥", `%C6%FC%CB%DC%8E%B6%26%2319970%3B%A1%DD\`},
		{"iso-2022-jp", "aツb", "a%1B$B%D%1B(Bb"},
		{"iso-2022-jp", "日😀本", `%1B$BF|%1B(B%26%23128512%3B%1B$BK\%1B(B`},
		{"iso-2022-jp", "¥\\ｶﾞa‾~", `%1B(J\%1B(B\%1B$B%+!+%1B(Ba%1B(J~%1B(B~`},
		{"iso-2022-jp", "日\x0e−\x1b", "%1B$BF|%1B(B%26%2365533%3B%1B$B!]%1B(B%26%2365533%3B"},
		{"gbk", "中文€😀", "%D6%D0%CE%C4%80%26%23128512%3B"},
		{"gb2312", "漢字", "%9Dh%D7%D6"},
		{"gb18030", "中€😀ü\ue5e5", "%D6%D0%A2%E3%949%FC6%A8%B9%26%2358853%3B"},
		{"big5", "港渝中文十═𠀡é", "%B4%E4%B4%FC%A4%A4%A4%E5%A4Q%F9%F9%26%23131105%3B%26%23233%3B"},
		{"euc-kr", "한국똠†😀", "%C7%D1%B1%B9%8Cc%A2%D3%26%23128512%3B"},
		{"x-user-defined", "\uf780", "%80"},
		// ASCII stays as the link has it.
		{"koi8-r", "п'\"<> %d0&+=", "%D0%27%22%3C%3E%20%d0&+="},
		{"koi8-r", "п\t\r\nп \n", "%D0%D0%20"},
	} {
		q := QueryEncoder{charset: nameOf(t, c.label)}
		if got := string(q.Encode([]byte("/ü?" + c.in + "#日"))); got != "/ü?"+c.want {
			t.Errorf("%s: query %q is %q, want %q", c.label, c.in, got, "/ü?"+c.want)
		}
	}
}

func nameOf(t *testing.T, label string) string {
	t.Helper()
	_, name := Lookup(label)
	if name == "" {
		t.Fatalf("no encoding %s", label)
	}
	return name
}

func TestQueryEncoder_LeavesTheRestAlone(t *testing.T) {
	for _, c := range []struct{ charset, link string }{
		{"", "/?ü"}, {"koi8-r", "/п"}, {"koi8-r", "/п#?п"}, {"koi8-r", "/?a=%D0 b#c"}, {"koi8-r", "?"}, {"koi8-r", ""},
		{"koi8-r", "/?" + strings.Repeat("п", MaxLink)}, {"nonsense", "/?п"},
	} {
		q := QueryEncoder{charset: c.charset}
		if got := string(q.Encode([]byte(c.link))); got != c.link {
			t.Errorf("%s: %.40q became %.40q", c.charset, c.link, got)
		}
	}
}

// An encoding reads back the letters that it wrote.
func TestEncoders_AgreeWithDecoders(t *testing.T) {
	for _, label := range []string{"big5", "euc-kr", "euc-jp", "shift_jis", "gbk", "gb18030", "iso-2022-jp", "windows-1252", "koi8-u", "windows-1255"} {
		e, err := htmlindex.Get(label)
		if err != nil {
			t.Fatal(err)
		}
		encode, written := encoderOf(nameOf(t, label)), 0
		for r := rune(0xa0); r < 0x2fa20; r++ {
			if r == yen || r == overline || r == minus || label == "iso-2022-jp" && firstHalf <= r && r <= lastHalf || !utf8.ValidRune(r) || unicode.Is(unicode.Co, r) {
				continue
			}
			text, missing, ok := encode.encode(nil, r)
			text = encode.finish(text)
			if !ok {
				if missing != r {
					t.Fatalf("%s: %U is called %U", label, r, missing)
				}
				continue
			}
			written++
			if r%7 != 0 {
				continue // a decoder takes its time
			}
			if got, err := e.NewDecoder().String(string(text)); err != nil || got != string(r) {
				t.Fatalf("%s: %U is % x, which reads as %q, %v", label, r, text, got, err)
			}
		}
		if least := map[string]int{"windows-1252": 120, "koi8-u": 120, "windows-1255": 90}[label]; written < max(least, 90) || least == 0 && written < 6000 {
			t.Errorf("%s: %d characters", label, written)
		}
	}
}

// The file is percent-encoding.json of the web platform tests.
func TestQueryEncoder_WebPlatformVectors(t *testing.T) {
	data, err := os.ReadFile("../../../../shared/vectors/url/wpt_percent-encoding.json")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the URL vectors are not here")
	} else if err != nil {
		t.Fatal(err)
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, r := range raw {
		var c struct {
			Input  string
			Output map[string]string
		}
		if r[0] == '"' {
			continue
		}
		if err := json.Unmarshal(r, &c); err != nil {
			t.Fatal(err)
		}
		for label, want := range c.Output {
			if label == UTF8 || IsASCII([]byte(c.Input)) && label == "big5" {
				continue
			}
			checked++
			q := QueryEncoder{charset: nameOf(t, label)}
			if got := string(q.Encode([]byte("?" + c.Input))); got != "?"+want {
				t.Errorf("%s: %q is %q, want %q", label, c.Input, got, "?"+want)
			}
		}
	}
	if checked != 8 {
		t.Errorf("checked %d, want 8", checked)
	}
}

func FuzzQueryEncoder(f *testing.F) {
	labels := []string{"big5", "euc-kr", "euc-jp", "shift_jis", "gbk", "gb18030", "iso-2022-jp", "windows-1252", "koi8-u", "x-user-defined"}
	f.Add("/a?日\x1b本#x", uint8(6))
	f.Add("?é&\xff", uint8(7))
	f.Fuzz(func(t *testing.T, link string, which uint8) {
		q := QueryEncoder{charset: nameOf(t, labels[int(which)%len(labels)])}
		once := string(q.Encode([]byte(link)))
		_, query, _ := strings.Cut(once, "?")
		if once != link && !IsASCII([]byte(query)) {
			t.Errorf("%q became %q", link, once)
		}
		if again := string(q.Encode([]byte(once))); again != once && !strings.ContainsAny(once, " ") && IsASCII([]byte(query)) && once != link {
			t.Errorf("%q became %q, and then %q", link, once, again)
		}
	})
}
