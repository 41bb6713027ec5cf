package server

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/forage-net/forage/app/api"
)

// schemas are the types of the wire as JSON Schema: their keys and kinds from the types, what they mean from
// the comments in the source.
type schemas struct {
	docs  *sourceDocs
	named map[string]obj // by name
}

// renamed are types whose names say little beside all others.
var renamed = map[string]string{"entry": "SessionRequest", "entries": "SessionWays", "pass": "SessionProof"}

// refinements say what a type cannot, by TYPE.KEY. The handlers are held to them.
var refinements = map[string]obj{
	"Setting.value": {{"type", []string{"string", "integer", "boolean", "array"}},
		{"items", obj{{"type", "string"}}}},
	"Setting.default": {{"type", []string{"string", "integer", "boolean", "array"}},
		{"items", obj{{"type", "string"}}}},

	"PauseRequest.for":     {{"type", "string"}, {"examples", []string{"1h30m"}}},
	"NeverRequest.pattern": {{"type", "string"}, {"minLength", 1}, {"maxLength", maxPattern}},
	"EraseRequest.confirm": {{"type", "string"}, {"const", "erase"}},
	"ExportRequest.format": {{"type", "string"},
		{"enum", []string{"warc", "wacz", "cdxj", "links", "pages", "graph", "stats"}}},
	"WindowRequest.page": {{"type", "string"}, {"enum", append([]string{""}, api.WindowPages...)},
		{"default", ""}},
	"SettingsChange.lang":          language,
	"Agreement.lang":               language,
	"SettingsChange.reset":         {{"type", "array"}, {"items", obj{{"type", "string"}}}, {"maxItems", maxChanges}},
	"Agreement.agree":              {{"type", "boolean"}, {"const", true}},
	"Agreement.connection_is_mine": {{"type", "boolean"}, {"const", true}},
}

var language = obj{{"type", "string"}, {"enum", []string{"en", "de"}}}

// demanded are the keys that a request must have.
var demanded = map[string][]string{
	"NeverRequest": {"pattern"}, "EraseRequest": {"confirm"}, "ExportRequest": {"format"},
	"Agreement": {"agree", "connection_is_mine"},
}

// schemaName returns what a type is called in the file, "" if it has no name.
func schemaName(t reflect.Type) string {
	if t.Name() == "" {
		return ""
	}
	if name := renamed[t.Name()]; name != "" {
		return name
	}
	return strings.ToUpper(t.Name()[:1]) + t.Name()[1:]
}

func ref(name string) obj { return obj{{"$ref", "#/components/schemas/" + name}} }

// of returns the schema of a type. A request is closed, and its keys may be left out: the node says what it
// does not know. An answer has all its keys, and later versions may add others.
func (s *schemas) of(t reflect.Type, request bool) obj {
	switch t {
	case reflect.TypeFor[time.Time]():
		return obj{{"type", "string"}, {"format", "date-time"}}
	case reflect.TypeFor[json.RawMessage](), reflect.TypeFor[any]():
		return obj{}
	}
	switch t.Kind() {
	case reflect.Bool:
		return obj{{"type", "boolean"}}
	case reflect.Int, reflect.Int64:
		return obj{{"type", "integer"}, {"format", "int64"}}
	case reflect.Uint64:
		return obj{{"type", "integer"}, {"minimum", 0}}
	case reflect.Float64:
		return obj{{"type", "number"}, {"format", "double"}}
	case reflect.String:
		if len(s.docs.consts[t.Name()]) > 0 {
			return s.words(t)
		}
		return obj{{"type", "string"}}
	case reflect.Slice:
		return obj{{"type", "array"}, {"items", s.of(t.Elem(), request)}}
	case reflect.Map:
		return obj{{"type", "object"}, {"additionalProperties", s.of(t.Elem(), request)}}
	case reflect.Pointer:
		return orNull(s.of(t.Elem(), request))
	case reflect.Struct:
		return s.structure(t, request)
	}
	panic(fmt.Sprintf("no schema for %v", t))
}

