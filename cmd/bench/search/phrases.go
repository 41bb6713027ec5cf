package main

import (
	"context"
	"crypto/sha1"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/forage-net/forage/app/find"
	"github.com/forage-net/forage/storage/warc"
	"github.com/forage-net/forage/storage/warc/capture"
)

// searchPhrases makes an archive with an index, and searches it for phrases that stand on one of its pages.
func searchPhrases(ctx context.Context, out io.Writer, dir string, o options) error {
	if o.stored == 0 {
		return nil
	}
	phrases, err := archivePages(dir, o)
	if err != nil {
		return err
	}
	f, err := find.Open(find.Config{Archive: dir, Index: find.Dir(dir)})
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.CatchUp(ctx); err != nil {
		return err
	}
	most := newMost()
	var times timings
	found := 0
	for _, p := range phrases {
		err := times.take(func() error {
			a, err := f.Search(ctx, `"`+p+`"`, 0, 10)
			found += min(len(a.Results), 1)
			return err
		})
		if err != nil {
			return err
		}
		most.look()
	}
	fmt.Fprintf(out, "phrases on %d pages: %v; %d of %d found; at most %v\n", o.stored, &times, found, len(phrases),
		most)
	return os.RemoveAll(dir)
}

// archivePages archives pages of random words, and returns phrases of two to four words, each of another page.
func archivePages(dir string, o options) (phrases []string, err error) {
	archive, err := warc.Open(warc.Config{Dir: dir})
	if err != nil {
		return nil, err
	}
	defer archive.Close()
	w := newWriter(7, o.stored)
	every := max(o.stored/max(o.queries, 1), 1)
	for n := range o.stored {
		text := make([]string, shortPage+w.IntN(longPage-shortPage))
		for i := range text {
			text[i] = w.word()
		}
		if n%every == 0 {
			i := w.IntN(len(text) - 4)
			phrases = append(phrases, strings.Join(text[i:i+2+w.IntN(3)], " "))
		}
		address := fmt.Sprintf("http://d%d.test/%d", w.domains.Uint64(), n)
		if err := archivePage(archive, address, "<title>"+text[0]+"</title><p>"+strings.Join(text, " ")); err != nil {
			return nil, err
		}
	}
	return phrases, archive.Sync()
}

func archivePage(archive *warc.Archive, address, body string) error {
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n", len(body))
	_, err := archive.Append(capture.Capture{
		URL: address, Date: time.Now(), Response: []byte(head + body), HeadLen: len(head), MIME: "text/html",
		Status:        200,
		PayloadDigest: sha1.Sum([]byte(body)),
	})
	return err
}
