package ring

import (
	"cmp"
	"slices"
	"time"

	"github.com/forage-net/forage/ui/ring/prose"
)

const (
	// tagEvery is from one name to the next, titleLeast how long a title is left alone by another.
	tagEvery   = 8 * time.Second
	titleLeast = 1600 * time.Millisecond
)

// announce has the title of a page drift in when its mark arrives, unless another is being read.
func (r *Ring) announce(m *mark, title, language string) {
	at := m.begin.Add(m.way.flight())
	if title = prose.Plain(title); title == "" || m.shape != shapeSpark || m.foreign || !r.painter.writer.Knows(title) {
		return
	}
	if since := at.Sub(r.tag.begin); r.tag.title && since >= 0 && since < titleLeast {
		return
	}
	r.tag = tag{title, language, m.to, m.part, at, true, r.tag.nth}
}

// remembers says whether names of past visits come and go: while nothing else moves, and the user points at nothing.
func (r *Ring) remembers() bool {
	return r.scene.mode == ModeRing && !r.pace.still && r.spot == nil && len(r.marks.list) == 0
}

// remember takes the next site that was visited once, the latest first.
func (r *Ring) remember(now time.Time) {
	var visited []*star
	for i := range r.scene.stars.all {
		if x := &r.scene.stars.all[i]; x.fetched > 0 {
			visited = append(visited, x)
		}
	}
	if len(visited) == 0 {
		return
	}
	slices.SortFunc(visited, func(a, b *star) int { return cmp.Compare(b.turn, a.turn) })
	x := visited[r.tag.nth%len(visited)]
	r.tag = tag{x.domain, x.language, x.at, depth(x.fetched), now, false, r.tag.nth + 1}
}

// tagDue is when it changes next, if it does.
func (r *Ring) tagDue() (time.Time, bool) {
	if r.scene.mode != ModeRing || r.pace.still {
		return time.Time{}, false
	}
	strength, next := r.tag.strength(r.pace.last)
	return next, strength > 0 || next.Before(r.tag.begin.Add(tagEvery)) || r.remembers() && r.scene.stars.visited()
}
