package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/forage-net/forage/storage/progress"
)

// A --reindex that is stopped half-way says that nothing is lost, and fails as any command that was stopped; the next one makes all of it.
func TestDoctor_ReindexStopped(t *testing.T) {
	home := t.TempDir()
	archiveOnePage(t, home)
	places := &env{home: home}
	if err := places.findPaths(); err != nil {
		t.Fatal(err)
	}
	archivePages(t, places.paths.WARC(), 30)
	run := func(ctx context.Context) (string, int) {
		var stdout bytes.Buffer
		e := &env{out: newPlain(&stdout), err: newPlain(&stdout)}
		err := dispatch(ctx, e, []string{"doctor", "--reindex", "--home", home})
		if err == nil {
			return stdout.String(), exitOK
		}
		return e.explain(err), codeOf(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	read := 0
	text, code := run(progress.With(ctx, func(r progress.Report) {
		if r.Work == "reading pages" {
			if read++; read == 5 {
				cancel()
			}
		}
	}))
	if code != exitError || !strings.Contains(text, "What is in the search index by now can be searched") {
		t.Errorf("stopped, it says %q (%d)", text, code)
	}
	if text, code := run(t.Context()); code != exitOK || !strings.Contains(text, "30 pages, 1 segment") {
		t.Errorf("the next one says %q (%d)", text, code)
	}
}
