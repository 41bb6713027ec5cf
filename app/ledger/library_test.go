package ledger

import (
	"bytes"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/warc"
	"github.com/forage-net/forage/storage/warc/capture"
)

// library is an archivist on a real store and archive.
type library struct {
	*Archivist
	t     testing.TB
	db    *storage.DB
	dir   string
	scope *scope.Scope
	tasks int
	mu    sync.Mutex
}

func newLibrary(t testing.TB, maxSize int64) *library {
	t.Helper()
	l := &library{t: t, db: openDB(t), dir: t.TempDir()}
	files, err := warc.Open(warc.Config{Dir: l.dir, NoSync: true, MaxSize: maxSize})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files.Close() })
	if l.scope, err = scope.New(scope.Config{Depth: 100, Everywhere: true}); err != nil {
		t.Fatal(err)
	}
	if l.Archivist, err = NewArchivist(files, l.db, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	return l
}

// startAgain makes the archivist of another start.
func (l *library) startAgain() {
	l.t.Helper()
	var err error
	if l.Archivist, err = NewArchivist(l.files, l.db, l.log); err != nil {
		l.t.Fatal(err)
	}
}

// take archives an answer as that of a new task, and returns its outcome.
func (l *library) take(url, raw string) crawl.Outcome {
	l.t.Helper()
	l.mu.Lock()
	l.tasks++
	task := crawl.Task{ID: crawl.TaskID(fmt.Sprint("task ", l.tasks)), URL: mustURL(l.t, url)}
	l.mu.Unlock()
	r := answerOf(l.t, url, raw)
	o, p := answer.Read(task, r, l.scope, time.Now(), nil)
	if err := l.Archive(r, &o, p); err != nil {
		l.t.Fatal(err)
	}
	return o
}

// settle commits outcomes as the frontier does.
func (l *library) settle(outcomes ...crawl.Outcome) {
	l.t.Helper()
	if err := l.db.Update(func(tx *storage.Tx) error { return l.commit(tx, outcomes) }); err != nil {
		l.t.Fatal(err)
	}
	for _, o := range outcomes {
		l.settled(o.Task.ID)
	}
}

// toRecover returns the URLs that recovery would read.
func (l *library) toRecover() map[string]capture.Stored {
	l.t.Helper()
	found := make(map[string]capture.Stored)
	err := l.recover(l.dir, func(c capture.Stored) error {
		c.Response = bytes.Clone(c.Response)
		found[c.URL] = c
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return found
}
