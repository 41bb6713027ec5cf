package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/robots"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// Recovery settles what an earlier run fetched and could not bring home.
type Recovery struct {
	Archivist *Archivist
	Dir       string // of the archive
	Scope     *scope.Scope
	Rules     *robots.Cache
	Latest    func() time.Time // the clock of Rules
	Settle    func(context.Context, crawl.Outcome) error
	Log       *slog.Logger
}

// Run reads outcomes and outlinks from the archive, from the checkpoint on, so that nothing is requested a second time.
func (r *Recovery) Run(ctx context.Context) error {
	found, lease := 0, crawl.LeaseID(rand.Uint64()|1)
	err := r.Archivist.recover(r.Dir, func(c capture.Stored) error {
		u, err := crawl.ParseURL(c.URL)
		if len(c.Metadata) == 0 || hasField(c.Metadata, FieldSettled) || err != nil { // no answer to a task
			return nil
		}
		task := crawl.Task{
			ID: crawl.TaskID(c.URL), URL: u,
			Depth: uint8(number(c.Metadata, FieldDepth)), Attempts: uint8(number(c.Metadata, fieldAttempt)),
		}
		o, err := r.OutcomeOf(c, crawl.Outcome{Lease: lease + crawl.LeaseID(found), Domain: u.Domain(), Task: task})
		if err != nil {
			r.Log.Warn("Record in the archive cannot be used; the page will be fetched again", "url", c.URL,
				"error", err)
			return nil
		}
		found++
		r.Archivist.note(r.Archivist.begin(), c.Position, c.Capture, &o)
		return r.Settle(ctx, o)
	})
	if err != nil && ctx.Err() == nil {
		r.Log.Warn("Archive is damaged; what could not be read will be fetched again", "error", err)
		err = nil
	}
	if found > 0 {
		r.Log.Info("Recovered from an interrupted run", "pages_from_archive", found)
	}
	return err
}

// OutcomeOf makes the outcome of a task from the record of its capture.
func (r *Recovery) OutcomeOf(c capture.Stored, claim crawl.Outcome) (crawl.Outcome, error) {
	raw, duplicate := c.Response, false
	if c.Revisit != nil && !c.Revisit.NotModified {
		// Only the head was stored. The body is that of the first capture.
		known, ok := r.Archivist.first(c.PayloadDigest)
		if !ok {
			return claim, errors.New("the first capture of its payload is not known")
		}
		first, err := warcfile.ReadResponse(r.Dir, known.Position)
		if err != nil {
			return claim, err
		}
		if raw, err = WithBody(claim.Task.URL, c.Response, first); err != nil {
			return claim, err
		}
		duplicate = true
	}
	resp, err := fetch.ParseResponse(claim.Task.URL, raw)
	if err != nil {
		return claim, err
	}
	defer resp.Release()
	resp.Started, resp.Truncated = c.Date, c.Truncated
	o, _ := answer.Read(claim.Task, resp, r.Scope, time.Now(), nil)
	o.Lease, o.Domain, o.Granter = claim.Lease, claim.Domain, claim.Granter
	o.Duplicate = duplicate
	// The gap that follows is that of a page just fetched.
	_, rules, _ := r.Rules.Get(r.Latest(), claim.Task.URL.Origin())
	o.CrawlDelay = rules.CrawlDelay()
	answer.TakeSitemaps(&o, rules, r.Scope)
	o.Took = time.Duration(number(c.Metadata, "fetchTimeMs")) * time.Millisecond
	return o, nil
}

// hasField reports whether something of that name is among metadata.
func hasField(metadata [][2]string, name string) bool {
	return slices.ContainsFunc(metadata, func(f [2]string) bool { return f[0] == name })
}

// number returns a number among metadata; 0 if it is not there.
func number(metadata [][2]string, name string) int {
	for _, f := range metadata {
		if n, err := strconv.ParseUint(f[1], 10, 31); f[0] == name && err == nil {
			return int(n)
		}
	}
	return 0
}

// WithBody joins the head of a revisit with the body of the first capture,
// which may have been framed otherwise.
func WithBody(u crawl.URL, head, first []byte) ([]byte, error) {
	r, err := fetch.ParseResponse(u, first)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	var raw []byte
	for line := range bytes.Lines(head) {
		name, _, _ := bytes.Cut(line, []byte{':'})
		switch {
		case len(bytes.TrimRight(line, "\r\n")) == 0: // the end
		case bytes.EqualFold(name, []byte("Content-Length")), bytes.EqualFold(name, []byte("Transfer-Encoding")):
		default:
			raw = append(raw, line...)
		}
	}
	raw = fmt.Appendf(raw, "Content-Length: %d\r\n\r\n", len(r.Payload))
	return append(raw, r.Payload...), nil
}

// start returns where recovery begins to read.
func (a *Archivist) start() (at checkpoint, err error) {
	err = a.db.View(func(tx *storage.Tx) error {
		raw := tx.Bucket(storage.BucketArchive).Get(keyCheckpoint)
		if raw == nil {
			return nil
		}
		return cbor.Unmarshal(raw, &at)
	})
	if err != nil {
		return at, fmt.Errorf("read checkpoint: %w", err)
	}
	return at, nil
}

// recover calls fn for the captures that an earlier run could not settle. What fn notes is settled like any other.
func (a *Archivist) recover(dir string, fn func(capture.Stored) error) error {
	at, err := a.start()
	if err != nil {
		return err
	}
	a.mu.Lock()
	a.began = at.position()
	hold := &pending{floor: at.position()} // the checkpoint must not pass what is not read yet
	a.order = slices.Insert(a.order, 0, hold)
	a.mu.Unlock()
	defer a.forget(hold)
	return warcfile.Scan(dir, at.position(), func(c capture.Stored) error {
		if !slices.Contains(at.Done[c.Position.File], c.Position.Offset) {
			return fn(c)
		}
		a.mu.Lock()
		a.order = append(a.order, &pending{floor: a.floor(), at: c.Position, settled: true})
		a.mu.Unlock()
		return nil
	})
}

// CheckLast warns if the file that was written to last is gone or shorter than it was: what
// refers to it cannot be read.
func (a *Archivist) CheckLast(dir string) error {
	at, err := a.start()
	if err != nil || at.File == "" {
		return err
	}
	for _, name := range []string{at.File, at.File + ".open"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() &&
			info.Size() >= max(at.Offset, 1) {
			return nil
		}
	}
	a.log.Warn("The archive is not as it was left: pages fetched earlier are no longer there and are not fetched "+
		"again before their next visit. "+
		"Put the files back while no node runs, or go on without them; \"forage doctor\" tells more",
		"directory", dir, "missing", at.File)
	return nil
}
