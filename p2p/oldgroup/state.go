package oldgroup

import (
	"cmp"
	"slices"

	pb "go.etcd.io/raft/v3/raftpb"
)

const (
	// MaxName bounds the names of logs and of their buckets, MaxPeer those of peers,
	// in bytes.
	MaxName = 128
	MaxPeer = 128

	// maxMembers and maxVoters bound a group. A voter is replaced by one more that comes
	// before the other goes.
	maxMembers = 7
	maxVoters  = 5
	// maxFormer is how many of those that were members are remembered.
	maxFormer = 16

	// maxNumber bounds terms, indexes and IDs, so that none that a member makes up can
	// be counted up to zero.
	maxNumber = 1 << 48
)

// member is one member as the log knows it.
type member struct {
	id    uint64
	peer  string
	voter bool
}

// state is the record of a log: what a member must not forget.
type state struct {
	log   string
	id    uint64 // of this member
	epoch Epoch

	term, vote, commit uint64 // Raft's hard state

	members []member // in order of IDs
	next    uint64   // ID of the next member
	former  []string // peers that were members, those of late last

	applied, appliedTerm uint64 // the last entry that is in the Machine
	cut, cutTerm         uint64 // the last entry that is dropped from the log
	bytes                int64  // of the entries that are kept

	// copying is set while the Machine's state is being made equal to another
	// member's: what is applied is not known.
	copying bool
	// mended is set with copying while nothing has been copied yet: the state is whole, but was changed
	// without entries.
	mended bool
	// removed is set when this member is none any more.
	removed bool
	// stale is set when the store was set back to what it was before: this member may have had more, and voted, and
	// does not know of it.
	stale bool
}

// member returns the member with an ID, nil if there is none.
func (s *state) member(id uint64) *member {
	i, ok := slices.BinarySearchFunc(s.members, id, func(m member, id uint64) int { return cmp.Compare(m.id, id) })
	if !ok {
		return nil
	}
	return &s.members[i]
}

// peer returns the member that a peer is, nil if it is none.
func (s *state) peer(peer string) *member {
	i := slices.IndexFunc(s.members, func(m member) bool { return m.peer == peer })
	if i < 0 {
		return nil
	}
	return &s.members[i]
}

// wasMember remembers that a peer was a member.
func (s *state) wasMember(peer string) {
	s.former = slices.DeleteFunc(slices.Clone(s.former), func(p string) bool { return p == peer })
	s.former = append(s.former, peer)
	s.former = s.former[max(0, len(s.former)-maxFormer):]
}

func (s *state) voters() (n int) {
	for _, m := range s.members {
		if m.voter {
			n++
		}
	}
	return n
}

// alone reports whether this member is the only one.
func (s *state) alone() bool { return len(s.members) == 1 && s.members[0].id == s.id }

// gone reports whether this member takes no part in the log, unless it is admitted again.
func (s *state) gone() bool { return s.removed || s.stale }

// soleVoter reports whether this member is the only one that votes.
func (s *state) soleVoter() bool {
	m := s.member(s.id)
	return m != nil && m.voter && s.voters() == 1
}

func (s *state) hardState() *pb.HardState {
	return &pb.HardState{Term: new(s.term), Vote: new(s.vote), Commit: new(s.commit)}
}

func (s *state) confState() *pb.ConfState {
	cs := &pb.ConfState{AutoLeave: new(false)}
	for _, m := range s.members {
		if m.voter {
			cs.Voters = append(cs.Voters, m.id)
		} else {
			cs.Learners = append(cs.Learners, m.id)
		}
	}
	return cs
}
