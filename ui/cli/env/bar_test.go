package env

import (
	"bytes"
	"context"
	"testing"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/progress"
	"github.com/forage-net/forage/ui/cli/console"
)

// Where standard error is no terminal, nobody is told and nothing is drawn.
func TestBar_NoTerminal(t *testing.T) {
	var errs bytes.Buffer
	e := &Env{Out: &bytes.Buffer{}, Err: console.NewPlain(&errs)}
	ctx, done := e.Watched(context.Background())
	if progress.Begin(ctx, words.New("said.cli.work-exporting", nil), 1, progress.Bytes) != nil {
		t.Error("somebody is told")
	}
	if done(); errs.Len() > 0 {
		t.Errorf("it says %q", errs.String())
	}
}
