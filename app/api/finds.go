package api

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Finder is the part of a Librarian that picks what is worth reading.
type Finder interface {
	// Finds returns a few pages of the last day that are worth reading, in the languages given (BCP 47 primary
	// subtags; none means any), best first.
	Finds(ctx context.Context, languages []string) (Finds, error)
}

// Finds is the answer of /api/archive/finds.
type Finds struct {
	Day   time.Time `json:"day"`
	Pages []Find    `json:"pages"`
}

// Find is a page that is worth reading.
type Find struct {
	SearchResult
	// Reason is "linked" if many sites link to it, "fresh", or "new-site". New ones may be added.
	Reason string `json:"reason"`
}

const (
	maxLanguages     = 16
	maxLanguagesText = 256 // bytes
)

// languagesParam reads subtags with commas between them. What is none is left out: browsers say all sorts of things.
func languagesParam(text string) ([]string, error) {
	if len(text) > maxLanguagesText {
		return nil, refuse(http.StatusBadRequest,
			"languages must be language codes with commas between them, of at most %d bytes", maxLanguagesText)
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

func (s *Server) finds(w http.ResponseWriter, r *http.Request) error {
	params, err := query(r, "languages")
	if err != nil {
		return err
	}
	languages, err := languagesParam(params["languages"])
	if err != nil {
		return err
	}
	return reply(w, r, func(ctx context.Context) (Finds, error) { return s.node.Finds(ctx, languages) })
}

// Finds implements Finder.
func (c *Client) Finds(ctx context.Context, languages []string) (Finds, error) {
	q := url.Values{"languages": {strings.Join(languages, ",")}}
	return getAs[Finds](ctx, c, "/api/archive/finds?"+q.Encode())
}