func orNull(o obj) obj {
	if o[0].key == "type" {
		o[0].value = []any{o[0].value, "null"}
		return o
	}
	return obj{{"anyOf", []any{o, obj{{"type", "null"}}}}}
}

// words returns the schema of a type of which there are constants.
func (s *schemas) words(t reflect.Type) obj {
	name := schemaName(t)
	about := s.docs.translate(t.Name(), s.docs.types[t.Name()], nil)
	var values, meanings []string
	for _, c := range s.docs.consts[t.Name()] {
		values = append(values, c.value)
		meanings = append(meanings, strings.TrimSuffix("`"+c.value+"`: "+s.docs.translate("", c.text,
			map[string]string{"Count": "count"}), ": "))
	}
	o := obj{{"type", "string"}, {"description", about + " " + strings.Join(meanings, "; ") + "."}}
	if !strings.Contains(about, "New ones may be added") {
		o = append(o, member{"enum", values})
	}
	s.named[name] = o
	return ref(name)
}

func (s *schemas) structure(t reflect.Type, request bool) obj {
	if t.Name() == "" { // the body of a command that takes nothing
		return obj{{"type", "object"}, {"additionalProperties", false}}
	}
	name := schemaName(t)
	if _, begun := s.named[name]; begun {
		return ref(name)
	}
	s.named[name] = nil
	keys := keysOf(t)
	o := obj{{"type", "object"}, {"description", s.docs.translate(t.Name(), s.docs.types[t.Name()], keys)}}
	var properties obj
	var required []string
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous {
			continue
		}
		key := f.Tag.Get("json")
		if key == "-" {
			continue
		}
		one, ok := refinements[name+"."+key]
		if !ok {
			one = s.of(f.Type, request)
		}
		owner := ownerOf(t, f)
		if text := s.docs.fields[owner.Name()+"."+f.Name]; text != "" {
			one = append(slices.Clone(one), member{"description", s.docs.translate(owner.Name(), text, keysOf(owner))})
		}
		properties = append(properties, member{key, one})
		required = append(required, key)
	}
	if request {
		required = demanded[name]
	}
	o = append(o, member{"properties", properties})
	if len(required) > 0 {
		o = append(o, member{"required", required})
	}
	if request {
		o = append(o, member{"additionalProperties", false})
	}
	s.named[name] = o
	return ref(name)
}

// ownerOf returns the struct in which a field is written down.
func ownerOf(t reflect.Type, f reflect.StructField) reflect.Type {
	for _, i := range f.Index[:len(f.Index)-1] {
		t = t.Field(i).Type
	}
	return t
}

// keysOf returns the keys of a struct by the names of its fields.
func keysOf(t reflect.Type) map[string]string {
	keys := map[string]string{}
	for _, f := range reflect.VisibleFields(t) {
		if !f.Anonymous {
			keys[f.Name] = f.Tag.Get("json")
		}
	}
	return keys
}

// components returns all schemas by name.
func (s *schemas) components() obj {
	var all obj
	for _, name := range slices.Sorted(maps.Keys(s.named)) {
		all = append(all, member{name, s.named[name]})
	}
	return all
}

// sourceDocs are the comments of this package.
type sourceDocs struct {
	types  map[string]string          // by type
	fields map[string]string          // by TYPE.FIELD
	consts map[string][]constantWords // by type
	params map[string]bool            // all that any call takes
}

type constantWords struct{ value, text string }

// readSource reads the comments of the packages with the types of the wire.
func readSource() (*sourceDocs, error) {
	d := &sourceDocs{types: map[string]string{}, fields: map[string]string{}, consts: map[string][]constantWords{},
		params: map[string]bool{}}
	var files []string
	for _, dir := range []string{".", "..", "../events"} {
		list, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return nil, err
		}
		files = append(files, list...)
	}
	set := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, d.readParams)
		for _, decl := range file.Decls {
			if g, ok := decl.(*ast.GenDecl); ok {
				d.read(g)
			}
		}
	}
	return d, nil
}

