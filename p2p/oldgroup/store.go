package oldgroup

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/forage-net/forage/storage"
)

var (
	bucketRaft = []byte("raft")
	keyState   = []byte("s")
)

// entryTag is the first byte of the keys of entries; it sorts before keyState.
const entryTag = 'e'

func entryKey(index uint64) []byte { return binary.BigEndian.AppendUint64([]byte{entryTag}, index) }

// entryIndex returns the index in a key, 0 if it is not that of an entry.
func entryIndex(key []byte) uint64 {
	if len(key) != 9 || key[0] != entryTag {
		return 0
	}
	return binary.BigEndian.Uint64(key[1:])
}

// store is a log on disk, as Raft sees it (raft.Storage). While a transaction is open
// everything is read from it and written to it; entries are written at its end, so that
// those dropped before never are.
type store struct {
	db     *storage.DB
	bucket string
	state  state

	last, lastTerm uint64 // the last entry

	tx    *storage.Tx
	fresh []*pb.Entry // appended and not written, up to last
	dirty bool        // the record, or entries, are to be written
	heard heard
	now   func() time.Time
}

// bucketOf returns the bucket of Raft in a log's bucket, nil if there is none.
func bucketOf(tx *storage.Tx, bucket string) *storage.Bucket {
	logs := tx.Bucket(storage.BucketLogs)
	if logs == nil {
		return nil
	}
	b := logs.Bucket([]byte(bucket))
	if b == nil {
		return nil
	}
	return b.Bucket(bucketRaft)
}

// readState reads the record of a log. The error is ErrUnknown if there is none.
func readState(tx *storage.Tx, bucket string) (state, error) {
	b := bucketOf(tx, bucket)
	if b == nil {
		return state{}, ErrUnknown
	}
	raw := b.Get(keyState)
	if raw == nil {
		return state{}, ErrUnknown
	}
	return decodeState(raw)
}

// createState writes the first record of a log, over what Raft had there before.
func createState(tx *storage.Tx, bucket string, s *state) error {
	b, err := tx.Bucket(storage.BucketLogs).CreateBucketIfNotExists([]byte(bucket))
	if err != nil {
		return err
	}
	if b.Bucket(bucketRaft) != nil {
		if err := b.DeleteBucket(bucketRaft); err != nil {
			return err
		}
	}
	if b, err = b.CreateBucket(bucketRaft); err != nil {
		return err
	}
	return b.Put(keyState, s.encode())
}

// load reads the log anew.
func (s *store) load() error {
	s.tx, s.fresh, s.dirty = nil, nil, false
	defer func() { s.heard.cut(s.last) }() // what is on disk came when it came, at the latest
	return s.db.View(func(tx *storage.Tx) (err error) {
		if s.state, err = readState(tx, s.bucket); err != nil {
			return err
		}
		s.last, s.lastTerm = s.state.cut, s.state.cutTerm
		c := bucketOf(tx, s.bucket).Cursor()
		c.Seek(keyState)
		key, value := c.Prev()
		if key == nil {
			return nil
		}
		index := entryIndex(key)
		e, err := decodeEntry(index, value)
		if err != nil {
			return err
		}
		if index <= s.state.cut {
			return fmt.Errorf("%w: entry %d after %d was dropped", errRecord, index, s.state.cut)
		}
		s.last, s.lastTerm = index, e.GetTerm()
		return nil
	})
}

// view runs fn on the bucket, in the open transaction if there is one.
func (s *store) view(fn func(b *storage.Bucket) error) error {
	in := func(tx *storage.Tx) error {
		b := bucketOf(tx, s.bucket)
		if b == nil {
			return ErrUnknown
		}
		return fn(b)
	}
	if s.tx != nil {
		return in(s.tx)
	}
	return s.db.View(in)
}

// open begins to use a transaction that may write.
func (s *store) open(tx *storage.Tx) error {
	if bucketOf(tx, s.bucket) == nil {
		return ErrUnknown
	}
	s.tx = tx
	return nil
}

// flush writes what is new to the open transaction.
func (s *store) flush() error {
	if !s.dirty {
		return nil
	}
	b := bucketOf(s.tx, s.bucket)
	if b == nil {
		return ErrUnknown
	}
	for _, e := range s.fresh {
		value := encodeEntry(e)
		s.state.bytes += int64(len(value))
		if err := b.Put(entryKey(e.GetIndex()), value); err != nil {
			return err
		}
	}
	s.fresh, s.dirty = nil, false
	return b.Put(keyState, s.state.encode())
}

