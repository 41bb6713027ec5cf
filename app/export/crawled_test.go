package export

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/storage/warc/export"
)

// bodyKind says what of a body of some type is read.
type bodyKind uint8

const (
	pageBody  bodyKind = iota // title, links and wishes
	otherBody                 // wishes
	noBody                    // nothing: it is not even fetched
)

// wishTypes are values of Content-Type, of which "-" means no field and a line end two fields.
var wishTypes = map[string]bodyKind{
	"text/html": pageBody, "TEXT/HTML": pageBody, "text/html;": pageBody, "text/html; charset=utf-8": pageBody, "text/html;charset=none": pageBody,
	"text/html, text/html; charset=utf-8": pageBody, "text/plain\nText/HTML": pageBody, "image/png, text/html": pageBody, "text/html\nhtml": pageBody,
	"application/xhtml+xml": pageBody, "application/xml": pageBody, "text/xml; charset=utf-8": pageBody,
	"": pageBody, "-": pageBody, "*/*": pageBody, "html": pageBody, "text": pageBody, "text/html charset=utf-8": pageBody, "; charset=utf-8": pageBody,
	"unknown/unknown": pageBody, "application/unknown": pageBody,
	"text/plain": otherBody, "text/htm": otherBody, "text/css": otherBody, "text/html\ntext/plain": otherBody,
	"image/png": noBody, "application/octet-stream": noBody, "application/pdf": noBody,
}

// wish is an answer that asks for something.
type wish struct {
	url, raw, word, how string
	status              string
	kind                bodyKind
}

// allWishes returns an answer of each status and type for each wish, said in each way.
func allWishes() (list []wish) {
	ways := map[string][2]string{ // to a line of the head, and an element
		"meta":         {"", "<meta name='robots' content='WISH'/>"},
		"named meta":   {"", "<meta name='Forage' content='follow, WISH'/>"},
		"header":       {"X-Robots-Tag: WISH\r\n", ""},
		"named header": {"X-Robots-Tag: otherbot: none, forage: WISH\r\n", ""},
		"others alone": {"X-Robots-Tag: otherbot: WISH\r\n", "<meta name='otherbot' content='WISH'/>"},
	}
	for _, status := range []string{"200 OK", "203 Transformed", "301 Moved", "302 Found", "307 Temporary", "404 Not Found", "410 Gone", "503 Busy"} {
		for how, way := range ways {
			for contentType, kind := range wishTypes {
				if kind == noBody && strings.Contains(how, "meta") {
					continue
				}
				for _, word := range []string{"noarchive", "noindex", "nofollow"} {
					w := wish{url: fmt.Sprintf("http://a.test/%d", len(list)), word: word, how: how, status: status, kind: kind}
					head, meta := strings.ReplaceAll(way[0], "WISH", word), strings.ReplaceAll(way[1], "WISH", word)
					if contentType != "-" {
						for v := range strings.SplitSeq(contentType, "\n") {
							head += "Content-Type: " + v + "\r\n"
						}
					}
					if status[0] == '3' {
						head += "Location: /target\r\n"
					}
					body := "<!DOCTYPE html><html><head><title>Title</title>" + meta + "</head><body><a href='/next'>n</a> private words of " + w.url + "</body></html>"
					w.raw = fmt.Sprintf("HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n%s", status, head, len(body), body)
					list = append(list, w)
				}
			}
		}
	}
	return list
}

// takeWish archives an answer as it would be after it came over the wire.
func (l *bookcase) takeWish(w wish) crawl.Outcome {
	l.t.Helper()
	if w.kind == noBody {
		w.raw = w.raw[:strings.Index(w.raw, "\r\n\r\n")+4]
	}
	return l.take(w.url, w.raw)
}

