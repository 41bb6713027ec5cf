package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"strings"
	"time"

	"github.com/forage-net/forage/crawl"
)

// State says how far a URL is. The numbers are on disk and on the wire; within one version the higher wins.
type State uint8

const (
	// Waiting is a URL that is to be visited.
	Waiting State = 0
	// Unverified is a URL that was visited by somebody whose word is not enough yet.
	Unverified State = 1
	// Done is a URL that was visited, or given up.
	Done State = 2
)

const (
	// MaxVersion bounds URL.Version and Answer.Version.
	MaxVersion = 1 << 32
	// MaxEvery bounds Visit.Every in seconds.
	MaxEvery = 400 * 24 * 3600
	// MaxRedirects bounds Link.Redirects.
	MaxRedirects = 15

	maxStatus = 999
	maxSize   = 1 << 40

	// modifiedWait is when a page is visited again, at the earliest, of which a sitemap or feed says that it changed.
	modifiedWait = 24 * 3600
)

// URL is the value of a URL's item.
type URL struct {
	// Version is 0 at first. A higher one wins, whatever the state: that is how a URL is visited again that was Done.
	Version uint64
	State   State
	Visit   Visit
	Link    Link
}

// Visit is the result of the last visit of a URL. Of equal versions and states the later visit wins. The zero value is
// that of a URL never visited.
type Visit struct {
	Date   int64 // Unix seconds, at least 1
	Result crawl.Result
	Status int // HTTP status, 0 to 999
	// Tries counts the visits that failed since the last that did not.
	Tries     uint8
	Duplicate bool
	Size      uint64 // bytes received
	Every     uint32 // seconds to the next visit, 0 if there is none
	// Digest, ETag and LastModified are of the last answer with content, as in crawl.Outcome.
	Digest             [20]byte
	ETag, LastModified string
}

// Link joins the links to a URL: each field merges by itself. Or it is one link of a page, and Foreign says nothing.
type Link struct {
	Text      string // "http://…" or "https://…"; not parsed. One that belongs to the key wins, then the smaller
	Depth     uint8  // the least wins
	Redirects uint8  // the least wins
	// Source is as in crawl.Task. That of a sitemap or feed wins, and of two the lower.
	Source   uint8
	Priority crawl.Priority // the higher wins, which is the lower number
	Foreign  bool           // a page of another domain brought it; true wins
	Modified int64          // Unix seconds, 0 if unknown; the later wins
}

// The first byte of a URL's value holds the state in its lowest two bits, then these.
const (
	urlForeign = 1 << (iota + 2)
	urlSecure
	urlExtra // version, redirects, source and modified follow
	urlVisit

	urlPriorityShift = 6
)

// The first byte of a visit.
const (
	visitDuplicate = 1 << iota
	visitDigest
	visitETag
	visitModified
)

// Encode returns the value of an item of a domain. u must be within the bounds of its fields.
func (u URL) Encode(d crawl.Domain) []byte {
	l := &u.Link
	rest, secure := strings.CutPrefix(l.Text, "https://")
	if !secure {
		rest = strings.TrimPrefix(l.Text, "http://")
	}
	extra := u.Version > 0 || l.Redirects > 0 || l.Source > 0 || l.Modified > 0
	visited := u.Visit != Visit{}
	flags := byte(u.State) | byte(l.Priority)<<urlPriorityShift |
		flag(l.Foreign, urlForeign) | flag(secure, urlSecure) | flag(extra, urlExtra) | flag(visited, urlVisit)
	b := append(make([]byte, 0, len(rest)+64), flags, l.Depth)
	if extra {
		b = binary.AppendUvarint(b, u.Version)
		b = append(b, l.Redirects|l.Source<<4)
		b = binary.AppendUvarint(b, uint64(l.Modified))
	}
	b = appendText(b, shorten(d, rest))
	if visited {
		b = u.Visit.append(b)
	}
	return b
}