// append brings entries to the end of the log, in the place of those with the same
// index and all after them.
func (s *store) append(entries []*pb.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	first := entries[0].GetIndex()
	if first <= s.state.cut || first > s.last+1 {
		return fmt.Errorf("append entry %d to a log of %d to %d", first, s.state.cut+1, s.last)
	}
	if first <= s.last {
		if err := s.truncate(first); err != nil {
			return err
		}
	}
	s.fresh = append(s.fresh, entries...)
	s.heard.add(first, len(entries), s.now())
	end := entries[len(entries)-1]
	s.last, s.lastTerm, s.dirty = end.GetIndex(), end.GetTerm(), true
	return nil
}

// truncate takes the entries from first on out of the log. Its last entry is set by who
// calls.
func (s *store) truncate(first uint64) error {
	if n := len(s.fresh); n > 0 {
		if begin := s.fresh[0].GetIndex(); first > begin {
			s.fresh = s.fresh[:first-begin]
			return nil
		}
		s.fresh = nil
	}
	b := bucketOf(s.tx, s.bucket)
	for index := first; ; index++ {
		value := b.Get(entryKey(index))
		if value == nil {
			break
		}
		s.state.bytes -= int64(len(value))
		if err := b.Delete(entryKey(index)); err != nil {
			return err
		}
	}
	s.dirty = true
	return nil
}

// limits say which entries are dropped, oldest first.
type limits struct {
	all   uint64 // what all members have: everything up to here
	most  uint64 // what may be dropped if the log has more than bytes
	bytes int64
	// writes bounds how many entries are deleted at once.
	writes int
}

// drop drops entries. Those that were never written cost nothing.
func (s *store) drop(l limits) error {
	l.all, l.most = min(l.all, s.state.applied), min(l.most, s.state.applied)
	if err := s.dropWritten(&l); err != nil || l.writes < 0 {
		return err
	}
	for len(s.fresh) > 0 {
		e := s.fresh[0]
		if e.GetIndex() > l.all {
			break
		}
		s.fresh = s.fresh[1:]
		s.cutTo(e.GetIndex(), e.GetTerm())
	}
	return nil
}

func (s *store) dropWritten(l *limits) error {
	end := s.last + 1
	if len(s.fresh) > 0 {
		end = s.fresh[0].GetIndex()
	}
	b := bucketOf(s.tx, s.bucket)
	for index := s.state.cut + 1; index < end; index++ {
		if index > l.all && (index > l.most || s.state.bytes <= l.bytes) {
			l.writes = 0 // so it is with those behind it
		}
		if l.writes--; l.writes < 0 {
			return nil
		}
		key := entryKey(index)
		value := b.Get(key)
		e, err := decodeEntry(index, value)
		if err != nil {
			return err
		}
		s.state.bytes -= int64(len(value))
		if err := b.Delete(key); err != nil {
			return err
		}
		s.cutTo(index, e.GetTerm())
	}
	return nil
}

func (s *store) cutTo(index, term uint64) {
	s.state.cut, s.state.cutTerm, s.dirty = index, term, true
}

// replace makes the log one that begins behind an entry: that of a state that was
// copied. Entries that follow the same entry here are kept, since this member has
// acknowledged them.
func (s *store) replace(index, term uint64) error {
	s.state.applied, s.state.appliedTerm, s.dirty = index, term, true
	if index <= s.last && index >= s.state.cut {
		if t, err := s.Term(index); err != nil {
			return err
		} else if t == term {
			return s.drop(limits{all: index, writes: math.MaxInt})
		}
	}
	if err := s.truncate(s.state.cut + 1); err != nil {
		return err
	}
	s.last, s.lastTerm = index, term
	s.cutTo(index, term)
	return nil
}

// InitialState implements raft.Storage.
func (s *store) InitialState() (*pb.HardState, *pb.ConfState, error) {
	return s.state.hardState(), s.state.confState(), nil
}

// FirstIndex implements raft.Storage.
func (s *store) FirstIndex() (uint64, error) { return s.state.cut + 1, nil }

