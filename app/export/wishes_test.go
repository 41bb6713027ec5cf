package export

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/crawl/reserve"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/export"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// answerAt returns a capture of an answer: its head without the status line and
// the empty line, and its body.
func answerAt(url, head, body string) capture.Capture {
	raw := "HTTP/1.1 200 OK\r\n" + head + "\r\n" + body
	return capture.Capture{
		URL: url, Date: exportDate, Request: []byte("GET / HTTP/1.1\r\n\r\n"), Response: []byte(raw), HeadLen: strings.Index(raw, "\r\n\r\n") + 4,
		PayloadDigest: [20]byte(bytes.Repeat([]byte(fmt.Sprintf("%4d", len(url)+len(raw))), 5)), Metadata: [][2]string{{"hopsFromSeed", "1"}},
	}
}

// htmlAt returns a capture of a page with some markup, which links elsewhere.
func htmlAt(url, markup string, head ...string) capture.Capture {
	return answerAt(url, "Content-Type: text/html\r\n"+strings.Join(head, ""), markup+"<a href=https://b.example/>b</a>")
}

// wished are captures by what becomes of them.
func wished() map[export.Wish][]capture.Capture {
	const header = "TDM-Reservation: 1\r\n"
	plain := htmlAt("https://a.example/plain", "")
	hidden := htmlAt("https://a.example/noindex", "<meta name=robots content='noindex, noai'>")
	hidden.NoIndex = true
	return map[export.Wish][]capture.Capture{
		export.None: {
			plain,
			htmlAt("https://a.example/others", "<meta name=otherbot content=noai>", "X-Robots-Tag: otherbot: noai\r\n"),
			htmlAt("https://a.example/two", "", "TDM-Reservation: 2\r\n"),
			htmlAt("https://a.example/page-over-header", "<meta name=tdm-reservation content=0>", header),
			htmlAt("https://c.example/header-over-file", "", "TDM-Reservation: 0\r\n"),
			htmlAt("https://c.example/open/page", ""),
			htmlAt("https://www.c.example/of-another-host", ""),
			answerAt("https://c.example/robots.txt", "Content-Type: text/plain\r\n", "User-agent: *\nDisallow:\n"),
			answerAt("https://c.example"+reserve.Path, "Content-Type: application/json\r\n",
				`[{"location":"/open/","tdm-reservation":0},{"location":"/","tdm-reservation":1}]`),
			answerAt("https://a.example/x?"+reserve.Path, "Content-Type: application/json\r\n", `[{"location":"/","tdm-reservation":1}]`),
		},
		export.NoIndex: {hidden},
		export.NoAI: {
			htmlAt("https://a.example/meta", "<meta name=robots content='noai'>"),
			htmlAt("https://a.example/named", "<META NAME=Forage CONTENT='NoImageAI'>"),
			htmlAt("https://a.example/header", "", "X-Robots-Tag: noimageai\r\n"),
			htmlAt("https://a.example/both", "<meta name=tdm-reservation content=1>", "X-Robots-Tag: noai\r\n"),
			answerAt("https://a.example/text", "Content-Type: text/plain\r\nX-Robots-Tag: noai\r\n", "text"),
			withStatus(htmlAt("https://a.example/gone", "", "X-Robots-Tag: noai\r\n"), "404 Not Found"),
		},
		export.Reserved: {
			htmlAt("https://a.example/reserved", "", header),
			htmlAt("https://a.example/reserved-meta", "<meta name=TDM-Reservation content=1>"),
			htmlAt("https://a.example/page-over-header-too", "<meta name=tdm-reservation content=1>", "TDM-Reservation: 0\r\n"),
			htmlAt("https://c.example/", ""),
			htmlAt("http://c.example/insecure", ""),
			answerAt("https://c.example/picture.png", "Content-Type: image/png\r\n", "PNG"),
		},
	}
}

// homeOf returns the places of a node that has archived captures, in the order of
// their URLs.
func homeOf(t *testing.T, by map[export.Wish][]capture.Capture) config.Paths {
	t.Helper()
	var all []capture.Capture
	for _, list := range by {
		all = append(all, list...)
	}
	slices.SortFunc(all, func(a, b capture.Capture) int { return strings.Compare(a.URL, b.URL) })
	return homeWith(t, all...)
}

func urlsOf(list ...capture.Capture) (urls []string) {
	for _, c := range list {
		urls = append(urls, c.URL)
	}
	slices.Sort(urls)
	return urls
}

