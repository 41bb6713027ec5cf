package raftlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"go.etcd.io/raft/v3/tracker"
	"google.golang.org/protobuf/proto"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/stream"
)

const (
	// TicksPerBeat is how often Raft's clock ticks between two heartbeats.
	TicksPerBeat = 4
	// QuietTicks without a leader's word are enough to vote for another, and a leader that hears no majority for so
	// long gives up. At 1 s a tick a member that stands 9 s after the last word finds voters that agree.
	QuietTicks = 8
	// Leap is how far a member jumps with its term when it may have forgotten votes: no member
	// stands so often while it is away from all others and then meets one that forgot it.
	Leap = 16
	// Bucket holds the logs of all shards.
	Bucket = "raft"

	// compactAfter is how many entries a log has before a snapshot takes their place, keepEntries how many stay for
	// members that are a little behind.
	compactAfter, keepEntries = 96, 32

	maxEntry    = 64 << 10
	maxSnapshot = 512 << 10
)

// ID is the number of a member in every group it is in.
func ID(p crawl.PeerID) uint64 {
	h := fnv.New64a()
	h.Write([]byte(p))
	return h.Sum64() | 1
}

// Vote is the last term of a log, and the member that got this member's vote in it, 0 if nobody did.
type Vote struct{ Term, To uint64 }

// Log is the log of one shard.
type Log struct {
	ID   uint64 // of this member
	Node *raft.RawNode

	// Up to where its user has applied it, and the members that this makes.
	Applied, AppliedTerm uint64
	Conf                 *pb.ConfState

	shard   stream.Shard
	mem     *raft.MemoryStorage
	saved   uint64 // the last index on disk
	rewrite bool   // everything is to be written: a new log, or one that leapt
	unsaved *pb.HardState
}

// New begins with a snapshot; nil is an empty log of a member that was not told anything yet.
func New(s stream.Shard, self crawl.PeerID, v Vote, snap *pb.Snapshot) (*Log, error) {
	hs := &pb.HardState{Term: new(v.Term), Vote: new(v.To)}
	l, err := load(s, self, snap, hs, nil)
	if err != nil {
		return nil, err
	}
	l.rewrite, l.unsaved = true, hs
	return l, nil
}

func load(s stream.Shard, self crawl.PeerID, snap *pb.Snapshot, hs *pb.HardState, entries []*pb.Entry) (*Log, error) {
	l := &Log{shard: s, ID: ID(self), mem: raft.NewMemoryStorage(), Conf: &pb.ConfState{}}
	if snap.GetMetadata().GetIndex() > 0 {
		if err := l.mem.ApplySnapshot(snap); err != nil {
			return nil, err
		}
		l.Restored(snap)
	}
	if err := l.mem.Append(entries); err != nil {
		return nil, err
	}
	_, l.saved = l.Last()
	hs.Commit = new(max(hs.GetCommit(), l.Applied))
	if err := l.mem.SetHardState(hs); err != nil {
		return nil, err
	}
	return l, l.start()
}

// Restored is told that its user has taken a snapshot.
func (l *Log) Restored(snap *pb.Snapshot) {
	m := snap.GetMetadata()
	l.Applied, l.AppliedTerm, l.Conf = m.GetIndex(), m.GetTerm(), m.GetConfState()
}

func (l *Log) start() (err error) {
	l.Node, err = raft.NewRawNode(&raft.Config{
		ID: l.ID, ElectionTick: QuietTicks, HeartbeatTick: TicksPerBeat, Storage: l.mem, Applied: l.Applied,
		MaxSizePerMsg: maxEntry, MaxInflightMsgs: 64, MaxUncommittedEntriesSize: 1 << 20,
		CheckQuorum: true, PreVote: true, DisableProposalForwarding: true, StepDownOnRemoval: true,
		Logger: silent{},
	})
	return err
}

// Last returns the last entry's term and index.
func (l *Log) Last() (term, index uint64) {
	index, _ = l.mem.LastIndex()
	term, _ = l.mem.Term(index)
	return term, index
}

