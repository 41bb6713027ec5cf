package export

import (
	"bytes"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/storage/warc"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// bookcase is a real archive that answers are put into.
type bookcase struct {
	t         testing.TB
	files     *warc.Archive
	archivist *ledger.Archivist
	dir       string
	scope     *scope.Scope
	tasks     int
}

func newBookcase(t testing.TB, dir string) *bookcase {
	t.Helper()
	l := &bookcase{t: t, dir: dir}
	var err error
	if l.files, err = warc.Open(warc.Config{Dir: l.dir, NoSync: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.files.Close() })
	if l.scope, err = scope.New(scope.Config{Depth: 100, Everywhere: true}); err != nil {
		t.Fatal(err)
	}
	if l.archivist, err = ledger.NewArchivist(l.files, openDB(t), slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	return l
}

// take archives an answer as that of a new task, and returns its outcome.
func (l *bookcase) take(url, raw string) crawl.Outcome {
	l.t.Helper()
	l.tasks++
	task := crawl.Task{ID: crawl.TaskID(fmt.Sprint("task ", l.tasks)), URL: mustURL(l.t, url)}
	r := answerOf(l.t, url, raw)
	o, p := answer.Read(task, r, l.scope, time.Now(), nil)
	if err := l.archivist.Archive(r, &o, p); err != nil {
		l.t.Fatal(err)
	}
	return o
}

// captures returns what is archived, by URL.
func (l *bookcase) captures() map[string]capture.Stored {
	l.t.Helper()
	found := make(map[string]capture.Stored)
	if err := warcfile.Scan(l.dir, capture.Position{}, func(c capture.Stored) error {
		c.Response = bytes.Clone(c.Response)
		found[c.URL] = c
		return nil
	}); err != nil {
		l.t.Fatal(err)
	}
	return found
}
