package main

import (
	"cmp"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/wire"
)

// What package swarm puts and tells begins with one of these.
const (
	bodyReport = 1
	bodyLinks  = 2
	bodyWant   = 3
	bodyOffer  = 4
	maxOffers  = 64
)

func body(kind byte, m wire.Message) []byte { return append([]byte{kind}, wire.Encode(m)...) }

func offerBody(domains []crawl.Domain) []byte {
	w := &codec.Writer{B: []byte{bodyOffer}}
	codec.WriteList(w, domains, func(d crawl.Domain) { w.Text(string(d)) })
	return w.B
}

func readOffer(b []byte) []crawl.Domain {
	if len(b) == 0 || b[0] != bodyOffer {
		return nil
	}
	r := &codec.Reader{B: b[1:]}
	return codec.ReadList(r, maxOffers, func() crawl.Domain { return crawl.Domain(r.Text(codec.MaxName)) })
}

// forged begins the path of every URL that is made up, so that a server's log shows who believed in it.
const forged = "forged"

// forgedURL returns a URL that nothing leads to.
func forgedURL(host string) string {
	return fmt.Sprintf("http://%s/%s%d", host, forged, mathrand.IntN(1e9))
}

// forgedLinks are links to pages that do not exist: on a site, on a new host of it, and on a site that does not
// exist either.
func forgedLinks(d crawl.Domain, depth uint8) (links []crawl.Outlink) {
	hosts := []string{string(d), fmt.Sprintf("h%d.%s", mathrand.IntN(1e6), d),
		fmt.Sprintf("v%d.test", mathrand.IntN(1e6))}
	for _, h := range hosts {
		if u, err := crawl.ParseURL(forgedURL(h)); err == nil {
			links = append(links, crawl.Outlink{URL: u, Depth: depth, Priority: crawl.PriorityNormal})
		}
	}
	slices.SortFunc(links, func(a, b crawl.Outlink) int { return cmp.Compare(a.URL.String(), b.URL.String()) })
	return links
}

// lies are what is said of a page that was not visited.
var lies = []string{"links", "nolinks", "gone", "failed", "late"}

// lieAbout returns the outcome of a task that nobody worked.
func lieAbout(say string, t crawl.Task) wire.Outcome {
	o := wire.Outcome{Result: crawl.Fetched, Status: 200, Date: time.Now().Unix(), TookMs: 20, Received: 900,
		URL: t.URL.String(), Attempts: t.Attempts}
	switch say {
	case "gone":
		o.Result, o.Status = crawl.Gone, 404
		return o
	case "failed":
		o.Result, o.Status, o.Reason = crawl.Failed, 0, "connection refused"
		return o
	}
	o.Title, o.Digest = "told by one that was not there", make([]byte, 20)
	_, _ = rand.Read(o.Digest) // never fails
	if say != "nolinks" {
		o.Depth = t.Depth + 1
		o.Links = wire.AppendLinks(nil, o.Depth, forgedLinks(t.URL.Domain(), o.Depth))
	}
	return o
}

func reportBody(id crawl.LeaseID, d crawl.Domain, say string, tasks []crawl.Task) []byte {
	r := &wire.Report{Lease: id, Domain: d, Over: true}
	for _, t := range tasks {
		r.Outcomes = append(r.Outcomes, lieAbout(say, t))
	}
	return body(bodyReport, r)
}
