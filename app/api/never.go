package api

import (
	"context"
)

// Refuser is the part of a Node that knows what its user does not want visited.
type Refuser interface {
	// Never takes a site off the web of this node at once and for good, or with
	// undo back in: text is a domain, a host with a path, or the address of a page,
	// which stands for its domain. The answer is in the language of ctx. What is wrong with it is an *InputError.
	Never(ctx context.Context, text string, undo bool) (NeverChange, error)
	// NeverList returns all that is not visited, and why, in the language of ctx.
	NeverList(ctx context.Context) (NeverList, error)
}

// NeverChange says what came of a change of the list of sites never visited.
type NeverChange struct {
	// Pattern is the domain or host with a path, in canonical form.
	Pattern string `json:"pattern"`
	// Never says that it is not visited now; after undo another entry of the
	// list may still say so.
	Never bool `json:"never"`
	// Changed is false if the list was like this before.
	Changed bool `json:"changed"`
	// Queued counts the URLs of the domain that wait to be fetched, 0 where the
	// pattern is no whole domain. They stay where they are.
	Queued int64 `json:"queued"`
	// Text says all this in a sentence or two, for people.
	Text string `json:"text"`
}

// NeverList is what a node does not visit.
type NeverList struct {
	// Sites, TLDs and Topics are the user's own.
	Sites  []string `json:"sites"`
	TLDs   []string `json:"tlds"`
	Topics []string `json:"topics"`
	// TopicNames are what the topics are called, in the same order.
	TopicNames []string `json:"topic_names"`
	// Builtin is always in force in the public network; it is empty in a lab.
	Builtin []Refusal `json:"builtin"`
	// BuiltinVersion identifies the built-in list.
	BuiltinVersion string `json:"builtin_version"`
}

// Refusal is an entry of the built-in list.
type Refusal struct {
	Pattern string `json:"pattern"`
	// Reason is in a few words.
	Reason string `json:"reason"`
}

// NeverRequest is the body of POST /api/never.
type NeverRequest struct {
	Pattern string `json:"pattern"`
	Undo    bool   `json:"undo"`
}
