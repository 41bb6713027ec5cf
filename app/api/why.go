package api

import (
	"context"
	"time"
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
