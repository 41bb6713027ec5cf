package ledger

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/fxamacker/cbor/v2"

	"github.com/forage-net/forage/app/find"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/worker"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/warc"
	"github.com/forage-net/forage/storage/warc/capture"
)

const (
	// fieldAttempt is the metadata that tells the captures of a task's attempts apart.
	fieldAttempt = "attempt"
	// FieldDepth is the metadata that tells how many links away from a seed a page is.
	FieldDepth = "hopsFromSeed"
	// FieldSettled is that of a capture that answers no task: nothing of it is settled, also after a crash.
	FieldSettled = "settled"
)

var keyCheckpoint = []byte("checkpoint")

// checkpoint is the place in the archive before which everything is settled, and what is settled after it.
type checkpoint struct {
	File   string `cbor:"1,keyasint"`
	Offset int64  `cbor:"2,keyasint"`
	// Done are offsets of captures by file, maxDone at most.
	Done map[string][]int64 `cbor:"3,keyasint,omitempty"`
}

// maxDone bounds checkpoint.Done. More are settled after the first that is not only if other members cannot be
// reached for long; some then count twice in the statistics after a crash.
const maxDone = 4096

func (c *checkpoint) position() capture.Position {
	return capture.Position{File: c.File, Offset: c.Offset}
}

// Archivist writes captures, finds duplicates, and knows which captures the
// frontier has not settled yet: the archive is the recovery log, and those are
// what recovery must read.
type Archivist struct {
	files   *warc.Archive
	db      *storage.DB
	log     *slog.Logger
	digests *digests     // of captures that are settled
	Works   func()       // told after each write that succeeded
	Finder  *find.Finder // nil if there is no search index

	mu     sync.Mutex
	order  []*pending // in the order they began, those that a checkpoint may name
	byTask map[crawl.TaskID]*pending
	open   map[digest]place // of captures not settled yet
	began  capture.Position // where recovery began to read
	end    capture.Position // behind the last capture of this run
}

// pending is a capture that is being written, or is written and not known to be
// settled.
type pending struct {
	floor   capture.Position // it is not before this
	at      capture.Position // where it is, once it is written
	digest  digest           // of a first capture
	settled bool
}

// before reports whether a capture is before a place, or was not written at all.
func (k *pending) before(p capture.Position) bool { return k.at.File == "" || after(p, k.at) }

func NewArchivist(files *warc.Archive, db *storage.DB, log *slog.Logger) (*Archivist, error) {
	known, err := openDigests(db, log)
	if err != nil {
		return nil, err
	}
	return &Archivist{
		files: files, db: db, log: log, digests: known, Works: func() {},
		byTask: make(map[crawl.TaskID]*pending), open: make(map[digest]place),
	}, nil
}

// Archive implements worker.Archive.
//
// An answer of any status that asks not to be archived is not archived. After a crash it is fetched again.
func (a *Archivist) Archive(r *fetch.Response, o *crawl.Outcome, page answer.Page) error {
	if page.NoArchive {
		return nil
	}
	c := captureOf(r)
	c.PayloadDigest, c.NoIndex = o.Digest, page.NoIndex
	c.Metadata = [][2]string{
		{"fetchTimeMs", strconv.FormatInt(o.Took.Milliseconds(), 10)},
		{FieldDepth, strconv.Itoa(int(page.Depth))},
		{fieldAttempt, strconv.Itoa(int(o.Task.Attempts))},
	}
	for _, f := range [][2]string{{"title", page.Title}, {"language", page.Language}, {"charset", page.Charset}} {
		if f[1] != "" {
			c.Metadata = append(c.Metadata, f)
		}
	}
	if o.Result == crawl.Unchanged || o.Result == crawl.Fetched && len(r.Payload) > 0 && r.Truncated == "" &&
		!answer.Unreadable(o) {
		if first, ok := a.first(o.Digest); ok {
			o.Duplicate = o.Result == crawl.Fetched
			c.NoIndex = c.NoIndex || first.NoIndex && o.Result == crawl.Unchanged
			c.Revisit = &capture.Refers{
				URL: first.URL, Date: first.Date, NotModified: o.Result == crawl.Unchanged,
			}
		} else if o.Result == crawl.Unchanged {
			c.PayloadDigest = digest{} // of a capture that is no longer known
		}
	}
	return a.append(c, o, page)
}

