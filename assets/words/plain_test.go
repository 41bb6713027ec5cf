package words

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unplain are words that a neighbour would not use, by language.
var unplain = map[string][]*regexp.Regexp{
	English: {
		regexp.MustCompile(`(?i)\banew\b|\bbut for\b|\bholds? at once\b|\bof late\b|\btakes? heed\b|\bby UTC\b|\bwork goes on\b`),
		regexp.MustCompile(`(?i)what is mine|nobody here had|\bthose (that|who|which|of)\b|\bstands? by\b|\bkeeps? the books\b|\bmend(s|ed)?\b`),
		regexp.MustCompile(`\b(is|are|was) no (domain|host|setting|name|file|page|site|text|topic|size|time|number|address|web|top-level|length|absolute|day)`),
		regexp.MustCompile(`\bas (?:"|“|/|https?:|www\.|example|\{)|, as (?:a|an|on|of|by|in) `),
		regexp.MustCompile(`(^|[.:;] )(Who|What|Whoever|Whatever) [^?]*[.]$`),
		regexp.MustCompile(`(?i)\bsites? (that|which) (is|are) yours\b|\b(is|are) yours\b|\byour (own )?sites? lent\b|\bbooks\b`),
		regexp.MustCompile(`(?i)\bthe node\b|\bthis node\b|\byour node\b`),
	},
	German: {
		regexp.MustCompile(`(?i)\bführt Buch\b|\bBuch (ge)?führt?\b|\bgehör(t|en) Ihnen\b|\bhört auf\b|\bdasjenige\b|\bderjenige\b|\bobig`),
		regexp.MustCompile(`(?i)\bpausier|\bgeht die Arbeit weiter\b|\bhält sich bereit\b|\bmacht Platz\b|\bsieht dazu\b`),
		regexp.MustCompile(`\b(der|Der|dieser|Dieser|Ihr) Knoten\b`),
	},
}

// agreed is the file of the text that users agreed to. It changes with its version alone.
const agreed = "consent.json"

// isScreen reports whether a file is for screens. A command line and the doctor speak to experts, of nodes too.
func isScreen(file string) bool {
	return !strings.HasPrefix(file, "said-") && !slices.Contains([]string{"cli.json", agreed, "settings.json", "report.json"}, file)
}

// quoted is what stands in quotes or brackets, and what stands for something else.
var quoted = regexp.MustCompile(`(?m)^ *forage .*$|write forage set|„[^“]*“|“[^”]*”|"[^"]*"|\([^)]*\)`)

// byFile returns the texts of a language by the name of their file.
func byFile(t *testing.T, lang string) map[string]map[string]string {
	t.Helper()
	names, err := fs.Glob(files, lang+"/*.json")
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]map[string]string)
	for _, name := range names {
		table, err := read(oneFile{files, name}, lang)
		if err != nil {
			t.Fatal(err)
		}
		all[path.Base(name)] = table
	}
	return all
}

// oneFile is a file system of which only one name is found.
type oneFile struct {
	fs.FS
	name string
}

func (o oneFile) Glob(string) ([]string, error) { return []string{o.name}, nil }

// likes are ways to say "as" that are right.
var likes = strings.NewReplacer("such as ", "like ", "saved as ", "saved: ", "write it as ", "write ", ", as a number", "", ", as a TXT record", "", "There is no", "No", "there is no", "no")

// Texts speak as one speaks to a neighbour.
func TestFiles_PlainWords(t *testing.T) {
	for _, lang := range Languages() {
		for file, table := range byFile(t, lang) {
			if file == agreed {
				continue
			}
			for key, text := range table {
				said := likes.Replace(text)
				for i, words := range unplain[lang] {
					if last := len(unplain[lang]) - 1; i == last && !isScreen(file) || i == last-1 && lang == English && !isScreen(file) {
						continue
					}
					if found := words.FindString(said); found != "" {
						t.Errorf("%s/%s: %s says %q: %q", lang, file, key, found, text)
					}
				}
				if bare := quoted.ReplaceAllString(text, ""); bareName.MatchString(bare) && key != "first.seen.sites" {
					t.Errorf("%s/%s: %s writes forage small: %q", lang, file, key, text)
				}
			}
		}
	}
}

