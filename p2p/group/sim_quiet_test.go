package group_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/layout"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
)

// ending is how a history ends: without faults, and then without work.
type ending struct{ *world }

// quietEnd stops all faults and waits until the swarm is as it should be: invariants 7 and 12, and 2 where memory
// was lost. Then crawling stops, and nothing may grow any more.
func (w ending) quietEnd() bool {
	w.calm()
	limit := 40*w.times.Lease + w.times.Out + w.times.Careful
	if w.times.Day < 10*w.times.Lease {
		limit += w.times.Day
	}
	why := ""
	if !w.until(limit, func() bool { why = w.unsettled(); return why == "" }) {
		w.blame(why, fmt.Sprintf("after %v without faults", limit))
		return false
	}
	w.trace.add(nil, "", "", "everything is settled")
	return w.fullRate() && w.comesToRest()
}

// trouble is a reason why the swarm is not settled, and the shard it is about.
type trouble struct {
	text   string
	shard  stream.Shard
	domain crawl.Domain
}

// blame fails with what is not settled.
func (w ending) blame(why, when string) {
	t := w.check.trouble
	w.fail(t.shard, t.domain, "invariant 12: %s: %s", when, why)
}

// calm ends all faults and switches everything on.
func (w ending) calm() {
	w.trace.add(nil, "", "", "---- all faults end ----")
	w.net.heal()
	for _, m := range w.machines {
		m.slow = 20 * time.Millisecond
		m.clock.drift(1 + maxDrift/10*(m.clock.rate-1)/maxDrift)
		m.thaw()
		if !m.retired {
			m.start()
		}
	}
}

// unsettled says what is not as it should be in the end, "" if all is.
func (w ending) unsettled() string {
	if !w.roster.agrees() {
		return w.because("", "", "rosters differ")
	}
	all := w.roster.layoutOf(w.founder)
	if len(all.Shards()) == 0 {
		return w.because("", "", "nobody is on the ring")
	}
	for _, s := range all.Shards() {
		if why := w.shardUnsettled(all, s); why != "" {
			return why
		}
	}
	if why := w.strayUnsettled(all); why != "" {
		return why
	}
	for _, d := range w.load.domains {
		if why := w.domainUnsettled(all, d); why != "" {
			return why
		}
	}
	return ""
}

func (w ending) because(s stream.Shard, d crawl.Domain, format string, args ...any) string {
	t := trouble{fmt.Sprintf(format, args...), s, d}
	w.check.trouble = t
	return t.text
}

// agrees reports whether all live machines that hear of the roster know the same members.
func (r *roster) agrees() bool {
	for i := range r.views {
		if r.w.machines[i].live() && r.views[i].key != r.views[r.w.founder].key {
			return false
		}
	}
	return true
}

// leadersOf returns the machines that act for a shard, and how they see it.
func (w *world) leadersOf(s stream.Shard) (ms []*machine, views []group.View) {
	for _, m := range w.machines {
		if !m.live() || m.opaque {
			continue
		}
		for _, v := range m.node.Look() {
			if v.Shard == s && (v.Role == shard.Leader || v.Role == shard.CarefulLeader) {
				ms, views = append(ms, m), append(views, v)
			}
		}
	}
	return ms, views
}

// shardUnsettled checks that one leader acts for a shard, with the computed line, for all keys of the shard.
func (w ending) shardUnsettled(all *layout.Layout, s stream.Shard) string {
	ms, views := w.leadersOf(s)
	if len(ms) != 1 || views[0].Role != shard.Leader {
		return w.because(s, "", "%s has %d leaders", w.shard(s), len(ms))
	}
	v, line := views[0], all.Line(s)
	if len(v.Learners) > 0 || !sameSet(v.Voters, line) {
		return w.because(s, "", "the voters of %s are %s, learners %s, the computed line is %s", w.shard(s), w.names(v.Voters), w.names(v.Learners), w.names(line))
	}
	for _, p := range all.Own(s) {
		if !coveredBy(v.Held, p) {
			return w.because(s, "", "%s does not hold %s of its keys", w.shard(s), p)
		}
	}
	return ""
}

// strayUnsettled checks that nobody holds keys of another home.
func (w ending) strayUnsettled(all *layout.Layout) string {
	for _, m := range w.machines {
		if !m.live() || m.opaque {
			continue
		}
		for _, v := range m.node.Look() {
			if v.Role != shard.Leader && v.Role != shard.CarefulLeader {
				continue
			}
			own := all.Own(v.Shard)
			for _, h := range v.Held {
				if !coveredBy(own, h) {
					return w.because(v.Shard, "", "%s still leads %s with %s, which is of another home", m.name, w.shard(v.Shard), h)
				}
			}
		}
	}
	return ""
}

