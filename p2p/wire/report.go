package wire

import (
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/forage-net/forage/crawl"
)

const (
	// maxReason and maxTitle bound texts, in bytes.
	maxReason = 200
	maxTitle  = 200
	// MaxReportBytes bounds the URLs of the links of a report: a few bytes
	// can stand for a long URL.
	MaxReportBytes = 1 << 20
)

// Report brings home what became of a lease since the last report of it.
type Report struct {
	Lease    crawl.LeaseID `cbor:"1,keyasint"`
	Domain   crawl.Domain  `cbor:"2,keyasint"`
	Outcomes []Outcome     `cbor:"3,keyasint,omitempty"`
	// Over gives the lease back.
	Over         bool  `cbor:"4,keyasint,omitempty"`
	CrawlDelayMs int64 `cbor:"6,keyasint,omitempty"` // read in robots.txt, 0 if none was
}

// Outcome is a crawl.Outcome on the wire; its task is told by its URL.
type Outcome struct {
	Result       crawl.Result `cbor:"2,keyasint"`
	Status       uint16       `cbor:"3,keyasint,omitempty"`
	Reason       string       `cbor:"4,keyasint,omitempty"`
	Date         int64        `cbor:"5,keyasint,omitempty"` // Unix seconds
	TookMs       int64        `cbor:"6,keyasint,omitempty"`
	WaitMs       int64        `cbor:"7,keyasint,omitempty"`
	CrawlDelayMs int64        `cbor:"8,keyasint,omitempty"`
	Received     int64        `cbor:"9,keyasint,omitempty"` // bytes
	Digest       []byte       `cbor:"10,keyasint,omitempty"`
	Duplicate    bool         `cbor:"11,keyasint,omitempty"`
	Challenged   bool         `cbor:"12,keyasint,omitempty"`
	NoRobots     bool         `cbor:"13,keyasint,omitempty"`
	ETag         string       `cbor:"14,keyasint,omitempty"`
	LastModified *modified    `cbor:"15,keyasint,omitempty"`
	Title        string       `cbor:"16,keyasint,omitempty"`
	Depth        uint8        `cbor:"17,keyasint,omitempty"` // of most links
	Links        []byte       `cbor:"18,keyasint,omitempty"` // by AppendLinks
	// URL is the task's.
	URL string `cbor:"20,keyasint,omitempty"`
	// Attempts is how often the task had failed before, Prior when its URL was visited before (Unix seconds, 0
	// for never).
	Attempts uint8 `cbor:"21,keyasint,omitempty"`
	Prior    int64 `cbor:"22,keyasint,omitempty"`
	// ConnectMs is how long the fetcher took to connect, 0 if it did not.
	ConnectMs uint16 `cbor:"23,keyasint,omitempty"`
}

func (r *Report) validate() error {
	if len(r.Outcomes) > MaxTasks || r.Lease == 0 {
		return invalid("%d outcomes of lease %d", len(r.Outcomes), r.Lease)
	}
	for i := range r.Outcomes {
		if err := r.Outcomes[i].validate(); err != nil {
			return err
		}
	}
	if err := checkMillis(r.CrawlDelayMs); err != nil {
		return err
	}
	return checkDomain(r.Domain)
}

func (o *Outcome) validate() error {
	for _, ms := range []int64{o.TookMs, o.WaitMs, o.CrawlDelayMs} {
		if err := checkMillis(ms); err != nil {
			return err
		}
	}
	switch {
	case o.Result < crawl.Fetched || o.Result > crawl.Declined, o.Status > 999, o.Date < 0,
		o.Date > maxModified, o.Received < 0, o.Received > 1<<40:
		return invalid("outcome %d", o.Result)
	case len(o.Reason) > maxReason, len(o.Title) > maxTitle, len(o.ETag) > crawl.MaxValidator,
		o.LastModified != nil && len(o.LastModified.text) > crawl.MaxValidator:
		return invalid("texts of an outcome")
	case len(o.Digest) != 0 && len(o.Digest) != 20, len(o.URL) > crawl.MaxURL, o.Prior < 0, o.Prior > maxModified:
		return invalid("digest of %d bytes", len(o.Digest))
	}
	return nil
}

