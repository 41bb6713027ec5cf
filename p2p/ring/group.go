package ring

import "slices"

// Group returns the IDs of the members that should hold the log of a unit: its own
// member, then n−1 others, or all if there are fewer. They are those with anchors
// closest to the anchor of the unit, closest first; the anchor of a unit is the
// first of its points, and of a member with several the closest counts. One
// whose Net equals that of a member chosen before it is passed over while others
// remain; if more are needed those passed over follow, again closest first. Group
// returns nil if the unit is not on the ring.
//
// Members near one another are in one another's groups, so that
// a member has few partners, however many members there are.
func (r *Ring) Group(u Unit, n int) []string {
	self, ok := r.index(u.Member)
	n = min(n, len(r.members))
	if !ok || u.Number < 0 || u.Number >= r.members[self].Units || n <= 0 {
		return nil
	}
	p := picker{want: n, nets: r.nets}
	seen := newSet(len(r.members))
	seen.add(self)
	p.offer(r.members[self])
	anchor := r.points.key(u.Member, uint32(PointsPerUnit*u.Number))
	for s := range r.anchors.from(anchor) {
		if p.done() {
			break
		}
		if seen.add(s.member()) {
			p.offer(r.members[s.member()])
		}
	}
	return append(p.chosen, p.passed[:n-len(p.chosen)]...)
}

// picker takes members in the order in which they are offered, but those of
// other networks first.
type picker struct {
	want   int
	nets   int // that are not chosen yet
	chosen []string
	passed []string // at most want
	used   []string // the Nets of chosen
}

func (p *picker) offer(m Member) {
	if m.Net != "" {
		if slices.Contains(p.used, m.Net) {
			p.pass(m)
			return
		}
		p.used = append(p.used, m.Net)
	}
	p.nets--
	p.chosen = append(p.chosen, m.ID)
}

func (p *picker) pass(m Member) {
	if len(p.passed) < p.want {
		p.passed = append(p.passed, m.ID)
	}
}

// done reports whether more offers would change nothing.
func (p *picker) done() bool {
	return len(p.chosen) == p.want || p.nets == 0 && len(p.chosen)+len(p.passed) >= p.want
}

// countNets returns how many members could be chosen without two of one Net.
func countNets(members []Member) int {
	nets := make(map[string]struct{})
	unknown := 0
	for _, m := range members {
		if m.Net == "" {
			unknown++
		} else {
			nets[m.Net] = struct{}{}
		}
	}
	return unknown + len(nets)
}
