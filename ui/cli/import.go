package cli

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
)

// importAnswer is what import has done with one file.
type importAnswer struct {
	File string `json:"file"`
	ledger.Imported
}

// newImport takes files of others into the archive.
func newImport(e *env.Env) *cobra.Command {
	c := env.Command("import FILE...", "import WARC and WACZ files into the archive", 1, 1000)
	return env.Does(c, func(ctx context.Context, files []string) error {
		if _, err := e.Dial(); err == nil {
			err := words.New("said.cli.a-node-writes-to-the-archive",
				words.Args{"command": strconv.Quote("forage stop" + e.HomeFlag())})
			return env.WithCode(err, env.ExitRunning)
		} else if !errors.Is(err, api.ErrNotRunning) {
			return err
		}
		if err := e.Paths.Create(); err != nil {
			return err
		}
		var err error
		answers := []importAnswer{}
		for _, file := range files {
			watched, done := e.Watched(ctx)
			var imported ledger.Imported
			imported, err = ledger.Import(watched, e.Paths, file)
			done()
			answers = append(answers, importAnswer{file, imported})
			if !e.JSON {
				e.Tell("import.done", words.Args{
					"file": file, "captures": imported.Captures, "duplicates": imported.Duplicates,
					"known": imported.Known, "left": imported.LeftOut, "damaged": imported.Damaged,
				})
			}
			if err != nil {
				break
			}
		}
		if e.JSON {
			return errors.Join(err, console.JSON(e.Out, answers))
		}
		return err
	})
}
