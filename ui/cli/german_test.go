package cli

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/progress"
	"github.com/forage-net/forage/ui/open"
)

// englishWords are in most sentences of English and in none of German.
var englishWords = regexp.MustCompile(`(?i)\b(the|this|that|and|not|with|has|are|you|your|what|which|nobody|nothing|there|its|from|takes|only|never)\b`)

// quotedText is what is no German in a German sentence: command lines, flags, settings, paths, and what was typed.
var quotedText = regexp.MustCompile(`„[^“]*“|"[^"]*"|--[a-z-]+|[a-z]+\.never|\S*[/=]\S*`)

// englishPieces are what can be told to be English: the parts of sentences that stand in no German text.
func englishPieces() map[string]string {
	german := strings.Join(slices.Collect(maps.Values(words.Keys(words.German))), "\n")
	pieces := make(map[string]string)
	for key, text := range words.Keys(words.English) {
		for _, piece := range regexp.MustCompile(`\{\w+\}|\n`).Split(text, -1) {
			if piece = strings.TrimSpace(piece); len(piece) > 8 && strings.Contains(piece, " ") && !strings.Contains(german, piece) {
				pieces[piece] = key
			}
		}
	}
	return pieces
}

// No command says a sentence in English to who speaks German, except for the text that is agreed to, which is shown in both.
func TestSpoken_GermanIsGerman(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("as TestSpoken_AsWritten")
	}
	pieces := englishPieces()
	if len(pieces) < 500 {
		t.Fatalf("%d pieces", len(pieces))
	}
	for said := range strings.SplitSeq(speak(t, words.German), "\n$ ") {
		line, text, _ := strings.Cut(said, "\n")
		if _, translation, both := strings.Cut(text, words.Text(words.German, "consent.note", nil)); both {
			text = translation
		}
		for piece, key := range pieces {
			if strings.Contains(text, piece) {
				t.Errorf("%s says %q, which is of %s", line, piece, key)
			}
		}
		if word := englishWords.FindString(quotedText.ReplaceAllString(text, "")); word != "" {
			t.Errorf("%s says %q:\n%s", line, word, text)
		}
	}
}

var (
	// twoWords are words of a sentence.
	twoWords    = regexp.MustCompile(`[A-Za-z]{2,} [a-z]{2,}`)
	commandLine = regexp.MustCompile(`forage [a-z]+ --.*`)
	formatVerb  = regexp.MustCompile(`%[a-z]`)
)

// What is printed is not written in the source, except for help and manual, which are in English, for command lines, and
// for parts of errors, which are said in German when they are shown.
func TestSource_PrintsNoSentence(t *testing.T) {
	found := 0
	for _, file := range sourceFiles(t, "help.go", "man.go", "pages.go") {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !slices.Contains([]string{"Fprint", "Fprintf", "Fprintln", "Sprint", "Sprintf", "WriteString", "print", "begin", "add"}, sel.Sel.Name) {
				return true
			}
			found++
			for _, arg := range call.Args {
				ast.Inspect(arg, func(n ast.Node) bool {
					if lit, is := n.(*ast.BasicLit); is && lit.Kind == token.STRING {
						text, _ := strconv.Unquote(lit.Value)
						if twoWords.MatchString(commandLine.ReplaceAllString(text, "")) && !words.IsSaid(formatVerb.ReplaceAllString(strings.TrimPrefix(text, "; "), "7x7")) {
							t.Errorf("%s prints %q", sel.Sel.Name, text)
						}
					}
					return true
				})
			}
			return true
		})
	}
	if found < 50 {
		t.Errorf("%d calls found", found)
	}
}

// aGermanDemo is what a demo shows to who speaks German.
func aGermanDemo(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	scene := aScene()
	scene.Lang = "de"
	swarm := &demoSwarm{lang: "de", nodes: []*demoNode{{lang: "de", number: 1, id: "QmaBc123"}}}
	scene.Notice = swarm.shrink()
	for _, line := range scene.lines(100, 24, false) {
		b.WriteString(line + "\n")
	}
	b.WriteString(scene.sentence() + "\n")
	node := &demoNode{lang: "de"}
	for _, text := range []string{"12 links sent to aBc123", "1 link received from aBc123", "3 domains handed to xyz789", "1 domain fetched for aBc123"} {
		node.note(api.Event{Kind: api.KindSwarm, Text: text}, time.Unix(0, 0), swarm.nameOf)
		b.WriteString(node.now.Last + "\n")
	}
	e := &env{out: &b, err: &b, lang: "de", home: "/h"}
	nodes := []demoNodeResult{{demoState{Number: 1, Pages: 1200, Domains: 61, Sent: 1, Archive: 1500}, "/h/1/data/warc"}}
	for _, r := range []demoResult{
		{Complete: true, Pages: 3000, Fetched: 3000, Seconds: 18.7, Links: 1200, Nodes: nodes},
		{Complete: true, Pages: 3, Fetched: 2, Links: 1, Nodes: nodes}, {Pages: 3, Fetched: 3, Twice: 2, Nodes: nodes},
	} {
		if err := e.demoSummary(r); err != nil {
			b.WriteString(e.explain(err) + "\n")
		}
	}
	return b.String()
}