// Term returns the term that this member is in.
func (l *Log) Term() uint64 { return l.Node.BasicStatus().GetTerm() }

// Vote returns this member's last vote.
func (l *Log) Vote() Vote {
	hs, _, _ := l.mem.InitialState()
	return Vote{hs.GetTerm(), hs.GetVote()}
}

// LeapTerm makes the log forget its votes in terms that nobody else can be in: a store that was set back may have
// voted in the ones that it knows. Peers that hear of it elect a leader, which then asks what this
// member has.
func (l *Log) LeapTerm(heard uint64) error {
	hs, _, err := l.mem.InitialState()
	if err != nil {
		return err
	}
	l.unsaved = &pb.HardState{Term: new(max(l.Term(), heard) + Leap), Vote: new(uint64(0)),
		Commit: new(max(hs.GetCommit(), l.Applied))}
	if err := l.mem.SetHardState(l.unsaved); err != nil {
		return err
	}
	l.rewrite = true
	return l.start()
}

// Snapshot returns the last one.
func (l *Log) Snapshot() (*pb.Snapshot, error) { return l.mem.Snapshot() }

// Tail returns the entries that are not applied.
func (l *Log) Tail() ([]*pb.Entry, error) {
	_, last := l.Last()
	if last <= l.Applied {
		return nil, nil
	}
	return l.mem.Entries(l.Applied+1, last+1, 1<<40)
}

// Keep takes a Ready into memory, and writes it if the transaction does: a commit index alone waits for the next one.
func (l *Log) Keep(tx stream.Tx, rd raft.Ready, write bool) error {
	if !raft.IsEmptySnap(rd.Snapshot) {
		if err := l.mem.ApplySnapshot(rd.Snapshot); err != nil {
			return err
		}
		l.rewrite = true
	}
	if len(rd.Entries) > 0 {
		if err := l.mem.Append(rd.Entries); err != nil {
			return err
		}
	}
	if !raft.IsEmptyHardState(rd.HardState) {
		l.unsaved = rd.HardState
		if err := l.mem.SetHardState(rd.HardState); err != nil {
			return err
		}
	}
	if !write {
		return nil
	}
	return l.write(tx, rd.Entries)
}

// Rewrite reports whether everything is to be written, also without a Ready.
func (l *Log) Rewrite() bool { return l.rewrite }

// Write does that.
func (l *Log) Write(tx stream.Tx) error { return l.write(tx, nil) }

// write brings the disk to what is in memory; fresh are the entries that it lacks.
func (l *Log) write(tx stream.Tx, fresh []*pb.Entry) error {
	if l.rewrite {
		if err := Erase(tx, l.shard); err != nil {
			return err
		}
		if err := l.writeSnapshot(tx); err != nil {
			return err
		}
		first, _ := l.mem.FirstIndex()
		l.saved = first - 1
		_, last := l.Last()
		fresh = nil
		if last >= first {
			fresh, _ = l.mem.Entries(first, last+1, 1<<40)
		}
		l.rewrite = false
		if l.unsaved == nil {
			l.unsaved, _, _ = l.mem.InitialState()
		}
	}
	for _, e := range fresh {
		if err := putMessage(tx, entryKey(l.shard, e.GetIndex()), e); err != nil {
			return err
		}
	}
	if _, last := l.Last(); len(fresh) > 0 {
		for i := last + 1; i <= l.saved; i++ {
			if err := tx.Delete(Bucket, entryKey(l.shard, i)); err != nil {
				return err
			}
		}
		l.saved = last
	}
	if l.unsaved == nil {
		return nil
	}
	err := putMessage(tx, stateKey(l.shard, 'h'), l.unsaved)
	l.unsaved = nil
	return err
}

func (l *Log) writeSnapshot(tx stream.Tx) error {
	snap, err := l.mem.Snapshot()
	if err != nil {
		return err
	}
	return putMessage(tx, stateKey(l.shard, 's'), snap)
}

