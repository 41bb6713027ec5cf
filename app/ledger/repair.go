package ledger

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fxamacker/cbor/v2"

	"github.com/forage-net/forage/app/stats"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/robots"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/progress"
	"github.com/forage-net/forage/storage/warc/record"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// RepairRecords drops the records of a store that the parts of a node keep beside the
// frontier and that cannot be read: copies of robots.txt, digests of
// payloads, statistics. Digests of captures that are not in the archive any
// more go too, and the checkpoint is brought back to where the archive has
// files. Only a sample of the digests is looked up in the archive,
// unless thorough is set. It is one transaction; with dryRun it changes nothing,
// and the store may be open for reading. The result says what was found.
func RepairRecords(
	ctx context.Context, db *storage.DB, archiveDir string, thorough, dryRun bool,
) ([]storage.Mended, error) {
	r := records{dir: archiveDir, thorough: thorough, dry: dryRun}
	if err := r.listArchive(); err != nil {
		return nil, fmt.Errorf("repair records: %w", err)
	}
	run := db.Update
	if dryRun {
		run = db.View
	}
	if err := run(func(tx *storage.Tx) error { return r.repair(ctx, tx) }); err != nil {
		return nil, fmt.Errorf("repair records: %w", err)
	}
	return r.mended, nil
}

type records struct {
	dir           string
	thorough, dry bool
	files         []archiveFile // in the order of writing
	mended        []storage.Mended
	meter         *progress.Meter // of digests looked up
}

type archiveFile struct {
	name, path string // the name as in positions
	size       int64
}

func (r *records) listArchive() error {
	entries, err := os.ReadDir(r.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".open")
		if !strings.HasSuffix(name, ".warc.gz") || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		r.files = append(r.files, archiveFile{name: name, path: filepath.Join(r.dir, e.Name()), size: info.Size()})
	}
	slices.SortFunc(r.files, func(a, b archiveFile) int { return strings.Compare(a.name, b.name) })
	return nil
}

func (r *records) find(name string) (archiveFile, bool) {
	i, ok := slices.BinarySearchFunc(r.files, name, func(f archiveFile, name string) int {
		return strings.Compare(f.name, name)
	})
	if !ok {
		return archiveFile{}, false
	}
	return r.files[i], true
}

func (r *records) note(n int, found, done *words.Message) {
	if n > 0 {
		r.mended = append(r.mended, storage.Mended{Count: n, Found: found, Done: done})
	}
}

func (r *records) repair(ctx context.Context, tx *storage.Tx) error {
	for _, part := range []struct {
		bucket      []byte
		found, done *words.Message
		keep        func(key, value []byte) (bool, error)
	}{
		{storage.BucketRobots, words.New("said.doctor.damaged-copies-of-robots-txt", nil),
			words.New("said.doctor.dropped-they-are-asked-for-again", nil), keepRobots},
		{storage.BucketStats, words.New("said.doctor.damaged-records-of-the-statistics", nil),
			words.New("said.doctor.dropped-longer-times-are-added-up", nil), stats.Keep},
		{storage.BucketDigests, words.New("said.doctor.notes-of-payloads-that-are-damaged", nil),
			words.New("said.doctor.dropped-such-a-page-is-stored", nil), r.keepDigest()},
	} {
		b := tx.Bucket(part.bucket)
		if b == nil {
			continue
		}
		if r.thorough && bytes.Equal(part.bucket, storage.BucketDigests) {
			r.meter = progress.Begin(ctx, words.New("said.cli.work-looking-up-pages", nil),
				int64(b.Stats().KeyN), progress.Items)
		}
		n, err := storage.Sweep(ctx, b, r.dry, part.keep)
		if err != nil {
			return err
		}
		r.note(n, part.found, part.done)
		if n > 0 && !r.dry && bytes.Equal(part.bucket, storage.BucketStats) {
			if err := stats.Rebuild(b); err != nil {
				return err
			}
		}
	}
	if b := tx.Bucket(storage.BucketArchive); b != nil {
		return r.repairCheckpoint(b)
	}
	return nil
}

