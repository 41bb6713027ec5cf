package apitest

import (
	"encoding/json"
	"testing"
)

// A Validator that accepts everything would make the other tests worthless.
func TestValidator(t *testing.T) {
	v := Validator{map[string]any{"n": map[string]any{"type": "integer", "minimum": json.Number("1"), "maximum": json.Number("3")}}}
	for _, c := range []struct {
		schema, value string
		want          bool
	}{
		{`{}`, `null`, true}, {`{"type":"string"}`, `"x"`, true}, {`{"type":"string"}`, `null`, false}, {`{"type":["string","null"]}`, `null`, true},
		{`{"type":"integer"}`, `1.5`, false}, {`{"type":"number"}`, `1.5`, true}, {`{"type":"boolean"}`, `0`, false},
		{`{"$ref":"#/n"}`, `1`, true}, {`{"$ref":"#/n"}`, `0`, false}, {`{"$ref":"#/n"}`, `4`, false},
		{`{"$ref":"#/gone"}`, `1`, false},
		{`{"anyOf":[{"$ref":"#/n"},{"type":"null"}]}`, `null`, true}, {`{"anyOf":[{"$ref":"#/n"},{"type":"null"}]}`, `9`, false},
		{`{"enum":["a","b"]}`, `"b"`, true}, {`{"enum":["a","b"]}`, `"c"`, false}, {`{"const":true}`, `false`, false},
		{`{"minLength":1}`, `""`, false}, {`{"maxLength":2}`, `"äöü"`, false}, {`{"maxLength":3}`, `"äöü"`, true}, {`{"pattern":"^[0-9]$"}`, `"x"`, false},
		{`{"format":"date-time"}`, `"2026-01-02T03:04:05Z"`, true}, {`{"format":"date-time"}`, `"2026-01-02"`, false}, {`{"format":"date"}`, `"2026-01-02"`, true},
		{`{"maxItems":1}`, `[1,2]`, false}, {`{"items":{"type":"string"}}`, `["a",1]`, false},
		{`{"required":["a"]}`, `{}`, false}, {`{"properties":{"a":{"type":"string"}}}`, `{"a":1}`, false},
		{`{"properties":{"a":{}}}`, `{"b":1}`, false}, {`{"properties":{"a":{}},"additionalProperties":{"type":"string"}}`, `{"b":"1"}`, true},
		{`{"additionalProperties":{"type":"string"}}`, `{"b":1}`, false}, {`{"additionalProperties":false}`, `{"b":1}`, false},
		{`{"nonsense":1}`, `1`, false},
	} {
		schema, err := ReadJSON([]byte(c.schema))
		if err != nil {
			t.Fatal(err)
		}
		value, err := ReadJSON([]byte(c.value))
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Check(schema, value, true); (err == nil) != c.want {
			t.Errorf("%s with %s: %v, want %t", c.schema, c.value, err, c.want)
		}
	}
}
