package words_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/forage-net/forage/assets/words"
)

const (
	root   = "../.."
	ours   = "github.com/forage-net/forage/"
	itself = "assets/words"
)

// source is one file of the program.
type source struct {
	dir  string // its package, from the root
	name string
	file *ast.File
}

// maker is a function that makes a message of a key and arguments; key is the place of the key among its parameters,
// and the arguments come next.
type maker struct{ dir, name string }

// Each message that the source makes is of a constant key that has a text in every language, with the arguments that
// the text speaks of. A function that has parameters "key string, args words.Args" and does not return a text is a
// maker itself: what calls it is looked at in the same way.
func TestMessages_OfTheSourceHaveTexts(t *testing.T) {
	set := token.NewFileSet()
	files := sources(t, set)
	makers := map[maker]int{{itself, "New"}: 0}
	keys := make(map[maker]string) // constants
	for _, f := range files {
		for _, d := range f.file.Decls {
			if fn, is := d.(*ast.FuncDecl); is {
				if at, makes := keyOf(fn); makes {
					makers[maker{f.dir, fn.Name.Name}] = at
				}
			} else {
				constants(f.dir, d.(*ast.GenDecl), keys)
			}
		}
	}
	found := 0
	for _, f := range files {
		for _, d := range f.file.Decls {
			fn, is := d.(*ast.FuncDecl)
			inMaker := false
			if is {
				_, inMaker = makers[maker{f.dir, fn.Name.Name}]
			}
			ast.Inspect(d, func(n ast.Node) bool {
				call, is := n.(*ast.CallExpr)
				if !is {
					return true
				}
				at, makes := makers[f.called(call)]
				if !makes || len(call.Args) < at+2 || inMaker && isName(call.Args[at], "key") {
					return true
				}
				found++
				if wrong := wrongMessage(f.key(call.Args[at], keys), call.Args[at+1]); wrong != "" {
					t.Errorf("%s: %s", set.Position(call.Pos()), wrong)
				}
				return true
			})
		}
	}
	if found == 0 {
		t.Error("no messages found")
	}
}

// No message is without use: its key stands in the source, or begins as keys do that are put together there.
func TestMessages_AreUsed(t *testing.T) {
	whole, begins := make(map[string]bool), []string{}
	for _, f := range sources(t, token.NewFileSet()) {
		ast.Inspect(f.file, func(n ast.Node) bool {
			lit, is := n.(*ast.BasicLit)
			if !is || lit.Kind != token.STRING {
				return true
			}
			text, _ := strconv.Unquote(lit.Value)
			if key, said := strings.CutPrefix(text, "said."); said && key != "" {
				if strings.HasSuffix(key, ".") || strings.HasSuffix(key, "-") {
					begins = append(begins, text)
				}
				whole[text] = true
			}
			return true
		})
	}
	for key := range words.Keys(words.English) {
		if !strings.HasPrefix(key, "said.") {
			continue
		}
		base := strings.TrimSuffix(strings.TrimSuffix(key, ".one"), ".other")
		begun := func(begin string) bool { return strings.HasPrefix(key, begin) }
		if !whole[base] && !slices.ContainsFunc(begins, begun) {
			t.Errorf("%s stands nowhere in the program", key)
		}
	}
}

// sources returns what the program is made of, without tests.
func sources(t *testing.T, set *token.FileSet) (list []source) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(name))
		list = append(list, source{filepath.ToSlash(dir), name, file})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// keyOf returns the place of the key among the parameters of a function that makes messages.
func keyOf(fn *ast.FuncDecl) (at int, makes bool) {
	if fn.Type.Results == nil || slices.ContainsFunc(fn.Type.Results.List, isText) {
		return 0, false
	}
	for _, field := range fn.Type.Params.List {
		for _, name := range field.Names {
			if name.Name == "args" && isSelector(field.Type, "words", "Args") {
				return at - 1, at > 0
			}
			at++
		}
	}
	return 0, false
}

func isText(result *ast.Field) bool { return isName(result.Type, "string") }

func isName(e ast.Expr, name string) bool {
	id, is := e.(*ast.Ident)
	return is && id.Name == name
}

func isSelector(e ast.Expr, of, name string) bool {
	sel, is := e.(*ast.SelectorExpr)
	return is && isName(sel.X, of) && sel.Sel.Name == name
}

// called returns the function of ours that a call is of, as far as its name tells: a method by its name alone.
func (f source) called(call *ast.CallExpr) maker {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		return maker{f.dir, fun.Name}
	case *ast.SelectorExpr:
		if of, is := fun.X.(*ast.Ident); is {
			for _, spec := range f.file.Imports {
				where, _ := strconv.Unquote(spec.Path.Value)
				if dir, is := strings.CutPrefix(where, ours); is && nameOf(spec, where) == of.Name {
					return maker{dir, fun.Sel.Name}
				}
			}
		}
		return maker{f.dir, fun.Sel.Name}
	}
	return maker{}
}

// constants adds the texts that are constants of a package.
func constants(dir string, d *ast.GenDecl, to map[maker]string) {
	for _, spec := range d.Specs {
		v, is := spec.(*ast.ValueSpec)
		if !is || d.Tok != token.CONST {
			continue
		}
		for i, name := range v.Names {
			if i < len(v.Values) {
				to[maker{dir, name.Name}] = text(v.Values[i])
			}
		}
	}
}

// text returns the text of a literal, "" of anything else.
func text(e ast.Expr) string {
	if lit, is := e.(*ast.BasicLit); is && lit.Kind == token.STRING {
		s, _ := strconv.Unquote(lit.Value)
		return s
	}
	return ""
}

// key returns the key that stands somewhere, or the constant of its package that does; "" for anything else.
func (f source) key(e ast.Expr, constants map[maker]string) string {
	if id, is := e.(*ast.Ident); is {
		return constants[maker{f.dir, id.Name}]
	}
	return text(e)
}

// nameOf returns what a package is called in a file that imports it.
func nameOf(spec *ast.ImportSpec, where string) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	return path.Base(where)
}

// wrongMessage says what is wrong with a key and its arguments.
func wrongMessage(name string, args ast.Expr) string {
	if name == "" {
		return "the key is not a constant of this package"
	}
	if !words.Has(name) {
		return "there is no text " + name
	}
	given, ok := namesOf(args)
	if !ok {
		return name + ": the arguments do not stand there as words.Args{…}"
	}
	for _, lang := range words.Languages() {
		table := words.Keys(lang)
		wanted := map[string]bool{}
		for _, form := range []string{"", ".one", ".other"} {
			if form != "" && table[name+form] != "" {
				wanted["count"] = true
			}
			for _, arg := range words.Placeholders(table[name+form]) {
				wanted[arg] = true
			}
		}
		if want := slices.Sorted(maps.Keys(wanted)); !slices.Equal(given, want) {
			return name + " has the arguments " + strings.Join(given, ", ") + "; in " + lang + " it speaks of " +
				strings.Join(want, ", ")
		}
	}
	return ""
}

// namesOf returns the names in words.Args{…}, sorted; none for nil.
func namesOf(args ast.Expr) (names []string, ok bool) {
	if isName(args, "nil") {
		return nil, true
	}
	lit, is := args.(*ast.CompositeLit)
	if !is {
		return nil, false
	}
	for _, e := range lit.Elts {
		pair, is := e.(*ast.KeyValueExpr)
		if !is {
			return nil, false
		}
		names = append(names, text(pair.Key))
	}
	slices.Sort(names)
	return names, true
}
