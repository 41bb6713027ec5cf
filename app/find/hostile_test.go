package find

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/words"
	"github.com/forage-net/forage/storage/index"
)

const (
	// lettersOnDisk and listOnDisk bound what a word of some letters takes in an index of one page: three bytes for each letter in the dictionary, and its list.
	lettersOnDisk, listOnDisk = 3, 12
	// linkOnDisk is the same for a link to another site: its target, its text, and the domain that it leads to.
	linkOnDisk = 3*2*maxLinked + 80 + 40
	// emptyOnDisk is what a page without words takes: the file's footer, its row and its address.
	emptyOnDisk = 2 << 10
	// maxAnswer bounds what an answer with one page says of it, in bytes.
	maxAnswer = 8 << 10
)

// hostile is a page that wants to take more than its share.
type hostile struct {
	name, body string
	onDisk     int    // bytes in the index, at most
	query      string // which finds it
}

func hostilePages() []hostile {
	r := rand.New(rand.NewPCG(1, 2))
	size := 10
	if testing.Short() {
		size = 1
	}
	var numbers, strange, links, scripts strings.Builder
	for n := range 100_000 * size {
		fmt.Fprintf(&numbers, "w%d ", n)
	}
	for range 20_000 {
		fmt.Fprintf(&strange, "%016x%016x%016x ", r.Uint64(), r.Uint64(), r.Uint64())
	}
	for n := range 1000 * size {
		fmt.Fprintf(&links, `<a href="http://s%d.test/%s">label %d</a> `, n, strings.Repeat("x", 300), n)
	}
	for n := range 3 {
		fmt.Fprintf(&links, `<a href="http://long%d.test/">%s</a> `, n, strings.Repeat("long label ", 10_000*size))
	}
	letters := 0
	for c := range rune(unicode.MaxRune) {
		if unicode.IsLetter(c) && utf8.ValidRune(c) && c%7 == 0 {
			scripts.WriteString(strings.Repeat(string(c), 3) + " ")
			letters += 3 * utf8.UTFMax
		}
	}
	noise := make([]byte, 1<<20)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	most := words.MaxDistinct
	return []hostile{
		{"a million words", "<p>" + numbers.String(), most * (lettersOnDisk*len("w999999") + listOnDisk), "w77"},
		{"long words of chance", "<p>seen " + strange.String(), most * (lettersOnDisk*words.MaxWord + listOnDisk), "seen"},
		{"a word a million times", "<p>" + strings.Repeat("again ", 100_000*size), emptyOnDisk, "again"},
		{"a word of 1 MB", "<p>begin " + strings.Repeat("x", 1<<20), emptyOnDisk, "begin"},
		{"10,000 links", links.String(), index.MaxLinks*linkOnDisk + most*(lettersOnDisk*len("label")+listOnDisk), "label 77"},
		{"every script", "<p>seen " + scripts.String(), most*listOnDisk + letters*lettersOnDisk, "seen"},
		{"no UTF-8", "<p>seen " + string(noise), most * (lettersOnDisk*8 + listOnDisk), "seen"},
		{"deep nesting", strings.Repeat("<div><b>", 10_000*size) + "deep", emptyOnDisk, "deep"},
		{"deep nesting beside the text", strings.Repeat("<nav><h1><select></select>", 5000*size) + "deep", emptyOnDisk, "deep"},
		{"a title of 1 MB", "<title>first " + strings.Repeat("word ", 20_000*size) + "</title>text", emptyOnDisk, "first text"},
		{"titles without end", "<title>" + numbers.String(), most * (lettersOnDisk*len("w999999") + listOnDisk), ""},
		{"references", "<p>seen " + strings.Repeat("&amp;&#x41;&nosuch;&#99999999;", 4000*size), emptyOnDisk * 8, "seen"},
	}
}

