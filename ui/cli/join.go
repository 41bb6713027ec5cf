package cli

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/env"
)

// joinAnswer is what join has written into the settings.
type joinAnswer struct {
	Network   string   `json:"network"`
	Lab       bool     `json:"lab"`
	Private   bool     `json:"private"`
	Bootstrap []string `json:"bootstrap"`
	// Start is the command that joins.
	Start string `json:"start"`
}

// newJoin writes what an invite says into the settings, and the secret of a private network into its file.
func newJoin(e *env.Env) *cobra.Command {
	c := env.Command("join LINE", "join the network of such a line", 1, 1)
	return env.Does(c, func(_ context.Context, rest []string) error {
		line := rest[0]
		if line == "-" { // where other users of the computer see no arguments
			text, err := io.ReadAll(io.LimitReader(os.Stdin, maxInviteText))
			if err != nil {
				return words.New("said.cli.read-the-invite", words.Args{"error": err})
			}
			line = string(text)
		}
		in, err := membership.ParseInvite(strings.TrimSpace(line))
		if err != nil {
			return env.WithCode(err, env.ExitUsage)
		}
		start := "forage run"
		if in.Lab {
			start = "forage run --lab"
		}
		if err := e.Paths.Create(); err != nil {
			return err
		}
		if err := in.KeepSecret(e.Paths); err != nil {
			return err
		}
		if err := config.WriteDefault(e.Paths.Config); err != nil {
			return err
		}
		for _, door := range in.Doors {
			if err := config.AddItem(e.Paths.Config, "net.bootstrap", door); err != nil {
				return err
			}
		}
		if err := config.Set(e.Paths.Config, "net.private",
			map[bool]string{true: "yes", false: "no"}[in.Private]); err != nil {
			return err
		}
		if err := config.Set(e.Paths.Config, "net.name", in.Network); err != nil {
			return err
		}
		key := "joined"
		if in.Private {
			key = "joined.private"
		}
		answer := joinAnswer{Network: in.Network, Lab: in.Lab, Private: in.Private,
			Bootstrap: append([]string{}, in.Doors...), Start: start}
		return e.Answer(answer, e.Lang.Text(key, words.Args{"network": in.Network, "start": start}))
	})
}

// maxInviteText is the most that is read of an invite, in bytes.
const maxInviteText = 16 << 10
