package oldgroup

import "fmt"

// recordVersion is the first byte of a record.
const recordVersion = 1

const (
	recordCopying = 1 << 0
	recordRemoved = 1 << 1
	recordMended  = 1 << 2
	recordFormer  = 1 << 3 // with a list of former members
	recordStale   = 1 << 4
)

func (s *state) encode() []byte {
	w := writer{b: make([]byte, 0, 128)}
	w.byte(recordVersion)
	w.text(s.log)
	w.epoch(s.epoch)
	var flags byte
	if s.copying {
		flags |= recordCopying
	}
	if s.removed {
		flags |= recordRemoved
	}
	if s.mended {
		flags |= recordMended
	}
	if len(s.former) > 0 {
		flags |= recordFormer
	}
	if s.stale {
		flags |= recordStale
	}
	w.byte(flags)
	for _, n := range []uint64{s.id, s.term, s.vote, s.commit, s.applied, s.appliedTerm, s.cut, s.cutTerm, uint64(s.bytes)} {
		w.uint(n)
	}
	encodeMembers(&w, s.members, s.next)
	if len(s.former) > 0 {
		encodeFormer(&w, s.former)
	}
	return w.b
}

func encodeFormer(w *writer, former []string) {
	w.uint(uint64(len(former)))
	for _, p := range former {
		w.text(p)
	}
}

func decodeFormer(r *reader) (former []string) {
	for range r.count(maxFormer) {
		former = append(former, r.name(MaxPeer))
	}
	return former
}

func decodeState(b []byte) (s state, err error) {
	r := reader{b: b}
	if v := r.byte(); v != recordVersion {
		return s, fmt.Errorf("%w: version %d", errRecord, v)
	}
	s.log = r.name(MaxName)
	s.epoch = r.epoch()
	flags := r.byte()
	s.copying, s.removed, s.mended, s.stale = flags&recordCopying != 0, flags&recordRemoved != 0, flags&recordMended != 0, flags&recordStale != 0
	for _, n := range []*uint64{&s.id, &s.term, &s.vote, &s.commit, &s.applied, &s.appliedTerm, &s.cut, &s.cutTerm} {
		*n = r.uint()
	}
	s.bytes = int64(r.uint())
	s.members, s.next = decodeMembers(&r)
	if flags&recordFormer != 0 {
		s.former = decodeFormer(&r)
	}
	if !r.done() {
		return s, fmt.Errorf("%w: of %d bytes", errRecord, len(b))
	}
	return s, nil
}

func encodeMembers(w *writer, members []member, next uint64) {
	w.uint(next)
	w.uint(uint64(len(members)))
	for _, m := range members {
		kind := byte(0)
		if m.voter {
			kind = 1
		}
		w.uint(m.id)
		w.byte(kind)
		w.text(m.peer)
	}
}

// decodeMembers fails if the members are not in order, or one has an ID yet to be
// given.
func decodeMembers(r *reader) (members []member, next uint64) {
	next = r.uint()
	for range r.count(maxMembers) {
		m := member{id: r.uint()}
		kind := r.byte()
		m.voter, m.peer = kind == 1, r.name(MaxPeer)
		if kind > 1 || m.id == 0 || m.id >= next || len(members) > 0 && m.id <= members[len(members)-1].id {
			r.fail()
		}
		if r.failed {
			return nil, 0
		}
		for _, o := range members {
			if o.peer == m.peer {
				r.fail()
			}
		}
		members = append(members, m)
	}
	return members, next
}
