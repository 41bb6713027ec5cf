package swarm

import (
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/forage-net/forage/crawl"
)

// mayMove reports whether a member may have had domains, and so be believed
// what it says was visited there.
func (s *Swarm) mayMove(from string, domains []crawl.Domain) bool {
	if isFinder(from) {
		return false
	}
	for _, d := range domains {
		if owner, ok := s.net.Owner(d); ok && owner != from && !s.net.InLine(from, d, s.lineFor(from)) {
			return false
		}
	}
	return true
}

// lineFor returns how far from a domain a member may be and still speak for it. One that was cut off together with others
// was the nearest of those.
func (s *Swarm) lineFor(from string) int {
	if s.net.WasOut(from) {
		return nearAmongSome
	}
	return nearEnough
}

// The items of a move that name a URL which may be visited later; their form is
// that of crawl/oldfrontier.
const (
	itemPage = 6 // list: URL, …, depth, source, …
	itemTask = 7 // depth, priority, attempts, kind, URL
)

// place is where an item of a move leads.
type place struct {
	kind byte
	link crawl.Outlink
}

// readPlace reads the URL of an item that was found possible; ok is false if it
// has none.
func readPlace(raw []byte) (p place, ok bool) {
	p.kind = raw[0]
	var text string
	switch {
	case p.kind == itemTask && len(raw) > 5:
		p.link.Depth, p.link.Priority, text = raw[1], crawl.Priority(raw[2]), string(raw[5:])
		p.link.Redirects, p.link.Source = raw[4]&0x0f, raw[4]&0x30>>4
	case p.kind == itemPage:
		var fields []cbor.RawMessage
		if cbor.Unmarshal(raw[1:], &fields) != nil || len(fields) < 11 || cbor.Unmarshal(fields[0], &text) != nil ||
			cbor.Unmarshal(fields[9], &p.link.Depth) != nil || cbor.Unmarshal(fields[10], &p.link.Source) != nil {
			return p, false
		}
	default:
		return p, false
	}
	u, err := crawl.ParseURL(text)
	p.link.URL = u
	return p, err == nil
}

// inScope returns the items of a move without URLs that this crawl would not
// take as links. That is no lie: the sender's limits may have been wider.
func (s *Swarm) inScope(items [][]byte) [][]byte {
	now := time.Now()
	kept := make([][]byte, 0, len(items))
	for _, raw := range items {
		if raw[0] == itemTask || raw[0] == itemPage {
			if p, ok := readPlace(raw); !ok || !s.admits(p.link, now) {
				continue
			}
		}
		kept = append(kept, raw)
	}
	return kept
}
