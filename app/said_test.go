package app

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/forage-net/forage/assets/words"
)

// phrasesIn says where phrases arise: by directory, the functions and fields that take them, with the place of the
// phrase among the arguments.
var phrasesIn = []struct {
	dir   string
	calls map[string]int
}{
	{"release", map[string]int{"New": 0, "Errorf": 0}},
	{"../ui/cli", map[string]int{"Usage": 0, "New": 0, "Errorf": 0}},
	{"../ui/cli/env", map[string]int{"Usage": 0, "New": 0, "Errorf": 0}},
	{"../ui/cli/start", map[string]int{"Usage": 0, "New": 0, "Errorf": 0}},
	{"../ui/cli/look", map[string]int{"Usage": 0, "New": 0, "Errorf": 0}},
	{"../ui/cli/help", map[string]int{"Usage": 0}},
	{"../ui/cli/complete", map[string]int{"Usage": 0}},
	{"../ui/cli/demo", map[string]int{"New": 0, "Errorf": 0}},
	{"../ui/open", map[string]int{"New": 0, "Errorf": 0, "Sprintf": 0}},
}

// unsaid are phrases that reach nobody: what a programmer did wrong, or a part that front ends do not ask; and what has
// no words of its own.
var unsaid = []string{
	"%s", "%v", "sites.never: %w", "tld.never: %w", "topics.never: %w", "scope: %w", "the window has no page %.40q", "%s: %v", "%w: %w", "%s: %w", "%s: crawl.scope: %w", "%w: %s", "%s%s", "usage", "help", "exit code %q", "%T keeps no record of requests",
}

var verb = regexp.MustCompile(`%[+#]?[0-9.]*[a-zA-Z]`)

// sample is a phrase with something for its arguments.
func sample(format string) string {
	return strings.ReplaceAll(verb.ReplaceAllString(strings.ReplaceAll(format, "%%", "\x00"), "7x7"), "\x00", "%")
}

// isSaid reports whether a phrase, or what is put before an error, can be said in German.
func isSaid(format string) bool {
	text := sample(format)
	before, wrapped := strings.CutSuffix(text, ": 7x7")
	before2, _ := strings.CutPrefix(text, "7x7: ")
	return words.IsSaid(text) || wrapped && words.IsSaid(before) || words.IsSaid(before2) ||
		words.IsSaid(strings.TrimSuffix(text, ". 7x7")+". Nothing was changed.")
}

// Each phrase that a node may say to its user stands in assets/words, where it has a German form.
func TestSaid_KnowsThePhrasesOfTheSource(t *testing.T) {
	for _, where := range phrasesIn {
		found := 0
		names, err := filepath.Glob(filepath.Join(where.dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				at, ok := where.calls[nameOfCall(call)]
				if !ok || at >= len(call.Args) {
					return true
				}
				for _, format := range literals(call.Args[at]) {
					found++
					if !slices.Contains(unsaid, format) && !isSaid(format) {
						t.Errorf("%s: %q has no words", where.dir, format)
					}
				}
				return true
			})
		}
		if found == 0 && len(where.calls) > 0 {
			t.Errorf("%s: no phrases found", where.dir)
		}
	}
}

func nameOfCall(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// literals returns the text of a literal, or of several added up.
func literals(e ast.Expr) []string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil {
			return []string{text}
		}
	case *ast.BinaryExpr:
		x, y := literals(e.X), literals(e.Y)
		switch {
		case len(x) == 1 && len(y) == 1:
			return []string{x[0] + y[0]}
		case len(x) == 1:
			return []string{x[0] + "%s"}
		}
	case *ast.CallExpr:
		if nameOfCall(e) == "Sprintf" {
			return literals(e.Args[0])
		}
	}
	return nil
}
