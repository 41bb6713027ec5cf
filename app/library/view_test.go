package library

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/storage/warc"
	"github.com/forage-net/forage/storage/warc/capture"
)

var viewTime = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// shelf is an archive that a test fills.
type shelf struct {
	t   *testing.T
	a   *warc.Archive
	lib *Library
	n   int
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	paths := emptyHome(t)
	a, err := warc.Open(warc.Config{Dir: paths.WARC(), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return &shelf{t: t, a: a, lib: Open(paths)}
}

// put archives an answer, an hour after the one before. head has lines of its head, the type first.
func (s *shelf) put(url string, status int, head, body string) capture.Capture {
	s.t.Helper()
	mime, _, _ := strings.Cut(head, ";")
	mime, _, _ = strings.Cut(mime, "\r\n")
	top := fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: %s\r\n\r\n", status, head)
	c := capture.Capture{
		URL: url, Date: viewTime.Add(time.Duration(s.n) * time.Hour), Response: []byte(top + body), HeadLen: len(top), MIME: mime, Status: status,
		PayloadDigest: [20]byte{byte(s.n + 1)}, Metadata: [][2]string{{"title", "T" + fmt.Sprint(s.n)}},
	}
	s.n++
	s.append(c)
	return c
}

func (s *shelf) append(c capture.Capture) {
	s.t.Helper()
	if _, err := s.a.Append(c); err != nil {
		s.t.Fatal(err)
	}
}

// id returns the newest capture of a URL.
func (s *shelf) id(url string) string {
	s.t.Helper()
	found, err := s.lib.Captures(s.t.Context(), url, "", 1)
	if err != nil || len(found.Captures) == 0 {
		s.t.Fatalf("captures of %s: %v, %v", url, found, err)
	}
	return found.Captures[0].ID
}

func (s *shelf) view(url string) api.ViewedPage {
	s.t.Helper()
	page, err := s.lib.ViewCapture(s.t.Context(), s.id(url), "en")
	if err != nil {
		s.t.Fatalf("view %s: %v", url, err)
	}
	return page
}

// A page gets the parts that were archived nearest to it, those of its style
// sheets too, and says what is missing.
func TestLibrary_ShowsAPageWithItsParts(t *testing.T) {
	s := newShelf(t)
	s.put("http://a.test/old.css", 200, "text/css", "a{color:red}")
	s.put("http://a.test/main.css", 200, "text/css; charset=utf-8", `@import "base.css";@import "gone.css";b{background:url(img/back.png),url(img/none.png)}`)
	s.put("http://a.test/base.css", 200, "text/css", `i{background:url(deep.gif)}`)
	s.put("http://a.test/deep.gif", 200, "image/gif", "GIF89a")
	s.put("http://a.test/img/back.png", 200, "image/png", "\x89PNG")
	s.put("http://a.test/head.png", 200, "image/png", "")
	s.put("http://a.test/error.png", 404, "image/png", "\x89PNG")
	s.put("http://a.test/page.png", 200, "text/html", "<p>not a picture")
	s.put("http://a.test/", 200, "text/html; charset=windows-1252", `<title>T</title><link rel=stylesheet href=main.css><link rel=stylesheet href=old.css>`+
		"<p>Stra\xdfe <img src=img/back.png><img src=head.png><img src=error.png><img src=page.png><img src=/main.css><script>x</script><a href=/to>l</a>")
	s.put("http://a.test/old.css", 200, "text/css", "a{color:blue}")
	page := s.view("http://a.test/")
	near := s.id("http://a.test/main.css")
	html := string(page.HTML)
	for _, want := range []string{"Straße", `href="p/` + near + `"`, `<img src="p/` + s.id("http://a.test/img/back.png") + `">`, `<a href="to?http://a.test/to">`} {
		if !strings.Contains(html, want) {
			t.Errorf("the page is\n%s\nwithout %s", html, want)
		}
	}
	if strings.Contains(html, "script") || strings.Count(html, "<img>") != 4 {
		t.Errorf("the page is\n%s", html)
	}
	var missing []string
	for _, m := range page.Missing {
		missing = append(missing, m.Kind+" "+strings.TrimPrefix(m.URL, "http://a.test/"))
	}
	want := "image head.png, image error.png, image page.png, image main.css, style gone.css, image img/none.png"
	if got := strings.Join(missing, ", "); got != want || page.More != 0 || page.Hurried || page.Cut {
		t.Errorf("missing are %s, want %s (%+v)", got, want, page.ArchiveView)
	}
	if page.ID != s.id("http://a.test/") || page.URL != "http://a.test/" || page.Status != 200 || page.Title != "T8" || page.Time.IsZero() {
		t.Errorf("it is %+v", page.ArchiveView)
	}
	sheet, err := s.lib.ViewPart(t.Context(), near, page.Parts)
	wantSheet := `@import url("` + s.id("http://a.test/base.css") + `");@x-import "";b{background:url("` + s.id("http://a.test/img/back.png") + `"),url("data:,")}`
	if err != nil || string(sheet.Body) != wantSheet || sheet.Kind != "text/css; charset=utf-8" {
		t.Errorf("the sheet is %s %s, %v, want %s", sheet.Kind, sheet.Body, err, wantSheet)
	}
	base, err := s.lib.ViewPart(t.Context(), s.id("http://a.test/base.css"), page.Parts)
	if want := `i{background:url("` + s.id("http://a.test/deep.gif") + `")}`; err != nil || string(base.Body) != want {
		t.Errorf("the imported sheet is %s, %v, want %s", base.Body, err, want)
	}
	if without, err := s.lib.ViewPart(t.Context(), near, nil); err != nil || strings.Contains(string(without.Body), "forage-") {
		t.Errorf("a sheet of a page that is not shown: %s, %v", without.Body, err)
	}
}

// Whatever was archived, there is something sensible to see.
func TestLibrary_ShowsWhatIsNoPage(t *testing.T) {
	s := newShelf(t)
	s.put("http://a.test/moved", 301, "text/html\r\nLocation: /new?a=1&b=2", "<p>moved")
	s.put("http://a.test/error", 500, "text/html", "<h1>Broken</h1>")
	s.put("http://a.test/text", 200, "text/plain; charset=iso-8859-1", "<b>\xfc")
	s.put("http://a.test/picture", 200, "image/png", "\x89PNG")
	s.put("http://a.test/film", 200, "video/mp4", "x")
	s.put("http://a.test/empty", 200, "text/html", "")
	s.put("http://a.test/cut", 200, "text/html\r\nContent-Length: 100", "<p>begins")
	s.put("http://a.test/xhtml", 200, "application/xhtml+xml", `<html xmlns="http://www.w3.org/1999/xhtml"><script/><p>after</p></html>`)
	s.put("http://a.test/packed", 200, "text/html\r\nContent-Encoding: gzip", "\x1f\x8b\x08 broken")
	original := s.put("http://a.test/first", 200, "text/html", "<p>the same")
	again := original
	again.URL, again.Date, again.Response = "http://b.test/twin", viewTime.Add(99*time.Hour), again.Response[:again.HeadLen]
	again.Revisit = &capture.Refers{URL: original.URL, Date: original.Date}
	s.append(again)
	again.URL, again.Revisit = "http://b.test/lost", &capture.Refers{URL: "http://gone.test/", Date: viewTime}
	s.append(again)
	for url, want := range map[string]string{
		"http://a.test/moved": `<a href="to?http://a.test/new?a=1&amp;b=2">`, "http://a.test/error": "<h1>Broken</h1>", "http://a.test/text": "&lt;b&gt;ü",
		"http://a.test/picture": `<img src="p/forage-`, "http://a.test/film": "This is video/mp4", "http://a.test/empty": "only the head",
		"http://a.test/cut": "<p>begins", "http://a.test/xhtml": "<p>after</p>", "http://a.test/packed": "only the head",
		"http://b.test/twin": "<p>the same", "http://b.test/lost": "No copy left",
	} {
		page := s.view(url)
		if !strings.Contains(string(page.HTML), want) || page.Cut != (url == "http://a.test/cut" || url == "http://a.test/packed") {
			t.Errorf("%s shows\n%s\n(cut: %v), want %s", url, page.HTML, page.Cut, want)
		}
	}
	for url, want := range map[string]bool{"http://a.test/error": true, "http://b.test/twin": true, "http://a.test/moved": false, "http://a.test/text": false, "http://a.test/empty": false} {
		if page, err := s.lib.ReadCapture(t.Context(), s.id(url), "en"); err != nil || page.HTML != want {
			t.Errorf("%s can be shown: %v, %v", url, page.HTML, err)
		}
	}
	if _, err := s.lib.ViewCapture(t.Context(), "../x.1", "en"); !errors.Is(err, api.ErrNoCapture) {
		t.Errorf("a capture that is none: %v", err)
	}
}

func TestLibrary_ServesPartsOnly(t *testing.T) {
	s := newShelf(t)
	for i, c := range []struct{ head, body, want string }{
		{"image/svg+xml", "<svg onload=x>", "image/svg+xml"}, {"text/css", "a{b:url(x)}", "text/css; charset=utf-8"}, {"font/woff2", "wOF2x", "font/woff2"},
		{"application/octet-stream", "OTTOx", "font/otf"}, {"application/octet-stream", "MZ", ""}, {"text/html", "<script>", ""}, {"text/javascript", "x", ""},
		{"image/png", "", ""}, {"application/json", "{}", ""}, {"text/plain", "wOFFx", "font/woff"},
	} {
		url := fmt.Sprintf("http://a.test/%d", i)
		s.put(url, 200, c.head, c.body)
		part, err := s.lib.ViewPart(t.Context(), s.id(url), nil)
		if part.Kind != c.want || (err == nil) != (c.want != "") || err != nil && !errors.Is(err, api.ErrNoCapture) {
			t.Errorf("%s %s is served as %q, %v, want %q", c.head, c.body, part.Kind, err, c.want)
		}
	}
	s.put("http://a.test/gone.png", 410, "image/png", "\x89PNG")
	if part, err := s.lib.ViewPart(t.Context(), s.id("http://a.test/gone.png"), nil); !errors.Is(err, api.ErrNoCapture) {
		t.Errorf("an error is served as %q, %v", part.Kind, err)
	}
}

// A link leads to the capture that is nearest in time, over redirects, and
// rather to a page than to an error.
func TestLibrary_FollowsLinks(t *testing.T) {
	s := newShelf(t)
	s.put("http://a.test/b", 200, "text/html", "<p>old")
	old := s.id("http://a.test/b")
	s.put("http://a.test/flaky", 200, "text/html", "<p>well")
	well := s.id("http://a.test/flaky")
	s.put("http://a.test/moved", 302, "text/html\r\nLocation: /b", "")
	s.put("http://a.test/lost", 302, "text/html\r\nLocation: /nowhere", "")
	s.put("http://a.test/round", 302, "text/html\r\nLocation: /round", "")
	s.put("http://a.test/flaky", 503, "text/html", "<p>broken")
	s.put("http://a.test/only-error", 404, "text/html", "<p>gone")
	s.put("http://a.test/", 200, "text/html", "<p>from here")
	from := s.id("http://a.test/")
	for range 20 {
		s.put("http://filler.test/", 200, "text/html", "x")
	}
	s.put("http://a.test/b", 200, "text/html", "<p>new")
	for url, want := range map[string]string{
		"http://a.test/b": old, "https://www.a.test/b": old, "http://a.test/flaky": well, "http://a.test/moved": old, "http://a.test/lost": s.id("http://a.test/lost"),
		"http://a.test/round": s.id("http://a.test/round"), "http://a.test/only-error": s.id("http://a.test/only-error"),
	} {
		if id, _, err := s.lib.FollowLink(t.Context(), from, url, "en"); err != nil || id != want {
			t.Errorf("%s leads to %s, %v, want %s", url, id, err, want)
		}
	}
	id, none, err := s.lib.FollowLink(t.Context(), from, "http://b.test/?q=<b>&r", "de")
	if err != nil || id != "" || none.URL != "http://b.test/?q=%3Cb%3E&r" || !strings.Contains(string(none.HTML), "http://b.test/?q=%3Cb%3E&amp;r") ||
		!strings.Contains(string(none.HTML), "Nicht archiviert") || none.ID != "" {
		t.Errorf("a link out of the archive: %q, %+v, %v\n%s", id, none.ArchiveView, err, none.HTML)
	}
	var bad *api.InputError
	if _, _, err := s.lib.FollowLink(t.Context(), from, "javascript:x", "en"); !errors.As(err, &bad) {
		t.Errorf("a link to no page: %v", err)
	}
	if _, _, err := s.lib.FollowLink(t.Context(), "x", "http://a.test/b", "en"); !errors.Is(err, api.ErrNoCapture) {
		t.Errorf("a link on no page: %v", err)
	}
}
