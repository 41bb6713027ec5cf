package cli

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"github.com/forage-net/forage/crawl"
)

// helpWidth is how long lines of help are at most: what a terminal has always had.
const helpWidth = 80

// codeText says what an exit code means.
func codeText(code int) string {
	switch code {
	case exitOK:
		return "done"
	case exitError:
		return "failed; standard error says why"
	case exitUsage:
		return "wrong usage"
	case exitRunning:
		return "Forage is already running here"
	case exitConfig:
		return "the settings have a fault"
	case exitNoConsent:
		return "nobody has agreed yet"
	}
	return ""
}

// exitCodes are all that there are, in order.
func exitCodes() []int {
	return []int{exitOK, exitError, exitUsage, exitRunning, exitConfig, exitNoConsent}
}

func runHelp(_ context.Context, e *env, args []string) error {
	rest, err := e.parse(e.flags("help"), args, 0, 1)
	if err != nil {
		return done(err)
	}
	if len(rest) == 1 {
		return e.printHelp(rest[0])
	}
	if e.json {
		all := []helpJSON{}
		for _, v := range verbs() {
			all = append(all, helpOf(v))
		}
		return printJSON(e.out, all)
	}
	_, err = fmt.Fprint(e.out, overview())
	return err
}

// printHelp prints all about one verb.
func (e *env) printHelp(name string) error {
	v, ok := findVerb(name)
	if !ok {
		return unknownVerb(name)
	}
	if e.json {
		return printJSON(e.out, helpOf(v))
	}
	_, err := fmt.Fprint(e.out, helpText(v))
	return err
}

// aloneText says what there is without a command.
const aloneText = `Without a command, Forage starts in the background if it is not running yet, and opens its window or, without one, the dashboard. ` +
	`Nothing is sent before you agree there.`

// overview lists all verbs.
func overview() string {
	var b strings.Builder
	fmt.Fprintf(&b, "forage %s lends this computer to a crawl of the web.\n\n", crawl.Version)
	b.WriteString("usage: forage [--home DIR] [--json] [COMMAND]\n\n")
	b.WriteString(filled("", aloneText))
	for _, section := range sections {
		b.WriteString("\n" + section + "\n")
		for _, v := range verbs() {
			if pageOf(v.name).section == section {
				b.WriteString(entry("  ", 30, v.usage(), v.help))
			}
		}
	}
	b.WriteString("\n\"forage help COMMAND\" or \"forage COMMAND --help\" tells more.\nTry \"forage demo\" first.\n")
	return b.String()
}

// usage is how a verb is written.
func (v verb) usage() string { return strings.TrimSpace(v.name + " " + v.args) }

// helpText is all about one verb.
func helpText(v verb) string {
	p := pageOf(v.name)
	var b strings.Builder
	fmt.Fprintf(&b, "usage: forage %s\n\n", v.usage())
	about := p.about
	if len(about) == 0 {
		about = []string{v.help}
	}
	for _, paragraph := range about {
		b.WriteString(filled("", paragraph) + "\n")
	}
	b.WriteString("Flags:\n")
	for _, f := range append(flagsOf(v), commonFlags()...) {
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

func helpOf(v verb) helpJSON {
	p := pageOf(v.name)
	h := helpJSON{
		Name: v.name, Usage: "forage " + v.usage(), Summary: v.help, Section: p.section, ExitCodes: p.codes,
		About: []string{}, Flags: []flagJSON{}, Examples: []exampleJSON{}, SeeAlso: append([]string{}, p.also...),
	}
	for _, paragraph := range p.about {
		h.About = append(h.About, strings.Join(strings.Fields(paragraph), " "))
	}
	for _, f := range append(flagsOf(v), commonFlags()...) {
		h.Flags = append(h.Flags, flagOf(f))
	}
	for _, x := range p.examples {
		h.Examples = append(h.Examples, exampleJSON{x.command, x.text})
	}
	return h
}

func flagOf(f *flag.Flag) flagJSON {
	_, value, text := describe(f)
	return flagJSON{Name: f.Name, Value: value, Text: text}
}
