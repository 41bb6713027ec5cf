package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

func repeat[T any](n int, x T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = x
	}
	return list
}

// Each field just within its bounds, and just beyond.
func TestDecode_BoundsEveryField(t *testing.T) {
	digest := make([]byte, 16)
	link := rawLinks("https://a.example/")
	outcome := func(change func(*Outcome)) Message {
		o := Outcome{Result: crawl.Fetched}
		change(&o)
		return &Report{Lease: 1, Domain: "a.example", Outcomes: []Outcome{o}}
	}
	lease := func(change func(*Lease)) Message {
		l := LeaseOf(someLease(t))
		change(&l)
		return &l
	}
	prior := func(change func(*Prior)) Message {
		return lease(func(l *Lease) { change(&l.Priors[0]) })
	}
	text := func(n int) string { return strings.Repeat("x", n) }
	domain := func(n int) crawl.Domain { return crawl.Domain(text(n)) }
	for name, c := range map[string][2]Message{
		"loads": {&Ask{Lent: repeat(MaxLoads, Load{})}, &Ask{Lent: repeat(MaxLoads+1, Load{})}},
		"place of a ping": {&Ping{Digest: digest, Place: text(MaxPlace)},
			&Ping{Digest: digest, Place: text(MaxPlace + 1)}},
		"place of a sync": {&Sync{Digest: digest, Place: text(MaxPlace)},
			&Sync{Digest: digest, Place: text(MaxPlace + 1)}},
		"place":    {&Ask{Place: text(MaxPlace)}, &Ask{Place: text(MaxPlace + 1)}},
		"lease ID": {lease(func(l *Lease) { l.ID = 1 }), lease(func(l *Lease) { l.ID = 0 })},
		"lease's domain": {lease(func(l *Lease) { l.Domain = domain(255) }),
			lease(func(l *Lease) { l.Domain = domain(256) })},
		"no domain": {lease(func(l *Lease) { l.Domain = "a" }), lease(func(l *Lease) { l.Domain = "" })},
		"lease's letters": {lease(func(l *Lease) { l.Domain = "a~b" }),
			lease(func(l *Lease) { l.Domain = "A.example" })},
		"lease's time": {lease(func(l *Lease) { l.ForMs = maxDuration }),
			lease(func(l *Lease) { l.ForMs = maxDuration + 1 })},
		"lease without time": {lease(func(l *Lease) { l.ForMs = 1 }), lease(func(l *Lease) { l.ForMs = 0 })},
		"gap": {lease(func(l *Lease) { l.GapMs = maxDuration }),
			lease(func(l *Lease) { l.GapMs = maxDuration + 1 })},
		"gap back in time": {lease(func(l *Lease) { l.GapMs = 0 }), lease(func(l *Lease) { l.GapMs = -1 })},
		"attempts": {lease(func(l *Lease) { l.Attempts = make([]byte, MaxTasks) }),
			lease(func(l *Lease) { l.Attempts = make([]byte, MaxTasks+1) })},
		"priors": {lease(func(l *Lease) { l.Priors = repeat(MaxTasks, Prior{}) }),
			lease(func(l *Lease) { l.Priors = repeat(MaxTasks+1, Prior{}) })},
		"prior's digest": {prior(func(p *Prior) { p.Digest = make([]byte, 20) }),
			prior(func(p *Prior) { p.Digest = make([]byte, 19) })},
		"prior's validator": {prior(func(p *Prior) { p.ETag = text(crawl.MaxValidator) }),
			prior(func(p *Prior) { p.ETag = text(crawl.MaxValidator + 1) })},
		"prior's last modified": {
			prior(func(p *Prior) { p.LastModified = modified{text(crawl.MaxValidator)} }),
			prior(func(p *Prior) { p.LastModified = modified{text(crawl.MaxValidator + 1)} }),
		},
		"prior's date": {prior(func(p *Prior) { p.Date = maxModified }),
			prior(func(p *Prior) { p.Date = maxModified + 1 })},
		"report's lease": {&Report{Lease: 1, Domain: "a"},
			&Report{Lease: 0, Domain: "a"}},
		"report's delay": {
			&Report{Lease: 1, Domain: "a", CrawlDelayMs: maxDuration},
			&Report{Lease: 1, Domain: "a", CrawlDelayMs: maxDuration + 1},
		},
		"outcomes": {
			&Report{Lease: 1, Domain: "a", Outcomes: repeat(MaxTasks, Outcome{Result: 1})},
			&Report{Lease: 1, Domain: "a", Outcomes: repeat(MaxTasks+1, Outcome{Result: 1})},
		},
		"result": {outcome(func(o *Outcome) { o.Result = crawl.Declined }),
			outcome(func(o *Outcome) { o.Result = crawl.Declined + 1 })},
		"no result": {outcome(func(o *Outcome) { o.Result = 1 }), outcome(func(o *Outcome) { o.Result = 0 })},
		"status":    {outcome(func(o *Outcome) { o.Status = 999 }), outcome(func(o *Outcome) { o.Status = 1000 })},
		"reason": {outcome(func(o *Outcome) { o.Reason = text(maxReason) }),
			outcome(func(o *Outcome) { o.Reason = text(maxReason + 1) })},
		"title": {outcome(func(o *Outcome) { o.Title = text(maxTitle) }),
			outcome(func(o *Outcome) { o.Title = text(maxTitle + 1) })},
		"date": {outcome(func(o *Outcome) { o.Date = maxModified }),
			outcome(func(o *Outcome) { o.Date = maxModified + 1 })},
		"took": {outcome(func(o *Outcome) { o.TookMs = maxDuration }),
			outcome(func(o *Outcome) { o.TookMs = maxDuration + 1 })},
		"wait": {outcome(func(o *Outcome) { o.WaitMs = maxDuration }),
			outcome(func(o *Outcome) { o.WaitMs = maxDuration + 1 })},
		"crawl delay": {outcome(func(o *Outcome) { o.CrawlDelayMs = maxDuration }),
			outcome(func(o *Outcome) { o.CrawlDelayMs = -1 })},
		"received": {outcome(func(o *Outcome) { o.Received = 1 << 40 }),
			outcome(func(o *Outcome) { o.Received = 1<<40 + 1 })},
		"digest": {outcome(func(o *Outcome) { o.Digest = make([]byte, 20) }),
			outcome(func(o *Outcome) { o.Digest = make([]byte, 21) })},
		"validator": {outcome(func(o *Outcome) { o.ETag = text(crawl.MaxValidator) }),
			outcome(func(o *Outcome) { o.ETag = text(crawl.MaxValidator + 1) })},
		"last modified": {outcome(func(o *Outcome) { o.LastModified = &modified{text(256)} }),
			outcome(func(o *Outcome) { o.LastModified = &modified{text(257)} })},
		"URL": {outcome(func(o *Outcome) { o.URL = text(crawl.MaxURL) }),
			outcome(func(o *Outcome) { o.URL = text(crawl.MaxURL + 1) })},
		"date of links": {&Links{Date: maxModified, Links: link}, &Links{Date: -1, Links: link}},
		"whose links":   {&Links{From: domain(255)}, &Links{From: domain(256)}},
		"summary": {&Sync{Digest: digest, Summary: make([]byte, MaxSummary)},
			&Sync{Digest: digest, Summary: make([]byte, MaxSummary+1)}},
		"items": {&Sync{Digest: digest, Items: repeat(MaxItems, []byte{1})},
			&Sync{Digest: digest, Items: repeat(MaxItems+1, []byte{1})}},
		"signed item": {&Sync{Digest: digest, Items: [][]byte{make([]byte, MaxItemBytes)}},
			&Sync{Digest: digest, Items: [][]byte{make([]byte, MaxItemBytes+1)}}},
		"sync's digest": {&Sync{Digest: digest}, &Sync{Digest: append(digest, 0)}},
		"ping's digest": {&Ping{Digest: digest}, &Ping{}},
		"probe":         {&Probe{Peer: text(64)}, &Probe{Peer: text(65)}},
		"note":          {&Sign{Note: make([]byte, MaxItemBytes)}, &Sign{Note: make([]byte, MaxItemBytes+1)}},
	} {
		if _, err := decodeAs(c[0], Encode(c[0])); err != nil {
			t.Errorf("%s just within its bounds: %v", name, err)
		}
		if _, err := decodeAs(c[1], Encode(c[1])); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s just beyond its bounds: %v, want ErrInvalid", name, err)
		}
	}
}