// Whatever a page has in it: it takes a bounded part of the index and of an answer, and is found.
func TestHostile_Pages(t *testing.T) {
	t.Parallel()
	for _, h := range hostilePages() {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.put(visit{url: "http://hostile.test/page", body: h.body})
			l.read()
			st := l.index.Stats()
			t.Logf("%d bytes of %d", st.Bytes, h.onDisk+emptyOnDisk)
			if st.Pages != 1 || st.Bytes > int64(h.onDisk+emptyOnDisk) {
				t.Errorf("%d pages take %d bytes, want at most %d", st.Pages, st.Bytes, h.onDisk+emptyOnDisk)
			}
			checkDocument(t, l.document(fetched(t, h.body)))
			if h.query != "" {
				checkAnswer(t, l, h.query)
			}
		})
	}
}

func checkAnswer(t *testing.T, l *lab, query string) {
	t.Helper()
	answer := l.search(query)
	if len(answer.Results) != 1 {
		t.Fatalf("%q: %d pages found", query, len(answer.Results))
	}
	r := answer.Results[0]
	size := len(r.Title) + len(r.URL)
	for _, p := range r.Snippet {
		size += len(p.Text)
	}
	if size > maxAnswer || len(r.Snippet) > 2*maxMarks {
		t.Errorf("the answer takes %d bytes in %d pieces", size, len(r.Snippet))
	}
}

// fetched reads a page as a fetcher does that got it.
func fetched(t *testing.T, body string) Page {
	t.Helper()
	u, err := crawl.ParseURL("http://hostile.test/page")
	if err != nil {
		t.Fatal(err)
	}
	r, err := fetch.ParseResponse(u, []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"+body))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Release() })
	_, read := answer.Read(crawl.Task{URL: u}, r, everywhere(), day, &answer.Extras{Words: words.NewCounter()})
	return Page{URL: u, Time: day, Words: read.Words, Links: read.Links, Language: read.Language}
}

func checkDocument(t *testing.T, d index.Doc) {
	t.Helper()
	if n := len(d.Terms); n == 0 || n > words.MaxDistinct {
		t.Errorf("the page has %d terms", n)
	}
	if len(d.Links) > index.MaxLinks {
		t.Errorf("the page has %d links", len(d.Links))
	}
	for _, l := range d.Links {
		if len(l.URL) > maxLinked || len(l.Text) > 80 || !utf8.ValidString(l.Text) {
			t.Errorf("a link to %d bytes is called %q", len(l.URL), l.Text)
		}
	}
}

// The longest query with all operators asks the index for a bounded number of terms.
func TestHostile_Queries(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.put(visit{url: "http://a.test/", body: html("en", "Page", "running houses "+strings.Repeat("a b ", 1000))})
	l.read()
	fill := func(part string) string { return strings.Repeat(part, words.MaxQuery/len(part)) }
	for _, q := range []string{
		fill(`"a b" `), fill("-a "), fill("a "), fill(`"`), fill("site:a.test "), fill("lang:en "), fill("after:2026 before:2027 "),
		fill(`-"`), fill("é "), fill("東"), fill("x"), fill("a-"), fill("\xff"), fill("\u0301"),
		`running "houses running" -"lazy dog" site:a.test site:b.test lang:en lang:de after:2020-01-01 before:2030 ` + strings.Repeat("houses1 -a\" ", 30),
		strings.Join(strings.Split("abcdefghijklmnopqrstuvwxyz0123456789", ""), "es ") + " ",
	} {
		parsed, err := words.ParseQuery(q)
		if err != nil {
			t.Errorf("%q: %v", q, err)
			continue
		}
		want := indexQuery(parsed)
		if len(want.All) > index.MaxWanted || len(want.None) > words.MaxParts || len(want.Domains) > words.MaxParts || len(want.Languages) > words.MaxParts {
			t.Errorf("%q asks for %d and %d words, of %d sites and %d languages", q, len(want.All), len(want.None), len(want.Domains), len(want.Languages))
		}
		for _, w := range append(want.All, want.None...) {
			if len(w.Terms) > 64 { // what the index looks at
				t.Errorf("%q: a word has %d forms", q, len(w.Terms))
			}
		}
		l.search(q)
	}
}
