// Package complete says what may stand under the cursor of a command line that is being written: commands and flags
// come from cobra; arguments and values are told by their names in the help.
package complete

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/help"
)

// Add has all commands say which arguments and values of flags there may be, by the names that these have
// in their help.
func Add(e *env.Env, root *cobra.Command) {
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetOut(unquoted{e.Out})
	root.SetErr(io.Discard) // what is noted down there is for who writes the scripts
	root.ValidArgsFunction = cobra.NoFileCompletions
	for _, c := range append(root.Commands(), root) {
		if c.HasParent() {
			c.ValidArgsFunction = func(c *cobra.Command, args []string, current string) ([]string,
				cobra.ShellCompDirective) {
				return completeArgument(e, c, argumentOf(c, len(args)), current)
			}
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if help.IsSwitch(f) {
				return
			}
			name, _ := pflag.UnquoteUsage(f)
			_ = c.RegisterFlagCompletionFunc(f.Name,
				func(c *cobra.Command, _ []string, current string) ([]string, cobra.ShellCompDirective) {
					return completeArgument(e, c, name, current)
				})
		})
	}
}

// argumentOf returns the name of an argument of a command, counted from 0, "" if it takes no so many.
func argumentOf(c *cobra.Command, n int) string {
	var names []string
	fields := strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(c.Use))[1:]
	for i := 0; i < len(fields); i++ {
		flag, _, _ := strings.Cut(fields[i], "|")
		switch {
		case fields[i] == "flags":
		case strings.HasPrefix(flag, "--"):
			if f := c.Flags().Lookup(flag[2:]); f != nil && !help.IsSwitch(f) {
				i++ // its value
			}
		default:
			names = append(names, fields[i])
		}
	}
	if last := len(names) - 1; n > last && last >= 0 && strings.HasSuffix(names[last], "...") {
		n = last
	}
	if n >= len(names) {
		return ""
	}
	return strings.TrimSuffix(names[n], "...")
}

// completeArgument completes an argument or a value of that name.
func completeArgument(e *env.Env, c *cobra.Command, name, current string) ([]string, cobra.ShellCompDirective) {
	switch name {
	case "DIR":
		return nil, cobra.ShellCompDirectiveFilterDirs
	case "FILE", "URL": // seeds may be in a file
		return nil, cobra.ShellCompDirectiveDefault
	case "VERB":
		var list []string
		for _, known := range c.Root().Commands() {
			list = append(list, cobra.CompletionWithDesc(known.Name(), known.Short))
		}
		return matching(current, list)
	case "KEY":
		return matching(current, settingCandidates())
	case "KEY=VALUE":
		return completeAssignment(e, current)
	case "DOMAIN":
		undo, _ := c.Flags().GetBool("undo")
		return matching(current, knownDomains(c.Context(), e, current, undo))
	case "DURATION", "DUR":
		return matching(current, []string{"2m\ttwo minutes", "30m\thalf an hour", "2h\ttwo hours", "8h\teight hours"})
	}
	if strings.Contains(name, "|") {
		return matching(current, strings.Split(name, "|"))
	}
	return matching(current, nil)
}
