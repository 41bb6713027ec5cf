package scope

import (
	"slices"
	"strings"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
)

// Patterns are domains, with every host below them, and hosts with a path. The zero value matches nothing. They
// are immutable.
type Patterns struct {
	domains map[string]bool // with everything below
	paths   []pattern
}

// NewPatterns reads patterns as in Config.Patterns. An error for one of them is a *PatternError.
func NewPatterns(texts []string) (Patterns, error) {
	if len(texts) > maxPatterns {
		return Patterns{}, words.New("said.settings.scope-has-patterns-at-most-are",
			words.Args{"count": len(texts), "most": maxPatterns})
	}
	p := Patterns{domains: make(map[string]bool)}
	for _, text := range texts {
		one, err := parsePattern(text)
		switch {
		case err != nil:
			return Patterns{}, err
		case one.path == "":
			p.domains[one.host] = true
		default:
			p.paths = append(p.paths, one)
		}
	}
	return p, nil
}

// IsEmpty reports whether there are none.
func (p Patterns) IsEmpty() bool { return len(p.domains) == 0 && len(p.paths) == 0 }

// Match reports whether one of them stands for u.
func (p Patterns) Match(u crawl.URL) bool {
	for host := u.Host(); len(p.domains) > 0; {
		if p.domains[host] {
			return true
		}
		_, rest, ok := strings.Cut(host, ".")
		if !ok {
			break
		}
		host = rest
	}
	return slices.ContainsFunc(p.paths, func(one pattern) bool { return one.matches(u) })
}

// hosts returns the hosts that they name.
func (p Patterns) hosts() (list []string) {
	for host := range p.domains {
		list = append(list, host)
	}
	for _, one := range p.paths {
		list = append(list, one.host)
	}
	return list
}
