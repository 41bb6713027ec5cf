package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/record"
)

// pageLines exports pages and returns their lines.
func pageLines(t *testing.T, file string, captures ...capture.Capture) (lines []pageLine, text string) {
	t.Helper()
	done, err := AsPages(t.Context(), homeWith(t, captures...), file, false)
	if err != nil || done.File != file {
		t.Fatalf("AsPages = %+v, %v", done, err)
	}
	text = readText(t, file)
	if strings.HasSuffix(file, ".gz") {
		text = unpacked(t, file)
	}
	for line := range strings.Lines(text) {
		var l pageLine
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&l); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		lines = append(lines, l)
	}
	if done.Lines != len(lines) {
		t.Errorf("%d lines are counted, %d written", done.Lines, len(lines))
	}
	return lines, text
}

func TestExportPages(t *testing.T) {
	page := htmlAt("https://www.a.example/?q=<x>&y", "<html lang=de><meta charset=latin1><title>Caf\xe9 <b> \"x\"</title><a href=/y>y</a>")
	page.Date = page.Date.Add(123456000)
	page.PayloadDigest = [20]byte{1}
	cut := answerAt("http://127.0.0.1:8080/text", "Content-Type: text/plain; charset=utf-8\r\n", "text")
	cut.Truncated, cut.PayloadDigest = "length", [20]byte{}
	same := htmlAt("https://a.example/same", "")
	same.Revisit = &capture.Refers{URL: page.URL, Date: page.Date}
	same.Metadata = [][2]string{{"title", "As before"}, {"language", "de"}}
	unchanged := withStatus(htmlAt("https://a.example/unchanged", ""), "304 Not Modified")
	unchanged.Revisit = &capture.Refers{URL: page.URL, Date: page.Date, NotModified: true}
	_, text := pageLines(t, filepath.Join(t.TempDir(), "pages.jsonl"),
		page, same, cut, unchanged,
		withStatus(htmlAt("https://a.example/gone", ""), "404 Not Found"),
		answerAt("https://a.example/robots.txt", "Content-Type: text/plain\r\n", "User-agent: *\n"),
		answerAt("https://a.example/picture", "Content-Type: image/png\r\n", "PNG"),
	)
	want := []string{
		`{"url":"https://www.a.example/?q=<x>&y","domain":"a.example","host":"www.a.example","date":"2026-02-03T04:05:06.123456Z","status":200,` +
			`"type":"text/html","charset":"windows-1252","language":"de","title":"Café <b> \"x\"","digest":"AEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",` +
			`"size":110,"links":2,"truncated":null,"revisit":false,`,
		`{"url":"https://a.example/same","domain":"a.example","host":"a.example","date":"2026-02-03T04:05:06.000000Z","status":200,` +
			`"type":"text/html","charset":null,"language":"de","title":"As before","digest":"` + "DIGEST" + `",` +
			`"size":null,"links":null,"truncated":null,"revisit":true,`,
		`{"url":"http://127.0.0.1:8080/text","domain":"127.0.0.1","host":"127.0.0.1","date":"2026-02-03T04:05:06.000000Z","status":200,` +
			`"type":"text/plain","charset":null,"language":null,"title":null,"digest":null,` +
			`"size":4,"links":0,"truncated":"length","revisit":false,`,
	}
	got := slices.Collect(strings.Lines(text))
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(got), len(want), text)
	}
	for i, line := range got {
		head, _, _ := strings.Cut(line, `"length":`)
		if w := strings.Replace(want[i], "DIGEST", digestIn(head), 1); head != w {
			t.Errorf("line %d is\n%s\nwant\n%s", i, head, w)
		}
	}
}

// digestIn returns the digest in a line, if it looks like one.
func digestIn(line string) string {
	_, rest, _ := strings.Cut(line, `"digest":"`)
	digest, _, _ := strings.Cut(rest, `"`)
	if len(digest) != 32 {
		return "a digest"
	}
	return digest
}

// A line leads to its record in the files that the format warc copies.
func TestExportPages_Places(t *testing.T) {
	var captures []capture.Capture
	for n := range 20 {
		c := htmlAt(fmt.Sprintf("https://a.example/%d", n), "")
		if n%3 == 0 {
			c = htmlAt(c.URL, "<meta name=robots content=noai>")
		}
		captures = append(captures, c)
	}
	paths := homeWith(t, captures...)
	for _, all := range []bool{false, true} {
		dir := t.TempDir()
		file := filepath.Join(dir, "pages.jsonl")
		if _, err := AsPages(t.Context(), paths, file, all); err != nil {
			t.Fatal(err)
		}
		if _, err := AsWARC(t.Context(), paths, dir, all); err != nil {
			t.Fatal(err)
		}
		lines := 0
		for line := range strings.Lines(readText(t, file)) {
			var l pageLine
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatal(err)
			}
			record, err := record.ReadAt(filepath.Join(dir, l.File), l.Offset)
			if err != nil || record.Header.Get("WARC-Target-URI") != l.URL || l.Length <= 0 {
				t.Errorf("at %d of %s there is no %s, %v", l.Offset, l.File, l.URL, err)
			}
			if err == nil {
				record.Close()
			}
			lines++
		}
		if want := map[bool]int{false: 13, true: 20}[all]; lines != want {
			t.Errorf("%d lines, want %d", lines, want)
		}
	}
}

