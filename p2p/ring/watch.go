package ring

import (
	"crypto/sha256"
	"slices"
)

// Neighbours returns the n members nearest to another one, which need not be on the ring, the nearest first.
func (r *Ring) Neighbours(of string, n int) []string {
	near := r.Near(sha256.Sum256([]byte(of)), n+1)
	return slices.DeleteFunc(near, func(p string) bool { return p == of })
}

// WatchedBy returns the members that share a line of some length with a member, and others that it may declare
// out, as it is one of their watchers.
func (r *Ring) WatchedBy(self string, line, watchers int) (partners, distant []string) {
	seen := map[string]bool{self: true}
	var later []string
	for _, m := range r.members {
		for u := range m.Units {
			group := r.Group(Unit{Member: m.ID, Number: u}, watchers+1)
			at := slices.Index(group, self)
			if at >= line && u == 0 {
				later = append(later, m.ID)
			}
			if at < 0 || at >= line {
				continue
			}
			for _, p := range group[:min(len(group), line)] {
				if !seen[p] {
					seen[p] = true
					partners = append(partners, p)
				}
			}
		}
	}
	for _, p := range later {
		if !seen[p] {
			seen[p] = true
			distant = append(distant, p)
		}
	}
	return partners, distant
}

// Watchers returns the members that may declare another one out: the others of its first unit's group, and the
// next in line, n in all.
func (r *Ring) Watchers(victim string, n int) []string {
	group := r.Group(Unit{Member: victim}, n+1)
	return slices.DeleteFunc(group, func(p string) bool { return p == victim })
}
