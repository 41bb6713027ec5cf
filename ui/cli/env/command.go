package env

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/assets/words"
)

// Command returns a command that takes least to most arguments. What there is to say about it beyond a line
// stands in the file pages/NAME.txt. Completion reads its usage: DIR is a directory, KEY a setting, DOMAIN a
// site, VERB a command, and on|off one of these words.
func Command(usage, short string, least, most int) *cobra.Command {
	return &cobra.Command{Use: usage, Short: short, DisableFlagsInUseLine: true, Args: takes(least, most)}
}

// Does has a command do something.
func Does(c *cobra.Command, run func(ctx context.Context, args []string) error) *cobra.Command {
	c.RunE = func(c *cobra.Command, args []string) error { return run(c.Context(), args) }
	return c
}

// takes refuses fewer than least or more than most arguments.
func takes(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return Usage("said.cli.takes-not-see",
				words.Args{"verb": c.Name(), "what": countWords(least, most), "count": len(args)})
		}
		return nil
	}
}

func countWords(least, most int) error {
	switch {
	case most == 0:
		return words.New("said.cli.no-argument", nil)
	case least == most && least == 1:
		return words.New("said.cli.one-argument", nil)
	case least == 0 && most == 1:
		return words.New("said.cli.at-most-one-argument", nil)
	}
	return words.New("said.cli.to-arguments", words.Args{"least": least, "most": most})
}
