package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/forage-net/forage/storage/progress"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
)

// A --reindex that is stopped half-way says that nothing is lost, and fails as any command that was stopped; the next one makes all of it.
func TestDoctor_ReindexStopped(t *testing.T) {
	home := t.TempDir()
	archiveOnePage(t, home)
	places := &env.Env{Home: home}
	if err := places.FindPaths(); err != nil {
		t.Fatal(err)
	}
	archivePages(t, places.Paths.WARC(), 30)
	run := func(ctx context.Context) (string, int) {
		var stdout bytes.Buffer
		e := &env.Env{Out: console.NewPlain(&stdout), Err: console.NewPlain(&stdout)}
		_, err := dispatch(ctx, e, []string{"doctor", "--reindex", "--home", home})
		if err == nil {
			return stdout.String(), env.ExitOK
		}
		return e.Explain(err), env.CodeOf(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	read := 0
	text, code := run(progress.With(ctx, func(r progress.Report) {
		if r.Work.Error() == "reading pages" {
			if read++; read == 5 {
				cancel()
			}
		}
	}))
	if code != env.ExitError || !strings.Contains(text, "What is in the search index by now can be searched") {
		t.Errorf("stopped, it says %q (%d)", text, code)
	}
	if text, code := run(t.Context()); code != env.ExitOK || !strings.Contains(text, "30 pages, 1 segment") {
		t.Errorf("the next one says %q (%d)", text, code)
	}
}
