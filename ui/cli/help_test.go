package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestHelp_IsAsWritten(t *testing.T) {
	golden(t, "help/overview.txt", overview())
	for _, v := range verbs() {
		golden(t, "help/"+v.name+".txt", helpText(v))
	}
}

// However it is asked for, the help of a verb is the same.
func TestHelp_AllWaysToAsk(t *testing.T) {
	for _, v := range verbs() {
		want := helpText(v)
		for _, line := range []string{"help " + v.name, v.name + " --help", v.name + " -h", "--help " + v.name} {
			var out, errs bytes.Buffer
			if code := Main(strings.Fields(line), &out, &errs); code != exitOK || out.String() != want || errs.Len() > 0 {
				t.Errorf("forage %s: exit code %d\n%s%s", line, code, out.String(), errs.String())
			}
		}
	}
}

func TestHelp_FitsATerminal(t *testing.T) {
	texts := map[string]string{"overview": overview()}
	for _, v := range verbs() {
		texts[v.name] = helpText(v)
	}
	for name, text := range texts {
		for line := range strings.Lines(text) {
			if line = strings.TrimSuffix(line, "\n"); len([]rune(line)) > helpWidth || strings.TrimRight(line, " \t") != line {
				t.Errorf("%s: a line of %d columns: %q", name, len([]rune(line)), line)
			}
		}
	}
}

// Every verb has a page, and what pages say is so: examples are command lines that make sense, and verbs
// that are named are there.
func TestPages(t *testing.T) {
	var names []string
	for _, v := range verbs() {
		names = append(names, v.name+".txt")
		text, err := pageFiles.ReadFile("pages/" + v.name + ".txt")
		if err != nil {
			t.Errorf("there is no page about %s: %v", v.name, err)
			continue
		}
		p, err := readPage(string(text))
		if err != nil {
			t.Fatalf("%s: %v", v.name, err)
		}
		if !slices.Contains(sections, p.section) || len(p.about) == 0 || len(p.examples) < 2 || len(p.also) == 0 {
			t.Errorf("%s: section %q, %d paragraphs, %d examples, %d related verbs", v.name, p.section, len(p.about), len(p.examples), len(p.also))
		}
		for _, name := range p.also {
			if _, ok := findVerb(name); !ok || name == v.name {
				t.Errorf("%s: there is nothing to see in %q", v.name, name)
			}
		}
		for _, code := range p.codes {
			if codeText(code) == "" {
				t.Errorf("%s: nothing is said about exit code %d", v.name, code)
			}
		}
		own := false
		for _, x := range p.examples {
			if x.text == "" {
				t.Errorf("%s: nothing is said about %q", v.name, x.command)
			}
			own = own || strings.Contains(x.command, "forage "+v.name)
			checkExample(t, x.command)
		}
		if !own {
			t.Errorf("%s: there is no example of it", v.name)
		}
	}
	files, err := filepath.Glob("pages/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(names, filepath.Base(f)) {
			t.Errorf("%s is about nothing", f)
		}
	}
}

// checkExample fails the test unless each call of forage in a command line has a verb, and flags that it takes.
func checkExample(t *testing.T, line string) {
	t.Helper()
	words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \"$()", r) })
	for i, word := range words {
		if word != "forage" || i > 0 && words[i-1] != "&&" && words[i-1] != "cd" {
			continue
		}
		if i+1 == len(words) {
			t.Errorf("%q ends without a verb", line)
			return
		}
		v, ok := findVerb(words[i+1])
		if !ok {
			t.Errorf("%q: there is no verb %q", line, words[i+1])
			continue
		}
		known := []string{"--home", "--json"}
		for _, f := range flagsOf(v) {
			known = append(known, "--"+f.Name)
		}
		for _, word := range words[i+2:] {
			if word == "&&" || word == "|" {
				break
			}
			if strings.HasPrefix(word, "--") && !slices.Contains(known, word) {
				t.Errorf("%q: %s takes no %s", line, v.name, word)
			}
		}
	}
}

// The flags of a verb can be asked for without anything being done.
func TestFlagsOf(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	t.Setenv("FORAGE_HOME", home)
	for _, v := range verbs() {
		for _, f := range flagsOf(v) {
			if f.Usage == "" && f.Name != "no-tray" {
				t.Errorf("%s: nothing is said about --%s", v.name, f.Name)
			}
		}
	}
	if _, err := os.Stat(home); !os.IsNotExist(err) {
		t.Errorf("a home was made: %v", err)
	}
	v, _ := findVerb("export")
	var names []string
	for _, f := range flagsOf(v) {
		names = append(names, f.Name)
	}
	if !slices.Equal(names, []string{"all", "format", "title"}) {
		t.Errorf("the flags of export are %q", names)
	}
}

func TestHelp_JSON(t *testing.T) {
	_, out, _ := forage(t.TempDir(), "help --json")
	var all []helpJSON
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all) != len(verbs()) {
		t.Fatalf("%d verbs, %v", len(all), err)
	}
	_, out, _ = forage(t.TempDir(), "help resume --json")
	var one helpJSON
	if err := json.Unmarshal([]byte(out), &one); err != nil || one.Name != "resume" || one.Usage != "forage resume [--for DURATION]" ||
		one.Flags[0] != (flagJSON{"for", "DURATION", "work for a DURATION such as 2m or 1h30m while you use the computer"}) {
		t.Errorf("%+v, %v", one, err)
	}
}

func TestNearest(t *testing.T) {
	known := []string{"run", "demo", "status", "stats", "stop", "domains", "doctor", "resume", "never"}
	for word, want := range map[string]string{
		"stauts": "status", "statu": "status", "stat": "stats", "domain": "domains", "dom": "domains", "RUN": "run", "rnu": "run", "resum": "resume",
		"neverr": "never", "dcotor": "doctor", "xyz": "", "": "", "zzzzzzzzzz": "", "a": "", "q": "", strings.Repeat("run", 1000): "",
	} {
		if got := nearest(word, known); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestUnknown_SuggestsTheNearest(t *testing.T) {
	for line, want := range map[string]string{
		"stauts":           `forage: there is no command "stauts"; did you mean "status"? "forage help" lists them`,
		"frobnicate":       `forage: there is no command "frobnicate"; "forage help" lists them`,
		"help stauts":      `forage: there is no command "stauts"; did you mean "status"? "forage help" lists them`,
		"doctor --dryrun":  `forage: there is no flag "--dryrun"; did you mean "--dry-run"? "forage help doctor" lists the flags`,
		"doctor --colour":  `forage: there is no flag "--colour"; "forage help doctor" lists the flags`,
		"--jsn status":     `forage: there is no flag "--jsn"; did you mean "--json"? The flags of a command stand behind it: "forage help COMMAND"`,
		"run --depth many": `forage: invalid value "many" for flag --depth: parse error; "forage help run" lists the flags`,
		"run --gap":        `forage: flag needs an argument: --gap; "forage help run" lists the flags`,
		"get disk.mx":      `forage: disk.mx is not a setting; did you mean "disk.max"?`,
	} {
		var out, errs bytes.Buffer
		if code := Main(strings.Fields(line), &out, &errs); code != exitUsage && !strings.HasPrefix(line, "get") || errs.String() != want+"\n" || out.Len() > 0 {
			t.Errorf("forage %s: exit code %d, says\n%swant\n%s", line, code, errs.String(), want)
		}
	}
}
