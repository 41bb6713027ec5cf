// Package lookup finds captures by the lines of the indexes alone, reading backwards from the newest capture on: by
// words of title and URL, by URL, by time, by ID. Nothing else has to be kept in order with the archive: a file that is
// removed takes its lines with it. Indexes of earlier versions have no titles; their pages are found by URL until the
// index is removed and repaired. Memory and time are bounded; captures may be appended meanwhile.
package lookup

import (
	"bytes"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	phrases "github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/cdxj"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// ErrNoCapture is returned for an ID of which there is no capture in the
// archive, or none any more.
var ErrNoCapture = phrases.New("said.api.there-is-no-such-capture-in-2", nil)

// Found is a capture as its index line tells of it.
type Found struct {
	// ID names the capture in this archive for as long as its file is there.
	ID   string
	URL  string
	Date time.Time // in seconds
	// Status is 0 if the answer had none.
	Status int
	// MIME is the media type of the answer, "unk" if it has none, and
	// "warc/revisit" for a revisit.
	MIME string
	// Bytes is the length of the record in its file.
	Bytes int64
	// Title is that of the page, "" if it has none or the index was written
	// by an earlier version.
	Title   string
	Revisit bool
	// Digest is that of the payload, the zero value if there is none.
	Digest [20]byte
	// Position has no Offset and Length, which the index does not know.
	Position capture.Position
}

// foundLine is what is read of an index line to find a capture.
type foundLine struct {
	URL    string `json:"url"`
	MIME   string `json:"mime"`
	Status string `json:"status"`
	Digest string `json:"digest"`
	Title  string `json:"title"`
	Length string `json:"length"`
	Offset string `json:"offset"`
}

// parseFound reads a line of the index of f; ok is false if it is none.
func parseFound(f warcfile.File, line []byte) (c Found, ok bool) {
	_, rest, _ := bytes.Cut(line, []byte(" "))
	stamp, object, _ := bytes.Cut(rest, []byte(" "))
	var fields foundLine
	if err := json.Unmarshal(object, &fields); err != nil {
		return c, false
	}
	date, err := time.Parse(warcfile.StampLayout, string(stamp))
	if err != nil {
		return c, false
	}
	offset, err := strconv.ParseInt(fields.Offset, 10, 64)
	if err != nil || offset <= 0 {
		return c, false
	}
	length, err := strconv.ParseInt(fields.Length, 10, 64)
	if err != nil || length < 0 {
		return c, false
	}
	c = Found{
		ID: f.ID(offset), URL: fields.URL, Date: date, MIME: fields.MIME, Bytes: length, Title: fields.Title,
		Revisit:  fields.MIME == cdxj.RevisitMIME,
		Position: capture.Position{File: f.String(), RecordOffset: offset, RecordLength: length},
	}
	c.Status, _ = strconv.Atoi(fields.Status) // "-" where there is none
	c.setDigest([]byte(fields.Digest))
	return c, true
}

// setDigest reads the digest of an index line, if it is one.
func (c *Found) setDigest(text []byte) bool {
	var sum [20]byte
	if base32.StdEncoding.EncodedLen(len(c.Digest)) != len(text) {
		return false
	}
	if n, err := base32.StdEncoding.Decode(sum[:], text); err != nil || n != len(c.Digest) {
		return false
	}
	c.Digest = sum
	return true
}

// Find returns what the index says of a capture. The ID may come from anybody:
// only the place of a record that the index knows is one. The error is
// ErrNoCapture if there is none.
func Find(dir, capture string) (Found, error) {
	n, offset, ok := warcfile.ParseID(capture)
	if !ok {
		return Found{}, ErrNoCapture
	}
	f := warcfile.File{Name: n, Dir: dir}
	// Quotes within values are escaped, so that no URL or title looks like this.
	needle := fmt.Appendf(nil, `","offset":"%d","filename":"%s"}`, offset, f.String())
	var found Found
	err := cdxj.Matching(f, needle, func(line []byte) bool {
		if c, ok := parseFound(f, line); ok && c.Position.RecordOffset == offset {
			found = c
		}
		return found.ID == ""
	})
	if err != nil {
		return Found{}, fmt.Errorf("find %s: %w", capture, err)
	}
	if found.ID == "" {
		return Found{}, ErrNoCapture
	}
	return found, nil
}

// Each calls fn with address and second of all captures of an archive, as their index lines tell them,
// until it returns an error.
func Each(dir string, fn func(url string, unix int64) error) error {
	files, err := warcfile.List(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		err := cdxj.Each(f, func(line []byte, _ cdxj.Said) error {
			if c, ok := parseFound(f, line); ok {
				return fn(c.URL, c.Date.Unix())
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Records returns where in a file of the archive there are responses and revisits, by its index. A file that is
// not there has none.
func Records(dir, name string) (map[int64]bool, error) {
	at := make(map[int64]bool)
	n, ok := warcfile.ParseName(name)
	if !ok {
		return at, nil
	}
	f := warcfile.File{Name: n, Dir: dir}
	err := cdxj.Matching(f, []byte(`","offset":"`), func(line []byte) bool {
		at[cdxj.Place(line)] = true
		return true
	})
	return at, err
}
