package limits

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestNetText(t *testing.T) {
	c := Defaults()
	n := NetText{&c.Schedule}
	for _, text := range []string{"all 22:00-06:00 full", "work"} {
		if err := n.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, _ := n.MarshalText(); string(got) != text || c.Schedule.NetIsWork != (text == "work") {
			t.Errorf("%q is written as %q", text, got)
		}
	}
	if err := n.UnmarshalText([]byte("nights")); err == nil || !c.Schedule.NetIsWork {
		t.Errorf("nights: %v", err)
	}
}

func TestNames_AreReadAsWritten(t *testing.T) {
	for k := range Kinds {
		text, err := k.MarshalText()
		var got Kind
		if err == nil {
			err = got.UnmarshalText(text)
		}
		if err != nil || got != k {
			t.Errorf("%s is read as %s (%v)", text, got, err)
		}
	}
	var l Level
	if err := l.UnmarshalText([]byte("half")); err == nil || err.Error() != `is none of ["off" "gentle" "full"]` {
		t.Errorf("half: %v", err)
	}
	if Level(9).String() != "invalid" {
		t.Error("a level that does not exist has a name")
	}
}

// The package reads no clock and no file, and starts nothing.
func TestPackage_IsPure(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]bool{
		"cmp": true, "errors": true, "fmt": true, "math": true, "slices": true, "strconv": true, "strings": true,
		"sync": true, "time": true, "github.com/forage-net/forage/assets/words": true,
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range file.Imports {
			if path, _ := strconv.Unquote(i.Path.Value); !allowed[path] {
				t.Errorf("%s imports %s", name, path)
			}
		}
		for _, id := range file.Unresolved {
			if id.Name == "print" || id.Name == "println" {
				t.Errorf("%s prints", name)
			}
		}
	}
}
