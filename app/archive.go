package app

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/forage-net/forage/app/find"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/worker"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/warc"
)

// fieldAttempt is the metadata that tells the captures of a task's attempts apart.
const fieldAttempt = "attempt"

var keyCheckpoint = []byte("checkpoint")

// reference is where a payload was archived first, as digests keeps it.
type reference struct {
	URL    string `cbor:"1,keyasint"`
	Date   int64  `cbor:"2,keyasint"` // Unix microseconds, as in the archive
	File   string `cbor:"3,keyasint"`
	Offset int64  `cbor:"4,keyasint"` // of the response record
	// NoIndex says that it asks to be kept out of indexes. A 304 need not say so again.
	NoIndex bool `cbor:"5,keyasint,omitempty"`
}

// checkpoint is the place in the archive before which everything is settled.
type checkpoint struct {
	File   string `cbor:"1,keyasint"`
	Offset int64  `cbor:"2,keyasint"`
}

// archivist writes captures, finds duplicates, and knows which captures the
// frontier has not settled yet: the archive is the recovery log, and those are
// what recovery must read.
type archivist struct {
	files   *warc.Archive
	db      *storage.DB
	log     *slog.Logger
	digests *digests     // of captures that are settled
	works   func()       // told after each write that succeeded
	finder  *find.Finder // nil if there is no search index

	mu     sync.Mutex
	order  []*capture // in the order they were written, beginning with one not settled
	byTask map[crawl.TaskID]*capture
	open   map[digest]reference // of captures not settled yet
	end    warc.Position        // behind the last capture
}

// capture is one that is being written, or is written and not known to be
// settled.
type capture struct {
	floor warc.Position // it is not before this
	// language and links are of the outcome, for the statistics.
	language string
	links    int
	ref      reference
	digest   digest
	settled  bool
}

func newArchivist(files *warc.Archive, db *storage.DB, log *slog.Logger) (*archivist, error) {
	known, err := openDigests(db, log)
	if err != nil {
		return nil, err
	}
	return &archivist{
		files: files, db: db, log: log, digests: known, works: func() {},
		byTask: make(map[crawl.TaskID]*capture), open: make(map[digest]reference),
	}, nil
}

// Archive implements worker.Archive.
//
// An answer of any status that asks not to be archived is not archived. After a crash it is fetched again.
func (a *archivist) Archive(r *fetch.Response, o *crawl.Outcome, page worker.Page) error {
	if page.NoArchive {
		return nil
	}
	c := captureOf(r)
	c.PayloadDigest, c.NoIndex = o.Digest, page.NoIndex
	c.Metadata = [][2]string{
		{"fetchTimeMs", strconv.FormatInt(o.Took.Milliseconds(), 10)},
		{fieldDepth, strconv.Itoa(int(page.Depth))},
		{fieldAttempt, strconv.Itoa(int(o.Task.Attempts))},
	}
	for _, f := range [][2]string{{"title", page.Title}, {"language", page.Language}, {"charset", page.Charset}} {
		if f[1] != "" {
			c.Metadata = append(c.Metadata, f)
		}
	}
	if o.Result == crawl.Unchanged || o.Result == crawl.Fetched && len(r.Payload) > 0 && r.Truncated == "" && !worker.Unreadable(o) {
		if first, ok := a.first(o.Digest); ok {
			o.Duplicate = o.Result == crawl.Fetched
			c.NoIndex = c.NoIndex || first.NoIndex && o.Result == crawl.Unchanged
			c.Revisit = &warc.Refers{URL: first.URL, Date: time.UnixMicro(first.Date).UTC(), NotModified: o.Result == crawl.Unchanged}
		} else if o.Result == crawl.Unchanged {
			c.PayloadDigest = digest{} // of a capture that is no longer known
		}
	}
	return a.append(c, o, page)
}

// ArchiveBeside implements worker.Archive.
func (a *archivist) ArchiveBeside(r *fetch.Response) error {
	asked := worker.Asked(r)
	if asked.NoArchive {
		return nil
	}
	c := captureOf(r)
	c.NoIndex = asked.NoIndex
	c.PayloadDigest = r.Digest()
	if _, err := a.files.Append(c); err != nil {
		return archiveError(err)
	}
	a.works()
	return nil
}

func (a *archivist) append(c warc.Capture, o *crawl.Outcome, page worker.Page) error {
	k := a.begin()
	add := a.indexing(c, o, page)
	pos, err := a.files.Append(c)
	add(pos, err)
	if err != nil {
		a.forget(k)
		return archiveError(err)
	}
	a.works()
	a.note(k, pos, c, o)
	return nil
}

// indexing returns a function that is to be told where a capture was written, or why it was not: it adds what belongs into the search index.
func (a *archivist) indexing(c warc.Capture, o *crawl.Outcome, page worker.Page) func(warc.Position, error) {
	if a.finder == nil || o.Challenged || !c.NoIndex && (o.Result != crawl.Fetched || !page.Text) {
		return func(warc.Position, error) {}
	}
	ticket := a.finder.Begin()
	return func(pos warc.Position, err error) {
		if err != nil {
			a.finder.Drop(ticket)
			return
		}
		a.finder.Offer(ticket, find.Page{
			URL: o.Task.URL, At: pos, Time: c.Date, Digest: c.PayloadDigest, Language: page.Language, Words: page.Words, Links: page.Links, NoIndex: c.NoIndex,
		})
	}
}

