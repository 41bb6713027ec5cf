package complete

import (
	"bytes"
	"context"
	_ "embed"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/env"
)

// bashAlone stands in for the package bash-completion, which cobra's script needs.
//
//go:embed completion.bash
var bashAlone []byte

// NewScript returns "forage completion", which prints the script of a shell.
func NewScript(e *env.Env) *cobra.Command {
	c := env.Command("completion bash|zsh|fish", "print a script for shell completion", 1, 1)
	return env.Does(c, func(_ context.Context, rest []string) error {
		root := c.Root()
		switch rest[0] {
		case "bash":
			err := root.GenBashCompletionV2(e.Out, true)
			if err == nil {
				_, err = e.Out.Write(bashAlone)
			}
			return err
		case "zsh":
			return root.GenZshCompletion(e.Out)
		case "fish":
			return root.GenFishCompletion(e.Out, true)
		}
		return env.Usage("said.cli.there-is-completion", words.Args{"name": strconv.Quote(rest[0])})
	})
}

// unquoted leaves out the marks around the name of a value in what flags do, which cobra writes as they are.
type unquoted struct{ io.Writer }

func (u unquoted) Write(text []byte) (int, error) {
	_, err := u.Writer.Write(bytes.ReplaceAll(text, []byte("`"), nil))
	return len(text), err
}
