package wire

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

func mustURL(t testing.TB, text string) crawl.URL {
	t.Helper()
	u, err := crawl.ParseURL(text)
	if err != nil {
		t.Fatalf("ParseURL(%s) = %v", text, err)
	}
	return u
}

var day = time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)

// someLinks are links as pages have them.
func someLinks(t testing.TB) []crawl.Outlink {
	return []crawl.Outlink{
		{URL: mustURL(t, "https://en.wikipedia.org/wiki/Forage"), Depth: 3, Priority: crawl.PriorityNormal},
		{URL: mustURL(t, "https://en.wikipedia.org/wiki/Foraging"), Depth: 3, Priority: crawl.PriorityNormal},
		{URL: mustURL(t, "https://en.wikipedia.org/w/index.php?title=%C3%9Cber&action=edit"), Depth: 2,
			Priority: crawl.PriorityHigh, Redirects: 4},
		{URL: mustURL(t, "http://xn--bcher-kva.example/sitemap.xml"), Priority: crawl.PriorityHigh,
			Source: crawl.MaxSource},
		{URL: mustURL(t, "https://a.example/"), Depth: 255, Priority: crawl.PriorityLow,
			Modified: time.Unix(day.Unix(), 0)},
	}
}

// someLease is a lease as owners grant them.
func someLease(t testing.TB) crawl.Lease {
	l := crawl.Lease{ID: 1<<63 + 7, Domain: "a.example", For: 2 * time.Minute, Gap: 2500 * time.Millisecond}
	for i := range 5 {
		l.Tasks = append(l.Tasks, crawl.Task{
			ID:    crawl.TaskID(fmt.Sprintf("a.example\x00https://www.a.example\x00\x01\x02%08d", i)),
			URL:   mustURL(t, fmt.Sprintf("https://www.a.example/page/%d?q=ä", i)),
			Depth: uint8(i), Redirects: uint8(i % 2), Attempts: uint8(i % 3), Source: uint8(i % 4),
		})
	}
	l.Tasks[2].Prior = &crawl.Prior{Date: time.Unix(day.Unix(), 0), Digest: [20]byte{1, 2, 3}, ETag: `W/"x"`,
		LastModified: day.Format(httpTime)}
	l.Tasks[4].Prior = &crawl.Prior{Date: time.Unix(0, 0), LastModified: "yesterday"}
	return l
}

// someOutcome is an outcome as fetchers report them.
func someOutcome(t testing.TB) crawl.Outcome {
	return crawl.Outcome{
		Task: crawl.Task{Depth: 2, Attempts: 2, Prior: &crawl.Prior{Date: time.Unix(day.Unix(), 0)}}, Result: crawl.Fetched, Status: 200, Reason: "ok",
		Date: time.Unix(day.Unix(), 0), Took: 1234 * time.Millisecond, Connect: 92 * time.Millisecond,
		Wait: time.Minute, CrawlDelay: 10 * time.Second, Received: 50_000, Digest: [20]byte{9}, Duplicate: true,
		Challenged: true, NoRobots: true,
		ETag: `"abc"`, LastModified: day.Format(httpTime), Title: "Zoë — 東京", Outlinks: someLinks(t),
	}
}

// messages are one of each kind, with what the protocol carries.
func messages(t testing.TB) map[string]Message {
	digest := bytes.Repeat([]byte{7}, 16)
	outcome, lease := OutcomeOf(someOutcome(t)), LeaseOf(someLease(t))
	owner := strings.Repeat("p", 38)
	return map[string]Message{
		"ask":   &Ask{Slots: 40, Most: 80, Place: "eu", Lent: []Load{{Fetcher: 7, Sites: 2}}},
		"lease": &lease,
		"report": &Report{Lease: 5, Domain: "a.example", Outcomes: []Outcome{outcome,
			{Result: crawl.Gone, URL: "https://a.example/"}}, Over: true, CrawlDelayMs: 1000},
		"links": LinksOf("a.example", day.Unix(), someLinks(t)), "seeds": LinksOf("", 0, someLinks(t)),
		"sync": &Sync{Digest: digest, Summary: []byte("s"), Items: [][]byte{[]byte("i")}, Place: "eu"},
		"ping": &Ping{Digest: digest}, "probe": &Probe{Peer: owner}, "probed": &Probed{Alive: true},
		"sign":  &Sign{Note: []byte("n")},
		"vouch": &Vouch{Record: []byte("r")}, "vouched": &Vouched{Vouch: []byte("v")},
		"refused": &Vouched{Vouch: []byte{}, Why: RefusedUnmet},
		"keeping": &Keeping{Keeps: true}, "whyask": &WhyAsk{URL: "http://a.example/x"},
		"why": &WhyAnswer{Leads: true, Known: true, Result: crawl.Fetched, Status: 200, Date: day.Unix(),
			Next: day.Unix() + 9, Depth: 3, DueIn: 5, Queued: 7, All: 9, Budget: 10_000, Reason: "connection refused"},
	}
}

// decodeAs decodes bytes as a message of the type of m.
func decodeAs(m Message, raw []byte) (Message, error) {
	switch m.(type) {
	case *Ask:
		return decoded[Ask](raw)
	case *Lease:
		return decoded[Lease](raw)
	case *Report:
		return decoded[Report](raw)
	case *Links:
		return decoded[Links](raw)
	case *Sync:
		return decoded[Sync](raw)
	case *Ping:
		return decoded[Ping](raw)
	case *Probe:
		return decoded[Probe](raw)
	case *Keeping:
		return decoded[Keeping](raw)
	case *WhyAsk:
		return decoded[WhyAsk](raw)
	case *WhyAnswer:
		return decoded[WhyAnswer](raw)
	case *Probed:
		return decoded[Probed](raw)
	case *Sign:
		return decoded[Sign](raw)
	case *Vouch:
		return decoded[Vouch](raw)
	case *Vouched:
		return decoded[Vouched](raw)
	default:
		panic(fmt.Sprintf("decodeAs, in this file, lacks %T", m))
	}
}

func decoded[M any, P Pointer[M]](raw []byte) (Message, error) {
	m, err := Decode[M, P](raw)
	return P(&m), err
}
