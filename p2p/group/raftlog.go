package group

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"go.etcd.io/raft/v3/tracker"
	"google.golang.org/protobuf/proto"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/stream"
)

const (
	// ticksPerBeat is how often Raft's clock ticks between two heartbeats.
	ticksPerBeat = 4
	// quietTicks without a leader's word are enough to vote for another, and a leader that hears no majority for so long
	// gives up. At 1 s a tick a member that stands 9 s after the last word finds voters that agree.
	quietTicks = 8
	// compactAfter is how many entries a log has before a snapshot takes their place, keepEntries how many stay for
	// members that are a little behind.
	compactAfter, keepEntries = 96, 32
	// leap is how far a member jumps with its term when it may have forgotten votes: no member
	// stands so often while it is away from all others and then meets one that forgot it.
	leap = 16

	maxEntry    = 64 << 10
	maxSnapshot = 512 << 10
	maxTermLeap = 1 << 20 // what a message's term may be ahead of ours
	bucketRaft  = "raft"
)

// raftID is the number of a member in every group it is in.
func raftID(p crawl.PeerID) uint64 {
	h := fnv.New64a()
	h.Write([]byte(p))
	return h.Sum64() | 1
}

// vote is the last term of a log, and the member that got this member's vote in it, 0 if nobody did.
type vote struct{ term, to uint64 }

// raftLog is the log of one shard: etcd's Raft, its entries in memory, and how they lie on disk. A log is short,
// as a record is small.
type raftLog struct {
	shard stream.Shard
	id    uint64
	node  *raft.RawNode
	mem   *raft.MemoryStorage

	applied     uint64
	appliedTerm uint64
	conf        *pb.ConfState

	saved   uint64 // the last index on disk
	rewrite bool   // everything is to be written: a new log, or one that leapt
	unsaved *pb.HardState
}

// newRaftLog begins with a snapshot; index 0 is an empty log of a member that was not told anything yet.
func newRaftLog(s stream.Shard, self crawl.PeerID, v vote, snap *pb.Snapshot) (*raftLog, error) {
	l := &raftLog{shard: s, id: raftID(self), mem: raft.NewMemoryStorage(), conf: &pb.ConfState{}, rewrite: true}
	if snap != nil {
		if err := l.mem.ApplySnapshot(snap); err != nil {
			return nil, err
		}
		l.applied, l.appliedTerm, l.conf = snap.GetMetadata().GetIndex(), snap.GetMetadata().GetTerm(), snap.GetMetadata().GetConfState()
	}
	l.unsaved = &pb.HardState{Term: new(v.term), Vote: new(v.to), Commit: new(l.applied)}
	if err := l.mem.SetHardState(l.unsaved); err != nil {
		return nil, err
	}
	return l, l.start()
}

func (l *raftLog) start() (err error) {
	l.node, err = raft.NewRawNode(&raft.Config{
		ID: l.id, ElectionTick: quietTicks, HeartbeatTick: ticksPerBeat, Storage: l.mem, Applied: l.applied,
		MaxSizePerMsg: maxEntry, MaxInflightMsgs: 64, MaxUncommittedEntriesSize: 1 << 20,
		CheckQuorum: true, PreVote: true, DisableProposalForwarding: true, StepDownOnRemoval: true,
		Logger: silent{},
	})
	return err
}

// last returns the last entry's term and index.
func (l *raftLog) last() (term, index uint64) {
	index, _ = l.mem.LastIndex()
	term, _ = l.mem.Term(index)
	return term, index
}

func (l *raftLog) term() uint64 { return l.node.BasicStatus().GetTerm() }

func (l *raftLog) vote() vote {
	hs, _, _ := l.mem.InitialState()
	return vote{hs.GetTerm(), hs.GetVote()}
}

// leapTerm makes the log forget its votes in terms that nobody else can be in: a store that was set back may have
// voted in the ones that it knows. Peers that hear of it elect a leader, which then asks what this
// member has.
func (l *raftLog) leapTerm(heard uint64) error {
	hs, _, err := l.mem.InitialState()
	if err != nil {
		return err
	}
	l.unsaved = &pb.HardState{Term: new(max(l.term(), heard) + leap), Vote: new(uint64(0)), Commit: new(max(hs.GetCommit(), l.applied))}
	if err := l.mem.SetHardState(l.unsaved); err != nil {
		return err
	}
	l.rewrite = true
	return l.start()
}