// bareName is the program's name where it is no command.
var bareName = regexp.MustCompile(`(^|[^\w/.-])forage($|[^\w/.-]|\.$|\. )`)

var sentenceEnd = regexp.MustCompile(`[.?!…]( |$)|\n`)

// longest is how many words a sentence may have: what is shown alone on a screen, or beside a setting, or in a terminal.
const longest = 20

func TestFiles_ShortSentences(t *testing.T) {
	for _, lang := range Languages() {
		for file, table := range byFile(t, lang) {
			if !isScreen(file) {
				continue
			}
			for key, text := range table {
				for _, sentence := range sentenceEnd.Split(text, -1) {
					if n := len(strings.Fields(sentence)); n > longest {
						t.Errorf("%s/%s: %s has a sentence of %d words, at most %d: %q", lang, file, key, n, longest, sentence)
					}
					if plain := quoted.ReplaceAllString(sentence, ""); strings.Contains(plain, ";") || strings.Count(strings.TrimSuffix(plain, ": {line}"), ": ") > 1 {
						t.Errorf("%s/%s: %s has a semicolon or two colons: %q", lang, file, key, sentence)
					}
				}
			}
		}
	}
}

// A state has one verb, in each language; what a limit says begins with it.
func TestFiles_OneVerbPerState(t *testing.T) {
	verbs := map[string]map[string]*regexp.Regexp{
		English: {
			".off": regexp.MustCompile(`^(Resting|Paused by you|Finishing) ?`), ".gentle": regexp.MustCompile(`^Working gently\b`), ".full": regexp.MustCompile(`^Working\b`),
		},
		German: {
			".off": regexp.MustCompile(`^(Ruht|Von Ihnen angehalten|Bringt Angefangenes zu Ende)`), ".gentle": regexp.MustCompile(`^Arbeitet\b.* ?sanft\b`),
			".full": regexp.MustCompile(`^Arbeitet\b`),
		},
	}
	for _, lang := range Languages() {
		count := 0
		for key, text := range byFile(t, lang)["limits.json"] {
			for level, verb := range verbs[lang] {
				if strings.HasSuffix(key, level) {
					if count++; !verb.MatchString(text) {
						t.Errorf("%s of %s does not begin with the verb of its state: %q", key, lang, text)
					}
				}
			}
		}
		if count < 40 {
			t.Errorf("%d texts of limits", count)
		}
	}
	for key, want := range map[string][2]string{
		"status.working.full": {"Working.", "Arbeitet."}, "status.reason.silent": {"Resting", "Ruht"}, "status.not_running": {"Stopped.", "Beendet."},
		"pause.done": {"Paused.", "Angehalten."}, "stopped.short": {"Stopped.", "Beendet."}, "status.fruitless": {"Needs a look", "Braucht Aufmerksamkeit"}, "status.refused": {"Needs a look", "Braucht Aufmerksamkeit"},
		"cli.state.working": {"working", "arbeitet"}, "cli.state.paused": {"paused", "angehalten"}, "cli.stopped": {"Stopped.", "Beendet."}, "cli.paused": {"Paused", "Angehalten"},
	} {
		for i, lang := range Languages() {
			if text := Keys(lang)[key]; !strings.HasPrefix(text, want[i]) {
				t.Errorf("%s of %s is %q, want %q", key, lang, text, want[i])
			}
		}
	}
}

// plurals are words that stand after more than one.
var plurals = regexp.MustCompile(`^(One|1|\{n\}|\{count\}|\{files\}) ((new|other|more|WARC) )*(pages|sites|files|captures|lines|domains|nodes|days|addresses)\b`)

// What comes with one is said of one.
func TestFiles_NumbersAgree(t *testing.T) {
	for key, text := range Keys(English) {
		if strings.HasSuffix(key, ".one") && plurals.MatchString(quoted.ReplaceAllString(text, "")) {
			t.Errorf("%s is said of more than one: %q", key, text)
		}
	}
}
