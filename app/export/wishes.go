package export

import (
	"context"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/crawl/extract"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/reserve"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/export"
	"github.com/forage-net/forage/storage/warc/lookup"
)

// fileMemory bounds the rules of one tdmrep.json in bytes, ruleMemory those of
// all. Beyond them a site that reserves anything counts as one that reserves all.
const (
	fileMemory = 64 << 10
	ruleMemory = 32 << 20
)

// wishes tells which captures an export leaves out because they ask for it: by
// noai or noimageai, or by a reservation of the rights to mine text and data. All
// of that is read from the archive. A nil *wishes leaves nothing out.
type wishes struct {
	rules map[string]reserve.Rules   // of the newest tdmrep.json, by host and port
	files map[[20]byte]reserve.Rules // the same by digest, for revisits
	room  int                        // what is left of ruleMemory
}

// readWishes reads the tdmrep.json files of an archive.
func readWishes(ctx context.Context, dir string) (*wishes, error) {
	w := &wishes{rules: make(map[string]reserve.Rules), files: make(map[[20]byte]reserve.Rules), room: ruleMemory}
	if err := lookup.Named(ctx, dir, reserve.Path, w.takeFile); err != nil {
		return nil, err
	}
	return w, nil
}

// takeFile takes what a site says in its tdmrep.json. The newest answer counts,
// unless it is a redirect or a fault of the server.
func (w *wishes) takeFile(c capture.Stored) error {
	u, err := crawl.ParseURL(c.URL)
	if err != nil || u.Path() != reserve.Path {
		return nil
	}
	switch {
	case c.Revisit != nil:
		if rules, ok := w.files[c.PayloadDigest]; ok {
			w.rules[u.Host()] = rules
		}
	case c.Status >= 200 && c.Status < 300:
		rules := w.fit(rulesOf(u, c.Response))
		w.rules[u.Host()] = rules
		if c.PayloadDigest != [20]byte{} {
			w.files[c.PayloadDigest] = rules
		}
	case c.Status >= 400 && c.Status < 500:
		delete(w.rules, u.Host())
	}
	return nil
}

// fit returns rules for which there is memory.
func (w *wishes) fit(rules reserve.Rules) reserve.Rules {
	if rules.Size() > min(fileMemory, w.room) {
		rules = rules.Coarse()
	}
	w.room -= rules.Size()
	return rules
}

// rulesOf reads the rules in an archived response. What is broken has those before
// the break. Of JSON the crawl stores the head alone: a site with such a file
// reserves something, and in doubt that is everything.
func rulesOf(u crawl.URL, response []byte) (rules reserve.Rules) {
	r, err := fetch.ParseResponse(u, response)
	if err != nil {
		return rules
	}
	defer r.Release()
	if len(r.Payload) == 0 && r.Truncated != "" {
		return reserve.Everything()
	}
	body, _ := r.Text()
	rules, _ = reserve.Parse(body)
	return rules
}

// of returns why a capture is left out.
func (w *wishes) of(c *capture.Stored) export.Wish {
	if w == nil {
		return export.None
	}
	u, err := crawl.ParseURL(c.URL)
	if err != nil {
		return export.None
	}
	r, err := fetch.ParseResponse(u, c.Response)
	if err != nil {
		return wishOf(extract.Wishes{}, w.site(u))
	}
	defer r.Release()
	return w.ofResponse(r)
}

// ofResponse returns why the capture of a response is left out. A later
// technique of the protocol replaces what an earlier one says: file, header, page.
func (w *wishes) ofResponse(r *fetch.Response) export.Wish {
	if w == nil {
		return export.None
	}
	said := w.site(r.URL)
	header := extract.HeaderReservation(r.Header.Values(extract.ReservationHeader))
	if header != extract.ReservationUnset {
		said = header
	}
	return wishOf(answer.Asked(r), said)
}

// wishOf weighs what a page asks for; said is what was reserved outside of it.
func wishOf(asked extract.Wishes, said extract.Reservation) export.Wish {
	if asked.Reservation != extract.ReservationUnset {
		said = asked.Reservation
	}
	switch {
	case asked.NoAI:
		return export.NoAI
	case said == extract.Reserved:
		return export.Reserved
	}
	return export.None
}

// site returns what the tdmrep.json of its site says of a URL. The files in which
// a site states its wishes are not meant by it.
func (w *wishes) site(u crawl.URL) extract.Reservation {
	if statesWishes(u) {
		return extract.ReservationUnset
	}
	return w.rules[u.Host()].Of(u.Path())
}

// statesWishes reports whether a URL is that of a file in which a site states its
// wishes, and of no page.
func statesWishes(u crawl.URL) bool { return u.Path() == "/robots.txt" || u.Path() == reserve.Path }

// options are those by which an export of package warc follows the wishes.
func (w *wishes) options() []export.Option {
	if w == nil {
		return nil
	}
	return []export.Option{export.ByWish(w.of)}
}

// wishesOf reads what an export has to follow: nothing if it is to hold all.
func wishesOf(ctx context.Context, dir string, all bool) (*wishes, error) {
	if all {
		return nil, nil
	}
	return readWishes(ctx, dir)
}

var (
	// ErrNothingArchived is returned for an export of an archive without captures.
	ErrNothingArchived error = words.New("said.api.nothing-has-been-archived-yet", nil)
	// ErrOnlyNoIndex is returned for an export from which all captures are left out.
	ErrOnlyNoIndex error = words.New("said.api.every-archived-page-asks-to-be", nil)
	// ErrAllLeftOut is returned for an export from which all captures are left out because they ask for it.
	ErrAllLeftOut error = words.New("said.api.every-archived-page-asks-to-be-left-out", nil)
)

// nothingLeft returns why nothing is left of an archive.
func nothingLeft(l export.LeftOut) error {
	switch {
	case l.Total() == 0:
		return ErrNothingArchived
	case l.Total() == l.NoIndex:
		return ErrOnlyNoIndex
	}
	return ErrAllLeftOut
}
