package crawl

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"strings"
	"sync"
)

// Domain is a registrable domain in lower-case ASCII: a public suffix and one
// label more ("example.co.uk"). It is the unit of ownership and of politeness.
// A host without one (an IP address, a public suffix, a single label) is its
// own domain.
type Domain string

// DomainOf returns the registrable domain of a host name, which must be
// lower-case ASCII without a port, as URL.Hostname returns it.
func DomainOf(hostname string) Domain { return Domain(hostname[domainStart(hostname):]) }

// The list decides who owns what, so every node of a network must use the same
// one: it is pinned here, and another list is another version of the protocol (p2p/calls.Protocol).
//
//go:embed public_suffix_list.dat
var suffixList string

// SuffixListHash identifies the public suffix list this build was made with.
// Nodes with different lists would disagree about owners.
func SuffixListHash() string {
	sum := sha256.Sum256([]byte(suffixList))
	return hex.EncodeToString(sum[:8])
}

// suffixRule says what the list holds for a name.
type suffixRule uint8

const (
	ruleExact     suffixRule = 1 << iota // "co.uk"
	ruleWildcard                         // "*.ck", stored under "ck"
	ruleException                        // "!www.ck", stored under "www.ck"
)

// suffixRules is read once and never changed: a parsed constant.
var suffixRules = sync.OnceValue(func() map[string]suffixRule {
	rules := make(map[string]suffixRule, 1<<14)
	for line := range strings.Lines(suffixList) {
		rule, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if rule == "" || strings.HasPrefix(rule, "//") {
			continue
		}
		kind := ruleExact
		switch {
		case strings.HasPrefix(rule, "*."):
			kind, rule = ruleWildcard, rule[2:]
		case strings.HasPrefix(rule, "!"):
			kind, rule = ruleException, rule[1:]
		}
		if host, ok := domainToASCII(rule); ok {
			rules[host] |= kind
		}
	}
	return rules
})

// domainStart returns where in host its registrable domain begins, by the
// algorithm of https://publicsuffix.org/list/.
func domainStart(host string) int {
	if isIP(host) {
		return 0
	}
	rules := suffixRules()
	// From the last label to the first: label is where the label before the
	// suffix starts, and the longest matching suffix wins.
	suffix := strings.LastIndexByte(host, '.') + 1 // the rule "*": one label
	for at := suffix; at >= 0; {
		kind := rules[host[at:]]
		prev := -1
		if at > 0 {
			prev = strings.LastIndexByte(host[:at-1], '.') + 1
		}
		if kind&ruleException != 0 {
			return at
		}
		if kind&ruleExact != 0 {
			suffix = at
		}
		if kind&ruleWildcard != 0 && prev >= 0 {
			suffix = prev
		}
		at = prev
	}
	if suffix == 0 {
		return 0
	}
	return strings.LastIndexByte(host[:suffix-1], '.') + 1
}