// ArchiveBeside implements worker.Archive.
func (a *Archivist) ArchiveBeside(r *fetch.Response) error {
	asked := answer.Asked(r)
	if asked.NoArchive {
		return nil
	}
	c := captureOf(r)
	c.NoIndex = asked.NoIndex
	c.PayloadDigest = r.Digest()
	if _, err := a.files.Append(c); err != nil {
		return archiveError(err)
	}
	a.Works()
	return nil
}

func (a *Archivist) append(c capture.Capture, o *crawl.Outcome, page answer.Page) error {
	k := a.begin()
	add := a.indexing(c, o, page)
	pos, err := a.files.Append(c)
	add(pos, err)
	if err != nil {
		a.forget(k)
		return archiveError(err)
	}
	a.Works()
	a.note(k, pos, c, o)
	return nil
}

// captureOf returns the capture of a response: its bytes without interim responses, and with a field Transfer-Encoding
// that readers of the archive understand.
func captureOf(r *fetch.Response) capture.Capture {
	interim := interimLen(r.ResponseBytes[:r.HeadLen])
	raw, headLen := r.ResponseBytes[interim:], r.HeadLen-interim
	if said := r.Header["Transfer-Encoding"]; r.Chunked && !slices.Equal(said, []string{"chunked"}) {
		head := plainlyChunked(raw[:headLen])
		raw, headLen = append(head, raw[headLen:]...), len(head)
	}
	return capture.Capture{
		URL: r.URL.String(), Date: r.Started, IP: r.Addr.Addr().String(),
		Request: r.RequestBytes, Response: raw, HeadLen: headLen,
		MIME: r.MediaType, Status: r.Status, Truncated: r.Truncated,
		Compressed: r.Packed(),
	}
}

// indexing returns a function that is to be told where a capture was written, or why it was not: it adds what belongs
// into the search index.
func (a *Archivist) indexing(c capture.Capture, o *crawl.Outcome, page answer.Page) func(capture.Position, error) {
	if a.Finder == nil || o.Challenged || !c.NoIndex && (o.Result != crawl.Fetched || !page.Text) {
		return func(capture.Position, error) {}
	}
	at, err := crawl.ParseURL(c.URL) // at the end of a row of redirects that wanted a cookie back, not that of the task
	if err != nil {
		at = o.Task.URL
	}
	ticket := a.Finder.Begin()
	return func(pos capture.Position, err error) {
		if err != nil {
			a.Finder.Drop(ticket)
			return
		}
		a.Finder.Offer(ticket, find.Page{
			URL: at, At: pos, Time: c.Date, Digest: c.PayloadDigest, Language: page.Language, Words: page.Words,
			Links: page.Links, NoIndex: c.NoIndex,
		})
	}
}

// begin makes a capture that the checkpoint must not pass, before it is
// written: another may be written and settled while it is on its way.
func (a *Archivist) begin() *pending {
	a.mu.Lock()
	defer a.mu.Unlock()
	k := &pending{floor: a.floor()}
	a.order = append(a.order, k)
	return k
}

// floor returns where the next capture will not be before.
func (a *Archivist) floor() capture.Position {
	if a.end.File == "" {
		return a.began
	}
	return a.end
}

// archiveError wraps an error of the archive, and tells what is unfit for it
// from what the disk refuses.
func archiveError(err error) error {
	if errors.Is(err, capture.ErrRefused) {
		return fmt.Errorf("%w: %w", worker.ErrUnfit, err)
	}
	return err // it names the URL
}

// note remembers a capture that is in the archive until it is settled.
func (a *Archivist) note(k *pending, pos capture.Position, c capture.Capture, o *crawl.Outcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if o.Result == crawl.Fetched && !o.Duplicate && c.Truncated == "" && !answer.Unreadable(o) &&
		o.Digest != (digest{}) {
		k.digest = o.Digest
		a.open[o.Digest] = place{pos.File, pos.RecordOffset}
	}
	k.at = pos
	if old := a.byTask[o.Task.ID]; old != nil {
		old.settled = true // this one stands for the task now
	}
	a.byTask[o.Task.ID] = k
	if next := pos.Next(); after(next, a.end) {
		a.end = next
	}
}