func TestExportPages_Compressed(t *testing.T) {
	lines, _ := pageLines(t, filepath.Join(t.TempDir(), "sub", "pages.jsonl.gz"), htmlAt("https://a.example/", ""))
	if len(lines) != 1 || lines[0].URL != "https://a.example/" {
		t.Errorf("%+v", lines)
	}
}

// Wherever it is stopped or fails, an export leaves what was there.
func TestExportPages_StoppedAndRefused(t *testing.T) {
	var captures []capture.Capture
	for n := range 100 {
		captures = append(captures, htmlAt(fmt.Sprintf("https://a.example/%d", n), strings.Repeat("x", 5000)))
	}
	paths := homeWith(t, captures...)
	dir := t.TempDir()
	file := filepath.Join(dir, "pages.jsonl")
	if err := os.WriteFile(file, []byte("an older export"), 0o600); err != nil {
		t.Fatal(err)
	}
	asked := &stopAfter{t.Context(), 1 << 30}
	if _, err := AsPages(asked, paths, filepath.Join(t.TempDir(), "whole"), false); err != nil {
		t.Fatal(err)
	}
	for left := range 1<<30 - asked.left {
		if _, err := AsPages(&stopAfter{t.Context(), left}, paths, file, false); !errors.Is(err, context.Canceled) {
			t.Errorf("stopped after %d looks: %v", left, err)
		}
	}
	refused := errors.New("the disk is full")
	full := writerFunc(func([]byte) (int, error) { return 0, refused })
	if err := writePages(t.Context(), paths.WARC(), full, false, new(Written)); !errors.Is(err, refused) {
		t.Errorf("writePages = %v, want what the disk said", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || readText(t, file) != "an older export" {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestExportPages_DamagedFile(t *testing.T) {
	paths := homeWith(t, htmlAt("https://a.example/1", ""), htmlAt("https://a.example/2", strings.Repeat("x", 5000)))
	found, err := filepath.Glob(filepath.Join(paths.WARC(), "*.warc.gz"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	info, err := os.Stat(found[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(found[0], info.Size()*2/3); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pages.jsonl")
	done, err := AsPages(t.Context(), paths, file, false)
	if err != nil || done.Lines != 1 || len(done.Damaged) != 1 || !strings.Contains(done.Damaged[0].Error(), filepath.Base(found[0])) {
		t.Errorf("AsPages = %+v, %v, want one line and the damage", done, err)
	}
}

// What it costs to read pages for their wishes alone, and for their lines.
func BenchmarkExports(b *testing.B) {
	var body strings.Builder
	body.WriteString("<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>Title</title></head><body>")
	for n := range 150 {
		fmt.Fprintf(&body, "<div class='row item-%d'><a href='/page/%d?x=%d'>Link number %d</a><p>Some words of a paragraph that nobody reads %x</p></div>\n", n, n, n*7, n, n*n*7919)
	}
	var packed strings.Builder
	z := gzip.NewWriter(&packed)
	io.WriteString(z, body.String())
	z.Close()
	var captures []capture.Capture
	for n := range 500 {
		c := answerAt(fmt.Sprintf("https://a%d.example/%d", n%50, n), "Content-Type: text/html\r\nContent-Encoding: gzip\r\n", packed.String())
		c.Compressed = true
		captures = append(captures, c)
	}
	paths := homeWith(b, captures...)
	for _, format := range []string{"warc --all", "warc", "cdxj --all", "cdxj", "links", "pages --all", "pages", "graph"} {
		name, all := strings.CutSuffix(format, " --all")
		b.Run(format, func(b *testing.B) {
			b.SetBytes(int64(len(captures) * body.Len()))
			for b.Loop() {
				var err error
				switch dir := b.TempDir(); name {
				case "warc":
					_, err = AsWARC(b.Context(), paths, dir, all)
				case "cdxj":
					_, err = AsCDXJ(b.Context(), paths, filepath.Join(dir, "cdxj"), all)
				case "links":
					_, err = AsLinks(b.Context(), paths, filepath.Join(dir, "links"), all)
				case "pages":
					_, err = AsPages(b.Context(), paths, filepath.Join(dir, "pages"), all)
				case "graph":
					_, err = AsGraph(b.Context(), paths, dir, all)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
