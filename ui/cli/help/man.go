package help

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/ui/cli/env"
)

// NewManual returns "forage man", which prints the manual page.
func NewManual(e *env.Env) *cobra.Command {
	c := env.Command("man", "print the manual page, as roff", 0, 0)
	return env.Does(c, func(context.Context, []string) error {
		_, err := fmt.Fprint(e.Out, manual(c.Root(), dateOfBuild()))
		return err
	})
}

// dateOfBuild returns the date of the source this program was built from, "" if that is not known.
func dateOfBuild() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" && len(s.Value) >= len(time.DateOnly) {
			return s.Value[:len(time.DateOnly)]
		}
	}
	return ""
}

// manualText is the manual page without what is made of the commands.
//
//go:embed manual.roff
var manualText string

// manual is the manual page, forage(1), in roff with the macros of man(7).
func manual(root *cobra.Command, date string) string {
	var alone, options, commands, codes roff
	alone.text(aloneText)
	common := flagsOf(root.PersistentFlags())
	for _, f := range common {
		options.flag(f)
	}
	for _, section := range sections {
		for _, c := range root.Commands() {
			if p := pageOf(c); p.Section == section {
				p.Flags = p.Flags[:len(p.Flags)-len(common)]
				commands.command(p)
			}
		}
	}
	for _, code := range slices.Sorted(maps.Keys(exitTexts)) {
		codes.line(".TP\n.B %d", code)
		codes.text(escaped(exitTexts[code]) + ".")
	}
	return strings.NewReplacer("{DATE}", quoted(date), "{VERSION}", crawl.Version, "{ALONE}", alone.String(),
		"{OPTIONS}", options.String(), "{COMMANDS}", commands.String(), "{CODES}", codes.String()).Replace(manualText)
}

// roff writes a manual page.
type roff struct {
	strings.Builder
	begun bool // a section has, so that a paragraph need not
}

func (m *roff) line(format string, args ...any) {
	fmt.Fprintf(m, format+"\n", args...)
	m.begun = false
}

// text writes text that is escaped already, each sentence on lines of its own: so it is to be.
func (m *roff) text(text string) {
	text = strings.NewReplacer(". ", ".\n", "? ", "?\n").Replace(text)
	for sentence := range strings.SplitSeq(text, "\n") {
		for line := range strings.Lines(filled("", sentence)) {
			if strings.HasPrefix(line, ".") { // would be a command
				line = `\&` + line
			}
			m.line("%s", strings.TrimSuffix(line, "\n"))
		}
	}
}

// paragraph writes a paragraph of a page.
func (m *roff) paragraph(text string) {
	if !m.begun {
		m.line(".PP")
	}
	if strings.HasPrefix(text, " ") { // laid out by hand
		m.line(".nf")
		for line := range strings.Lines(text) {
			m.line("%s", escaped(strings.TrimRight(line, " \n")))
		}
		m.line(".fi")
		return
	}
	m.text(escaped(strings.Join(strings.Fields(text), " ")))
}

func (m *roff) command(p page) {
	m.line(".SS %s", quoted(escaped(p.Usage)))
	m.begun = true
	for _, paragraph := range p.About {
		m.paragraph(paragraph)
	}
	for _, f := range p.Flags {
		m.flag(f)
	}
	m.paragraph("Examples:")
	for _, x := range p.Examples {
		m.line(".TP\n\\fB%s\\fR", escaped(x.Command))
		m.text(escaped(x.Text))
	}
}

func (m *roff) flag(f flag) {
	m.line(".TP\n%s", strings.TrimSuffix(`\fB`+escaped("--"+f.Name)+`\fR \fI`+escaped(f.Value)+`\fR`, ` \fI\fR`))
	m.text(escaped(f.Text))
}

// escaped writes text so that it is printed as it stands.
func escaped(text string) string {
	return strings.NewReplacer(
		`\`, `\e`, `-`, `\-`, `'`, `\(aq`, "`", `\(ga`, `^`, `\(ha`, `~`, `\(ti`, "…", "...").Replace(text)
}

// quoted writes an argument of a macro.
func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `\(dq`) + `"` }
