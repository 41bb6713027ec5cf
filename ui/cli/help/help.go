// Package help explains the commands: as help, as JSON and as the manual page, each made of the commands, their flags
// and the files in pages; and it says what is wrong with a command line.
package help

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
)

// UnknownCommand says that there is no command of that name, and which one may be meant.
func UnknownCommand(c *cobra.Command, name string) error {
	var names []string
	for _, known := range c.Root().Commands() {
		names = append(names, known.Name())
	}
	return env.Usage("there is no command %q%s", name, hint(nearest(name, names), "\"forage help\" lists them"))
}

// helpWidth is how long lines of help are at most: what a terminal has always had.
const helpWidth = 80

// New returns "forage help".
func New(e *env.Env) *cobra.Command {
	c := env.Command("help [VERB]", "list all commands, or explain one", 0, 1)
	return env.Does(c, func(_ context.Context, rest []string) error {
		about := c.Root()
		if len(rest) == 1 {
			if about = named(about, rest[0]); about == nil {
				return UnknownCommand(c, rest[0])
			}
		}
		return Print(e, about)
	})
}

// named returns the command of that name, nil if there is none.
func named(root *cobra.Command, name string) *cobra.Command {
	for _, c := range root.Commands() {
		if c.Name() == name {
			return c
		}
	}
	return nil
}

// Print prints all about one command, or lists those of the program.
func Print(e *env.Env, c *cobra.Command) error {
	if c.HasParent() {
		if e.JSON {
			return console.JSON(e.Out, helpOf(c))
		}
		_, err := fmt.Fprint(e.Out, helpText(c))
		return err
	}
	if e.JSON {
		all := []helpJSON{}
		for _, c := range c.Commands() {
			all = append(all, helpOf(c))
		}
		return console.JSON(e.Out, all)
	}
	_, err := fmt.Fprint(e.Out, overview(c))
	return err
}

// aloneText says what there is without a command.
const aloneText = `Without a command, Forage starts in the background if it is not running yet, and opens its window ` +
	`or, without one, the dashboard. Nothing is sent before you agree there.`

// overview lists all commands.
func overview(root *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "forage %s lends this computer to a crawl of the web.\n\n", crawl.Version)
	b.WriteString("usage: forage [--home DIR] [--json] [COMMAND]\n\n")
	b.WriteString(filled("", aloneText))
	for _, section := range sections {
		b.WriteString("\n" + section + "\n")
		for _, c := range root.Commands() {
			if pageOf(c.Name()).section == section {
				b.WriteString(entry("  ", 30, c.Use, c.Short))
			}
		}
	}
	b.WriteString("\n\"forage help COMMAND\" or \"forage COMMAND --help\" tells more.\nTry \"forage demo\" first.\n")
	return b.String()
}

// helpText is all about one command.
func helpText(c *cobra.Command) string {
	p := pageOf(c.Name())
	var b strings.Builder
	fmt.Fprintf(&b, "usage: forage %s\n\n", c.Use)
	about := p.about
	if len(about) == 0 {
		about = []string{c.Short}
	}
	for _, paragraph := range about {
		b.WriteString(filled("", paragraph) + "\n")
	}
	b.WriteString("Flags:\n")
	for _, f := range append(flagsOf(c), commonFlags(c)...) {
		written, _, text := describe(f)
		b.WriteString(entry("  ", 26, written, text))
	}
	if len(p.examples) > 0 {
		b.WriteString("\nExamples:\n")
	}
	for _, x := range p.examples {
		b.WriteString("  " + x.command + "\n" + filled("      ", x.text))
	}
	b.WriteString("\nExit codes:\n")
	for _, code := range p.codes {
		b.WriteString(entry("  ", 2, fmt.Sprint(code), codeText(code)))
	}
	if len(p.also) > 0 {
		b.WriteString("\n" + filled("", "See also: forage "+strings.Join(p.also, ", forage ")))
	}
	return b.String()
}

// entry is a word and its explanation, in two columns of which the first has so many; a longer word has
// its line for itself.
func entry(indent string, columns int, word, text string) string {
	rest := strings.Repeat(" ", len(indent)+columns+2)
	lines := filled(rest, text)
	if len(word) > columns {
		return indent + word + "\n" + lines
	}
	return indent + word + strings.Repeat(" ", columns-len(word)+2) + strings.TrimLeft(lines, " ")
}

// filled breaks a paragraph into lines. One that begins with a blank stays as it is.
func filled(indent, paragraph string) string {
	if strings.HasPrefix(paragraph, " ") {
		return paragraph + "\n"
	}
	var b strings.Builder
	length := 0
	for _, word := range strings.Fields(paragraph) {
		n := len([]rune(word))
		switch {
		case length == 0:
			b.WriteString(indent)
			length = len(indent)
		case length+1+n > helpWidth:
			b.WriteString("\n" + indent)
			length = len(indent)
		default:
			b.WriteByte(' ')
			length++
		}
		b.WriteString(word)
		length += n
	}
	return b.String() + "\n"
}

// helpJSON is all about one verb, for programs.
type helpJSON struct {
	Name    string `json:"name"`
	Usage   string `json:"usage"`
	Summary string `json:"summary"`
	Section string `json:"section"`
	// About are paragraphs.
	About    []string      `json:"about"`
	Flags    []flagJSON    `json:"flags"`
	Examples []exampleJSON `json:"examples"`
	// ExitCodes are those that it ends with.
	ExitCodes []int    `json:"exit_codes"`
	SeeAlso   []string `json:"see_also"`
}

type flagJSON struct {
	Name string `json:"name"`
	// Value names what it takes, "" for a flag that is there or not.
	Value string `json:"value"`
	Text  string `json:"text"`
}

type exampleJSON struct {
	Command string `json:"command"`
	Text    string `json:"text"`
}

func helpOf(c *cobra.Command) helpJSON {
	p := pageOf(c.Name())
	h := helpJSON{
		Name: c.Name(), Usage: "forage " + c.Use, Summary: c.Short, Section: p.section, ExitCodes: p.codes,
		About: []string{}, Flags: []flagJSON{}, Examples: []exampleJSON{}, SeeAlso: append([]string{}, p.also...),
	}
	for _, paragraph := range p.about {
		h.About = append(h.About, strings.Join(strings.Fields(paragraph), " "))
	}
	for _, f := range append(flagsOf(c), commonFlags(c)...) {
		_, value, text := describe(f)
		h.Flags = append(h.Flags, flagJSON{Name: f.Name, Value: value, Text: text})
	}
	for _, x := range p.examples {
		h.Examples = append(h.Examples, exampleJSON{x.command, x.text})
	}
	return h
}
