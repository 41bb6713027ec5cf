// Package apitest holds answers of the API to its OpenAPI file. It is for tests alone.
package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Validator holds values to the schemas of an OpenAPI file. It knows the keywords that ours has, and no others.
type Validator struct {
	// File is what ReadJSON made of it.
	File map[string]any
}

// annotations are keywords that demand nothing.
var annotations = []string{"description", "default", "examples", "items", "properties"}

// Check says what is wrong with a value, which json.Decoder read with UseNumber. With whole, an object may have no
// key that the schema does not name.
func (v Validator) Check(schema any, value any, whole bool) error {
	s, ok := schema.(map[string]any)
	if !ok {
		return fmt.Errorf("a schema that is %T", schema)
	}
	for keyword, want := range s {
		if err := v.keyword(s, keyword, want, value, whole); err != nil {
			return err
		}
	}
	switch value := value.(type) {
	case map[string]any:
		return v.object(s, value, whole)
	case []any:
		for i, one := range value {
			if items := s["items"]; items != nil {
				if err := v.Check(items, one, whole); err != nil {
					return fmt.Errorf("[%d]: %w", i, err)
				}
			}
		}
	}
	return nil
}

func (v Validator) keyword(s map[string]any, keyword string, want, value any, whole bool) error {
	text, isText := value.(string)
	number, isNumber := value.(json.Number)
	list, isList := value.([]any)
	fits := true
	switch keyword {
	case "$ref":
		return v.Check(v.At(want.(string)), value, whole)
	case "anyOf":
		fits = slices.ContainsFunc(want.([]any), func(one any) bool { return v.Check(one, value, whole) == nil })
	case "type":
		kinds, ok := want.([]any)
		if !ok {
			kinds = []any{want}
		}
		fits = slices.ContainsFunc(kinds, func(kind any) bool { return isKind(value, kind.(string)) })
	case "enum":
		fits = slices.Contains(want.([]any), value)
	case "const":
		fits = value == want
	case "minimum", "maximum":
		fits = !isNumber || keyword == "minimum" && compare(number, want) >= 0 ||
			keyword == "maximum" && compare(number, want) <= 0
	case "minLength":
		fits = !isText || compare(json.Number(fmt.Sprint(utf8.RuneCountInString(text))), want) >= 0
	case "maxLength":
		fits = !isText || compare(json.Number(fmt.Sprint(utf8.RuneCountInString(text))), want) <= 0
	case "maxItems":
		fits = !isList || compare(json.Number(fmt.Sprint(len(list))), want) <= 0
	case "pattern":
		fits = !isText || regexp.MustCompile(want.(string)).MatchString(text)
	case "format":
		fits = !isText || isFormat(text, want.(string))
	case "required":
		if o, ok := value.(map[string]any); ok {
			for _, key := range want.([]any) {
				if _, there := o[key.(string)]; !there {
					return fmt.Errorf("%s is missing", key)
				}
			}
		}
	case "additionalProperties": // see object
	default:
		if !slices.Contains(annotations, keyword) {
			return fmt.Errorf("an unknown keyword %s", keyword)
		}
	}
	if !fits {
		return fmt.Errorf("%.60v is against %s %v", value, keyword, want)
	}
	return nil
}

func (v Validator) object(s, value map[string]any, whole bool) error {
	known, _ := s["properties"].(map[string]any)
	if known == nil && s["additionalProperties"] == nil {
		return nil // it says nothing of keys, except for what its $ref does
	}
	for key, one := range value {
		schema := known[key]
		if schema == nil {
			schema = s["additionalProperties"]
		}
		if schema == nil && whole || schema == false {
			return fmt.Errorf("an unknown key %s", key)
		}
		if schema == nil {
			continue
		}
		if err := v.Check(schema, one, whole); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

// At returns what a reference leads to.
func (v Validator) At(ref string) any {
	var value any = v.File
	for _, part := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		o, _ := value.(map[string]any)
		value = o[part]
	}
	return value
}

func isKind(value any, kind string) bool {
	switch value := value.(type) {
	case nil:
		return kind == "null"
	case bool:
		return kind == "boolean"
	case string:
		return kind == "string"
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	case json.Number:
		return kind == "number" || kind == "integer" && !strings.ContainsAny(value.String(), ".eE")
	}
	return false
}

func isFormat(text, format string) bool {
	var err error
	switch format {
	case "date-time":
		_, err = time.Parse(time.RFC3339, text)
	case "date":
		_, err = time.Parse(time.DateOnly, text)
	}
	return err == nil
}

func compare(a json.Number, b any) int {
	x, _ := new(big.Float).SetString(a.String())
	y, _ := new(big.Float).SetString(fmt.Sprint(b))
	return x.Cmp(y)
}

// ReadJSON reads one JSON value as Check wants it.
func ReadJSON(text []byte) (value any, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	err = dec.Decode(&value)
	return value, err
}
