// Package help explains the commands: as help, as JSON and as the manual page, each made of the commands, their flags
// and the files in pages; and it says what is wrong with a command line.
package help

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/assets/words"
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
	unknown := words.New("said.cli.there-is-no-command", words.Args{"name": strconv.Quote(name)})
	return wrong(unknown, nearest(name, names), words.New("said.cli.forage-help-lists-them", nil))
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
	text := func() string { return overview(c) }
	var about any
	if c.HasParent() {
		p := pageOf(c)
		about, text = p.forPrograms(), p.text
	} else {
		all := []page{}
		for _, c := range c.Commands() {
			all = append(all, pageOf(c).forPrograms())
		}
		about = all
	}
	return e.Show(about, func() error {
		_, err := fmt.Fprint(e.Out, text())
		return err
	})
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
			if pageOf(c).Section == section {
				b.WriteString(entry("  ", 30, c.Use, c.Short))
			}
		}
	}
	b.WriteString("\n\"forage help COMMAND\" or \"forage COMMAND --help\" tells more.\nTry \"forage demo\" first.\n")
	return b.String()
}

// text is all about a command.
func (p page) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: %s\n\n", p.Usage)
	for _, paragraph := range p.About {
		b.WriteString(filled("", paragraph) + "\n")
	}
	b.WriteString("Flags:\n")
	for _, f := range p.Flags {
		b.WriteString(entry("  ", 26, strings.TrimSpace("--"+f.Name+" "+f.Value), f.Text))
	}
	b.WriteString("\nExamples:\n")
	for _, x := range p.Examples {
		b.WriteString("  " + x.Command + "\n" + filled("      ", x.Text))
	}
	b.WriteString("\nExit codes:\n")
	for _, code := range p.ExitCodes {
		b.WriteString(entry("  ", 2, fmt.Sprint(code), exitTexts[code]))
	}
	b.WriteString("\n" + filled("", "See also: forage "+strings.Join(p.SeeAlso, ", forage ")))
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
	lines := console.Wrap(strings.Fields(paragraph), helpWidth-len(indent))
	return indent + strings.Join(lines, "\n"+indent) + "\n"
}