// shorten returns the text of a URL without scheme as the value of an item has it: the key names the domain, so in a
// host that ends with it a space stands for it and the slash that follows.
func shorten(d crawl.Domain, text string) string {
	host, path, _ := strings.Cut(text, "/")
	if sub, ok := strings.CutSuffix(host, string(d)); ok {
		return sub + " " + path
	}
	return text
}

func flag(set bool, bit byte) byte {
	if set {
		return bit
	}
	return 0
}

func (v *Visit) append(b []byte) []byte {
	hasDigest := v.Digest != [20]byte{}
	b = append(b, flag(v.Duplicate, visitDuplicate)|flag(hasDigest, visitDigest)|
		flag(v.ETag != "", visitETag)|flag(v.LastModified != "", visitModified), byte(v.Result), v.Tries)
	for _, n := range [...]uint64{uint64(v.Status), uint64(v.Date), v.Size, uint64(v.Every)} {
		b = binary.AppendUvarint(b, n)
	}
	if hasDigest {
		b = append(b, v.Digest[:]...)
	}
	if v.ETag != "" {
		b = appendText(b, v.ETag)
	}
	if v.LastModified != "" {
		b = appendText(b, v.LastModified)
	}
	return b
}

// DecodeURL is the reverse of URL.Encode for bytes from anywhere. The error is ErrValue. Only values that
// Encode could write are read.
func DecodeURL(d crawl.Domain, b []byte) (URL, error) {
	if len(b) > MaxValue {
		return URL{}, invalid("URL", len(b))
	}
	r := unpacker{rest: b}
	flags := r.byte()
	u := URL{State: State(flags & 3), Link: Link{
		Depth: r.byte(), Priority: crawl.Priority(flags >> urlPriorityShift), Foreign: flags&urlForeign != 0,
	}}
	if flags&urlExtra != 0 {
		u.Version = r.uint(MaxVersion)
		by := r.byte()
		u.Link.Redirects, u.Link.Source = by&MaxRedirects, by>>4
		u.Link.Modified = r.date()
		if u.Version == 0 && by == 0 && u.Link.Modified == 0 {
			r.fail()
		}
	}
	scheme := "http://"
	if flags&urlSecure != 0 {
		scheme = "https://"
	}
	u.Link.Text = r.shortened(scheme, d)
	if flags&urlVisit != 0 {
		u.Visit = r.visit()
	}
	valid := u.State <= Done && u.Link.Priority >= crawl.PriorityHigh && u.Link.Source <= crawl.MaxSource &&
		(u.State == Waiting || u.Visit.Date > 0) && strings.IndexByte(u.Link.Text[len(scheme):], '/') > 0 &&
		len(u.Link.Text) <= crawl.MaxURL
	if !r.ok() || !valid {
		return URL{}, invalid("URL", len(b))
	}
	return u, nil
}

// shortened reads what shorten returned, and returns the text with the scheme.
func (r *unpacker) shortened(scheme string, d crawl.Domain) (text string) {
	short := r.bytes(int(r.uint(crawl.MaxURL)))
	if sub, path, ok := bytes.Cut(short, []byte(" ")); ok {
		if bytes.IndexByte(sub, '/') >= 0 {
			r.fail() // shorten replaces the domain of a host alone
		}
		text = scheme + string(sub) + string(d) + "/" + string(path)
	} else {
		host, _, _ := bytes.Cut(short, []byte("/"))
		if strings.HasSuffix(string(host), string(d)) {
			r.fail() // shorten would have replaced it
		}
		text = scheme + string(short)
	}
	if !visible(text) {
		r.fail()
	}
	return text
}

// visit reads what Visit.append writes.
func (r *unpacker) visit() (v Visit) {
	flags := r.byte()
	v.Duplicate = flags&visitDuplicate != 0
	v.Result, v.Tries = crawl.Result(r.byte()), r.byte()
	v.Status, v.Date = int(r.uint(maxStatus)), r.date()
	v.Size, v.Every = r.uint(maxSize), uint32(r.uint(MaxEvery))
	if flags&visitDigest != 0 {
		if copy(v.Digest[:], r.bytes(len(v.Digest))); v.Digest == [20]byte{} {
			r.fail()
		}
	}
	if flags&visitETag != 0 {
		v.ETag = r.given(crawl.MaxValidator)
	}
	if flags&visitModified != 0 {
		v.LastModified = r.given(crawl.MaxValidator)
	}
	if v.Date < 1 || v.Result < crawl.Fetched || v.Result > crawl.Declined || flags >= visitModified<<1 {
		r.fail()
	}
	return v
}

