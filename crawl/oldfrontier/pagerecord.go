package frontier

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/forage-net/forage/crawl"
)

// pageRecord is the last visit of a URL.
type pageRecord struct {
	URL          string       `cbor:"1,keyasint"`
	Date         int64        `cbor:"2,keyasint"` // Unix seconds
	Result       crawl.Result `cbor:"3,keyasint"`
	Status       int          `cbor:"4,keyasint,omitempty"`
	Digest       []byte       `cbor:"5,keyasint,omitempty"`
	ETag         string       `cbor:"6,keyasint,omitempty"`
	LastModified string       `cbor:"7,keyasint,omitempty"`
	Every        int64        `cbor:"8,keyasint,omitempty"` // milliseconds to the next visit, 0: none
	Depth        uint8        `cbor:"9,keyasint,omitempty"`
	Source       uint8        `cbor:"10,keyasint,omitempty"` // as in crawl.Task
	Misses       uint8        `cbor:"11,keyasint,omitempty"` // visits in a row that did not find it
	Queued       bool         `cbor:"12,keyasint,omitempty"` // for another visit
}

// There is one record of each page that was ever visited, and each copy of a log writes it: a third of the pages of the store that
// a crawl writes hold nothing else. So a record is written closely packed, and what its key says is not in it:
//
//	pagePacked, flags, result, depth, misses; uvarints: status, date, every; how the URL begins, URL;
//	and if the flags say so: digest (20 bytes), ETag, Last-Modified
//
// A text is its length as uvarint and its bytes; the Last-Modified of a server that writes it as it shall is a uvarint, Unix seconds.
// What cannot be written so, and what was written before, is CBOR, of which no map begins with pagePacked.
const pagePacked = 1

// The flags of a packed record; the highest two bits are its source.
const (
	pageQueued = 1 << iota
	pageDigest
	pageETag
	pageModified
	pageModifiedText

	pageSourceShift = 6
)

// How the URL of a packed record begins. But for beginWhole the domain is not in it: what is before it and what is behind are two texts.
const (
	beginWhole = iota
	beginHTTP
	beginHTTPS
)

// pack returns a record as it is written under the key of a page of a domain.
func (r *pageRecord) pack(d crawl.Domain) ([]byte, error) {
	if r.Date < 0 || r.Every < 0 || r.Status < 0 || r.Source > crawl.MaxSource ||
		len(r.Digest) != 0 && len(r.Digest) != digestSize {
		return encode.Marshal(r)
	}
	modified, isTime := httpDate(r.LastModified)
	isTime = isTime && modified >= 0
	flags := r.Source << pageSourceShift
	for _, f := range []struct {
		flag byte
		set  bool
	}{
		{pageQueued, r.Queued}, {pageDigest, len(r.Digest) > 0}, {pageETag, r.ETag != ""},
		{pageModified, isTime}, {pageModifiedText, !isTime && r.LastModified != ""},
	} {
		if f.set {
			flags |= f.flag
		}
	}
	raw := make([]byte, 0, 48+len(r.URL)+len(r.ETag))
	raw = append(raw, pagePacked, flags, byte(r.Result), r.Depth, r.Misses)
	raw = binary.AppendUvarint(raw, uint64(r.Status))
	raw = binary.AppendUvarint(raw, uint64(r.Date))
	raw = binary.AppendUvarint(raw, uint64(r.Every))
	raw = appendURL(raw, d, r.URL)
	raw = append(raw, r.Digest...)
	if r.ETag != "" {
		raw = appendText(raw, r.ETag)
	}
	switch {
	case isTime:
		raw = binary.AppendUvarint(raw, uint64(modified))
	case r.LastModified != "":
		raw = appendText(raw, r.LastModified)
	}
	return raw, nil
}

