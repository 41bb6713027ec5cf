package apitest

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Operation is one method of one path of a file.
type Operation struct {
	Method, Path string
	// Is is what the file says of it.
	Is map[string]any
}

// Operations returns all of them, in order of method and path.
func (v Validator) Operations() (all []Operation) {
	for path, item := range mapOf(v.File["paths"]) {
		for method, is := range mapOf(item) {
			all = append(all, Operation{strings.ToUpper(method), path, mapOf(is)})
		}
	}
	slices.SortFunc(all, func(a, b Operation) int { return strings.Compare(a.ID(), b.ID()) })
	return all
}

// ID is method and path.
func (o Operation) ID() string { return o.Method + " " + o.Path }

// Open reports whether strangers may call.
func (o Operation) Open() bool { return o.Is["security"] != nil && len(list(o.Is["security"])) == 0 }

// Documents reports whether it may answer with a status.
func (o Operation) Documents(status int) bool {
	return mapOf(o.Is["responses"])[strconv.Itoa(status)] != nil
}

// Success returns the status of an answer that is no error.
func (o Operation) Success() int {
	for text := range mapOf(o.Is["responses"]) {
		if status, _ := strconv.Atoi(text); status < 300 {
			return status
		}
	}
	return 0
}

// Answers returns all that it may answer, as "STATUS TYPE".
func (o Operation) Answers(v Validator) (all []string) {
	for status := range mapOf(o.Is["responses"]) {
		content := mapOf(o.response(v, status)["content"])
		if len(content) == 0 {
			all = append(all, status+" ")
		}
		for kind := range content {
			all = append(all, status+" "+kind)
		}
	}
	return all
}

func (o Operation) response(v Validator, status string) map[string]any {
	is := mapOf(mapOf(o.Is["responses"])[status])
	if ref, ok := is["$ref"].(string); ok {
		is = mapOf(v.At(ref))
	}
	return is
}

// Parameters returns those in the query, header or path.
func (o Operation) Parameters(in string) (some []map[string]any) {
	for _, p := range list(o.Is["parameters"]) {
		if p := mapOf(p); p["in"] == in {
			some = append(some, p)
		}
	}
	return some
}

// Names returns the names of Parameters.
func (o Operation) Names(in string) (names []string) {
	for _, p := range o.Parameters(in) {
		names = append(names, p["name"].(string))
	}
	return names
}

// Body returns schema and example of its body, nil if there is none.
func (o Operation) Body(v Validator) (schema map[string]any, example any) {
	content := mapOf(mapOf(mapOf(o.Is["requestBody"])["content"])["application/json"])
	schema = mapOf(content["schema"])
	if ref, ok := schema["$ref"].(string); ok {
		schema = mapOf(v.At(ref))
	}
	return schema, content["example"]
}

// Hold says what of an answer is not as the file has it.
func (v Validator) Hold(o Operation, resp *http.Response, body []byte) error {
	kind := resp.Header.Get("Content-Type")
	is := o.response(v, strconv.Itoa(resp.StatusCode))
	if is == nil {
		return errors.New("this status is not in the file")
	}
	for name := range mapOf(is["headers"]) {
		if resp.Header.Get(name) == "" {
			return fmt.Errorf("no header %s", name)
		}
	}
	content := mapOf(is["content"])
	if len(content) == 0 && len(body) == 0 {
		return nil
	}
	as, ok := content[kind].(map[string]any)
	if !ok {
		return fmt.Errorf("%q is not in the file", kind)
	}
	var value any = string(body)
	if kind == "application/json" {
		var err error
		if value, err = ReadJSON(body); err != nil {
			return err
		}
	}
	// An object of which the file says no more is not looked into.
	return v.Check(as["schema"], value, mapOf(as["schema"])["$ref"] != nil)
}

func mapOf(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}
