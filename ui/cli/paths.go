package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
)

type pathsAnswer struct {
	Config string `json:"config"`
	State  string `json:"state"`
	Data   string `json:"data"`
	WARC   string `json:"warc"`
}

func newPaths(e *env.Env) *cobra.Command {
	c := env.Command("paths", "where the files are", 0, 0)
	return env.Does(c, func(_ context.Context, _ []string) error {
		p := pathsAnswer{Config: e.Paths.Config, State: e.Paths.State, Data: e.Paths.Data, WARC: e.Paths.WARC()}
		return e.Show(p, func() error {
			return console.Facts(e.Out, [][]string{
				{e.Lang.Text("paths.settings", nil), p.Config}, {e.Lang.Text("paths.state", nil), p.State},
				{e.Lang.Text("paths.data", nil), p.Data}, {e.Lang.Text("paths.warc", nil), p.WARC},
			})
		})
	})
}
