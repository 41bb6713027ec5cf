package api

import (
	"context"
	"net/http"
	"net/url"
	"time"
	"unicode/utf8"
)

// Inquirer is the part of a Node that knows what became of an address.
type Inquirer interface {
	// Why returns what became of an address, or why it was never requested, in the language of ctx. It may ask another
	// member. What is wrong with the text is an *InputError.
	Why(ctx context.Context, address string) (Why, error)
}

// Why is the answer of /api/why.
type Why struct {
	// URL is the address as the crawl spells it, Domain its site.
	URL    string `json:"url"`
	Domain string `json:"domain"`
	// Owner is the peer that keeps track of the site, "" for this node or nobody.
	Owner string `json:"owner"`
	// Verdict is a word for programs: "waiting", "robots", "trap" and the like. New ones may be added.
	Verdict string `json:"verdict"`
	// Sentence says it, Details what else there is to know.
	Sentence string   `json:"sentence"`
	Details  []string `json:"details"`
	// Setting is the one that changes it, "" if none does.
	Setting string `json:"setting"`
	// Next is when the address, or its site, may be visited next; null if that is not known.
	Next *time.Time `json:"next"`
}

func (s *Server) why(w http.ResponseWriter, r *http.Request) error {
	params, err := query(r, "address", "lang")
	if err != nil {
		return err
	}
	if t := params["address"]; t == "" || len(t) > maxLookup || !utf8.ValidString(t) {
		return refuse(http.StatusBadRequest, "address must be that of a page, of at most %d bytes", maxLookup)
	}
	return reply(w, r, func(ctx context.Context) (Why, error) { return s.node.Why(ctx, params["address"]) })
}

// Why implements Inquirer, in the language of the client.
func (c *Client) Why(ctx context.Context, address string) (Why, error) {
	return getAs[Why](ctx, c, "/api/why?"+url.Values{"address": {address}}.Encode())
}