// keep takes a Ready into memory, and writes it if the transaction does: a commit index alone waits for the next one.
func (l *raftLog) keep(tx stream.Tx, rd raft.Ready, write bool) error {
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

// write brings the disk to what is in memory; fresh are the entries that it lacks.
func (l *raftLog) write(tx stream.Tx, fresh []*pb.Entry) error {
	if l.rewrite {
		if err := erase(tx, l.shard); err != nil {
			return err
		}
		if err := l.writeSnapshot(tx); err != nil {
			return err
		}
		first, _ := l.mem.FirstIndex()
		l.saved = first - 1
		_, last := l.last()
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
	if _, last := l.last(); len(fresh) > 0 {
		for i := last + 1; i <= l.saved; i++ {
			if err := tx.Delete(bucketRaft, entryKey(l.shard, i)); err != nil {
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

func (l *raftLog) writeSnapshot(tx stream.Tx) error {
	snap, err := l.mem.Snapshot()
	if err != nil {
		return err
	}
	return putMessage(tx, stateKey(l.shard, 's'), snap)
}

// compact takes a snapshot when the log is long, or after a change of members: one that joins takes only a snapshot
// that knows it. Old entries go.
func (l *raftLog) compact(changed bool, record func() []byte) error {
	first, _ := l.mem.FirstIndex()
	if l.applied < first+compactAfter && !changed {
		return nil
	}
	if _, err := l.mem.CreateSnapshot(l.applied, l.conf, record()); err != nil {
		return err
	}
	l.rewrite = true
	if l.applied < first+keepEntries {
		return nil
	}
	return l.mem.Compact(l.applied - keepEntries)
}

// sendSnapshotsAgain tells Raft that snapshots may be lost: it waits for each without end.
func (l *raftLog) sendSnapshotsAgain() {
	var waiting []uint64
	l.node.WithProgress(func(id uint64, _ raft.ProgressType, p tracker.Progress) {
		if p.State == tracker.StateSnapshot {
			waiting = append(waiting, id)
		}
	})
	for _, id := range waiting {
		l.node.ReportSnapshot(id, raft.SnapshotFailure)
	}
}

// readRaftLog reads a log from disk: nil if there is none.
func readRaftLog(tx stream.Tx, s stream.Shard, self crawl.PeerID) (*raftLog, error) {
	raw := tx.Get(bucketRaft, stateKey(s, 's'))
	if raw == nil {
		return nil, nil
	}
	var snap pb.Snapshot
	var hs pb.HardState
	if err := proto.Unmarshal(raw, &snap); err != nil {
		return nil, fmt.Errorf("read the snapshot of %s: %w", s, err)
	}
	if err := proto.Unmarshal(tx.Get(bucketRaft, stateKey(s, 'h')), &hs); err != nil {
		return nil, fmt.Errorf("read the state of %s: %w", s, err)
	}
	var entries []*pb.Entry
	from := entryKey(s, 0)
	var bad error
	err := tx.Scan(bucketRaft, from, func(k, v []byte) bool {
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
	l := &raftLog{shard: s, id: raftID(self), mem: raft.NewMemoryStorage(), conf: &pb.ConfState{}}
	if snap.GetMetadata().GetIndex() > 0 {
		if err := l.mem.ApplySnapshot(&snap); err != nil {
			return nil, err
		}
		l.conf = snap.GetMetadata().GetConfState()
	}
	l.applied, l.appliedTerm = snap.GetMetadata().GetIndex(), snap.GetMetadata().GetTerm()
	if err := l.mem.Append(entries); err != nil {
		return nil, err
	}
	_, l.saved = l.last()
	hs.Commit = new(max(hs.GetCommit(), l.applied))
	if err := l.mem.SetHardState(&hs); err != nil {
		return nil, err
	}
	return l, l.start()
}

// erase deletes what the disk has of a log.
func erase(tx stream.Tx, s stream.Shard) error {
	from := stateKey(s, 'e')
	var keys [][]byte
	if err := tx.Scan(bucketRaft, from, func(k, _ []byte) bool {
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
		if err := tx.Delete(bucketRaft, k); err != nil {
			return err
		}
	}
	return nil
}

// stateKey is the key of something that a shard has once: 'e' before its entries, 'f' founding, 'h' hard state, 's' snapshot.
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
	return tx.Put(bucketRaft, key, b)
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
