package app

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/worker"
	"github.com/forage-net/forage/storage/warc"
)

// isOfPrior reports whether a capture is of the visit before the one that is
// under way.
func isOfPrior(c warc.StoredCapture, prior *crawl.Prior) bool {
	return prior != nil && c.Date.Unix() <= prior.Date.Unix()
}

// outcomeOf makes the outcome of a task from the record of its capture.
func (n *Node) outcomeOf(c warc.StoredCapture, claim crawl.Outcome) (crawl.Outcome, error) {
	raw, duplicate := c.Response, false
	if c.Revisit != nil && !c.Revisit.NotModified {
		// Only the head was stored. The body is that of the first capture.
		ref, ok := n.archivist.first(c.PayloadDigest)
		if !ok {
			return claim, errors.New("the first capture of its payload is not known")
		}
		pos := warc.Position{File: ref.File, RecordOffset: ref.Offset}
		first, err := warc.ReadResponse(n.opts.Paths.WARC(), pos)
		if err != nil {
			return claim, err
		}
		if raw, err = withBody(claim.Task.URL, c.Response, first); err != nil {
			return claim, err
		}
		duplicate = true
	}
	r, err := fetch.ParseResponse(claim.Task.URL, raw)
	if err != nil {
		return claim, err
	}
	defer r.Release()
	r.Started, r.Truncated = c.Date, c.Truncated
	o, _ := worker.Read(claim.Task, r, n.scope, time.Now())
	o.Lease, o.Domain, o.Granter, o.Index, o.Duplicate = claim.Lease, claim.Domain, claim.Granter, claim.Index, duplicate
	// The gap that follows is that of a page just fetched.
	_, rules, _ := n.rules.Get(n.clock.Latest(), claim.Task.URL.Origin())
	o.CrawlDelay = rules.CrawlDelay()
	worker.TakeSitemaps(&o, rules, n.scope)
	o.Took = time.Duration(number(c.Metadata, "fetchTimeMs")) * time.Millisecond
	return o, nil
}

// hasField reports whether something of that name is among metadata.
func hasField(metadata [][2]string, name string) bool {
	return slices.ContainsFunc(metadata, func(f [2]string) bool { return f[0] == name })
}

// number returns a number among metadata; 0 if it is not there.
func number(metadata [][2]string, name string) int {
	for _, f := range metadata {
		if n, err := strconv.ParseUint(f[1], 10, 31); f[0] == name && err == nil {
			return int(n)
		}
	}
	return 0
}

// withBody joins the head of a revisit with the body of the first capture,
// which may have been framed otherwise.
func withBody(u crawl.URL, head, first []byte) ([]byte, error) {
	r, err := fetch.ParseResponse(u, first)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	var raw []byte
	for line := range bytes.Lines(head) {
		name, _, _ := bytes.Cut(line, []byte{':'})
		switch {
		case len(bytes.TrimRight(line, "\r\n")) == 0: // the end
		case bytes.EqualFold(name, []byte("Content-Length")), bytes.EqualFold(name, []byte("Transfer-Encoding")):
		default:
			raw = append(raw, line...)
		}
	}
	raw = fmt.Appendf(raw, "Content-Length: %d\r\n\r\n", len(r.Payload))
	return append(raw, r.Payload...), nil
}