// begin makes a capture that the checkpoint must not pass, before it is
// written: another may be written and settled while it is on its way.
func (a *archivist) begin() *capture {
	a.mu.Lock()
	defer a.mu.Unlock()
	k := &capture{floor: a.end}
	a.order = append(a.order, k)
	return k
}

// archiveError wraps an error of the archive, and tells what is unfit for it
// from what the disk refuses.
func archiveError(err error) error {
	if errors.Is(err, warc.ErrCapture) {
		return fmt.Errorf("%w: %w", worker.ErrUnfit, err)
	}
	return err // it names the URL
}

// note remembers a capture that is in the archive until it is settled.
func (a *archivist) note(k *capture, pos warc.Position, c warc.Capture, o *crawl.Outcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if o.Result == crawl.Fetched && !o.Duplicate && c.Truncated == "" && !worker.Unreadable(o) && o.Digest != (digest{}) {
		k.digest = o.Digest
		k.ref = reference{URL: c.URL, Date: c.Date.UnixMicro(), File: pos.File, Offset: pos.RecordOffset, NoIndex: c.NoIndex}
		a.open[o.Digest] = k.ref
	}
	k.language, k.links = o.Language, o.Links
	if old := a.byTask[o.Task.ID]; old != nil {
		old.settled = true // this one stands for the task now
	}
	a.byTask[o.Task.ID] = k
	if next := pos.Next(); after(next, a.end) {
		a.end = next
	}
}

// after reports whether p is behind q; file names order as the files do.
func after(p, q warc.Position) bool {
	return p.File > q.File || p.File == q.File && p.Offset > q.Offset
}

// first returns the first capture of a payload that can be read: one that nobody could read, or whose file is gone, must
// not stand for another.
func (a *archivist) first(sum digest) (reference, bool) {
	a.mu.Lock()
	ref, ok := a.open[sum]
	a.mu.Unlock()
	if ok {
		return ref, true
	}
	ref, ok = a.digests.get(sum)
	return ref, ok && a.files.Holds(warc.Position{File: ref.File, RecordOffset: ref.Offset})
}

// has reports whether a payload is in the archive.
func (a *archivist) has(sum digest) bool {
	_, ok := a.first(sum)
	return ok
}

// commit writes, in the transaction that settles outcomes, the digests of their captures and
// how far the archive is settled.
func (a *archivist) commit(tx *storage.Tx, outcomes []crawl.Outcome) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var list []firstCapture
	for _, o := range outcomes {
		if k := a.byTask[o.Task.ID]; k != nil && k.ref.URL != "" {
			list = append(list, firstCapture{Digest: k.digest, At: k.ref})
		}
	}
	if err := a.digests.add(tx, list); err != nil {
		return fmt.Errorf("note digests: %w", err)
	}
	at := a.end
	if len(a.order) > 0 {
		at = a.order[0].floor
	}
	if at.File == "" {
		return nil
	}
	raw, err := cbor.Marshal(checkpoint{File: at.File, Offset: at.Offset})
	if err != nil {
		return err
	}
	return tx.Bucket(storage.BucketArchive).Put(keyCheckpoint, raw)
}

// complete adds to an outcome what only its capture tells.
func (a *archivist) complete(o *crawl.Outcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if k := a.byTask[o.Task.ID]; k != nil {
		o.Language, o.Links = k.language, k.links
	}
}

// settled forgets a capture whose outcome is committed.
func (a *archivist) settled(id crawl.TaskID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	k := a.byTask[id]
	if k == nil {
		return
	}
	delete(a.byTask, id)
	if k.ref.URL != "" {
		delete(a.open, k.digest)
	}
	a.drop(k)
}

// forget drops a capture that was not written.
func (a *archivist) forget(k *capture) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.drop(k)
}

func (a *archivist) drop(k *capture) {
	k.settled = true
	for len(a.order) > 0 && a.order[0].settled {
		a.order = a.order[1:]
	}
}

// start returns where recovery begins to read.
func (a *archivist) start() (warc.Position, error) {
	var at checkpoint
	err := a.db.View(func(tx *storage.Tx) error {
		raw := tx.Bucket(storage.BucketArchive).Get(keyCheckpoint)
		if raw == nil {
			return nil
		}
		return cbor.Unmarshal(raw, &at)
	})
	if err != nil {
		return warc.Position{}, fmt.Errorf("read checkpoint: %w", err)
	}
	return warc.Position{File: at.File, Offset: at.Offset}, nil
}

// checkLast warns if the file that was written to last is gone or shorter than it was: what
// refers to it cannot be read.
func (a *archivist) checkLast(dir string) error {
	at, err := a.start()
	if err != nil || at.File == "" {
		return err
	}
	for _, name := range []string{at.File, at.File + ".open"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() && info.Size() >= max(at.Offset, 1) {
			return nil
		}
	}
	a.log.Warn("The archive is not as it was left: pages fetched earlier are no longer there and are not fetched again before their next visit. "+
		"Put the files back while no node runs, or go on without them; \"forage doctor\" tells more",
		"directory", dir, "missing", at.File)
	return nil
}
