package route_test

// The log is Raft, as far as leases see it: one leader a term, elected by a
// majority of which none has a longer log; an entry is committed when a majority has it and it,
// or one after it, is of the leader's own term. A deposed leader does not know it until
// it hears of a higher term. Rounds of messages are one step, of which the
// answer may be lost: what is left out is only what Raft itself is proven against.

func (m *member) lastIndex() uint16 { return m.applied + uint16(m.n) }

func (m *member) lastTerm() uint8 {
	if m.n > 0 {
		return m.tail[m.n-1].term
	}
	return m.last
}

// upToDate reports whether a member's log is at least as long as another's.
func (m *member) upToDate(other *member) bool {
	if m.lastTerm() != other.lastTerm() {
		return m.lastTerm() > other.lastTerm()
	}
	return m.lastIndex() >= other.lastIndex()
}

func (m *member) append(e entry) bool {
	if m.n == maxTail {
		return false
	}
	e.term = m.term
	m.tail[m.n] = e
	m.n++
	return true
}

// elect makes a member leader by the vote of another.
func (w *world) elect(r *rules, c, v int) bool {
	m := &w.members[c]
	if !w.acts(c) || m.leads || m.n == maxTail {
		return false
	}
	if w.size > 1 {
		if c == v || !w.acts(v) {
			return false
		}
		voter := &w.members[v]
		if !m.upToDate(voter) {
			return false
		}
		m.term = max(m.term, voter.term)
		voter.term, voter.leads = m.term+1, false
	}
	m.term++
	m.leads, m.match = true, [maxMembers]uint16{}
	m.append(entry{kind: entryBegin})
	if !r.leaderCounts {
		m.due, m.wallDue = w.pcs[c].boot, w.pcs[c].wall
	}
	w.commit(r, c)
	return true
}

// replicate brings the log of a leader to another member, and its answer back if
// it is not lost.
func (w *world) replicate(r *rules, l, to int, lost bool) bool {
	lead, m := &w.members[l], &w.members[to]
	if l == to || !w.acts(l) || !w.acts(to) || !lead.leads {
		return false
	}
	if m.term > lead.term {
		if lost {
			return false
		}
		lead.term, lead.leads = m.term, false
		return true
	}
	if lost && m.term == lead.term && m.lastIndex() == lead.lastIndex() && m.applied == lead.applied {
		return false // nothing would happen
	}
	if !lost && m.term == lead.term && m.lastIndex() == lead.lastIndex() && m.applied == lead.applied && lead.match[to] == lead.lastIndex() {
		return false
	}
	m.term, m.leads = lead.term, false
	w.takeLog(r, to, lead)
	if !lost {
		lead.match[to] = lead.lastIndex()
		w.commit(r, l)
	}
	return true
}

// spread replicates the log of a leader until all that act have applied it.
func (w *world) spread(r *rules, l int) (changed bool) {
	for range 2 {
		for to := range int(w.size) {
			if w.replicate(r, l, to, false) {
				changed = true
			}
		}
	}
	return changed
}

// takeLog makes a member's log that of a leader. What the leader knows to be
// committed is applied.
func (w *world) takeLog(r *rules, to int, lead *member) {
	m := &w.members[to]
	if m.applied > lead.lastIndex() || m.applied > uint16(len(w.log)) {
		w.fail("a member has applied what its leader does not have")
		return
	}
	entries := make([]entry, 0, 2*maxTail)
	if m.applied < lead.applied {
		entries = append(entries, w.log[m.applied:lead.applied]...)
		entries = append(entries, lead.tail[:lead.n]...)
	} else {
		entries = append(entries, lead.tail[m.applied-lead.applied:lead.n]...)
	}
	m.n, m.tail = 0, [maxTail]entry{}
	for _, e := range entries {
		if m.applied < lead.applied {
			w.apply(r, to, e)
			continue
		}
		m.tail[m.n] = e
		m.n++
	}
}

// commit applies at the leader what a majority has.
func (w *world) commit(r *rules, l int) {
	m := &w.members[l]
	m.match[l] = m.lastIndex()
	for i := m.n; i > 0; i-- {
		at, have := m.applied+uint16(i), 0
		for _, up := range m.match[:w.size] {
			if up >= at {
				have++
			}
		}
		if m.tail[i-1].term != m.term || 2*have <= int(w.size) && !r.commitsAlone {
			continue
		}
		committed := m.tail[:i]
		rest := append([]entry(nil), m.tail[i:m.n]...)
		entries := append([]entry(nil), committed...)
		m.tail, m.n = [maxTail]entry{}, 0
		for _, e := range entries {
			w.record(m.applied, e)
			w.apply(r, l, e)
		}
		m.n = uint8(copy(m.tail[:], rest))
		return
	}
}

// propose puts an entry into the log of a leader, which answers for it when it is applied.
func (w *world) propose(r *rules, l int, e entry) bool {
	m := &w.members[l]
	e.by, e.run = uint8(l), m.run
	if !m.append(e) {
		return false
	}
	w.commit(r, l)
	return true
}

// apply brings an entry into the state of a member, which counts from now.
func (w *world) apply(r *rules, at int, e entry) {
	m := &w.members[at]
	m.applied++
	m.last = e.term
	s := &m.state
	mine := int(e.by) == at && e.run == m.run && m.up
	switch e.kind {
	case entryGrant:
		if s.lease != 0 {
			break
		}
		id := s.next
		s.next++
		s.lease, s.holder = id, e.f
		w.count(r, at, r.counted())
		if mine && !r.grantsEarly {
			w.send(message{kind: grantOf, f: e.f, seq: e.seq, id: id})
		}
	case entryRenew:
		if s.lease != e.id {
			if !r.displaces && (!r.revives || s.lease != 0) {
				break
			}
			s.lease, s.holder = e.id, e.f
		}
		w.count(r, at, r.counted())
		if mine {
			w.send(message{kind: renewedOf, f: e.f, seq: e.seq, id: e.id})
		}
	case entryRelease:
		if s.lease == 0 || s.lease != e.id && r.endsByNumber {
			break
		}
		s.lease = 0
		if r.gapAfterLease {
			w.count(r, at, gapTime)
		}
	}
	if r.applied != nil {
		r.applied(w, at, e)
	}
}