// What is too long, or needs a screen, for TestSpoken_AsWritten.
func TestSpoken_DemoBarsAndPages(t *testing.T) {
	var b strings.Builder
	b.WriteString(aGermanDemo(t))
	bar, _, clock := aBar(80)
	bar.lang, bar.started = "de", *clock
	for _, work := range []string{"exporting", "deleting", "looking up pages", "reading links", "reading pages", "sorting the index", "reading the archive", "checking the archive"} {
		bar.report = progress.Report{Work: work, Done: 5e8, Total: 2e9}
		b.WriteString(bar.text(clock.Add(10*time.Second), 100) + "\n")
	}
	bar.report = progress.Report{Work: "deleting", Done: 1, Total: 1 << 62, Unit: progress.Items}
	b.WriteString(bar.text(clock.Add(time.Hour), 100) + "\n")
	missed := &open.EndedError{Code: 1, Log: "/s/window.log"}
	missed.Reason = missed.Error()
	for _, o := range []open.Outcome{{Shown: open.ShownWindow}, {Shown: open.ShownDashboard, Missed: missed}, {Shown: open.ShownNothing}} {
		b.WriteString(openedText("de", true, o, " --home /h"))
	}
	e := &env{out: &b, err: &b, lang: "de", home: "/h"}
	e.summary(api.Status{PagesSession: 1200, Pages: 5000, Domains: 7, Known: 99999, Queued: 3, ArchiveBytes: 1500, ArchiveDir: "/h/data/warc"})
	for _, text := range []string{
		"export: nothing has been archived yet; \"forage run\" or \"forage demo\" fetches pages", "autostart: a service is not there on this system; leave --service out",
		"autostart: \"/a b\" cannot be started by the system: it is too long", "this home holds a crawl of another network: of \"a\", not of \"b\"; use another --home, or \"forage erase\" it first",
		"the two are not the same; nothing was changed", "not a valid invite: part of it got lost or changed; copy the whole line again",
		"this node has no address that others could reach; \"forage peers\" tells more", "HOME is not set; say where to keep the files with --home DIR",
		"seeds.txt:3: scheme is not http or https: \"ftp://x\"", "call /api/status: context deadline exceeded",
	} {
		b.WriteString(e.explain(errors.New(text)) + "\n")
	}
	golden(t, "shown_de.txt", b.String())
	if word := englishWords.FindString(quotedText.ReplaceAllString(b.String(), "")); word != "" {
		t.Errorf("it says %q", word)
	}
}

// The text that counts is the English one, and who is asked in German sees both.
func TestConsent_InGermanShowsTheTextThatCounts(t *testing.T) {
	e := &env{lang: "de", home: t.TempDir()}
	if err := e.findPaths(); err != nil {
		t.Fatal(err)
	}
	cfg := config.Defaults()
	english, german := config.ConsentText(words.English, e.paths, cfg), config.ConsentText(words.German, e.paths, cfg)
	if text := e.wholeConsent(cfg); !strings.Contains(text, "\n\n"+english+"\n") || !strings.HasSuffix(text, "\n\n"+german) {
		t.Errorf("the text is\n%s", text)
	}
	if text := e.translatedConsent(cfg); strings.Contains(text, "If you agree") || !strings.HasPrefix(text, words.Text(words.German, "consent.note", nil)+"\n\n") {
		t.Errorf("the translation is\n%s", text)
	}
	for _, paragraph := range e.consentAnswer(cfg).Text {
		if !strings.Contains(english, paragraph) {
			t.Errorf("a program is told %q", paragraph)
		}
	}
	if e.lang = "en"; e.wholeConsent(cfg) != english || e.translatedConsent(cfg) != english {
		t.Errorf("in English the text is\n%s", e.wholeConsent(cfg))
	}
}

// sourceFiles returns the files of this package except for tests and those that are named.
func sourceFiles(t *testing.T, but ...string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || slices.Contains(but, name) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}