// rawLinks is what AppendLinks makes of ordinary links with texts that need not be URLs.
func rawLinks(texts ...string) []byte {
	b, previous := binary.AppendUvarint(nil, uint64(len(texts))), ""
	for _, text := range texts {
		b, previous = appendText(append(b, 0), previous, text), text
	}
	return b
}

func TestParseLinks_Bounds(t *testing.T) {
	const short = "https://a.example/"
	long := short + strings.Repeat("x", crawl.MaxURL-len(short))
	one := func(change func(*crawl.Outlink)) []byte {
		l := crawl.Outlink{URL: mustURL(t, short), Priority: crawl.PriorityNormal}
		change(&l)
		return AppendLinks(nil, 0, []crawl.Outlink{l})
	}
	flagged := func(flags byte, shared byte) []byte {
		return append([]byte{1, flags, shared, byte(len(short))}, short...)
	}
	for name, c := range map[string][2][]byte{
		"length":        {rawLinks(long), rawLinks(long + "x")},
		"no URL":        {rawLinks(short), rawLinks("")},
		"not canonical": {rawLinks(short), rawLinks("https://a.example")},
		"source": {one(func(l *crawl.Outlink) { l.Source = crawl.MaxSource }),
			one(func(l *crawl.Outlink) { l.Source = crawl.MaxSource + 1 })},
		"priority": {one(func(l *crawl.Outlink) { l.Priority = crawl.PriorityLow }),
			one(func(l *crawl.Outlink) { l.Priority = crawl.PriorityLow + 1 })},
		"no priority": {one(func(l *crawl.Outlink) { l.Priority = crawl.PriorityHigh }),
			one(func(l *crawl.Outlink) { l.Priority = 0 })},
		"modified": {one(func(l *crawl.Outlink) { l.Modified = time.Unix(maxModified, 0) }),
			one(func(l *crawl.Outlink) { l.Modified = time.Unix(maxModified+1, 0) })},
		"modified before": {one(func(l *crawl.Outlink) { l.Modified = time.Unix(1, 0) }),
			one(func(l *crawl.Outlink) { l.Modified = time.Unix(-1, 0) })},
		"count":            {rawLinks(repeat(100, short)...), rawLinks(repeat(101, short)...)},
		"bytes in all":     {rawLinks(repeat(10, long)...), rawLinks(repeat(11, long)...)},
		"bytes behind":     {rawLinks(short), append(rawLinks(short), 0)},
		"unknown flags":    {flagged(0, 0), flagged(0x20, 0)},
		"shared too much":  {flagged(0, 0), flagged(0, 1)},
		"cut short":        {rawLinks(short), rawLinks(short)[:6]},
		"endless number":   {{0}, bytes.Repeat([]byte{0xff}, 20)},
		"more than bytes":  {{0}, {100, 0}},
		"length overflows": {{0}, append([]byte{1, 0, 0}, binary.AppendUvarint(nil, 1<<63)...)},
	} {
		if _, err := ParseLinks(c[0], 0, 100, 10*crawl.MaxURL); err != nil {
			t.Errorf("%s just within its bounds: %v", name, err)
		}
		if _, err := ParseLinks(c[1], 0, 100, 10*crawl.MaxURL); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s just beyond its bounds: %v, want ErrInvalid", name, err)
		}
	}
	texts := appendTexts(nil, repeat(10, strings.Repeat("x", 20)))
	if got, err := parseTexts(texts, 10, 20); err != nil || len(got) != 10 {
		t.Errorf("parseTexts just within its bounds = %d texts, %v", len(got), err)
	}
	for _, limits := range [][2]int{{9, 20}, {10, 19}} {
		if _, err := parseTexts(texts, limits[0], limits[1]); !errors.Is(err, ErrInvalid) {
			t.Errorf("parseTexts beyond %v = %v, want ErrInvalid", limits, err)
		}
	}
}

