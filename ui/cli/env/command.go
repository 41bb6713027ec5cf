package env

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
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
			return Usage("\"forage %s\" takes %s, not %d; see \"forage help %s\"",
				c.Name(), countWords(least, most), len(args), c.Name())
		}
		return nil
	}
}

func countWords(least, most int) string {
	switch {
	case most == 0:
		return "no argument"
	case least == most && least == 1:
		return "one argument"
	case least == 0 && most == 1:
		return "at most one argument"
	}
	return fmt.Sprintf("%d to %d arguments", least, most)
}
