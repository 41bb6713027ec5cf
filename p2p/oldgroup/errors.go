package oldgroup

import (
	"errors"
	"fmt"
)

var (
	// ErrNotLeader is returned by what only the leader of a log can do. Nothing was
	// proposed. LeaderOf tells who leads.
	ErrNotLeader = errors.New("this member does not lead the log")
	// ErrLost is returned when leadership went before it was known what came of a
	// proposal: the entry may be in the log or not.
	ErrLost = errors.New("leadership was lost: the entry may be in the log or not")
	// ErrBusy is returned when too much waits to be committed, or another change of the
	// members is under way. Nothing was proposed.
	ErrBusy = errors.New("the log is busy")
	// ErrTooLarge is returned for an entry that is empty or larger than MaxData.
	ErrTooLarge = errors.New("the entry is empty or too large")
	// ErrNoMember is returned for a peer that is no member, or not of the kind that is
	// asked for.
	ErrNoMember = errors.New("no such member")
	// ErrClosed is returned by a group after Drop, or once its node is no longer a member.
	ErrClosed = errors.New("this node holds the log no longer")
	// ErrExists is returned for a log, or a bucket, that is taken.
	ErrExists = errors.New("the log exists")
	// ErrUnknown is returned for a log that the store does not hold.
	ErrUnknown = errors.New("the store holds no such log")

	errNobody = errors.New("no way to other nodes")
	errPacket = errors.New("malformed packet")
	errRecord = errors.New("damaged record")
)

// notLeader is an ErrNotLeader that knows who leads.
type notLeader struct{ leader string }

func (e notLeader) Error() string { return ErrNotLeader.Error() }
func (e notLeader) Unwrap() error { return ErrNotLeader }

// LeaderOf returns the peer that leads the log, by what an ErrNotLeader tells; "" if
// nobody is known to, or the error is another.
func LeaderOf(err error) string {
	var e notLeader
	errors.As(err, &e)
	return e.leader
}

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errPacket, fmt.Sprintf(format, args...))
}