// readParams takes the names of parameters from calls of query.
func (d *sourceDocs) readParams(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return true
	}
	if name, ok := call.Fun.(*ast.Ident); !ok || name.Name != "query" {
		return true
	}
	for _, arg := range call.Args {
		if literal, ok := arg.(*ast.BasicLit); ok {
			name, _ := strconv.Unquote(literal.Value) // the parser took it
			d.params[name] = true
		}
	}
	return true
}

func (d *sourceDocs) read(g *ast.GenDecl) {
	for _, spec := range g.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			d.types[spec.Name.Name] = textOf(spec.Doc, g.Doc)
			if s, ok := spec.Type.(*ast.StructType); ok {
				d.readFields(spec.Name.Name, s)
			}
		case *ast.ValueSpec:
			kind, ok := spec.Type.(*ast.Ident)
			if !ok || g.Tok != token.CONST || len(spec.Values) != 1 {
				continue
			}
			if literal, ok := spec.Values[0].(*ast.BasicLit); ok && literal.Kind == token.STRING {
				value, _ := strconv.Unquote(literal.Value) // the parser took it
				text := textOf(spec.Comment, spec.Doc)
				if !g.Lparen.IsValid() {
					_, text, _ = strings.Cut(strings.TrimSuffix(textOf(g.Doc, nil), "."), " means that ")
				}
				d.consts[kind.Name] = append(d.consts[kind.Name], constantWords{value, text})
			}
		}
	}
}

// readFields takes the comment before a field for those after it too, as far as it names them.
func (d *sourceDocs) readFields(of string, s *ast.StructType) {
	last := ""
	for _, f := range s.Fields.List {
		own := textOf(f.Doc, f.Comment)
		if own != "" {
			last = own
		}
		for _, name := range f.Names {
			if own != "" || slices.Contains(plainWords.FindAllString(last, -1), name.Name) {
				d.fields[of+"."+name.Name] = last
			}
		}
	}
}

func textOf(doc, other *ast.CommentGroup) string {
	if doc == nil {
		doc = other
	}
	if doc == nil {
		return ""
	}
	return strings.Join(strings.Fields(doc.Text()), " ")
}

var plainWords = regexp.MustCompile(`[A-Za-z0-9]+`)

// constants are what comments call by name.
var constants = map[string]any{
	"nil": "null", "OtherLanguages": strconv.Quote(api.OtherLanguages), "MaxRingPoints": api.MaxRingPoints,
	"MaxRingArcs": api.MaxRingArcs,
}

// translate says what a comment on a type or its fields says, in the words of the wire: fields are called by their
// keys, unless they are ordinary words there ("a URL").
func (d *sourceDocs) translate(of, text string, keys map[string]string) string {
	before, at := "", 0
	var b strings.Builder
	for _, span := range plainWords.FindAllStringIndex(text, -1) {
		word := text[span[0]:span[1]]
		if between := text[at:span[0]]; between == "-" {
			before = "the" // a part of a longer word
		}
		b.WriteString(text[at:span[0]])
		at = span[1]
		b.WriteString(d.word(of, word, before, keys))
		before = word
	}
	b.WriteString(text[at:])
	return b.String()
}

func (d *sourceDocs) word(of, word, before string, keys map[string]string) string {
	if c, ok := constants[word]; ok {
		return fmt.Sprint(c)
	}
	if key := keys[word]; key != "" && word != of && !slices.Contains([]string{"a", "an", "the", "HTTP"}, before) {
		return "`" + key + "`"
	}
	_, isType := d.types[word]
	if name := renamed[word]; isType && name != "" && before == "" {
		return name
	}
	if isType && before == "" && word == of {
		return string(unicode.ToUpper(rune(word[0]))) + word[1:]
	}
	return word
}