func TestLease_IsOfOneDomainAndOrigin(t *testing.T) {
	for name, urls := range map[string][]string{
		"another domain":  {"https://b.example/"},
		"another host":    {"https://a.example/", "https://www.a.example/"},
		"another scheme":  {"https://a.example/", "http://a.example/"},
		"another port":    {"https://a.example/", "https://a.example:8443/"},
		"not canonical":   {"https://a.example"},
		"no URL":          {"mailto:x@a.example"},
		"nothing":         {},
		"a relative path": {"/x"},
	} {
		l := LeaseOf(someLease(t))
		l.Tasks, l.Refs, l.Attempts, l.Priors = rawLinks(urls...), appendTexts(nil, repeat(len(urls), "r")), nil, nil
		if _, err := l.Lease(); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: Lease() = %v, want ErrInvalid", name, err)
		}
	}
	for name, change := range map[string]func(*Lease){
		"an ID too few":      func(l *Lease) { l.Refs = appendTexts(nil, repeat(4, "r")) },
		"an attempt too few": func(l *Lease) { l.Attempts = make([]byte, 4) },
		"a visit of no task": func(l *Lease) { l.Priors[0].Index = 5 },
		"a task too many": func(l *Lease) {
			l.Tasks = rawLinks(repeat(MaxTasks+1, "https://www.a.example/")...)
		},
		"an ID that is longer": func(l *Lease) { l.Refs = appendTexts(nil, repeat(5, strings.Repeat("r", MaxRef+1))) },
	} {
		l := LeaseOf(someLease(t))
		change(&l)
		if _, err := l.Lease(); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: Lease() = %v, want ErrInvalid", name, err)
		}
	}
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// One byte may stand for an empty outcome of hundreds of bytes, a few for a URL of
// two thousand. A message of a megabyte stays small.
func TestDecode_NoBytesGrowWithoutBound(t *testing.T) {
	const most = 24 << 20
	head := func(n int) []byte { return []byte{0x99, byte(n >> 8), byte(n)} }
	report := append(append([]byte{0xa1, 0x03}, head(4096)...), bytes.Repeat([]byte{0xa0}, 4096)...)
	lease := append(append([]byte{0x89, 1, 0x61, 'a', 1, 1, 0, 0x40, 0x40, 0x40}, head(4096)...),
		bytes.Repeat([]byte{0x80}, 4096)...)
	for name, c := range map[string]struct {
		m   Message
		raw []byte
	}{"report": {&Report{}, report}, "lease": {&Lease{}, lease}} {
		if got := allocated(func() {
			if _, err := decodeAs(c.m, c.raw); !errors.Is(err, ErrInvalid) {
				t.Errorf("%s: %v, want ErrInvalid", name, err)
			}
		}); got > most {
			t.Errorf("%s: %d bytes make %d in memory", name, len(c.raw), got)
		}
	}
	long := "https://a.example/" + strings.Repeat("x", crawl.MaxURL-18)
	links, fits := rawLinks(repeat(MaxLinks, long)...), rawLinks(repeat(380, long)...)
	m := Report{Lease: 1, Domain: "a", Outcomes: repeat(MaxTasks, Outcome{Result: 1, Links: fits})}
	if got := allocated(func() {
		room := MaxReportBytes
		var err error
		for i := range m.Outcomes {
			var size int
			if _, size, err = m.Outcomes[i].Outcome(room); err != nil {
				break
			}
			room -= size
		}
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("a report of %d bytes of URLs: %v, want ErrInvalid", MaxTasks*380*len(long), err)
		}
		batch := Links{Links: links}
		if _, err := batch.Parse(); !errors.Is(err, ErrInvalid) {
			t.Errorf("a batch of %d links: %v, want ErrInvalid", MaxLinks, err)
		}
	}); got > most {
		t.Errorf("links that share their beginnings make %d bytes in memory", got)
	}
	if _, err := ParseLinks(links, 0, MaxLinks, MaxBatchBytes); !errors.Is(err, ErrInvalid) {
		t.Errorf("ParseLinks = %v, want ErrInvalid", err)
	}
}

func TestDecode_RefusesWhatNobodySends(t *testing.T) {
	for name, raw := range map[string][]byte{
		"nothing":            {},
		"bytes behind":       append(Encode(&Ask{}), 0),
		"an open list":       {0x9f, 1, 0x60, 0xff},
		"a tag":              append([]byte{0xc1}, Encode(&Ask{})...),
		"a key twice":        {0x81, 0x81, 0xa2, 1, 1, 1, 2},
		"a field too few":    {0x81, 1},
		"a number too large": {0x82, 0x1a, 0, 1, 0, 0, 0x60},
	} {
		var err error
		if _, err = Decode[Ask](raw); name == "a key twice" {
			_, err = Decode[Report](raw)
		}
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: Decode = %v, want ErrInvalid", name, err)
		}
	}
	deep := bytes.Repeat([]byte{0x81}, 100)
	if _, err := Decode[Report](deep); !errors.Is(err, ErrInvalid) {
		t.Errorf("a list in a list in a list: %v, want ErrInvalid", err)
	}
	if got := fmt.Sprint(KindSign, Kind(99), Kind(0)); got != "out note unknown unknown" {
		t.Errorf("kinds are %s", got)
	}
}
