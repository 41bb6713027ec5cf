package server

import (
	"context"
	"net/http"
	"strings"
	"unicode/utf8"

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

// pageOf reads the parameters of a list of captures.
func pageOf(params map[string]string) (before string, limit int, err error) {
	before = params["before"]
	if len(before) > maxArchiveID {
		return "", 0, refuse(http.StatusBadRequest, "said.api.before-must-be-the-next-of", nil)
	}
	limit, err = limitParam(params)
	return before, limit, err
}

func (l *library) captures(w http.ResponseWriter, r *http.Request) error {
	params, err := query(r, "url", "before", "limit")
	if err != nil {
		return err
	}
	before, limit, err := pageOf(params)
	if err != nil {
		return err
	}
	if u := params["url"]; u == "" || len(u) > maxLookup {
		return refuse(http.StatusBadRequest, "said.api.url-must-be-an-address-of", words.Args{"most": maxLookup})
	}
	return reply(w, r, func(ctx context.Context) (api.CapturePage, error) {
		return l.node.Captures(ctx, params["url"], before, min(limit, maxCaptures))
	})
}

func (l *library) readCapture(w http.ResponseWriter, r *http.Request) error {
	params, err := query(r, "id", "lang")
	if err != nil {
		return err
	}
	if id := params["id"]; id == "" || len(id) > maxArchiveID {
		return refuse(http.StatusBadRequest, "said.api.id-must-be-that-of-a", nil)
	}
	return reply(w, r, func(ctx context.Context) (api.ArchivedPage, error) {
		return l.node.ReadCapture(ctx, params["id"], api.Lang(ctx))
	})
}

const (
	maxQuery = 256 // bytes of a search
	maxFrom  = 256 // bytes of a place in results
	// maxFound is the largest page of results, defaultFound an ordinary one.
	maxFound     = 100
	defaultFound = 20
)

// fromParam reads the parameters of a list of what was found.
func fromParam(params map[string]string) (from string, limit int, err error) {
	from = params["from"]
	if len(from) > maxFrom {
		return "", 0, refuse(http.StatusBadRequest, "said.api.from-must-be-the-next-of", nil)
	}
	limit, err = numberParam(params, "limit", 1, maxFound, defaultFound)
	return from, limit, err
}

func (l *library) searchArchive(w http.ResponseWriter, r *http.Request) error {
	params, err := query(r, "q", "from", "limit")
	if err != nil {
		return err
	}
	from, limit, err := fromParam(params)
	if err != nil {
		return err
	}
	if q := params["q"]; len(q) > maxQuery || !utf8.ValidString(q) {
		return refuse(http.StatusBadRequest, "said.api.q-must-be-words-of-at", words.Args{"most": maxQuery})
	}
	return reply(w, r, func(ctx context.Context) (api.SearchPage, error) {
		return l.node.SearchArchive(ctx, params["q"], from, limit)
	})
}

func (l *library) linksTo(w http.ResponseWriter, r *http.Request) error {
	params, err := query(r, "target", "from", "limit")
	if err != nil {
		return err
	}
	from, limit, err := fromParam(params)
	if err != nil {
		return err
	}
	if t := params["target"]; t == "" || len(t) > maxLookup || !utf8.ValidString(t) {
		return refuse(http.StatusBadRequest, "said.api.target-must-be-an-address-or", words.Args{"most": maxLookup})
	}
	return reply(w, r, func(ctx context.Context) (api.LinksPage, error) {
		return l.node.LinksTo(ctx, params["target"], from, limit)
	})
}

func (l *library) site(w http.ResponseWriter, r *http.Request) error {
	params, err := query(r, "domain", "lang")
	if err != nil {
		return err
	}
	if d := params["domain"]; d == "" || len(d) > maxName || !utf8.ValidString(d) {
		return refuse(http.StatusBadRequest, "said.api.domain-must-be-the-name-of", words.Args{"most": maxName})
	}
	return reply(w, r, func(ctx context.Context) (api.SiteSummary, error) { return l.node.Site(ctx, params["domain"]) })
}

const (
	maxLanguages     = 16
	maxLanguagesText = 256 // bytes
)

// languagesParam reads subtags with commas between them. What is none is left out: browsers say all sorts of things.
func languagesParam(text string) ([]string, error) {
	if len(text) > maxLanguagesText {
		return nil, refuse(http.StatusBadRequest, "said.api.languages-must-be-language-codes-with",
			words.Args{"most": maxLanguagesText})
	}
	var list []string
	for tag := range strings.SplitSeq(text, ",") {
		if tag = strings.ToLower(strings.TrimSpace(tag)); isSubtag(tag) && len(list) < maxLanguages {
			list = append(list, tag)
		}
	}
	return list, nil
}

// isSubtag reports whether a text is two or three letters, as primary subtags are.
func isSubtag(tag string) bool {
	return (len(tag) == 2 || len(tag) == 3) && strings.Trim(tag, "abcdefghijklmnopqrstuvwxyz") == ""
}

func (l *library) finds(w http.ResponseWriter, r *http.Request) error {
	params, err := query(r, "languages")
	if err != nil {
		return err
	}
	languages, err := languagesParam(params["languages"])
	if err != nil {
		return err
	}
	return reply(w, r, func(ctx context.Context) (api.Finds, error) { return l.node.Finds(ctx, languages) })
}
