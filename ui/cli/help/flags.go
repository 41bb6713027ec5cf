package help

import (
	"errors"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/env"
)

// FlagError says what is wrong with flags, and where to read on.
func FlagError(c *cobra.Command, err error) error {
	readOn := words.New("said.cli.forage-help-lists-the-flags", words.Args{"verb": c.Name()})
	if !c.HasParent() {
		readOn = words.New("said.cli.the-flags-of-a-command-stand", nil)
	}
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		written := "--" + name
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			if c.Flags().Changed("help") { // -help begins with -h
				short = "h" + short
			}
			name, written = short, "-"+short
		}
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		near := nearest(name, names)
		if near != "" {
			near = "--" + near
		}
		return wrong(words.New("said.cli.there-is-no-flag", words.Args{"name": strconv.Quote(written)}), near, readOn)
	case errors.As(err, &invalid):
		why := words.New("said.cli.parse-error", nil)
		if errors.Is(err, strconv.ErrRange) {
			why = words.New("said.cli.value-out-of-range", nil)
		}
		return wrong(words.New("said.cli.invalid-value", words.Args{"value": strconv.Quote(invalid.GetValue()),
			"flag": "--" + invalid.GetFlag().Name, "error": why}), "", readOn)
	case errors.As(err, &missing):
		flag := "--" + missing.GetFlag().Name
		return wrong(words.New("said.cli.flag-needs-an-argument", words.Args{"flag": flag}), "", readOn)
	}
	return wrong(err, "", readOn)
}

// wrong says what is wrong with a command line, what is near to a word that there is not, "" for nothing, and where to
// read on.
func wrong(err error, near string, readOn error) error {
	if near != "" {
		readOn = words.New("said.cli.did-you-mean", words.Args{"name": strconv.Quote(near), "rest": readOn})
	}
	return env.WithCode(words.Join("; ", err, readOn), env.ExitUsage)
}
