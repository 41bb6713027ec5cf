package export

import (
	"context"
	"encoding/base32"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/export"
)

// dateLayout always has microseconds: programs that guess types, as DuckDB does,
// take a mixture for text.
const dateLayout = "2006-01-02T15:04:05.000000Z"

// pageLine is one line of the format pages. Each line has all keys in this
// order; null says that nothing is known. docs/data.md describes them.
type pageLine struct {
	URL       string  `json:"url"`
	Domain    string  `json:"domain"`
	Host      string  `json:"host"`
	Date      string  `json:"date"`
	Status    int     `json:"status"`
	Type      *string `json:"type"`
	Charset   *string `json:"charset"`
	Language  *string `json:"language"`
	Title     *string `json:"title"`
	Digest    *string `json:"digest"`
	Size      *int    `json:"size"`
	Links     *int    `json:"links"`
	Truncated *string `json:"truncated"`
	Revisit   bool    `json:"revisit"`
	Length    int64   `json:"length"`
	File      string  `json:"file"`
	Offset    int64   `json:"offset"`
}

// AsPages writes a line of JSON for each archived page to a file, compressed
// if its name ends with .gz. A page is text that was answered with 2xx, except
// robots.txt and tdmrep.json. Places are those in the files that AsWARC
// copies, and what it leaves out is left out.
func AsPages(ctx context.Context, paths config.Paths, file string, all bool) (Written, error) {
	done := Written{File: file}
	err := writeFile(file, func(w io.Writer) error {
		if !strings.HasSuffix(file, ".gz") {
			return writePages(ctx, paths.WARC(), w, all, &done)
		}
		z := gzip.NewWriter(w)
		if err := writePages(ctx, paths.WARC(), z, all, &done); err != nil {
			return err
		}
		return z.Close()
	})
	return done, err
}

// writePages writes the lines of the pages archived in a directory.
func writePages(ctx context.Context, dir string, w io.Writer, all bool, done *Written) error {
	p, err := newPageReader(ctx, dir, all)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	read, err := export.Files(ctx, dir, export.Target{Capture: func(c capture.Stored) error {
		line, ok := p.line(&c)
		if !ok {
			return nil
		}
		done.Lines++
		return lines.Encode(line)
	}}, p.wishes.options()...)
	done.LeftOut, done.Damaged = read.LeftOut, read.Damaged
	return err
}

// line returns the line of a capture, unless it is none of a page.
func (p *pageReader) line(c *capture.Stored) (l pageLine, ok bool) {
	if c.Status < 200 || c.Status > 299 {
		return l, false
	}
	u, err := crawl.ParseURL(c.URL)
	if err != nil || statesWishes(u) {
		return l, false
	}
	r, err := fetch.ParseResponse(u, c.Response)
	if err != nil {
		return l, false
	}
	defer r.Release()
	if !r.TextType && (c.Revisit == nil || r.MediaType != "") {
		return l, false
	}
	l = placeLine(c, u)
	l.Type = orNull(r.MediaType)
	if c.Revisit != nil {
		l.Title, l.Language, l.Charset = orNull(metadataOf(c, "title")), orNull(metadataOf(c,
			"language")), orNull(metadataOf(c, "charset"))
		return l, true
	}
	o, page := answer.Read(crawl.Task{URL: u}, r, p.everything, time.Now(), nil)
	l.Title, l.Language, l.Charset = orNull(page.Title), orNull(page.Language), orNull(page.Charset)
	size := len(r.Payload)
	l.Size, l.Links = &size, &o.Links
	return l, true
}

// placeLine returns what is known of a capture without reading its page.
func placeLine(c *capture.Stored, u crawl.URL) pageLine {
	l := pageLine{
		URL: c.URL, Domain: string(u.Domain()), Host: u.Hostname(), Date: c.Date.UTC().Format(dateLayout),
		Status:    c.Status,
		Truncated: orNull(c.Truncated), Revisit: c.Revisit != nil,
		Length: c.Position.RecordLength, File: c.Position.File, Offset: c.Position.RecordOffset,
	}
	if c.PayloadDigest != [20]byte{} {
		l.Digest = orNull(base32.StdEncoding.EncodeToString(c.PayloadDigest[:]))
	}
	return l
}

// orNull returns a text, nil for none.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
