package wire

import "github.com/forage-net/forage/crawl"

const (
	// MaxGroups is the most groups of links of one message, MaxBatch the most links
	// in it, MaxBatchBytes the most bytes of their URLs.
	MaxGroups     = 256
	MaxBatch      = 4096
	MaxBatchBytes = 1 << 20
)

// Links brings links to the owner of their domains.
type Links struct {
	_      struct{} `cbor:",toarray"`
	Groups []LinkGroup
}

// LinkGroup are links that pages of one domain had.
type LinkGroup struct {
	_     struct{}     `cbor:",toarray"`
	From  crawl.Domain // "" for seeds
	Date  int64        // of the visit, Unix seconds
	Depth uint8        // of most of them
	Links []byte       // by AppendLinks
}

func (l *Links) validate() error {
	if len(l.Groups) > MaxGroups {
		return invalid("%d groups of links", len(l.Groups))
	}
	for _, g := range l.Groups {
		if g.Date < 0 || g.Date > maxModified {
			return invalid("date %d", g.Date)
		}
		if g.From != "" {
			if err := checkDomain(g.From); err != nil {
				return err
			}
		}
	}
	return nil
}

// Parse returns the links of each group. The error wraps ErrInvalid.
func (l *Links) Parse() ([][]crawl.Outlink, error) {
	lists := make([][]crawl.Outlink, len(l.Groups))
	count, bytes := 0, 0
	for i, g := range l.Groups {
		links, err := ParseLinks(g.Links, g.Depth, MaxBatch-count, MaxBatchBytes-bytes)
		if err != nil {
			return nil, err
		}
		count += len(links)
		lists[i] = make([]crawl.Outlink, len(links))
		for j, w := range links {
			o, ok := w.Outlink()
			if !ok {
				return nil, invalid("link %.200q", w.URL)
			}
			bytes += len(w.URL)
			lists[i][j] = o
		}
	}
	return lists, nil
}
