package cli

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/forage-net/forage/crawl"
)

func runMan(_ context.Context, e *env, args []string) error {
	if _, err := e.parse(e.flags("man"), args, 0, 0); err != nil {
		return done(err)
	}
	_, err := fmt.Fprint(e.out, manual(dateOfBuild()))
	return err
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

// manual is the manual page, forage(1), in roff with the macros of man(7), made from the table of verbs and
// their pages.
func manual(date string) string {
	var m roff
	m.line(".TH FORAGE 1 %s %s %s", quoted(date), quoted("forage "+crawl.Version), quoted("User Commands"))
	m.section("NAME")
	m.text(`forage \- lend this computer to a crawl of the web`)
	m.section("SYNOPSIS")
	m.line(".B forage")
	m.text(`[\fB\-\-home\fR \fIDIR\fR] [\fB\-\-json\fR] [\fICOMMAND\fR]`)
	m.section("DESCRIPTION")
	m.paragraph(`Forage is a crawler that people run at home. It visits public web pages politely, keeps what it finds as ` +
		`standard WARC files, and does so within limits its user sets. Nodes share the web among themselves by the hash of its domains.`)
	m.paragraph(aloneText)
	m.paragraph(`"forage demo" shows how, without the internet. "forage consent" tells what a node does, and "forage run" starts one; ` +
		`the other commands ask and steer the one that runs.`)
	m.section("OPTIONS")
	m.line("Every command takes them, before or behind its name.")
	for _, f := range commonFlags() {
		m.flag(describe(f))
	}
	m.section("COMMANDS")
	for _, section := range sections {
		for _, v := range verbs() {
			if p := pageOf(v.name); p.section == section {
				m.verb(v, p)
			}
		}
	}
	m.section("EXIT STATUS")
	for _, code := range exitCodes() {
		m.line(".TP\n.B %d", code)
		m.text(escaped(codeText(code)) + ".")
	}
	m.section("ENVIRONMENT")
	for _, v := range [][2]string{
		{"FORAGE_HOME", "where all files of the node are, unless --home says"},
		{"XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_DATA_HOME", "where settings, state and data are otherwise, each in a directory forage"},
		{"FORAGE_WINDOW", "the program of the window, if it is neither beside this one nor in PATH"},
		{"LC_ALL, LC_MESSAGES, LANG", "the first that is set chooses the language of what a node says and why, and of what stands around it: German or English. Help and manual are in English"},
		{"NO_COLOR", "if set, nothing is coloured"},
		{"TERM", `if "dumb", nothing is drawn in place`},
	} {
		m.line(".TP\n.B %s", escaped(v[0]))
		m.text(escaped(v[1]) + ".")
	}
	m.section("FILES")
	m.paragraph(`"forage paths" says where they are: config.toml, the settings, with a comment on each; the state of the node; and the archive, ` +
		`files of the Web ARChive format.`)
	m.section("SEE ALSO")
	m.paragraph(`https://github.com/forage-net/forage, and there docs/settings.md for every setting.`)
	return m.String()
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

func (m *roff) section(name string) {
	m.line(".SH %s", quoted(name))
	m.begun = true
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

func (m *roff) verb(v verb, p page) {
	m.line(".SS %s", quoted(escaped("forage "+v.usage())))
	m.begun = true
	about := p.about
	if len(about) == 0 {
		about = []string{v.help + "."}
	}
	for _, paragraph := range about {
		m.paragraph(paragraph)
	}
	for _, f := range flagsOf(v) {
		m.flag(describe(f))
	}
	for i, x := range p.examples {
		if i == 0 {
			m.paragraph("Examples:")
		}
		m.line(".TP")
		m.line(`\fB%s\fR`, escaped(x.command))
		m.text(escaped(x.text))
	}
}

func (m *roff) flag(written, value, text string) {
	name := strings.TrimSuffix(strings.TrimSuffix(written, value), " ")
	m.line(".TP")
	if value == "" {
		m.line(`\fB%s\fR`, escaped(name))
	} else {
		m.line(`\fB%s\fR \fI%s\fR`, escaped(name), escaped(value))
	}
	m.text(escaped(text))
}

// escaped writes text so that it is printed as it stands.
func escaped(text string) string {
	return strings.NewReplacer(`\`, `\e`, `-`, `\-`, `'`, `\(aq`, "`", `\(ga`, `^`, `\(ha`, `~`, `\(ti`, "…", "...").Replace(text)
}

// quoted writes an argument of a macro.
func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `\(dq`) + `"` }