// Whatever the status and the type, and however it is said: noarchive keeps an answer out of the archive, noindex out of all
// exports, and nofollow keeps its links and its target from being followed. Wishes that name other crawlers change nothing.
func TestWishes(t *testing.T) {
	paths := homeWith(t)
	l := newBookcase(t, paths.WARC())
	wishes := allWishes()
	for _, w := range wishes {
		o := l.takeWish(w)
		leads := w.status[0] == '3' || w.status[0] == '2' && w.kind == pageBody
		if follow := leads && (w.word != "nofollow" || w.how == "others alone"); follow != (len(o.Outlinks) > 0) {
			t.Errorf("%s by %s: %d outlinks of\n%s", w.word, w.how, len(o.Outlinks), w.raw)
		}
		if isPage := w.status[0] == '2' && w.kind == pageBody; isPage != (o.Title == "Title") {
			t.Errorf("title %q of\n%s", o.Title, w.raw)
		}
	}
	all := l.captures()
	exports := exportAll(t, paths)
	for _, w := range wishes {
		obeyed := w.how != "others alone"
		c, archived := all[w.url]
		if archived != (w.word != "noarchive" || !obeyed) {
			t.Errorf("%s by %s: archived %v:\n%s", w.word, w.how, archived, w.raw)
		}
		if archived && c.NoIndex != (w.word == "noindex" && obeyed) {
			t.Errorf("%s by %s: marked %v:\n%s", w.word, w.how, c.NoIndex, w.raw)
		}
		if shown := archived && !c.NoIndex; shown != exports["cdxj"][w.url] || shown != exports["warc"][w.url] {
			t.Errorf("%s by %s: in cdxj %v, in warc %v:\n%s", w.word, w.how, exports["cdxj"][w.url], exports["warc"][w.url], w.raw)
		}
		if hidden := !archived || c.NoIndex; hidden && (exports["links"][w.url] || exports["wacz"][w.url]) {
			t.Errorf("%s by %s: in links %v, in wacz %v:\n%s", w.word, w.how, exports["links"][w.url], exports["wacz"][w.url], w.raw)
		}
	}
}

// exportAll returns the URLs that each format of export names.
func exportAll(t testing.TB, paths config.Paths) map[string]map[string]bool {
	t.Helper()
	dir := t.TempDir()
	texts := make(map[string]string)
	if _, err := AsCDXJ(t.Context(), paths, filepath.Join(dir, "cdxj"), false); err != nil {
		t.Fatal(err)
	}
	if _, err := AsLinks(t.Context(), paths, filepath.Join(dir, "links"), false); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cdxj", "links"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	if _, err := export.WARC(t.Context(), paths.WARC(), filepath.Join(dir, "warc")); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "warc", "*.gz"))
	if err != nil || len(names) == 0 {
		t.Fatal("no WARC exported", err)
	}
	for _, name := range names {
		texts["warc"] += unpacked(t, name)
	}
	_, files := exportWACZ(t, paths, "")
	for name, text := range files {
		if strings.HasSuffix(name, ".gz") {
			z, err := gzip.NewReader(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			plain, err := io.ReadAll(z)
			if err != nil {
				t.Fatal(err)
			}
			text = string(plain)
		}
		texts["wacz"] += text + "\n"
	}
	found := make(map[string]map[string]bool)
	for name, text := range texts {
		found[name] = make(map[string]bool)
		for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return c <= ' ' || strings.ContainsRune(`"<>,`, c) }) {
			if strings.HasPrefix(word, "http://a.test/") {
				found[name][word] = true
			}
		}
	}
	return found
}

func unpacked(t testing.TB, name string) string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := b.ReadFrom(z); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The matrix is about what really comes over a connection: bodies of other types do not.
func TestWishTypes_AreReadAsTheySay(t *testing.T) {
	for contentType, kind := range wishTypes {
		head := ""
		for v := range strings.SplitSeq(contentType, "\n") {
			head += "Content-Type: " + v + "\r\n"
		}
		if contentType == "-" {
			head = ""
		}
		r := answerOf(t, "http://a.test/", "HTTP/1.1 200 OK\r\n"+head+"Content-Length: 23\r\n\r\n<!DOCTYPE html><html/> ")
		isPage := slices.Contains([]string{"text/html", "application/xhtml+xml", "application/xml", "text/xml"}, r.MediaType)
		if got := bodyKindOf(r, isPage); got != kind {
			t.Errorf("%q: %d (%s), want %d", contentType, got, r.MediaType, kind)
		}
		r.Release()
	}
}

func bodyKindOf(r *fetch.Response, isPage bool) bodyKind {
	switch {
	case isPage:
		return pageBody
	case r.TextType:
		return otherBody
	}
	return noBody
}