// Compact takes a snapshot when the log is long, or after a change of members: one that joins takes only a snapshot
// that knows it. Old entries go.
func (l *Log) Compact(changed bool, record func() []byte) error {
	first, _ := l.mem.FirstIndex()
	if l.Applied < first+compactAfter && !changed {
		return nil
	}
	if _, err := l.mem.CreateSnapshot(l.Applied, l.Conf, record()); err != nil {
		return err
	}
	l.rewrite = true
	if l.Applied < first+keepEntries {
		return nil
	}
	return l.mem.Compact(l.Applied - keepEntries)
}

// Answered reports whether a member has acknowledged any entry since this one leads.
func (l *Log) Answered(p crawl.PeerID) (answered bool) {
	l.Node.WithProgress(func(id uint64, _ raft.ProgressType, has tracker.Progress) {
		answered = answered || id == ID(p) && has.Match > 0
	})
	return answered
}

// TellsCommit reports whether a message only tells a member that more is committed: the next entry or heartbeat does,
// too. It is false for a member that may lack entries, as the message also finds that out.
func (l *Log) TellsCommit(m *pb.Message) (tells bool) {
	if m.GetType() == pb.MsgApp && len(m.GetEntries()) == 0 {
		l.Node.WithProgress(func(id uint64, _ raft.ProgressType, p tracker.Progress) {
			tells = tells || id == m.GetTo() && p.State == tracker.StateReplicate
		})
	}
	return tells
}

// SendSnapshotsAgain tells Raft that snapshots may be lost: it waits for each without end.
func (l *Log) SendSnapshotsAgain() {
	var waiting []uint64
	l.Node.WithProgress(func(id uint64, _ raft.ProgressType, p tracker.Progress) {
		if p.State == tracker.StateSnapshot {
			waiting = append(waiting, id)
		}
	})
	for _, id := range waiting {
		l.Node.ReportSnapshot(id, raft.SnapshotFailure)
	}
}

// Read reads a log from disk: nil if there is none.
func Read(tx stream.Tx, s stream.Shard, self crawl.PeerID) (*Log, error) {
	raw := tx.Get(Bucket, stateKey(s, 's'))
	if raw == nil {
		return nil, nil
	}
	var snap pb.Snapshot
	var hs pb.HardState
	if err := proto.Unmarshal(raw, &snap); err != nil {
		return nil, fmt.Errorf("read the snapshot of %s: %w", s, err)
	}
	if err := proto.Unmarshal(tx.Get(Bucket, stateKey(s, 'h')), &hs); err != nil {
		return nil, fmt.Errorf("read the state of %s: %w", s, err)
	}
	var entries []*pb.Entry
	from := entryKey(s, 0)
	var bad error
	err := tx.Scan(Bucket, from, func(k, v []byte) bool {
		if len(k) != len(from) || string(k[:len(k)-8]) != string(from[:len(from)-8]) {
			return false
		}
		var e pb.Entry
		if bad = proto.Unmarshal(v, &e); bad != nil {
			return false
		}
		if e.GetIndex() > snap.GetMetadata().GetIndex() {
			entries = append(entries, &e)
		}
		return true
	})
	if err == nil {
		err = bad
	}
	if err != nil {
		return nil, fmt.Errorf("read the log of %s: %w", s, err)
	}
	return load(s, self, &snap, &hs, entries)
}

// Keeps reports whether a store has a log in which a member has a vote. One whose key is another than before has none.
func Keeps(tx stream.Tx, self crawl.PeerID) (keeps bool, err error) {
	looked := make(map[stream.Shard]bool)
	var failed error
	err = tx.Scan(Bucket, nil, func(k, _ []byte) bool {
		s, ok := shardOf(k)
		if !ok || looked[s] {
			return true
		}
		looked[s] = true
		var l *Log
		l, failed = Read(tx, s, self)
		keeps = failed == nil && l != nil && slices.Contains(l.Conf.GetVoters(), l.ID)
		return failed == nil && !keeps
	})
	return keeps, errors.Join(err, failed)
}

