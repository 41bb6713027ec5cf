package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
)

const (
	// MaxRepeats is how many repeated payloads a record remembers.
	MaxRepeats = 8
	// RepeatSize is how many bytes of a digest name a repeated payload.
	RepeatSize = 8
	// MaxReason and MaxTitle bound the texts of a record in bytes.
	MaxReason = 200
	MaxTitle  = 200

	maxCount = 1 << 40
	maxWait  = int64(crawl.MaxWait / time.Second)
)

// Record is the knowledge of a domain as a whole. Its fields merge by themselves. The zero value is that of a domain of
// which nothing is known.
type Record struct {
	Answer Answer
	// Wait is until when the site asked to be left alone, in Unix seconds, at most crawl.MaxWait after Answer.Date. The
	// later wins among answers of one version.
	Wait int64
	// Inlinks is a bit for each of 64 groups of domains that link here.
	Inlinks uint64
	// Repeats are payloads that came under several URLs: of each the largest count, and of all the MaxRepeats with the
	// largest counts, in the order of digests.
	Repeats []Repeat
	// Title is that of the page nearest to the seeds, and TitleDepth how near.
	Title      string
	TitleDepth uint8
	// Brought counts the domains that pages of this one link to. The largest wins.
	Brought uint64
}

// Answer is the last answer of the site as a whole. Of two the one with the higher version wins, then the later
// date, then the larger bytes.
type Answer struct {
	Version uint64
	Date    int64 // Unix seconds
	// Level is how often the wait was doubled, less the good answers since.
	Level uint8
	// Retired is how often the domain has retired since it last did well, Until when the last retirement ends
	// in Unix seconds, 0 if the site has answered since.
	Retired uint8
	Until   int64
	// Unheard counts the attempts to get robots.txt since a page was answered, Silent is the date of the first.
	Unheard uint8
	Silent  int64
	// CrawlDelay and Took are in milliseconds: what robots.txt asks for, and the time of a request.
	CrawlDelay, Took uint64
	// Weight is how many bytes had come of the domain when it last retired.
	Weight uint64
	// Reason is that of the last trouble, for people.
	Reason string
}

// Repeat is a payload that came under several URLs.
type Repeat struct {
	Digest [RepeatSize]byte
	Count  uint64
}

func (a *Answer) append(b []byte) []byte {
	b = append(b, a.Level, a.Retired, a.Unheard)
	for _, n := range [...]uint64{a.Version, uint64(a.Date), uint64(a.Until), uint64(a.Silent), a.CrawlDelay,
		a.Took, a.Weight} {
		b = binary.AppendUvarint(b, n)
	}
	return appendText(b, a.Reason)
}

// Encode returns the value of an item. The record must be within the bounds of its fields.
func (r Record) Encode() []byte {
	b := r.Answer.append(make([]byte, 0, 128))
	for _, n := range [...]uint64{uint64(r.Wait), r.Inlinks, r.Brought, uint64(len(r.Repeats))} {
		b = binary.AppendUvarint(b, n)
	}
	for _, p := range r.Repeats {
		b = binary.AppendUvarint(append(b, p.Digest[:]...), p.Count)
	}
	return appendText(append(b, r.TitleDepth), r.Title)
}

// DecodeRecord is the reverse of Record.Encode for bytes from anywhere. The error is ErrValue. Only values that
// Encode could write are read.
func DecodeRecord(b []byte) (rec Record, err error) {
	r := unpacker{rest: b}
	rec.Answer = r.answer()
	rec.Wait, rec.Inlinks = r.date(), r.uint(1<<64-1)
	rec.Brought = r.uint(maxCount)
	for range r.uint(MaxRepeats) {
		var p Repeat
		copy(p.Digest[:], r.bytes(RepeatSize))
		p.Count = r.uint(maxCount)
		if n := len(rec.Repeats); n > 0 && compareDigests(rec.Repeats[n-1], p) >= 0 {
			r.fail()
		}
		rec.Repeats = append(rec.Repeats, p)
	}
	rec.TitleDepth = r.byte()
	rec.Title = r.text(MaxTitle)
	if !r.ok() || rec.Wait > rec.Answer.Date+maxWait || rec.Title == "" && rec.TitleDepth > 0 {
		return Record{}, invalid("record", len(b))
	}
	return rec, nil
}

// answer reads what Answer.append writes.
func (r *unpacker) answer() Answer {
	a := Answer{Level: r.byte(), Retired: r.byte(), Unheard: r.byte()}
	a.Version, a.Date, a.Until, a.Silent = r.uint(MaxVersion), r.date(), r.date(), r.date()
	a.CrawlDelay, a.Took, a.Weight = r.uint(maxCount), r.uint(maxCount), r.uint(maxCount<<10)
	a.Reason = r.text(MaxReason)
	return a
}

func mergeRecords(a, b Record) Record {
	c := cmp.Compare(a.Answer.Version, b.Answer.Version)
	switch {
	case c < 0:
		a.Wait = b.Wait
	case c == 0:
		a.Wait = max(a.Wait, b.Wait)
	}
	if a.Answer.compare(&b.Answer) < 0 {
		a.Answer = b.Answer
	}
	a.Inlinks |= b.Inlinks
	a.Brought = max(a.Brought, b.Brought)
	a.Repeats = mergeRepeats(a.Repeats, b.Repeats)
	if b.titleBefore(&a) {
		a.Title, a.TitleDepth = b.Title, b.TitleDepth
	}
	return a
}

// compare orders answers: the greater wins.
func (a *Answer) compare(o *Answer) int {
	c := cmp.Or(cmp.Compare(a.Version, o.Version), cmp.Compare(a.Date, o.Date))
	if c != 0 || *a == *o {
		return c
	}
	return bytes.Compare(a.append(nil), o.append(nil))
}

// titleBefore reports whether the title of r is to be shown rather than that of o.
func (r *Record) titleBefore(o *Record) bool {
	if r.Title == "" || o.Title == "" {
		return r.Title != ""
	}
	return cmp.Or(cmp.Compare(r.TitleDepth, o.TitleDepth), cmp.Compare(r.Title, o.Title)) < 0
}

// mergeRepeats joins two lists. A payload that is left out of one has MaxRepeats others before it in every list
// that has these too, so the order in which lists are joined does not matter.
func mergeRepeats(a, b []Repeat) []Repeat {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y Repeat) int { return cmp.Or(compareDigests(x, y), cmp.Compare(y.Count, x.Count)) })
	all = slices.CompactFunc(all, func(x, y Repeat) bool { return x.Digest == y.Digest })
	if len(all) > MaxRepeats {
		slices.SortFunc(all, func(x, y Repeat) int {
			return cmp.Or(cmp.Compare(y.Count, x.Count),
				compareDigests(x, y))
		})
		all = all[:MaxRepeats]
		slices.SortFunc(all, compareDigests)
	}
	return all
}

func compareDigests(x, y Repeat) int { return bytes.Compare(x.Digest[:], y.Digest[:]) }

// AddRepeat raises the count of a payload to at least n.
func (r *Record) AddRepeat(p Repeat) { r.Repeats = mergeRepeats(r.Repeats, []Repeat{p}) }

// Repeated returns the count of a payload, 0 if it is not among Repeats.
func (r *Record) Repeated(digest [RepeatSize]byte) uint64 {
	for _, p := range r.Repeats {
		if p.Digest == digest {
			return p.Count
		}
	}
	return 0
}
