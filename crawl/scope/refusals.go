package scope

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
)

// RefusalsConfig says what the user of a node does not want visited.
type RefusalsConfig struct {
	// Sites are patterns as NeverPattern takes them.
	Sites []string
	// TLDs are top-level domains without a dot.
	TLDs []string
	// Topics are names of Topics.
	Topics []string
	// Lists are names that others listed; may be nil.
	Lists *Blocklist
	// Lab leaves the built-in list out: a closed test network may use any name.
	Lab bool
}

// Refusals is what a node does not visit, whoever owns or links to it. Unlike
// a Scope, which is of the crawl and only keeps links out, it is of one node, and asked
// again before each request. It is immutable and safe for concurrent use; nil
// refuses nothing.
type Refusals struct {
	hosts map[string]*hostRule      // by host; those of a domain apply below it too
	tlds  map[string]*words.Message // reasons
	words map[string]*words.Message // reasons, by label or part of one
	lists *Blocklist
}

// hostRule is what is refused at a host.
type hostRule struct {
	whole *words.Message // the reason why it and all below it is refused, nil if it is not
	paths []pathRule
}

type pathRule struct {
	path   string
	below  bool // at the hosts below too
	reason *words.Message
}

// Keys of reasons.
const (
	KeySite    = "said.refused.you-asked-never-to-visit-it"
	KeyTLD     = "said.refused.you-asked-never-to-visit"
	KeyTopic   = "said.refused.topic"
	KeyBuiltin = "said.refused.built-in-list"
	KeyList    = "said.refused.blocklist"
)

var (
	reasonSite = words.New(KeySite, nil)
	reasonList = words.New(KeyList, nil)
)

// IsRefusal reports whether a message is a reason for which the user of a node does not want a site visited.
func IsRefusal(reason *words.Message) bool {
	return reason != nil && slices.Contains([]string{KeySite, KeyTLD, KeyTopic, KeyBuiltin, KeyList}, reason.Key)
}

// NewRefusals returns the refusals of a configuration. The error is a
// *PatternError, wrapped with the name of the setting.
func NewRefusals(cfg RefusalsConfig) (*Refusals, error) {
	if n := max(len(cfg.Sites), len(cfg.TLDs)); n > maxPatterns {
		return nil, words.New("said.settings.sites-or-top-level-domains-never",
			words.Args{"count": n, "most": maxPatterns})
	}
	r := &Refusals{hosts: make(map[string]*hostRule), tlds: make(map[string]*words.Message),
		words: make(map[string]*words.Message), lists: cfg.Lists}
	for _, text := range cfg.Sites {
		site, err := NeverPattern(text)
		if err != nil {
			return nil, fmt.Errorf("sites.never: %w", err)
		}
		r.refuse(site, reasonSite)
	}
	for _, text := range cfg.TLDs {
		tld, err := TopLevel(text)
		if err != nil {
			return nil, fmt.Errorf("tld.never: %w", err)
		}
		r.tlds[tld] = words.New(KeyTLD, words.Args{"tld": "." + tld})
	}
	for _, name := range cfg.Topics {
		t, ok := topicOf(name)
		if !ok {
			why := words.New("said.settings.is-no-topic-there-are",
				words.Args{"topics": strings.Join(TopicNames(), ", ")})
			return nil, fmt.Errorf("topics.never: %w", &PatternError{name, why})
		}
		r.refuseTopic(t)
	}
	if !cfg.Lab {
		for _, b := range Builtin() {
			r.refuse(b.Pattern, words.New(KeyBuiltin, words.Args{"reason": b.Reason}))
		}
	}
	return r, nil
}

// refuse adds a pattern that NeverPattern returned. Where one is refused
// already, the first reason stays.
func (r *Refusals) refuse(canonical string, reason *words.Message) {
	p, err := parsePattern(canonical)
	if err != nil {
		panic("scope: built-in pattern " + canonical) // a test reads them all
	}
	h := r.hosts[p.host]
	if h == nil {
		h = new(hostRule)
		r.hosts[p.host] = h
	}
	if p.path != "" {
		h.paths = append(h.paths, pathRule{path: p.path, below: p.below, reason: reason})
	} else if h.whole == nil {
		h.whole = reason
	}
}

func (r *Refusals) refuseTopic(t Topic) {
	name, ok := words.Parse("said.refused." + t.Name)
	if !ok {
		panic("scope: topic " + t.Name) // a test reads them all
	}
	reason := words.New(KeyTopic, words.Args{"topic": name})
	for _, tld := range t.TLDs {
		if _, ok := r.tlds[tld]; !ok {
			r.tlds[tld] = reason
		}
	}
	for _, w := range t.Words {
		if _, ok := r.words[w]; !ok {
			r.words[w] = reason
		}
	}
}

// Reason returns why u must not be visited, in a few words for people, or nil if it
// may be. It allocates nothing.
func (r *Refusals) Reason(u crawl.URL) *words.Message {
	if r == nil || u.IsZero() {
		return nil
	}
	name, host := u.Hostname(), u.Host()
	if reason := r.hostReason(name, u.Path()); reason != nil {
		return reason
	}
	if len(host) != len(name) { // a port, or the brackets of an IPv6 address
		if reason := r.hostReason(host, u.Path()); reason != nil {
			return reason
		}
	}
	return r.nameReason(name)
}

// Domain returns why nothing of a domain may be visited, or nil if some of it may be.
// It allocates nothing.
func (r *Refusals) Domain(d crawl.Domain) *words.Message {
	if r == nil {
		return nil
	}
	if reason := r.hostReason(string(d), ""); reason != nil {
		return reason
	}
	return r.nameReason(string(d))
}

// hostReason looks for rules of the host and of the domains above it. The path
// "" is that of no URL.
func (r *Refusals) hostReason(host, path string) *words.Message {
	for at := 0; ; {
		if h := r.hosts[host[at:]]; h != nil {
			if h.whole != nil {
				return h.whole
			}
			for i := range h.paths {
				if p := &h.paths[i]; (at == 0 || p.below) && path != "" && matchPath(p.path, path) {
					return p.reason
				}
			}
		}
		dot := strings.IndexByte(host[at:], '.')
		if dot < 0 {
			return nil
		}
		at += dot + 1
	}
}

// nameReason judges a host by lists, its top-level domain and its words.
func (r *Refusals) nameReason(host string) *words.Message {
	if r.lists.Has(host) {
		return reasonList
	}
	last := strings.LastIndexByte(host, '.')
	if last < 0 {
		return nil // an IPv6 address, or a name that is no site's
	}
	if reason := r.tlds[host[last+1:]]; reason != nil {
		return reason
	}
	if len(r.words) == 0 {
		return nil
	}
	for rest, more := host[:last], true; more; {
		var label string
		label, rest, more = strings.Cut(rest, ".")
		if reason := r.words[label]; reason != nil {
			return reason
		}
		if strings.HasPrefix(label, "xn--") {
			continue // what stands between its hyphens is no word
		}
		for part, parts := label, strings.IndexByte(label, '-') >= 0; parts; {
			var word string
			word, part, parts = strings.Cut(part, "-")
			if reason := r.words[word]; reason != nil {
				return reason
			}
		}
	}
	return nil
}