// unpackPage is the reverse of pack, for bytes from anywhere.
func unpackPage(d crawl.Domain, raw []byte) (rec pageRecord, err error) {
	if len(raw) == 0 || raw[0] != pagePacked {
		err = decode.Unmarshal(raw, &rec)
		return rec, err
	}
	r := unpacker{text: raw[1:]}
	flags := r.byte()
	rec.Source = flags >> pageSourceShift
	rec.Queued = flags&pageQueued != 0
	rec.Result, rec.Depth, rec.Misses = crawl.Result(r.byte()), r.byte(), r.byte()
	status, date, every := r.uint(), r.uint(), r.uint()
	if status > math.MaxInt || date > math.MaxInt64 || every > math.MaxInt64 {
		r.fail()
	}
	rec.Status, rec.Date, rec.Every = int(status), int64(date), int64(every)
	rec.URL = r.pageURL(d)
	if flags&pageDigest != 0 {
		rec.Digest = r.fixed(digestSize)
	}
	if flags&pageETag != 0 {
		rec.ETag = string(r.bytes())
	}
	switch {
	case flags&pageModified != 0:
		at := r.uint()
		if at > maxModified {
			r.fail()
		}
		rec.LastModified = writeHTTPDate(int64(at))
	case flags&pageModifiedText != 0:
		rec.LastModified = string(r.bytes())
	}
	if r.failed || len(r.text) > 0 {
		return pageRecord{}, fmt.Errorf("%d bytes are no record of a visit", len(raw))
	}
	return rec, nil
}

// appendURL appends a URL without what is known from the domain.
func appendURL(raw []byte, d crawl.Domain, url string) []byte {
	scheme, rest, _ := strings.Cut(url, "://")
	before, after, found := strings.Cut(rest, string(d))
	begin := byte(beginWhole)
	switch {
	case d == "" || !found || len(before) > 0xff:
	case scheme == "http":
		begin = beginHTTP
	case scheme == "https":
		begin = beginHTTPS
	}
	if begin == beginWhole {
		return appendText(append(raw, begin), url)
	}
	raw = append(raw, begin)
	raw = appendText(raw, before)
	return appendText(raw, after)
}

// pageURL is the reverse of appendURL.
func (r *unpacker) pageURL(d crawl.Domain) string {
	switch r.byte() {
	case beginWhole:
		return string(r.bytes())
	case beginHTTP:
		return "http://" + string(r.bytes()) + string(d) + string(r.bytes())
	case beginHTTPS:
		return "https://" + string(r.bytes()) + string(d) + string(r.bytes())
	default:
		r.fail()
		return ""
	}
}

// fixed returns a copy of the next n bytes.
func (r *unpacker) fixed(n int) []byte {
	if len(r.text) < n {
		r.fail()
		return nil
	}
	raw := bytes.Clone(r.text[:n])
	r.text = r.text[n:]
	return raw
}

func appendText(raw []byte, text string) []byte {
	return append(binary.AppendUvarint(raw, uint64(len(text))), text...)
}

// maxModified is the last second of the year 9999: later ones have no form in HTTP.
const maxModified = 253402300799

// page returns the record under the key of a page; ok is false if there is none.
func (b *buckets) page(key []byte) (rec pageRecord, ok bool, err error) {
	raw := b.pages.Get(key)
	if raw == nil {
		return rec, false, nil
	}
	if rec, err = unpackPage(domainOf(key), raw); err != nil {
		return rec, false, fmt.Errorf("damaged record %.100q: %w", key, err)
	}
	return rec, true, nil
}

// putPage writes the record of a page, unless it is there as it is.
func (b *buckets) putPage(key []byte, rec *pageRecord) error {
	raw, err := rec.pack(domainOf(key))
	if err != nil {
		return err
	}
	if bytes.Equal(b.pages.Get(key), raw) {
		return nil
	}
	return b.pages.Put(key, raw)
}

// readPage reads the record of a page; ok is false if it is not the one that
// stands under its key.
func readPage(key, raw []byte) (rec pageRecord, u crawl.URL, ok bool) {
	rec, err := unpackPage(domainOf(key), raw)
	if err != nil {
		return rec, u, false
	}
	u, err = crawl.ParseURL(rec.URL)
	if err != nil || u.String() != rec.URL || !validDomain(u.Domain()) {
		return rec, u, false
	}
	return rec, u, bytes.Equal(key, pageKey(u.Domain(), rec.URL))
}
