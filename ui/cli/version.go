package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/release"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
)

type pathsAnswer struct {
	Config string `json:"config"`
	State  string `json:"state"`
	Data   string `json:"data"`
	WARC   string `json:"warc"`
}

type versionAnswer struct {
	Version    string `json:"version"`
	SuffixList string `json:"suffix_list"`
}

// checkedRelease is a file that is a release. Comment is what its signature says of it.
type checkedRelease struct {
	Checked string `json:"checked"`
	Comment string `json:"comment"`
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

func newVersion(e *env.Env) *cobra.Command {
	c := env.Command("version [--check FILE|URL]", "print the version, or verify a release file", 0, 0)
	check := c.Flags().String("check", "", "verify by its signature that `FILE|URL` is a release of Forage")
	return env.Does(c, func(ctx context.Context, _ []string) error {
		if *check != "" {
			comment, err := release.Check(ctx, *check)
			if err != nil {
				return fmt.Errorf("check %s: %w", *check, err)
			}
			return e.Answer(checkedRelease{Checked: *check, Comment: comment},
				e.Lang.Text("version.checked", words.Args{"file": *check, "comment": comment}))
		}
		return printVersion(e)
	})
}

func printVersion(e *env.Env) error {
	return e.Answer(versionAnswer{Version: crawl.Version, SuffixList: crawl.SuffixListHash()}, "forage "+crawl.Version)
}
