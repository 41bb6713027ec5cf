package help

import (
	"embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/forage-net/forage/ui/cli/env"
)

// pageFiles hold what there is to say about each verb. They are read by people and by
// readPage: a section of the overview, paragraphs, and then examples, exit codes and
// related verbs.
//
//go:embed pages/*.txt
var pageFiles embed.FS

// sections of the overview, in order. A verb without a page is in the last one.
var sections = []string{"Begin", "See", "Steer", "Keep", "More"}

// page is what there is to say about a verb beyond its line in the table.
type page struct {
	section  string
	about    []string // paragraphs; lines that begin with blanks stay as they are
	examples []example
	codes    []int // exit codes, ascending
	also     []string
}

// example is a command line and what it is for.
type example struct{ command, text string }

// pageOf returns the page of a verb; an empty one if it has none.
func pageOf(name string) page {
	text, err := pageFiles.ReadFile("pages/" + name + ".txt")
	if err != nil {
		return page{section: sections[len(sections)-1], codes: []int{env.ExitOK, env.ExitError, env.ExitUsage}}
	}
	p, err := readPage(string(text))
	if err != nil {
		panic(fmt.Sprintf("page of %s: %v", name, err)) // compiled in, and read by a test
	}
	return p
}

// readPage reads a file of pages.
func readPage(text string) (page, error) {
	p := page{section: sections[len(sections)-1], codes: []int{env.ExitOK, env.ExitError, env.ExitUsage}}
	inExamples := false
	for _, block := range strings.Split(strings.TrimSpace(text), "\n\n") {
		block = strings.TrimRight(block, "\n")
		head, rest, _ := strings.Cut(block, ":")
		switch {
		case strings.HasPrefix(block, "Section: "):
			p.section = strings.TrimSpace(rest)
		case head == "Exit codes":
			p.codes = nil
			for _, word := range strings.Fields(rest) {
				n, err := strconv.Atoi(word)
				if err != nil {
					return p, fmt.Errorf("exit code %q", word)
				}
				p.codes = append(p.codes, n)
			}
		case head == "See also":
			for _, name := range strings.Split(rest, ",") {
				p.also = append(p.also, strings.TrimSpace(name))
			}
		case block == "Examples:":
			inExamples = true
		case inExamples:
			command, text, _ := strings.Cut(block, "\n")
			p.examples = append(p.examples, example{strings.TrimSpace(command),
				strings.Join(strings.Fields(text), " ")})
		default:
			p.about = append(p.about, block)
		}
	}
	return p, nil
}

// flagsOf returns the flags of a command, except for those that all take, in the order of their names.
func flagsOf(c *cobra.Command) (list []*pflag.Flag) {
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { list = append(list, f) })
	return list
}

// commonFlags returns the flags that every command takes.
func commonFlags(c *cobra.Command) (list []*pflag.Flag) {
	c.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" {
			list = append(list, f)
		}
	})
	return list
}

// IsSwitch reports whether a flag takes no value.
func IsSwitch(f *pflag.Flag) bool { return f.NoOptDefVal != "" }

// describe returns how a flag is written, its value's name, and what it does, its default included.
func describe(f *pflag.Flag) (written, value, text string) {
	value, text = pflag.UnquoteUsage(f)
	if strings.Contains(value, "|") { // it need not be said twice
		text = strings.TrimRight(strings.TrimSuffix(text, value), ",: ")
	}
	if IsSwitch(f) {
		value = ""
	} else if d := f.DefValue; d != "" && d != "0" && d != "0s" && d != "[]" && !strings.HasPrefix(d, "-") {
		text += " (default " + d + ")"
	}
	return strings.TrimSpace("--" + f.Name + " " + value), value, text
}