func keepRobots(origin, raw []byte) (bool, error) {
	var rec robots.Record
	u, err := crawl.ParseURL(string(origin) + "/")
	return err == nil && u.Origin() == string(origin) && rec.UnmarshalBinary(raw) == nil, nil
}

// keepDigest returns a function that tells a note of digests whose captures are in the archive.
// Without thorough it reads the first of those that have the same first ten bits, and of those of one commit.
func (r *records) keepDigest() func(key, raw []byte) (bool, error) {
	last := -1
	return func(key, raw []byte) (bool, error) {
		r.meter.Add(1)
		if isFreshKey(key) {
			return r.keepFresh(raw), nil
		}
		var at place
		if len(key) != keySize || at.UnmarshalBinary(raw) != nil {
			return false, nil
		}
		group := int(binary.BigEndian.Uint16(key) >> 6)
		read := r.thorough || group != last
		last = group
		return r.holds(key, at, read), nil
	}
}

// keepFresh reports whether all that one commit has noted is in the archive.
func (r *records) keepFresh(raw []byte) bool {
	var list []firstCapture
	if cbor.Unmarshal(raw, &list) != nil {
		return false
	}
	for i, f := range list {
		if !r.holds(f.Digest[:], f.At, r.thorough || i == 0) {
			return false
		}
	}
	return true
}

// holds reports whether the archive has a file that is long enough for a capture, and, if it is to be read, the
// capture.
func (r *records) holds(sum []byte, at place, read bool) bool {
	f, ok := r.find(at.file)
	if !ok || at.offset >= f.size {
		return false
	}
	return !read || isThere(r.dir, at, sum)
}

// isThere reports whether the whole capture of a payload is at a place.
func isThere(dir string, at place, sum []byte) bool {
	c, err := warcfile.Read(dir, at.position())
	return err == nil && isFirst(&c, sum)
}

// repairCheckpoint makes sure that recovery begins to read where a record
// begins, and not behind a capture that may not be settled.
func (r *records) repairCheckpoint(b *storage.Bucket) error {
	raw := b.Get(keyCheckpoint)
	isBucket := b.Bucket(keyCheckpoint) != nil
	if raw == nil && !isBucket {
		return nil // from the beginning
	}
	var at checkpoint
	damaged := raw == nil || cbor.Unmarshal(raw, &at) != nil
	better := r.placeFor(at)
	if !damaged && better.position() == at.position() {
		return nil
	}
	r.note(1, words.New("said.doctor.places-to-recover-from", nil),
		words.New("said.doctor.moved-back-to-a-file", nil))
	if r.dry {
		return nil
	}
	if isBucket {
		if err := b.DeleteBucket(keyCheckpoint); err != nil {
			return err
		}
	}
	if damaged || better.File == "" {
		return b.Delete(keyCheckpoint)
	}
	raw, err := cbor.Marshal(better)
	if err != nil {
		return err
	}
	return b.Put(keyCheckpoint, raw)
}

// placeFor returns the place at or before a checkpoint where recovery can begin.
// One before the first file is as good as the beginning.
func (r *records) placeFor(at checkpoint) checkpoint {
	if f, ok := r.find(at.File); ok {
		if at.Offset == f.size || at.Offset >= 0 && at.Offset < f.size && beginsRecord(f.path, at.Offset) {
			return at
		}
		return checkpoint{File: f.name}
	}
	if len(r.files) > 0 && at.File < r.files[0].name && strings.HasSuffix(at.File, ".warc.gz") {
		return at
	}
	var last checkpoint
	for _, f := range r.files {
		if f.name < at.File {
			last.File = f.name
		}
	}
	return last
}

func beginsRecord(path string, offset int64) bool {
	rec, err := record.ReadAt(path, offset)
	return err == nil && rec.Close() == nil
}
