package help

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/forage-net/forage/ui/cli/env"
)

// FlagError says what is wrong with flags, and where to read on.
func FlagError(c *cobra.Command, err error) error {
	readOn := fmt.Sprintf("\"forage help %s\" lists the flags", c.Name())
	if !c.HasParent() {
		readOn = "the flags of a command stand behind it: \"forage help COMMAND\""
	}
	var unknown *pflag.NotExistError
	var wrong *pflag.InvalidValueError
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
		return env.Usage("there is no flag %q%s", written, hint(near, readOn))
	case errors.As(err, &wrong):
		why := "parse error"
		if errors.Is(err, strconv.ErrRange) {
			why = "value out of range"
		}
		return env.Usage("invalid value %q for flag --%s: %s%s", wrong.GetValue(), wrong.GetFlag().Name, why,
			hint("", readOn))
	case errors.As(err, &missing):
		return env.Usage("flag needs an argument: --%s%s", missing.GetFlag().Name, hint("", readOn))
	}
	return env.Usage("%v%s", err, hint("", readOn))
}

// hint says what is near to a word that there is not, "" for nothing, and where to read on.
func hint(near, readOn string) string {
	if near == "" {
		return "; " + readOn
	}
	return fmt.Sprintf("; did you mean %q? %s", near, strings.ToUpper(readOn[:1])+readOn[1:])
}
