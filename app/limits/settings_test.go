package limits

import (
	"encoding"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

// put stores the text of a setting as the schema will.
func put(t *testing.T, c *Config, s Setting, literal string) error {
	t.Helper()
	text := literal
	if unquoted, err := strconv.Unquote(literal); err == nil {
		text = unquoted
	}
	switch at := s.At(c).(type) {
	case *int:
		n, err := strconv.Atoi(text)
		*at = n
		return err
	case *float64:
		n, err := strconv.Atoi(text)
		*at = float64(n)
		return err
	case *int64:
		number, unit, _ := strings.Cut(text, " ")
		n, err := strconv.ParseInt(number, 10, 64)
		*at = n * map[string]int64{"MB": 1e6, "GB": 1e9}[unit]
		return err
	case *bool:
		*at = text == "yes"
	case *[]string:
		if text != "[]" {
			t.Errorf("%s is a list and %s by default", s.Name, literal)
		}
		*at = nil
	case *time.Duration:
		d, err := ParseDuration(text)
		*at = d
		return err
	case encoding.TextUnmarshaler:
		return at.UnmarshalText([]byte(text))
	default:
		t.Errorf("%s has a value of type %T", s.Name, at)
	}
	return nil
}

func TestSettings_DefaultsAreThoseOfTheTable(t *testing.T) {
	var got Config
	names := map[string]bool{}
	for _, s := range Settings() {
		if names[s.Name] {
			t.Errorf("%s is twice in the table", s.Name)
		}
		names[s.Name] = true
		if s.Type == "" || s.Range == "" || s.Meaning == "" || !strings.HasSuffix(s.Meaning, ".") {
			t.Errorf("%s is not described: %+v", s.Name, s)
		}
		if err := put(t, &got, s, s.Default); err != nil {
			t.Errorf("%s: %s: %v", s.Name, s.Default, err)
		}
		if at, ok := s.At(&got).(*int); ok && (int64(*at) < s.Lo || int64(*at) > s.Hi) {
			t.Errorf("%s = %d is out of its range", s.Name, *at)
		}
	}
	if want := Defaults(); !reflect.DeepEqual(got, want) {
		t.Errorf("the defaults of the table give %+v, want %+v", got, want)
	}
}

// Each setting has a place of its own, and each place a setting.
func TestSettings_CoverTheConfig(t *testing.T) {
	c := Defaults()
	at := map[uintptr]string{}
	for _, s := range Settings() {
		v := reflect.ValueOf(s.At(&c))
		if v.Kind() != reflect.Pointer {
			continue // schedule.net
		}
		if other := at[v.Pointer()]; other != "" {
			t.Errorf("%s and %s are in one place", s.Name, other)
		}
		at[v.Pointer()] = s.Name
	}
	var look func(v reflect.Value, name string)
	look = func(v reflect.Value, name string) {
		if at[v.Addr().Pointer()] != "" && v.Kind() != reflect.Struct {
			return
		}
		if v.Kind() != reflect.Struct {
			switch name {
			case ".Consent", ".Schedule.Net", ".Schedule.NetIsWork":
			default:
				t.Errorf("%s has no setting", name)
			}
			return
		}
		for i := range v.NumField() {
			look(v.Field(i), name+"."+v.Type().Field(i).Name)
		}
	}
	look(reflect.ValueOf(&c).Elem(), "")
}

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
