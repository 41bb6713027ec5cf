package robots

import "github.com/forage-net/forage/crawl"

// Ground says in a stable word why a URL may be fetched, or may not.
type Ground string

const (
	// GroundRules means that a line of robots.txt says so.
	GroundRules Ground = "rules"
	// GroundNoRule means that there is a robots.txt, and no line in it is about the URL: it
	// may be fetched.
	GroundNoRule Ground = "all-allowed"
	// GroundNoFile means that the host has no robots.txt: everything may be fetched.
	GroundNoFile Ground = "no-robots"
	// GroundItself is of a robots.txt, which may be fetched always (RFC 9309 §2.2.2).
	GroundItself Ground = "robots-itself"
	// GroundUnreadable means that robots.txt cannot be understood: nothing may be fetched.
	GroundUnreadable Ground = "unreadable"
	// GroundUnreachable means that robots.txt cannot be had: nothing may be fetched.
	GroundUnreachable Ground = "unreachable"
)

// Ground returns why the Verdict about u is what it is, as long as the record is fresh, and the
// line that decided, in clean spelling, "" if none did.
func (r *Record) Ground(rules *Rules, u crawl.URL) (g Ground, line string) {
	switch {
	case r.Class == ClassUnreachable:
		return GroundUnreachable, ""
	case r.Class == ClassAllowAll:
		return GroundNoFile, ""
	case u.Path() == ownPath:
		return GroundItself, ""
	case rules.closed:
		return GroundUnreadable, ""
	}
	s := rules.decides(u.Path())
	if s == nil {
		return GroundNoRule, ""
	}
	line = "Disallow: "
	if s.allow {
		line = "Allow: "
	}
	return GroundRules, line + rules.patterns[s.from:s.to]
}
