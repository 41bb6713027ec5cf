package api

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/forage-net/forage/assets/words"
)

// Each code has words in each language, so that no page has to show the English text of an event.
func TestCodes_HaveWords(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "events.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Code") {
			return true
		}
		code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		count++
		for _, lang := range []string{words.English, words.German} {
			key := "ring.event." + code
			known := words.Keys(lang)
			if known[key] == "" && (known[key+".one"] == "" || known[key+".other"] == "") {
				t.Errorf("there are no words for %s in %q", code, lang)
			}
		}
		return true
	})
	if count < 20 {
		t.Errorf("there are %d codes in events.go, want more", count)
	}
}