// exportURLs returns the URLs of the captures in an export of the archive.
func exportURLs(t *testing.T, paths config.Paths, all bool) ([]string, export.Copied) {
	t.Helper()
	dir := t.TempDir()
	done, err := AsWARC(t.Context(), paths, dir, all)
	if err != nil {
		t.Fatal(err)
	}
	var urls []string
	if err := warcfile.Scan(dir, capture.Position{}, func(c capture.Stored) error { urls = append(urls, c.URL); return nil }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(urls)
	return urls, done
}

func TestExportWARC_Wishes(t *testing.T) {
	by := wished()
	paths := homeOf(t, by)
	got, done := exportURLs(t, paths, false)
	if want := urlsOf(by[export.None]...); !slices.Equal(got, want) {
		t.Errorf("the export has %q, want %q", got, want)
	}
	if want := (export.LeftOut{NoIndex: 1, NoAI: 6, Reserved: 6}); done.LeftOut != want {
		t.Errorf("%+v are left out, want %+v", done.LeftOut, want)
	}
	got, done = exportURLs(t, paths, true)
	if want := urlsOf(slices.Concat(by[export.None], by[export.NoAI], by[export.Reserved])...); !slices.Equal(got, want) {
		t.Errorf("the export of all has %q, want %q", got, want)
	}
	if want := (export.LeftOut{NoIndex: 1}); done.LeftOut != want {
		t.Errorf("%+v are left out of all, want %+v", done.LeftOut, want)
	}
}

// Each format leaves out the same and says so.
func TestExports_Wishes(t *testing.T) {
	by := wished()
	paths := homeOf(t, by)
	dir := t.TempDir()
	want := export.LeftOut{NoIndex: 1, NoAI: 6, Reserved: 6}
	for name, write := range map[string]func(file string, all bool) (export.LeftOut, error){
		"cdxj": func(file string, all bool) (export.LeftOut, error) {
			done, err := AsCDXJ(t.Context(), paths, file, all)
			return done.LeftOut, err
		},
		"links": func(file string, all bool) (export.LeftOut, error) {
			done, err := AsLinks(t.Context(), paths, file, all)
			return done.LeftOut, err
		},
		"pages": func(file string, all bool) (export.LeftOut, error) {
			done, err := AsPages(t.Context(), paths, file, all)
			return done.LeftOut, err
		},
		"wacz": func(file string, all bool) (export.LeftOut, error) {
			done, err := AsWACZ(t.Context(), paths, dir, "", exportDate, all)
			if err != nil {
				return done.LeftOut, err
			}
			return done.LeftOut, os.Rename(done.File, file)
		},
	} {
		file := filepath.Join(dir, name)
		if got, err := write(file, false); err != nil || got != want {
			t.Errorf("%s: %+v are left out, %v, want %+v", name, got, err, want)
		}
		few := readText(t, file)
		if got, err := write(file, true); err != nil || got != (export.LeftOut{NoIndex: 1}) {
			t.Errorf("%s: %+v are left out of all, %v", name, got, err)
		}
		many := readText(t, file)
		if name == "wacz" {
			continue // compressed
		}
		for wish, list := range by {
			for _, c := range list {
				if !isOK(c) {
					continue // has a line in some of them only
				}
				mark := `"` + c.URL + `"`
				if name == "links" {
					mark = c.URL + "\t"
				}
				if got := strings.Contains(few, mark); got != (wish == export.None) {
					t.Errorf("%s: %s is in it: %v", name, c.URL, got)
				}
				if got := strings.Contains(many, mark); got != (wish != export.NoIndex) {
					t.Errorf("%s: %s is in all of it: %v", name, c.URL, got)
				}
			}
		}
	}
}

// isOK reports whether a capture is one of an ordinary page.
func isOK(c capture.Capture) bool {
	return bytes.Contains(c.Response, []byte(" 200 OK")) && bytes.Contains(c.Response, []byte("text/html"))
}

func readText(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What a page reserves goes for its revisits, which have no payload of their own.
func TestExport_RevisitsOfReservedPages(t *testing.T) {
	first := htmlAt("https://a.example/", "<meta name=robots content=noai>")
	same := htmlAt("https://b.example/same", "<meta name=robots content=noai>")
	same.Revisit = &capture.Refers{URL: first.URL, Date: first.Date}
	open := htmlAt("https://a.example/open", "")
	reserved := htmlAt("https://b.example/reserved", "", "TDM-Reservation: 1\r\n")
	reserved.Revisit = &capture.Refers{URL: open.URL, Date: open.Date}
	paths := homeWith(t, first, same, open, reserved)
	got, done := exportURLs(t, paths, false)
	if !slices.Equal(got, []string{open.URL}) || done.LeftOut != (export.LeftOut{NoAI: 2, Reserved: 1}) {
		t.Errorf("%q are exported, %+v left out", got, done.LeftOut)
	}
}

// The newest tdmrep.json of a site counts, also where it came again unchanged.
func TestReadWishes_Newest(t *testing.T) {
	const closed, open = `[{"location":"/","tdm-reservation":1}]`, `[{"location":"/","tdm-reservation":0}]`
	at := func(host, body string) capture.Capture {
		c := answerAt("https://"+host+reserve.Path, "Content-Type: application/json\r\n", body)
		copy(c.PayloadDigest[:], body[len(body)-4:])
		return c
	}
	again := func(c capture.Capture, host string) capture.Capture {
		same := at(host, closed)
		same.PayloadDigest, same.Revisit = c.PayloadDigest, &capture.Refers{URL: c.URL, Date: c.Date}
		return same
	}
	closedA := at("a.example", closed)
	headOf := func(fields string) capture.Capture { return answerAt("https://a.example"+reserve.Path, fields, "") }
	for name, tt := range map[string]struct {
		files []capture.Capture
		want  bool
	}{
		"none":                  {nil, false},
		"reserved":              {[]capture.Capture{closedA}, true},
		"opened later":          {[]capture.Capture{closedA, at("a.example", open)}, false},
		"closed later":          {[]capture.Capture{at("a.example", open), closedA}, true},
		"of another host":       {[]capture.Capture{at("b.example", closed)}, false},
		"same as another's":     {[]capture.Capture{at("b.example", closed), again(at("b.example", closed), "a.example")}, true},
		"gone":                  {[]capture.Capture{closedA, withStatus(at("a.example", "gone"), "404 Not Found")}, false},
		"faulty later":          {[]capture.Capture{closedA, withStatus(at("a.example", "busy"), "503 Busy")}, true},
		"moved later":           {[]capture.Capture{closedA, withStatus(at("a.example", "moved"), "301 Moved")}, true},
		"a page in its place":   {[]capture.Capture{at("a.example", "<html>Not found</html>")}, false},
		"stored without body":   {[]capture.Capture{headOf("Content-Type: application/json\r\nContent-Length: 40\r\n")}, true},
		"chunks not stored":     {[]capture.Capture{headOf("Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n")}, true},
		"empty":                 {[]capture.Capture{headOf("Content-Type: application/json\r\nContent-Length: 0\r\n")}, false},
		"cut off behind a rule": {[]capture.Capture{at("a.example", closed[:len(closed)-1])}, true},
	} {
		paths := homeWith(t, append(slices.Clone(tt.files), htmlAt("https://a.example/", ""))...)
		got, _ := exportURLs(t, paths, false)
		if reserved := !slices.Contains(got, "https://a.example/"); reserved != tt.want {
			t.Errorf("%s: reserved is %v, want %v", name, reserved, tt.want)
		}
	}
}

// Files that would take too much memory are kept in a form that reserves no less.
func TestWishes_Memory(t *testing.T) {
	w := wishes{rules: make(map[string]reserve.Rules), files: make(map[[20]byte]reserve.Rules), room: 200 << 10}
	var file strings.Builder
	for n := range 600 {
		fmt.Fprintf(&file, `,{"location":"/%050d","tdm-reservation":1}`, n)
	}
	for n := range 20 {
		host := fmt.Sprintf("%d.example", n)
		c := answerAt("https://"+host+reserve.Path, "Content-Type: application/json\r\n", "["+file.String()[1:]+"]")
		if err := w.takeFile(capture.Stored{Capture: func() capture.Capture { c.Status = 200; return c }()}); err != nil {
			t.Fatal(err)
		}
		page := capture.Stored{Capture: htmlAt(fmt.Sprintf("https://%s/%050d", host, 7), "")}
		if got := w.of(&page); got != export.Reserved {
			t.Errorf("host %d: %d, want reserved", n, got)
		}
	}
	kept := 0
	for rules := range maps.Values(w.rules) {
		kept += rules.Size()
	}
	if kept > 200<<10+20*64 {
		t.Errorf("the rules take %d bytes", kept)
	}
}
