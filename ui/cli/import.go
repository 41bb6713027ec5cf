package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/assets/words"
)

// importAnswer is what import has done with one file.
type importAnswer struct {
	File string `json:"file"`
	ledger.Imported
}

// runImport takes files of others into the archive.
func runImport(ctx context.Context, e *env, args []string) error {
	files, err := e.parse(e.flags("import"), args, 1, 1000)
	if err != nil {
		return done(err)
	}
	if _, err := e.dial(); err == nil {
		return coded{fmt.Errorf("a node is running here and writes to the archive; type %q, then this command again", "forage stop"+e.homeFlag()), exitRunning}
	} else if !errors.Is(err, api.ErrNotRunning) {
		return err
	}
	if err := e.paths.Create(); err != nil {
		return err
	}
	answers := []importAnswer{}
	for _, file := range files {
		watched, done := e.watched(ctx)
		var imported ledger.Imported
		imported, err = ledger.Import(watched, e.paths, file)
		done()
		answers = append(answers, importAnswer{file, imported})
		if !e.json {
			e.tell("import.done", words.Args{
				"file": file, "captures": imported.Captures, "duplicates": imported.Duplicates, "known": imported.Known, "left": imported.LeftOut, "damaged": imported.Damaged,
			})
		}
		if err != nil {
			break
		}
	}
	if e.json {
		return errors.Join(err, printJSON(e.out, answers))
	}
	return err
}
