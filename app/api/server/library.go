package server

import (
	"context"
	"net/http"
	"strings"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
)

// library answers what the archive is asked for, and shows its pages in frames.
type library struct {
	node interface {
		api.Librarian
		api.Viewer
	}
	views *views
}

const (
	maxCaptures  = 100
	maxArchiveID = 128  // bytes
	maxLookup    = 8192 // bytes of a URL
)

func (l *library) captures(w http.ResponseWriter, r *http.Request) error {
	p := query(r, "url", "before", "limit")
	before, limit := p.text("before", 0, maxArchiveID, "said.api.before-must-be-the-next-of"), p.limit()
	address := p.of["url"] // in any octets
	if address == "" || len(address) > maxLookup {
		p.refuse("said.api.url-must-be-an-address-of", words.Args{"most": maxLookup})
	}
	return replyTo(w, p, func(ctx context.Context) (api.CapturePage, error) {
		return l.node.Captures(ctx, address, before, min(limit, maxCaptures))
	})
}

func (l *library) readCapture(w http.ResponseWriter, r *http.Request) error {
	p := query(r, "id", "lang")
	id := p.text("id", 1, maxArchiveID, "said.api.id-must-be-that-of-a")
	return replyTo(w, p, func(ctx context.Context) (api.ArchivedPage, error) {
		return l.node.ReadCapture(ctx, id, api.Lang(ctx))
	})
}

const (
	maxQuery = 256 // bytes of a search
	maxFrom  = 256 // bytes of a place in results
	// maxFound is the largest page of results, defaultFound an ordinary one.
	maxFound     = 100
	defaultFound = 20
)

// found reads the parameters of a list of what was found.
func (p *params) found() (from string, limit int) {
	return p.text("from", 0, maxFrom, "said.api.from-must-be-the-next-of"), p.number("limit", 1, maxFound, defaultFound)
}

func (l *library) searchArchive(w http.ResponseWriter, r *http.Request) error {
	p := query(r, "q", "from", "limit")
	from, limit := p.found()
	q := p.text("q", 0, maxQuery, "said.api.q-must-be-words-of-at")
	return replyTo(w, p, func(ctx context.Context) (api.SearchPage, error) {
		return l.node.SearchArchive(ctx, q, from, limit)
	})
}

func (l *library) linksTo(w http.ResponseWriter, r *http.Request) error {
	p := query(r, "target", "from", "limit")
	from, limit := p.found()
	target := p.text("target", 1, maxLookup, "said.api.target-must-be-an-address-or")
	return replyTo(w, p, func(ctx context.Context) (api.LinksPage, error) {
		return l.node.LinksTo(ctx, target, from, limit)
	})
}

func (l *library) site(w http.ResponseWriter, r *http.Request) error {
	p := query(r, "domain", "lang")
	domain := p.text("domain", 1, maxName, "said.api.domain-must-be-the-name-of")
	return replyTo(w, p, func(ctx context.Context) (api.SiteSummary, error) { return l.node.Site(ctx, domain) })
}

const (
	maxLanguages     = 16
	maxLanguagesText = 256 // bytes
)

// subtags reads subtags with commas between them. What is none is left out: browsers say all sorts of things.
func subtags(text string) (list []string) {
	for tag := range strings.SplitSeq(text, ",") {
		if tag = strings.ToLower(strings.TrimSpace(tag)); isSubtag(tag) && len(list) < maxLanguages {
			list = append(list, tag)
		}
	}
	return list
}

// isSubtag reports whether a text is two or three letters, as primary subtags are.
func isSubtag(tag string) bool {
	return (len(tag) == 2 || len(tag) == 3) && strings.Trim(tag, "abcdefghijklmnopqrstuvwxyz") == ""
}

func (l *library) finds(w http.ResponseWriter, r *http.Request) error {
	p := query(r, "languages")
	list := subtags(p.text("languages", 0, maxLanguagesText, "said.api.languages-must-be-language-codes-with"))
	return replyTo(w, p, func(ctx context.Context) (api.Finds, error) { return l.node.Finds(ctx, list) })
}
