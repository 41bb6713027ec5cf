package cli

import (
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

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/clitest"
)

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
		if word := clitest.EnglishWords.FindString(clitest.QuotedText.ReplaceAllString(text, "")); word != "" {
			t.Errorf("%s says %q:\n%s", line, word, text)
		}
	}
}

var (
	// twoWords are words of a sentence.
	twoWords    = regexp.MustCompile(`[A-Za-z]{2,} [a-z]{2,}`)
	commandLine = regexp.MustCompile(`forage [a-z]+ --.*`)
)

// What is printed is not written in the source, except for help and manual, which are in English, for command lines, and
// for parts of errors, which are said in German when they are shown.
func TestSource_PrintsNoSentence(t *testing.T) {
	found := 0
	for _, file := range sourceFiles(t, "help", "clitest") {
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
						if twoWords.MatchString(commandLine.ReplaceAllString(text, "")) {
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

// sourceFiles returns the files of this package and those below it, except for tests and packages that are named.
func sourceFiles(t *testing.T, but ...string) (files []*ast.File) {
	t.Helper()
	names, _ := filepath.Glob("*.go")
	below, _ := filepath.Glob("*/*.go")
	for _, name := range append(names, below...) {
		if strings.HasSuffix(name, "_test.go") || slices.Contains(but, filepath.Dir(name)) {
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