// given reads a text that is not empty.
func (r *unpacker) given(limit int) string {
	t := r.text(limit)
	if t == "" {
		r.fail()
	}
	return t
}

// compare orders by visits: the greater wins.
func (u *URL) compare(o *URL) int {
	c := cmp.Or(cmp.Compare(u.Version, o.Version), cmp.Compare(u.State, o.State),
		cmp.Compare(u.Visit.Date, o.Visit.Date), cmp.Compare(u.Visit.Tries, o.Visit.Tries))
	if c != 0 || u.Visit == o.Visit {
		return c
	}
	return bytes.Compare(u.Visit.append(nil), o.Visit.append(nil))
}

func mergeLinks(d crawl.Domain, key string, a, b Link) Link {
	m := Link{
		Text: a.Text, Depth: min(a.Depth, b.Depth), Redirects: min(a.Redirects, b.Redirects),
		Source:   min(a.Source, b.Source),
		Priority: min(a.Priority, b.Priority), Foreign: a.Foreign || b.Foreign, Modified: max(a.Modified, b.Modified),
	}
	if m.Source == 0 {
		m.Source = max(a.Source, b.Source)
	}
	if a.Text != b.Text {
		_, _, okA := taskURL(d, key, a.Text)
		_, _, okB := taskURL(d, key, b.Text)
		if okB && !okA || okB == okA && b.Text < a.Text {
			m.Text = b.Text
		}
	}
	return m
}

// maxHostname is the longest name DNS has, in bytes.
const maxHostname = 253

// taskURL returns the URL of an item; ok is false if it is none of the domain and the key.
func taskURL(d crawl.Domain, key, text string) (u crawl.URL, id ID, ok bool) {
	u, err := crawl.ParseURL(text)
	if err != nil || u.String() != text || u.Domain() != d || len(u.Hostname()) > maxHostname {
		return crawl.URL{}, ID{}, false
	}
	id = Identify(u)
	return u, id, id.Key == key
}

// IsUnverified reports whether an item is a URL with an outcome of before a time that is not verified.
func IsUnverified(it Item, before time.Time) bool {
	if len(it.Value) == 0 || it.Key[0] != byte(KindURL) || State(it.Value[0]&3) != Unverified {
		return false
	}
	u, err := DecodeURL(it.Domain, it.Value)
	return err == nil && u.Visit.Date < before.Unix()
}

// Due returns when a URL that is Done should be visited again, in Unix seconds; 0 if it should not.
func (u *URL) Due() int64 {
	if u.State != Done || u.Visit.Every == 0 {
		return 0
	}
	every := int64(u.Visit.Every)
	if u.Link.Modified > u.Visit.Date {
		every = min(every, modifiedWait)
	}
	return u.Visit.Date + every
}

// Task returns the task that the item stands for; ok is false if its text is no URL of the domain and the key. Prior is
// set if it was done before.
func (u *URL) Task(d crawl.Domain, key string) (t crawl.Task, ok bool) {
	parsed, _, ok := taskURL(d, key, u.Link.Text)
	if !ok {
		return crawl.Task{}, false
	}
	t = crawl.Task{
		ID: crawl.TaskID(key), URL: parsed, Depth: u.Link.Depth, Redirects: u.Link.Redirects, Source: u.Link.Source,
		Attempts: u.Visit.Tries,
	}
	if u.State == Done {
		t.Prior = &crawl.Prior{
			Date: time.Unix(u.Visit.Date, 0), Digest: u.Visit.Digest, ETag: u.Visit.ETag,
			LastModified: u.Visit.LastModified,
		}
	}
	return t, true
}