// OutcomeOf returns an outcome as it goes over the wire.
func OutcomeOf(o crawl.Outcome) Outcome {
	w := Outcome{
		Result: o.Result, Status: uint16(min(max(o.Status, 0), 999)),
		Reason: cut(o.Reason, maxReason), Date: max(o.Date.Unix(), 0),
		TookMs: millis(o.Took), WaitMs: millis(o.Wait), CrawlDelayMs: millis(o.CrawlDelay),
		Received:  max(o.Received, 0),
		Duplicate: o.Duplicate, Challenged: o.Challenged, NoRobots: o.NoRobots, ETag: o.ETag,
		Title: cut(o.Title, maxTitle),
		Depth: o.Task.Depth + 1, URL: o.Task.URL.String(), Attempts: o.Task.Attempts,
		ConnectMs: uint16(min(millis(o.Connect), math.MaxUint16)),
	}
	if o.Task.Prior != nil {
		w.Prior = max(o.Task.Prior.Date.Unix(), 0)
	}
	if o.Digest != ([20]byte{}) {
		w.Digest = o.Digest[:]
	}
	if o.LastModified != "" {
		w.LastModified = &modified{o.LastModified}
	}
	n, size := 0, 0
	for ; n < min(len(o.Outlinks), MaxLinks); n++ {
		if size += len(o.Outlinks[n].URL.String()); size > crawl.MaxOutlinkBytes {
			break
		}
	}
	if n > 0 {
		w.Links = AppendLinks(nil, w.Depth, o.Outlinks[:n])
	} else {
		w.Depth = 0
	}
	return w
}

// Outcome returns the outcome, without lease, domain and URL, and how many
// bytes the URLs of its links take, at most room. The links are canonical, the
// texts without control characters. The error wraps ErrInvalid.
func (w *Outcome) Outcome(room int) (o crawl.Outcome, size int, err error) {
	o = crawl.Outcome{
		Result: w.Result, Status: int(w.Status), Reason: clean(w.Reason),
		Date: time.Unix(w.Date, 0),
		Took: time.Duration(w.TookMs) * time.Millisecond, Wait: time.Duration(w.WaitMs) * time.Millisecond,
		CrawlDelay: time.Duration(w.CrawlDelayMs) * time.Millisecond, Received: w.Received,
		Duplicate: w.Duplicate, Challenged: w.Challenged, NoRobots: w.NoRobots, ETag: w.ETag, Title: clean(w.Title),
		Connect: time.Duration(w.ConnectMs) * time.Millisecond,
	}
	if o.Task.Attempts = w.Attempts; w.Prior > 0 {
		o.Task.Prior = &crawl.Prior{Date: time.Unix(w.Prior, 0)}
	}
	copy(o.Digest[:], w.Digest)
	if w.LastModified != nil {
		o.LastModified = w.LastModified.text
	}
	if len(w.Links) == 0 {
		return o, 0, nil
	}
	o.Outlinks, err = ParseLinks(w.Links, w.Depth, MaxLinks, min(crawl.MaxOutlinkBytes, room))
	for _, l := range o.Outlinks {
		size += len(l.URL.String())
	}
	return o, size, err
}

// Clean returns an outcome with texts as whoever reads it from the wire has them.
func Clean(o crawl.Outcome) crawl.Outcome {
	o.Reason, o.Title = clean(cut(o.Reason, maxReason)), clean(cut(o.Title, maxTitle))
	return o
}

func millis(d time.Duration) int64 { return min(max(d.Milliseconds(), 0), maxDuration) }

// cut shortens text to n bytes of valid UTF-8.
func cut(s string, n int) string { return strings.ToValidUTF8(s[:min(len(s), n)], "") }

// clean takes out of a stranger's text what could deceive or disturb whoever
// looks at it, on a terminal above all.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			return -1
		}
		return r
	}, s)
}