// after reports whether p is behind q; file names order as the files do.
func after(p, q capture.Position) bool {
	return p.File > q.File || p.File == q.File && p.Offset > q.Offset
}

// first returns the first capture of a payload, if it is still there.
func (a *Archivist) first(sum digest) (capture.Stored, bool) {
	a.mu.Lock()
	at, ok := a.open[sum]
	a.mu.Unlock()
	if !ok {
		at, ok = a.digests.get(sum)
	}
	if !ok {
		return capture.Stored{}, false
	}
	return at.read(a.files, sum)
}

// Has reports whether a payload is in the archive.
func (a *Archivist) Has(sum digest) bool {
	_, ok := a.first(sum)
	return ok
}

// commit writes, in the transaction that settles outcomes, the digests of their captures and
// how far the archive is settled.
func (a *Archivist) commit(tx *storage.Tx, outcomes []crawl.Outcome) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var list []firstCapture
	for _, o := range outcomes {
		if k := a.byTask[o.Task.ID]; k != nil && k.digest != (digest{}) {
			list = append(list, firstCapture{Digest: k.digest, At: place{k.at.File, k.at.RecordOffset}})
		}
	}
	if err := a.digests.add(tx, list); err != nil {
		return fmt.Errorf("note digests: %w", err)
	}
	at := a.reached(outcomes)
	if at.File == "" {
		return nil
	}
	raw, err := cbor.Marshal(at)
	if err != nil {
		return err
	}
	return tx.Bucket(storage.BucketArchive).Put(keyCheckpoint, raw)
}

// reached returns the checkpoint once outcomes are settled.
func (a *Archivist) reached(outcomes []crawl.Outcome) checkpoint {
	now := make(map[*pending]bool, len(outcomes))
	for _, o := range outcomes {
		now[a.byTask[o.Task.ID]] = true
	}
	floor := a.end
	if i := slices.IndexFunc(a.order, func(k *pending) bool { return !k.settled && !now[k] }); i >= 0 {
		floor = a.order[i].floor
	}
	at := checkpoint{File: floor.File, Offset: floor.Offset, Done: make(map[string][]int64)}
	left := maxDone
	for _, k := range a.order {
		if (k.settled || now[k]) && !k.before(floor) && left > 0 {
			at.Done[k.at.File] = append(at.Done[k.at.File], k.at.Offset)
			left--
		}
	}
	return at
}

// settled forgets a capture whose outcome is committed.
func (a *Archivist) settled(id crawl.TaskID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	k := a.byTask[id]
	if k == nil {
		return
	}
	delete(a.byTask, id)
	delete(a.open, k.digest)
	a.drop(k)
}

// forget drops a capture that was not written.
func (a *Archivist) forget(k *pending) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.drop(k)
}

// drop settles a capture. Those that a checkpoint need not name any more go.
func (a *Archivist) drop(k *pending) {
	k.settled = true
	for len(a.order) > 0 && a.order[0].settled {
		floor := a.floor()
		if i := slices.IndexFunc(a.order, func(k *pending) bool { return !k.settled }); i >= 0 {
			floor = a.order[i].floor
		}
		if !a.order[0].before(floor) {
			return
		}
		a.order = a.order[1:]
	}
}

// ArchiveInfo is what each file of an archive says of who wrote it.
func ArchiveInfo(lab bool, network string) [][2]string {
	return [][2]string{{"software", crawl.UserAgent(lab)}, {"isPartOf", network}, {"robots", "obey"}}
}

// ErrTakenAway ends a node whose files were removed or replaced while it ran: what it writes from then on is lost, and
// another node could be started in its home.
var ErrTakenAway = words.New("said.trouble.taken-away", nil)

// Missing returns an error if the file written last is no longer in the directory of the archive.
func (a *Archivist) Missing(dir string) error {
	a.mu.Lock()
	name := a.end.File // of the last capture of this run
	a.mu.Unlock()
	if name == "" {
		return nil
	}
	for _, name := range []string{name, name + ".open", name} { // it may be given its final name meanwhile
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
			return nil
		}
	}
	return words.New("said.trouble.the-archive-file-in-was-removed",
		words.Args{"file": name, "folder": dir, "error": ErrTakenAway})
}