// count sets what a member waits for.
func (w *world) count(r *rules, at int, d int64) {
	m, pc := &w.members[at], &w.pcs[at]
	m.due, m.wallDue = pc.boot+d, pc.wall+d
}

// left returns how long a member still waits, by its clock.
func (w *world) left(r *rules, at int) int64 {
	if r.membersByWall {
		return w.members[at].wallDue - w.pcs[at].wall
	}
	return w.members[at].due - w.pcs[at].boot
}

// leads reports whether a member would act as leader.
func (w *world) leads(r *rules, at int) bool {
	m := &w.members[at]
	return w.acts(at) && m.leads && (m.last == m.term || !r.leaderIsCurrent)
}

// hearAsk grants a lease if the domain is due.
func (w *world) hearAsk(r *rules, at int, q message) bool {
	m := &w.members[at]
	if !w.leads(r, at) || m.state.lease != 0 || w.left(r, at) > 0 || m.n == maxTail {
		return false
	}
	id := m.state.next
	if r.grantsEarly {
		w.send(message{kind: grantOf, f: q.f, seq: q.seq, id: id})
	}
	return w.propose(r, at, entry{kind: entryGrant, f: q.f, seq: q.seq, id: id})
}

// hearRenew proposes new time for a lease.
func (w *world) hearRenew(r *rules, at int, q message) bool {
	m := &w.members[at]
	if !w.leads(r, at) || m.state.lease != q.id && !r.revives && !r.displaces {
		return false
	}
	return w.propose(r, at, entry{kind: entryRenew, f: q.f, seq: q.seq, id: q.id})
}

func (w *world) hearRelease(r *rules, at int, q message) bool {
	m := &w.members[at]
	if !w.leads(r, at) || m.state.lease == 0 || m.state.lease != q.id && r.endsByNumber {
		return false
	}
	return w.propose(r, at, entry{kind: entryRelease, f: q.f, id: q.id})
}

// lapse proposes the end of a lease whose time is over. It goes by what is
// applied: a renewal may be on its way through the log.
func (w *world) lapse(r *rules, at int) bool {
	m := &w.members[at]
	if !w.leads(r, at) || m.state.lease == 0 || w.left(r, at) > 0 || !r.lapses {
		return false
	}
	for _, e := range m.tail[:m.n] {
		if e.kind == entryRelease && e.id == m.state.lease {
			return false
		}
	}
	return w.propose(r, at, entry{kind: entryRelease, f: m.state.holder, id: m.state.lease})
}

// crash ends a member's process, or switches its computer off.
func (w *world) crash(at int, power bool) bool {
	m := &w.members[at]
	if at >= int(w.size) || !m.up {
		return false
	}
	m.up, m.leads, m.match = false, false, [maxMembers]uint16{}
	m.run++
	if power {
		w.pcs[at].rest = off
	}
	return true
}

// restart starts it again with its log.
func (w *world) restart(r *rules, at int) bool {
	m := &w.members[at]
	if at >= int(w.size) || m.up || m.wiped {
		return false
	}
	m.up = true
	if w.pcs[at].rest == off {
		w.pcs[at].rest = awake
	}
	w.countAgain(r, at, r.restartCounts)
	if r.givesBackUnnamed && m.state.lease != 0 {
		// It takes the lease for one of its own fetcher, which is gone.
		w.send(message{kind: releaseOf, f: m.state.holder, id: m.state.lease})
	}
	return true
}

// countAgain sets what a member waits for that has not counted all the time.
func (w *world) countAgain(r *rules, at int, how restartRule) {
	m := &w.members[at]
	switch {
	case how == goesOn:
	case how == countsNothing, how == countsLeasesOnly && m.state.lease == 0:
		w.count(r, at, 0)
	case m.state.lease != 0:
		w.count(r, at, r.counted())
	default:
		w.count(r, at, gapTime)
	}
}

// wipe takes log and state from a member.
func (w *world) wipe(r *rules, at int) bool {
	m := &w.members[at]
	if at >= int(w.size) || m.wiped {
		return false
	}
	w.crash(at, false)
	if w.pcs[at].rest == off {
		w.pcs[at].rest = awake
	}
	run := m.run
	*m = member{run: run, wiped: true, up: true, state: state{next: 1}}
	if r.wipedVotes {
		m.wiped = false
		w.count(r, at, 0)
	}
	return true
}

// admit lets a member that lost its log begin as a new one, with a copy of the leader's
// state. The change is an entry that the third member must have, and so all before it.
func (w *world) admit(r *rules, l, at int) bool {
	m, lead := &w.members[at], &w.members[l]
	third := maxMembers - l - at
	if w.size != maxMembers || l == at || !m.wiped || !w.isAwake(at) || !w.leads(r, l) || lead.n > 0 ||
		!w.acts(third) || w.members[third].term != lead.term || w.members[third].lastIndex() != lead.lastIndex() {
		return false
	}
	run := m.run
	*m = member{up: true, run: run, term: lead.term, last: lead.last, applied: lead.applied, state: lead.state}
	if !r.copiesNumbers {
		m.state.next = 1
	}
	lead.match[at] = lead.applied
	w.countAgain(r, at, r.admittedCounts)
	return true
}