// domainUnsettled checks that the leader of a domain has all that was acknowledged, and that its line has the same.
func (w ending) domainUnsettled(all *layout.Layout, d crawl.Domain) string {
	s, _ := all.Home(d)
	ms, views := w.leadersOf(s)
	leader := ms[0]
	for u := range w.load.urls {
		key := w.load.key(u)
		have := leader.get(d, key)
		for _, v := range w.check.stores.owed[itemAt{d, key}] {
			if !covers(have, v) {
				return w.because(s, d, "%s leads %s and has %x for %s of %s; %x was acknowledged", leader.name, w.shard(s), have, key, d, v)
			}
		}
		for _, m := range w.machines {
			if m.live() && !m.busy && !leader.busy && !m.opaque && w.load.over && m.get(d, key) != nil && !covers(have, m.get(d, key)) {
				return w.because(s, d, "%s has %x for %s of %s, and its leader %s only %x", m.name, m.get(d, key), key, d, leader.name, have)
			}
		}
		for _, p := range views[0].Voters {
			m := w.byID[p]
			if !m.busy && !leader.busy && w.load.over && !bytes.Equal(m.get(d, key), have) {
				return w.because(s, d, "%s has %x for %s of %s, its leader %s has %x", m.name, m.get(d, key), key, d, leader.name, have)
			}
		}
	}
	return ""
}

// fullRate checks that the servers are visited as often as their gaps allow, half of it at least.
func (w ending) fullRate() bool {
	before := make(map[crawl.Domain]int)
	for _, d := range w.load.domains {
		before[d] = len(w.load.log[d])
	}
	span := max(4*w.times.Lease, 20*w.gap)
	if !w.run(span) {
		return false
	}
	for _, d := range w.load.domains {
		ordinary := 0
		for _, r := range w.load.log[d][before[d]:] {
			if !r.careful {
				ordinary++
			}
		}
		if want := int(span / w.gap / 4); ordinary < want {
			w.fail("", d, "invariant 12: %s had %d requests in %v, at least %d were expected of a gap of %v", d, ordinary, span, want, w.gap)
			return false
		}
	}
	return true
}

// comesToRest stops crawling, checks stores once more, and then that no map or queue grows.
func (w ending) comesToRest() bool {
	w.load.stop()
	why := ""
	if !w.until(10*w.times.Lease, func() bool {
		why = w.unsettled()
		if why == "" && w.load.pending() > 0 {
			why = w.because("", "", "%d puts are not acknowledged", w.load.pending())
		}
		return why == ""
	}) {
		w.blame(why, "after crawling stopped")
		return false
	}
	told, since := w.net.told, w.now
	if !w.until(20*w.times.Lease, func() bool {
		if w.net.told > told {
			told, since = w.net.told, w.now
		}
		return w.now-since > 2*w.times.Lease
	}) {
		w.fail("", "", "invariant 12: leaders still tell others what they keep of theirs: their copies never go")
		return false
	}
	w.check.stores.look()
	var sizes []map[string]int
	for range 3 {
		if !w.run(2 * w.times.Lease) {
			return false
		}
		sizes = append(sizes, w.sizes())
	}
	for _, k := range sortedNames(sizes[2]) {
		a, b, c := sizes[0][k], sizes[1][k], sizes[2][k]
		if strings.HasSuffix(k, "group.hints") && c <= len(w.roster.layoutOf(w.founder).Shards())*4 {
			continue // one for each shard that is or was
		}
		if strings.HasSuffix(k, "group.peers") && c <= len(w.machines) {
			continue // one for each machine that is or was heard
		}
		if a < b && b < c || c > 20_000 {
			w.fail("", "", "invariant 11: %s had %d, %d and %d entries while nothing happened", k, a, b, c)
			return false
		}
	}
	return true
}

// sizes returns the sizes of all maps and queues of all nodes, named "a stream.came".
func (w ending) sizes() map[string]int {
	all := make(map[string]int)
	for _, m := range w.machines {
		if !m.live() || m.opaque {
			continue
		}
		for k, n := range m.node.Sizes() {
			all[m.name+" "+k] = n
		}
		for k, n := range m.node.Streams().Sizes() {
			all[m.name+" streams "+k] = n
		}
	}
	return all
}

func sortedNames(of map[string]int) []string {
	var names []string
	for k := range of {
		names = append(names, k)
	}
	slices.Sort(names)
	return names
}

func sameSet(a, b []crawl.PeerID) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// coveredBy reports whether prefixes together cover p.
func coveredBy(ps []ring.Prefix, p ring.Prefix) bool {
	longer := false
	for _, q := range ps {
		if q.Covers(p) {
			return true
		}
		longer = longer || p.Covers(q)
	}
	if !longer || p.Len == ring.MaxPrefix {
		return false
	}
	zero, one := p.Halves()
	return coveredBy(ps, zero) && coveredBy(ps, one)
}