// LastIndex implements raft.Storage.
func (s *store) LastIndex() (uint64, error) { return s.last, nil }

// Term implements raft.Storage.
func (s *store) Term(index uint64) (term uint64, err error) {
	switch {
	case index < s.state.cut:
		return 0, raft.ErrCompacted
	case index == s.state.cut:
		return s.state.cutTerm, nil
	case index > s.last:
		return 0, raft.ErrUnavailable
	case index == s.last:
		return s.lastTerm, nil
	}
	if e := s.freshEntry(index); e != nil {
		return e.GetTerm(), nil
	}
	err = s.view(func(b *storage.Bucket) error {
		value := b.Get(entryKey(index))
		if value == nil {
			return fmt.Errorf("%w: no entry %d", errRecord, index)
		}
		e, err := decodeEntry(index, value)
		term = e.GetTerm()
		return err
	})
	return term, err
}

func (s *store) freshEntry(index uint64) *pb.Entry {
	if len(s.fresh) == 0 || index < s.fresh[0].GetIndex() {
		return nil
	}
	return s.fresh[index-s.fresh[0].GetIndex()]
}

// Entries implements raft.Storage.
func (s *store) Entries(lo, hi, maxSize uint64) (entries []*pb.Entry, err error) {
	if lo <= s.state.cut {
		return nil, raft.ErrCompacted
	}
	if hi > s.last+1 {
		return nil, raft.ErrUnavailable
	}
	size := uint64(0)
	add := func(e *pb.Entry) bool {
		if size += entrySize(e); len(entries) > 0 && size > maxSize {
			return false
		}
		entries = append(entries, e)
		return true
	}
	err = s.written(lo, hi, add)
	if errors.Is(err, errFull) {
		return entries, nil
	} else if err != nil {
		return nil, err
	}
	for index := lo + uint64(len(entries)); index < hi; index++ {
		e := s.freshEntry(index)
		if e == nil {
			return nil, fmt.Errorf("%w: no entry %d", errRecord, index)
		}
		if !add(e) {
			break
		}
	}
	return entries, nil
}

// errFull ends a reading of entries before its end.
var errFull = errors.New("enough")

// written gives the entries from lo to before hi that are on disk to add.
func (s *store) written(lo, hi uint64, add func(e *pb.Entry) bool) error {
	if len(s.fresh) > 0 {
		hi = min(hi, s.fresh[0].GetIndex())
	}
	if lo >= hi {
		return nil
	}
	return s.view(func(b *storage.Bucket) error {
		c := b.Cursor()
		for key, value := c.Seek(entryKey(lo)); lo < hi; key, value = c.Next() {
			if entryIndex(key) != lo {
				return fmt.Errorf("%w: no entry %d", errRecord, lo)
			}
			e, err := decodeEntry(lo, value)
			if err != nil {
				return err
			}
			e.Data = bytes.Clone(e.Data)
			if !add(e) {
				return errFull
			}
			lo++
		}
		return nil
	})
}

// Snapshot implements raft.Storage: where the state is that a member may copy. The
// state itself it asks for piece by piece.
func (s *store) Snapshot() (*pb.Snapshot, error) {
	return &pb.Snapshot{Metadata: &pb.SnapshotMetadata{
		ConfState: s.state.confState(), Index: new(s.state.applied), Term: new(s.state.appliedTerm),
	}}, nil
}

// entrySize is about what an entry takes in a message.
func entrySize(e *pb.Entry) uint64 { return uint64(len(e.GetData())) + 12 }

func encodeEntry(e *pb.Entry) []byte {
	w := writer{b: make([]byte, 0, len(e.GetData())+8)}
	w.byte(byte(e.GetType()))
	w.uint(e.GetTerm())
	w.b = append(w.b, e.GetData()...)
	return w.b
}

// decodeEntry returns an entry whose data is part of value.
func decodeEntry(index uint64, value []byte) (*pb.Entry, error) {
	r := reader{b: value}
	kind, term := pb.EntryType(r.byte()), r.uint()
	if r.failed || index == 0 || kind > pb.EntryConfChangeV2 {
		return nil, fmt.Errorf("%w: entry %d", errRecord, index)
	}
	e := &pb.Entry{Type: kind.Enum(), Term: new(term), Index: new(index)}
	if len(r.b) > 0 {
		e.Data = r.b
	}
	return e, nil
}
