package oldgroup

import (
	"errors"
	"fmt"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/forage-net/forage/storage"
)

// begins returns the message of a leader in a part, nil if there is none.
func begins(p *part) *pb.Message {
	for _, m := range p.messages {
		if leads(m.GetType()) {
			return m
		}
	}
	return nil
}

// begin makes this node a member of a log that it does not hold, if the part may do
// that and the caller of Groups admits it. It returns nil otherwise.
func (s *Groups) begin(from string, p *part, answer *outbox) *Group {
	m := begins(p)
	if p.flags&flagBegin == 0 || m == nil || p.to == 0 {
		if len(p.messages) > 0 && p.to != 0 {
			lost := part{log: p.log, epoch: p.epoch, from: p.to, to: p.from, flags: flagLost}
			if answer != nil {
				answer.put(lost)
			} else {
				l := s.link(from)
				l.add(lost)
				l.kick()
			}
		}
		return nil
	}
	bucket, machine, ok := s.admit(p.log, from)
	if !ok {
		return nil
	}
	s.opening.Lock()
	defer s.opening.Unlock()
	if g := s.Get(p.log); g != nil {
		return g
	}
	g, err := s.beginIn(bucket, p, m, machine)
	if err != nil {
		s.cfg.Log.Warn("Copy of log not begun", "log", show(p.log), "peer", show(from), "err", err)
		return nil
	}
	return g
}

// admit asks whether a peer may make this node hold a log.
func (s *Groups) admit(log, from string) (bucket string, m Machine, ok bool) {
	if s.cfg.Admit == nil {
		return "", nil, false
	}
	return s.cfg.Admit(log, from)
}

func (s *Groups) beginIn(bucket string, p *part, m *pb.Message, machine Machine) (*Group, error) {
	if err := s.free(p.log, bucket); err != nil {
		return nil, err
	}
	err := s.cfg.DB.Update(func(tx *storage.Tx) error {
		if was, err := readState(tx, bucket); err == nil && was.log != p.log {
			return ErrExists
		} else if err != nil && !errors.Is(err, ErrUnknown) {
			return err
		}
		return createState(tx, bucket, emptyState(p, m))
	})
	if err != nil {
		return nil, err
	}
	return s.open(p.log, bucket, machine)
}

// emptyState is that of a member that begins. What is in the log's bucket may be
// anything. It counts as having voted for the leader that lets it begin: what it did in
// this term before it lost its disk, if that is why it begins, is not known.
func emptyState(p *part, m *pb.Message) *state {
	return &state{log: p.log, id: p.to, epoch: p.epoch, term: m.GetTerm(), vote: p.from, copying: true}
}

// beginAgain makes this node the member that is addressed, if it was admitted anew
// after it was removed.
func (g *Group) beginAgain(from string, p *part, machine Machine) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	m, st := begins(p), &g.st.state
	if g.closed || p.to <= st.id || p.flags&flagBegin == 0 || m == nil || p.epoch != st.epoch {
		return nil
	}
	if g.isLeader() || st.peer(from) == nil && g.occupied() {
		return nil
	}
	err := g.s.cfg.DB.Update(func(tx *storage.Tx) error {
		return createState(tx, g.bucket, emptyState(p, m))
	})
	if err != nil {
		return fmt.Errorf("begin log %s again: %w", show(g.log), err)
	}
	g.machine = machine
	err = g.load(ErrLost)
	g.show()
	return err
}
