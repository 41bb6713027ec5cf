package help

import (
	"embed"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/forage-net/forage/ui/cli/env"
)

// pageFiles hold what there is to say about each command: a section of the overview, paragraphs, and then examples,
// exit codes and related commands.
//
//go:embed pages/*.txt
var pageFiles embed.FS

// sections of the overview, in order.
var sections = []string{"Begin", "See", "Steer", "Keep", "More"}

// exitTexts say what an exit code means.
var exitTexts = map[int]string{
	env.ExitOK: "done", env.ExitError: "failed; standard error says why", env.ExitUsage: "wrong usage",
	env.ExitRunning: "Forage is already running here", env.ExitConfig: "the settings have a fault",
	env.ExitNoConsent: "nobody has agreed yet",
}

// page is all about a command. Scripts rely on the keys.
type page struct {
	Name    string `json:"name"`
	Usage   string `json:"usage"`
	Summary string `json:"summary"`
	Section string `json:"section"`
	// About are paragraphs; lines that begin with blanks stay as they are.
	About []string `json:"about"`
	// Flags are its own, and then those that every command takes.
	Flags     []flag    `json:"flags"`
	Examples  []example `json:"examples"`
	ExitCodes []int     `json:"exit_codes"` // ascending
	SeeAlso   []string  `json:"see_also"`
}

type flag struct {
	Name string `json:"name"`
	// Value names what it takes, "" for a flag that is there or not.
	Value string `json:"value"`
	Text  string `json:"text"`
}

// example is a command line and what it is for.
type example struct {
	Command string `json:"command"`
	Text    string `json:"text"`
}

// pageOf returns all about a command. What a file lacks is empty.
func pageOf(c *cobra.Command) page {
	p := page{
		Name: c.Name(), Usage: "forage " + c.Use, Summary: c.Short,
		ExitCodes: []int{env.ExitOK, env.ExitError, env.ExitUsage},
		Flags:     append(flagsOf(c.LocalNonPersistentFlags()), flagsOf(c.Root().PersistentFlags())...),
	}
	text, _ := pageFiles.ReadFile("pages/" + c.Name() + ".txt") // a test looks whether it is there
	for _, block := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
		block = strings.TrimRight(block, "\n")
		head, rest, _ := strings.Cut(block, ":")
		switch {
		case head == "Section":
			p.Section = strings.TrimSpace(rest)
		case head == "Exit codes":
			p.ExitCodes = nil
			for _, word := range strings.Fields(rest) {
				n, _ := strconv.Atoi(word)
				p.ExitCodes = append(p.ExitCodes, n)
			}
		case head == "See also":
			p.SeeAlso = strings.Split(strings.TrimSpace(rest), ", ")
		case block == "Examples:":
			p.Examples = []example{}
		case p.Examples != nil:
			command, text, _ := strings.Cut(block, "\n")
			p.Examples = append(p.Examples, example{strings.TrimSpace(command),
				strings.Join(strings.Fields(text), " ")})
		default:
			p.About = append(p.About, block)
		}
	}
	return p
}

// forPrograms returns a page whose paragraphs are a line each.
func (p page) forPrograms() page {
	p.About = slices.Clone(p.About)
	for i, paragraph := range p.About {
		p.About[i] = strings.Join(strings.Fields(paragraph), " ")
	}
	return p
}

// flagsOf describes flags, in the order of their names.
func flagsOf(flags *pflag.FlagSet) (list []flag) {
	flags.VisitAll(func(f *pflag.Flag) {
		value, text := pflag.UnquoteUsage(f)
		if strings.Contains(value, "|") { // it need not be said twice
			text = strings.TrimRight(strings.TrimSuffix(text, value), ",: ")
		}
		if IsSwitch(f) {
			value = ""
		} else if d := f.DefValue; d != "" && d != "0" && d != "0s" && d != "[]" && !strings.HasPrefix(d, "-") {
			text += " (default " + d + ")"
		}
		if f.Name != "help" {
			list = append(list, flag{f.Name, value, text})
		}
	})
	return list
}

// IsSwitch reports whether a flag takes no value.
func IsSwitch(f *pflag.Flag) bool { return f.NoOptDefVal != "" }
