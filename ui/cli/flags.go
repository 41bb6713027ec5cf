package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// flags returns a flag set with what every verb takes.
func (e *env) flags(name string) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&e.home, "home", e.home, "use the files in `DIR`")
	fs.BoolVar(&e.json, "json", e.json, "print JSON")
	return fs
}

// parse reads flags and arguments in any order, and finds the node's places.
// It returns the arguments, of which there must be min to max.
func (e *env) parse(fs *flag.FlagSet, args []string, min, max int) ([]string, error) {
	if e.probe != nil {
		e.probe(fs)
		return nil, coded{errHelp, exitOK}
	}
	var rest, literal []string // what stands behind "--" is no flag
	if i := slices.Index(args, "--"); i >= 0 {
		args, literal = args[:i], args[i+1:]
	}
	for {
		err := fs.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			if err := e.printHelp(fs.Name()); err != nil {
				return nil, err
			}
			return nil, coded{errHelp, exitOK}
		}
		if err != nil {
			return nil, flagError(err, fs, fmt.Sprintf("\"forage help %s\" lists the flags", fs.Name()))
		}
		args = fs.Args()
		if len(args) == 0 {
			break
		}
		rest = append(rest, args[0])
		args = args[1:]
	}
	rest = append(rest, literal...)
	if len(rest) < min || len(rest) > max {
		return nil, usage("\"forage %s\" takes %s, not %d; see \"forage help %s\"", fs.Name(), countWords(min, max), len(rest), fs.Name())
	}
	return rest, e.findPaths()
}

// errHelp ends a command that only printed its help.
var errHelp = errors.New("help")

func countWords(min, max int) string {
	switch {
	case max == 0:
		return "no argument"
	case min == max && min == 1:
		return "one argument"
	case min == 0 && max == 1:
		return "at most one argument"
	}
	return fmt.Sprintf("%d to %d arguments", min, max)
}

// list is a flag that may be given several times.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

func (l *list) Set(s string) error {
	*l = append(*l, s)
	return nil
}
