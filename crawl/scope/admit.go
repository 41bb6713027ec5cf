package scope

import "github.com/forage-net/forage/crawl"

// Admit returns the URL under which the crawl takes a link to u, found at that
// depth, and whether it is in scope. What looks like a trap is bounded where it is taken in.
func (s *Scope) Admit(u crawl.URL, depth int) (crawl.URL, bool) {
	u = s.identity.Of(u)
	return u, s.Allows(u, depth)
}

// AdmitSource reports whether the crawl asks for a sitemap or feed at u. Its
// name may end like that of a file that is no text: they are often compressed.
func (s *Scope) AdmitSource(u crawl.URL) bool { return s.World(u) && s.matches(u) }
