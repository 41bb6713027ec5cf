package cli

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/ui/cli/clitest"
	"github.com/forage-net/forage/ui/cli/env"
)

// commandHelp is what "forage help --json" says of a command.
type commandHelp struct {
	Name, Usage, Section string
	About                []string
	Flags                []struct{ Name, Value, Text string }
	Examples             []struct{ Command, Text string }
	ExitCodes            []int    `json:"exit_codes"`
	SeeAlso              []string `json:"see_also"`
}

// helps returns the help of all commands.
func helps(t *testing.T) (all []commandHelp) {
	t.Helper()
	_, out, complaint := forage(t.TempDir(), "help --json")
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all) != len(newRoot(new(env.Env)).Commands()) {
		t.Fatalf("%d commands, %v, %s", len(all), err, complaint)
	}
	return all
}

// helpTexts returns what help says of each command, and of all.
func helpTexts(t *testing.T) map[string]string {
	t.Helper()
	texts := make(map[string]string)
	_, texts["overview"], _ = forage(t.TempDir(), "help")
	for _, c := range helps(t) {
		_, texts[c.Name], _ = forage(t.TempDir(), "help "+c.Name)
	}
	return texts
}

func TestHelp_IsAsWritten(t *testing.T) {
	for name, text := range helpTexts(t) {
		clitest.Golden(t, "help/"+name+".txt", text)
	}
}

// However it is asked for, the help of a command is the same.
func TestHelp_AllWaysToAsk(t *testing.T) {
	for name, want := range helpTexts(t) {
		for _, line := range []string{name + " --help", name + " -h", "--help " + name} {
			if name == "overview" {
				line = "--help"
			}
			var out, errs bytes.Buffer
			if code := Main(strings.Fields(line), &out, &errs); code != env.ExitOK || out.String() != want || errs.Len() > 0 {
				t.Errorf("forage %s: exit code %d\n%s%s", line, code, out.String(), errs.String())
			}
		}
	}
}

func TestHelp_FitsATerminal(t *testing.T) {
	const width = 80
	for name, text := range helpTexts(t) {
		for line := range strings.Lines(text) {
			if line = strings.TrimSuffix(line, "\n"); len([]rune(line)) > width || strings.TrimRight(line, " \t") != line {
				t.Errorf("%s: a line of %d columns: %q", name, len([]rune(line)), line)
			}
		}
	}
}

// Every command has a page, and what pages say is so: examples are command lines that make sense, and commands
// that are named are there.
func TestPages(t *testing.T) {
	all := helps(t)
	var files []string
	for _, c := range all {
		files = append(files, filepath.Join("help", "pages", c.Name+".txt"))
		if c.Section == "" || len(c.About) == 0 || len(c.Examples) < 2 || len(c.SeeAlso) == 0 || len(c.ExitCodes) == 0 {
			t.Errorf("help/pages/%s.txt wants a section, a paragraph, two examples and a related command, as the others have; "+
				"it has section %q, %d paragraphs, %d examples, %d related commands, exit codes %d",
				c.Name, c.Section, len(c.About), len(c.Examples), len(c.SeeAlso), c.ExitCodes)
		}
		for _, name := range c.SeeAlso {
			if !slices.ContainsFunc(all, func(other commandHelp) bool { return other.Name == name }) || name == c.Name {
				t.Errorf("%s: there is nothing to see in %q", c.Name, name)
			}
		}
		own := false
		for _, x := range c.Examples {
			if x.Text == "" {
				t.Errorf("%s: nothing is said about %q", c.Name, x.Command)
			}
			own = own || strings.Contains(x.Command, "forage "+c.Name)
			checkExample(t, all, x.Command)
		}
		if !own {
			t.Errorf("%s: there is no example of it", c.Name)
		}
		for _, f := range c.Flags {
			if f.Text == "" {
				t.Errorf("%s: nothing is said about --%s", c.Name, f.Name)
			}
		}
	}
	found, err := filepath.Glob("help/pages/*.txt")
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	for _, file := range files {
		if !slices.Contains(found, file) {
			t.Errorf("there is no %s", file)
		}
	}
	for _, file := range found {
		if !slices.Contains(files, file) {
			t.Errorf("%s is of no command", file)
		}
	}
}

// checkExample fails the test unless each call of forage in a command line has a command, and flags that it takes.
func checkExample(t *testing.T, all []commandHelp, line string) {
	t.Helper()
	words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \"$()", r) })
	for i, word := range words {
		if word != "forage" || i > 0 && words[i-1] != "&&" && words[i-1] != "cd" {
			continue
		}
		if i+1 == len(words) {
			t.Errorf("%q ends without a command", line)
			return
		}
		at := slices.IndexFunc(all, func(c commandHelp) bool { return c.Name == words[i+1] })
		if at < 0 {
			t.Errorf("%q: there is no command %q", line, words[i+1])
			continue
		}
		var known []string
		for _, f := range all[at].Flags {
			known = append(known, "--"+f.Name)
		}
		for _, word := range words[i+2:] {
			if word == "&&" || word == "|" {
				break
			}
			if strings.HasPrefix(word, "--") && !slices.Contains(known, word) {
				t.Errorf("%q: %s takes no %s", line, all[at].Name, word)
			}
		}
	}
}

func TestHelp_JSON(t *testing.T) {
	_, out, _ := forage(t.TempDir(), "help resume --json")
	var one commandHelp
	err := json.Unmarshal([]byte(out), &one)
	if err != nil || one.Name != "resume" || one.Usage != "forage resume [--for DURATION]" || one.Flags[0].Name != "for" ||
		one.Flags[0].Value != "DURATION" ||
		one.Flags[0].Text != "work for a DURATION such as 2m or 1h30m while you use the computer" {
		t.Errorf("%+v, %v", one, err)
	}
}

func TestUnknown_SuggestsTheNearest(t *testing.T) {
	for line, want := range map[string]string{
		"stauts":           `forage: there is no command "stauts"; did you mean "status"? "forage help" lists them`,
		"frobnicate":       `forage: there is no command "frobnicate"; "forage help" lists them`,
		"help stauts":      `forage: there is no command "stauts"; did you mean "status"? "forage help" lists them`,
		"doctor --dryrun":  `forage: there is no flag "--dryrun"; did you mean "--dry-run"? "forage help doctor" lists the flags`,
		"doctor --colour":  `forage: there is no flag "--colour"; "forage help doctor" lists the flags`,
		"--jsn status":     `forage: there is no flag "--jsn"; did you mean "--json"? "forage help COMMAND" lists the flags, which stand behind the command`,
		"run --depth many": `forage: invalid value "many" for flag --depth: parse error; "forage help run" lists the flags`,
		"run --gap":        `forage: flag needs an argument: --gap; "forage help run" lists the flags`,
		"get disk.mx":      `forage: disk.mx is not a setting; did you mean "disk.max"?`,
	} {
		var out, errs bytes.Buffer
		if code := Main(strings.Fields(line), &out, &errs); code != env.ExitUsage && !strings.HasPrefix(line, "get") || errs.String() != want+"\n" || out.Len() > 0 {
			t.Errorf("forage %s: exit code %d, says\n%swant\n%s", line, code, errs.String(), want)
		}
	}
}
