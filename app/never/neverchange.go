package never

import (
	"context"
	"slices"
	"strings"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/scope"
)

// neverChange is a change while it is made.
type neverChange struct {
	api.NeverChange
	undo bool
	why  *words.Message // why it is not visited now
}

// refuse looks whether the pattern is refused by what is in force now.
func (c *neverChange) refuse(r *scope.Refusals) {
	c.Never = !c.undo
	if u, err := crawl.ParseURL("http://" + c.Pattern); err == nil {
		c.why = r.Reason(u)
		c.Never = c.Never || c.why != nil
	}
}

// unsaved says what is the case until Forage stops.
func (c *neverChange) unsaved(err error) error {
	if c.Never {
		return words.New("said.api.is-not-visited-from-this-computer", words.Args{"site": c.Pattern, "error": err})
	}
	return words.New("said.api.may-be-visited-from-this-computer", words.Args{"site": c.Pattern, "error": err})
}

// count counts what is queued of it.
func (c *neverChange) count(ctx context.Context, domains Domains) {
	if domains != nil {
		c.Queued = queuedOf(ctx, c.Pattern, domains)
	}
}

// in puts the change into words, in a language.
func (c *neverChange) in(lang string) string {
	say := func(key string) string {
		return words.Text(lang, key, words.Args{"site": c.Pattern, "reason": c.why})
	}
	text := ""
	switch {
	case c.undo && c.Never:
		text = say("refusal.off")
	case c.undo:
		return say("refusal.allowed")
	case !c.Changed:
		text = say("refusal.listed")
	default:
		text = say("refusal.refused")
	}
	if c.Queued > 0 {
		text += " " + words.Text(lang, "refusal.queued", words.Args{"count": c.Queued})
	}
	return text
}

// domain returns the domain the pattern is of.
func (c *neverChange) domain() string {
	host, _, _ := strings.Cut(strings.TrimPrefix(c.Pattern, "*."), "/")
	return string(crawl.DomainOf(host))
}

// queuedOf counts the queued URLs of a domain; 0 for a pattern that is none.
func queuedOf(ctx context.Context, name string, domains Domains) int64 {
	if crawl.DomainOf(name) != crawl.Domain(name) {
		return 0
	}
	// Lists begin after a name. No name of a host lies between this one and
	// what it is except for its last byte, one less, and bytes that no host has.
	last := len(name) - 1
	list, err := domains(ctx, name[:last]+string(rune(name[last]-1))+"\x7f", 1)
	if err != nil || len(list) == 0 || list[0].Domain != name {
		return 0
	}
	return list[0].Queued
}

// changeSites returns what a person's words change in a list, and the list
// then. The error is an *api.InputError.
func changeSites(sites []string, text string, undo bool) (change neverChange, after []string, err error) {
	change.Pattern, err = scope.NeverFrom(text)
	if err != nil {
		return change, nil, &api.InputError{Err: err}
	}
	as, wrong := scope.NeverPattern(text)
	if undo && wrong == nil && slices.ContainsFunc(sites, func(s string) bool { return isSame(s, as) }) {
		change.Pattern = as // a host of the site alone, as the settings can have it
	}
	change.undo = undo
	others := slices.DeleteFunc(slices.Clone(sites), func(s string) bool { return isSame(s, change.Pattern) })
	listed := len(others) < len(sites)
	change.Changed = listed == undo
	if undo {
		if !listed {
			err = &api.InputError{Err: notListed(change.Pattern)}
		}
		return change, others, err
	}
	if listed {
		return change, slices.Clone(sites), nil
	}
	return change, append(others, change.Pattern), nil
}

// isSame reports whether an entry of the settings is that pattern.
func isSame(entry, pattern string) bool {
	canonical, err := scope.NeverPattern(entry)
	return err == nil && canonical == pattern
}

// notListed says why something cannot be taken off the list.
func notListed(pattern string) error {
	for _, b := range scope.Builtin() {
		if b.Pattern == pattern {
			return words.New("said.api.is-on-the-built-in-list", words.Args{"site": pattern, "reason": b.Reason})
		}
	}
	return words.New("said.api.is-not-on-your-list-forage", words.Args{"site": pattern})
}
