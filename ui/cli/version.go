package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/release"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/ui/cli/env"
)

type versionAnswer struct {
	Version    string `json:"version"`
	SuffixList string `json:"suffix_list"`
}

// checkedRelease is a file that is a release. Comment is what its signature says of it.
type checkedRelease struct {
	Checked string `json:"checked"`
	Comment string `json:"comment"`
}

func newVersion(e *env.Env) *cobra.Command {
	c := env.Command("version [--check FILE|URL]", "print the version, or verify a release file", 0, 0)
	check := c.Flags().String("check", "", "verify by its signature that `FILE|URL` is a release of Forage")
	return env.Does(c, func(ctx context.Context, _ []string) error {
		if *check != "" {
			comment, err := release.Check(ctx, *check)
			if err != nil {
				return words.New("said.cli.check-release", words.Args{"path": *check, "error": err})
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
