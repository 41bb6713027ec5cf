package frontier

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/forage-net/forage/storage"
)

// A member that joins a log, or comes back when what it missed is not kept any more,
// copies the state of another. It asks, and the other answers from one transaction; each
// answer goes into its store in a transaction of its own, and the next request says how far it has
// come, so neither remembers anything in between. What both have is not sent: of domains that
// have not changed since not even their keys are read, and for the rest the one that
// asks says what it has, by a hash for every hundred keys or so.
//
// What is each member's own does not travel, but for what nobody can know otherwise: for how
// long domains and hosts are still to be left alone, and for how long slots are still held.

const (
	// MaxCopyRequest bounds a request of a copy, in bytes.
	MaxCopyRequest = 64 << 10
	// MaxCopyAnswer bounds an answer, in bytes.
	MaxCopyAnswer = copyAnswerBytes + 32<<10

	// copyAnswerBytes is how long an answer gets before its last item. Halved, a copy takes
	// twice the round trips; doubled, a slow line is busy for longer with each.
	copyAnswerBytes = 64 << 10
	// copyItemBytes bounds a key with its value: no record is longer.
	copyItemBytes = 16 << 10
	// copyKeyBytes bounds what says in a request where to go on within a bucket.
	copyKeyBytes = 1 << 10

	// copyNames is how many domains an answer names at most, and copyNamesLeast how few may be
	// asked for.
	copyNames      = 1000
	copyNamesLeast = 64
	// copyWants is how many domains are asked for in one request: several answers, if they
	// are of ordinary size, and a few kilobytes of names.
	copyWants = 128
	// copyRanges is how much of a request describes ranges, in bytes: 2 to 4 MiB of keys and
	// values. Ranges that the answer does not reach are described once more.
	copyRanges = 8 << 10
	// rangeOverhead is what a range takes in a request beside its key.
	rangeOverhead = rangeSum + 8
	// A range ends after rangeKeys keys, or rangeBytes. Halved, requests get twice as long;
	// doubled, one changed page has twice as much sent.
	rangeKeys  = 128
	rangeBytes = 16 << 10

	// copyReading is how much one Piece reads only to compare it, in bytes.
	copyReading = 8 << 20
)

// ErrCopy is returned for requests and answers of a copy that no frontier makes.
var ErrCopy = errors.New("frontier: invalid piece of a copy")

// Piece answers a request of a member that copies this log; the first is empty. All
// pieces of one copy are to be read from the same transaction, which Piece only reads, in some ten
// milliseconds at most. The error is ErrCopy for a request that is none.
func (f *Frontier) Piece(tx *storage.Tx, request []byte) (answer []byte, err error) {
	q, err := decodeCopyRequest(request)
	if err != nil {
		return nil, err
	}
	b, err := openBuckets(tx, f.cfg.LogID)
	if err != nil {
		return nil, err
	}
	var a copyAnswer
	switch q.Stage {
	case stageNames:
		a.Names, a.More, err = b.copyNames(q.After, q.limit())
	case stageWants, stageLists:
		var meta metaRecord
		if meta, err = b.readMeta(); err != nil {
			break
		}
		gap := func(d *domainRecord) time.Duration { return d.gap(f.cfg.politenessFor(d, &meta)) }
		g := giver{b: &b, gap: gap, now: f.cfg.Now().UnixNano(), room: copyAnswerBytes, reading: copyReading}
		a.Given = g.give(q.Wants)
	case stageTidy:
		if q.Tidy == tidySlots {
			g := giver{b: &b, now: f.cfg.Now().UnixNano(), room: copyAnswerBytes, reading: copyReading}
			a.Given = g.giveSlotTimes(q.From)
		}
	case stageHead:
		a.Head = b.meta.Get(keyState)
	}
	if err != nil {
		return nil, fmt.Errorf("piece of a copy: %w", err)
	}
	return encode.Marshal(a)
}

// Install takes an answer to a request into the store and returns the next request,
// or nil when the copy is whole: then everything that members share is as it was where the
// answers come from, whatever was here before, and what is this member's own fits it. Leases that
// are live there, and slots that are held, go on with what is left of them there; other domains are left alone for their gap at
// least.
//
// Between the first request and the last the log is of no use: nothing may be applied or
// picked, and the caller keeps in mind that it is so. A copy that has broken off is begun again; what has
// come is not sent once more. After an error, which is ErrCopy if it is the answer's fault, the transaction
// is to be rolled back.
func (f *Frontier) Install(tx *storage.Tx, request, answer []byte) (next []byte, err error) {
	q, err := decodeCopyRequest(request)
	if err != nil {
		return nil, err
	}
	a, err := decodeCopyAnswer(answer)
	if err != nil {
		return nil, err
	}
	b, err := openBuckets(tx, f.cfg.LogID)
	if err != nil {
		return nil, err
	}
	in := installer{b: &b, cfg: &f.cfg, now: f.cfg.Now().UnixNano(), today: f.cfg.Calendar().UnixNano(), room: 2 * f.cfg.piece}
	switch q.Stage {
	case stageNames:
		q, err = in.compare(q, &a)
	case stageWants, stageLists:
		q, err = in.take(q, &a)
	case stageTidy:
		q, err = in.tidy(q, &a)
	default:
		return nil, f.installHead(tx, &b, a.Head)
	}
	if err != nil {
		return nil, fmt.Errorf("install a copy: %w", err)
	}
	return encode.Marshal(q)
}

// installHead ends a copy.
func (f *Frontier) installHead(tx *storage.Tx, b *buckets, raw []byte) error {
	var m metaRecord
	if decode.Unmarshal(raw, &m) != nil || m.NextTask >= maxNumber || m.NextLease >= maxNumber || m.Lost >= maxNumber ||
		len(m.Recent) > maxRecent || len(m.Missing) > 0 && (&Anew{Missing: m.Missing}).validate() != nil {
		return fmt.Errorf("%w: head of the log", ErrCopy)
	}
	if m.Form != form {
		return fmt.Errorf("%w: a log of form %d, want %d: the members run different versions", ErrCopy, m.Form, form)
	}
	if err := b.putHead(raw); err != nil {
		return err
	}
	more, err := hasChores(tx, f.cfg.LogID)
	tx.OnCommit(func() {
		f.seen.clear()
		f.chores.Store(more)
		select {
		case f.changed <- struct{}{}:
		default:
		}
	})
	return err
}

// putHead makes a record all that the head of a log has.
func (b *buckets) putHead(raw []byte) error {
	for _, key := range keysOf(b.meta) {
		if !bytes.Equal(key, keyState) {
			if err := dropKey(b.meta, key); err != nil {
				return err
			}
		}
	}
	return putPair(b.meta, keyState, raw)
}
