package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// goPackage is what go list says of a package.
type goPackage struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// measureHouse measures all packages of the module, and says what makes circles.
func measureHouse(t *testing.T) (found map[measure]int, why map[measure]string) {
	t.Helper()
	packages := listPackages(t)
	exports := make(map[string]string)
	for _, p := range packages {
		exports[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	found, why = make(map[measure]int), make(map[measure]string)
	for _, p := range packages {
		name, ours := strings.CutPrefix(p.ImportPath, module)
		if !ours {
			continue
		}
		measureSources(t, name, p.Dir, found)
		checked := checkPackage(t, p, fset, imports)
		checked.measureTypes(name, found)
		n, calls := checked.circles()
		found[measure{"circle", name}] = n
		for i, call := range calls {
			if i == 20 {
				why[measure{"circle", name}] += fmt.Sprintf("\n\tand %d more", len(calls)-i)
				break
			}
			why[measure{"circle", name}] += "\n\t" + call
		}
	}
	return found, why
}

// listPackages returns the module's packages and all they import, with their compiled types.
func listPackages(t *testing.T) (packages []goPackage) {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", module+"...")
	cmd.Env = append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0")
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		packages = append(packages, p)
	}
}

func measureSources(t *testing.T, name, dir string, found map[measure]int) {
	t.Helper()
	paths, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found[measure{"files", name}]++
		for line := range strings.Lines(string(text)) {
			found[measure{"lines", name}]++
			width := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) + (tab-1)*strings.Count(line, "\t")
			if width > columns && !strings.HasPrefix(line, "//go:") { // a directive has one line
				found[measure{"wide", name}]++
			}
		}
	}
}

// checkedPackage is a package whose identifiers are resolved.
type checkedPackage struct {
	*types.Package
	fset  *token.FileSet
	files []*ast.File
	info  types.Info
}

func checkPackage(t *testing.T, p goPackage, fset *token.FileSet, imports types.Importer) *checkedPackage {
	t.Helper()
	c := &checkedPackage{fset: fset, info: types.Info{Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object)}}
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		c.files = append(c.files, file)
	}
	var err error
	if c.Package, err = (&types.Config{Importer: imports}).Check(p.ImportPath, fset, c.files, &c.info); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *checkedPackage) measureTypes(name string, found map[measure]int) {
	for _, obj := range c.info.Defs {
		def, is := obj.(*types.TypeName)
		if !is || def.Parent() != c.Scope() {
			continue
		}
		if named, is := def.Type().(*types.Named); is && !def.IsAlias() {
			found[measure{"methods", name + "." + def.Name()}] = named.NumMethods()
		}
		if fields, is := def.Type().Underlying().(*types.Struct); is && !def.IsAlias() {
			found[measure{"fields", name + "." + def.Name()}] = fields.NumFields()
		}
	}
}

// circles returns how many files of a package call each other in circles, and those calls. Files that hold methods of
// one type count as one. A call through an interface leads to no file.
func (c *checkedPackage) circles() (n int, calls []string) {
	room := c.rooms()
	reach := make(map[string]map[string]bool)
	type ends struct{ from, to string }
	crossing := make(map[string]ends)
	for id, obj := range c.info.Uses {
		f, is := obj.(*types.Func)
		if !is || f.Pkg() != c.Package || types.IsInterface(receiver(f)) {
			continue
		}
		user, holder := c.file(id.Pos()), c.file(f.Pos())
		e := ends{room(user), room(holder)}
		if e.from == e.to {
			continue
		}
		crossing[fmt.Sprintf("%s calls %s of %s", user, f.Name(), holder)] = e
		if reach[e.from] == nil {
			reach[e.from] = make(map[string]bool)
		}
		reach[e.from][e.to] = true
	}
	for grown := true; grown; {
		grown = false
		for _, reached := range reach {
			before := len(reached)
			for to := range maps.Clone(reached) {
				maps.Copy(reached, reach[to])
			}
			grown = grown || len(reached) > before
		}
	}
	for from := range reach {
		if reach[from][from] {
			n++
		}
	}
	for call, e := range crossing {
		if reach[e.to][e.from] {
			calls = append(calls, call)
		}
	}
	slices.Sort(calls)
	return n, calls
}

// rooms returns a function that names the first of the files that count as one with a file.
func (c *checkedPackage) rooms() func(file string) string {
	next := make(map[string]string)
	room := func(file string) string {
		for next[file] != "" {
			file = next[file]
		}
		return file
	}
	methods := make(map[types.Object]string) // a file that holds methods of a type
	for _, obj := range c.info.Defs {
		named, is := receiver(obj).(*types.Named)
		if !is {
			continue
		}
		file := c.file(obj.Pos())
		other, known := methods[named.Obj()]
		if methods[named.Obj()] = file; !known {
			continue
		}
		a, b := room(file), room(other)
		if a != b {
			next[max(a, b)] = min(a, b)
		}
	}
	return room
}

func (c *checkedPackage) file(pos token.Pos) string {
	return filepath.Base(c.fset.Position(pos).Filename)
}

// receiver returns the type that a method belongs to, or one that is none.
func receiver(obj types.Object) types.Type {
	f, is := obj.(*types.Func)
	if !is || f.Signature().Recv() == nil {
		return types.Typ[types.Invalid]
	}
	of := f.Signature().Recv().Type()
	if p, is := of.(*types.Pointer); is {
		of = p.Elem()
	}
	if named, is := of.(*types.Named); is {
		return named.Origin()
	}
	return of
}