// Erase deletes what the disk has of a log.
func Erase(tx stream.Tx, s stream.Shard) error {
	from := stateKey(s, 'e')
	var keys [][]byte
	if err := tx.Scan(Bucket, from, func(k, _ []byte) bool {
		if len(k) < len(from) || string(k[:len(from)-1]) != string(from[:len(from)-1]) {
			return false
		}
		keys = append(keys, append([]byte(nil), k...))
		return true
	}); err != nil {
		return err
	}
	for _, k := range keys {
		if k[len(from)-1] == 'f' {
			continue // the founding stays
		}
		if err := tx.Delete(Bucket, k); err != nil {
			return err
		}
	}
	return nil
}

// FoundingKey is where a shard's founding is.
func FoundingKey(s stream.Shard) []byte { return stateKey(s, 'f') }

// stateKey is the key of something that a shard has once: 'e' before its entries, 'f' founding, 'h' hard state, 's'
// snapshot.
func stateKey(s stream.Shard, what byte) []byte {
	return append(append(binary.AppendUvarint(nil, uint64(len(s))), s...), what)
}

func entryKey(s stream.Shard, index uint64) []byte {
	return binary.BigEndian.AppendUint64(stateKey(s, 'e'), index)
}

func putMessage(tx stream.Tx, key []byte, m proto.Message) error {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return err
	}
	return tx.Put(Bucket, key, b)
}

// silent hears what Raft says. Its warnings are everyday life here, and its panics are caught by guard.
type silent struct{}

func (silent) Debug(...any)              {}
func (silent) Debugf(string, ...any)     {}
func (silent) Info(...any)               {}
func (silent) Infof(string, ...any)      {}
func (silent) Warning(...any)            {}
func (silent) Warningf(string, ...any)   {}
func (silent) Error(...any)              {}
func (silent) Errorf(string, ...any)     {}
func (silent) Fatal(v ...any)            { panic(fmt.Sprint(v...)) }
func (silent) Fatalf(f string, v ...any) { panic(fmt.Sprintf(f, v...)) }
func (silent) Panic(v ...any)            { panic(fmt.Sprint(v...)) }
func (silent) Panicf(f string, v ...any) { panic(fmt.Sprintf(f, v...)) }

// Allowed reports whether a message of Raft is one that members send each other, with everything in it.
func Allowed(m *pb.Message) bool {
	switch m.GetType() {
	case pb.MsgApp, pb.MsgAppResp, pb.MsgVote, pb.MsgVoteResp, pb.MsgPreVote, pb.MsgPreVoteResp,
		pb.MsgHeartbeat, pb.MsgHeartbeatResp, pb.MsgTimeoutNow:
		if m.Snapshot != nil && m.Snapshot.GetMetadata().GetIndex() > 0 {
			return false
		}
	case pb.MsgSnap:
		if m.Snapshot.GetMetadata().GetConfState() == nil || len(m.Snapshot.GetData()) > maxSnapshot {
			return false
		}
	default:
		return false
	}
	if m.Type == nil || len(m.Responses) > 0 {
		return false
	}
	for i, e := range m.GetEntries() {
		if e.GetIndex() != m.GetIndex()+uint64(i)+1 || e.GetTerm() > m.GetTerm() {
			return false
		}
	}
	return true
}

// shardOf returns the shard of a key.
func shardOf(k []byte) (stream.Shard, bool) {
	n, size := binary.Uvarint(k)
	if size <= 0 || n > uint64(len(k)-size) {
		return "", false
	}
	s, rest := k[size:size+int(n)], k[size+int(n):]
	one := len(rest) == 1 && (rest[0] == 'f' || rest[0] == 'h' || rest[0] == 's')
	return stream.Shard(s), one || len(rest) == 9 && rest[0] == 'e'
}
