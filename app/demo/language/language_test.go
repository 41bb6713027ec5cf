package language

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// Each language has all that a page is written with, and nothing that nobody reads.
func TestAll_IsWhole(t *testing.T) {
	all := All()
	if len(all) < 18 {
		t.Errorf("there are %d languages", len(all))
	}
	for tag, l := range all {
		raw, err := files.ReadFile(tag + ".json")
		if err != nil {
			t.Fatal(err)
		}
		strict := json.NewDecoder(bytes.NewReader(raw))
		strict.DisallowUnknownFields()
		if err := strict.Decode(new(Language)); err != nil {
			t.Errorf("%s: %v", tag, err)
		}
		w := reflect.ValueOf(l.Words)
		for i := range w.NumField() {
			if w.Field(i).String() == "" {
				t.Errorf("%s has no word for %s", tag, w.Type().Field(i).Name)
			}
		}
		subjects := 0
		for _, s := range l.Sentences {
			if strings.Contains(s, "{s}") {
				subjects++
			}
			for _, left := range strings.Split(strings.NewReplacer("{s}", "", "{n}", "", "{y}", "").Replace(s), "{")[1:] {
				t.Errorf("%s: %q holds {%s", tag, s, left)
			}
		}
		if l.Joint == "" || len(l.Qualifiers) < 8 || len(l.Sentences) < 8 || subjects == 0 {
			t.Errorf("%s has %q, %d qualifiers and %d sentences, %d with a subject", tag, l.Joint, len(l.Qualifiers),
				len(l.Sentences), subjects)
		}
	}
}
