package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/events"
)

// refusals are the answers that are errors, as they stand in the file.
var refusals = []struct {
	status     int
	name, text string
}{
	{400, "BadRequest", "A parameter, or the body, is not what was expected: the sentence says what is wrong. What " +
		"is not in this file is refused too."},
	{401, "Unauthorized", "The token or the session is missing or wrong."},
	{403, "Forbidden", "A web page of another site made the browser call."},
	{404, "NotFound", "There is no such thing, or no more."},
	{409, "Taken", "There is one already."},
	{413, "TooLarge", "The body is larger than 64 KiB."},
	{415, "WrongType", "The content type is not application/json."},
	{421, "WrongHost", "The Host header does not name this computer."},
	{429, "TooMany", "Too many tries; wait as long as Retry-After says."},
	{500, "Trouble", "The node is in trouble; its sentence says what it is."},
	{503, "Unavailable", "The node is stopping, or does too much of this already."},
	{504, "TooSlow", "The node did not answer in time."},
}

var tags = [][2]string{
	{"Now", "What it does."}, {"Work", "Rest and go on."}, {"Limits", "What its user allows."},
	{"Sites", "What is not visited."},
	{"Network", "The other nodes."}, {"Statistics", "What it did; hours, days and years are of UTC."},
	{"Archive", "What it keeps."},
	{"Entry", "How browsers get in."}, {"Monitoring", "For other programs."},
}

const introduction = "The API of a forage node, for programs on the same computer. Address and token are in the " +
	"file `api.json` of the node's state " +
	"directory (`forage paths`), which only its user can read; both may be new at each start.\n\n" +
	"Answers are JSON in UTF-8, with times of UTC; lists are never null. Later versions may add keys to answers, " +
	"and values to lists of words: ignore " +
	"what you do not know. Lengths of texts are in bytes. A parameter may be given once; one that is not in this " +
	"file is refused.\n\n" +
	"Sentences are in English, or in the language (en or de) that the header Accept-Language names first, or the " +
	"parameter `lang` where there is one.\n\n" +
	"Errors are `{\"error\": \"a sentence\"}` with a fitting status; 404 for a path and 405 for a method that is " +
	"not here."

// writeOpenAPI returns the file.
func writeOpenAPI(routes map[string]route) ([]byte, error) {
	docs, err := readSource()
	if err != nil {
		return nil, err
	}
	s := &schemas{docs: docs, named: map[string]obj{}}
	for _, v := range []any{api.Event{}, events.ResetNotice{}, events.WindowNotice{}, api.SettingError{},
		api.Problem{}} {
		s.of(reflect.TypeOf(v), false)
	}
	var tagList []obj
	for _, t := range tags {
		tagList = append(tagList, obj{{"name", t[0]}, {"description", t[1]}})
	}
	paths := s.paths(routes)
	file, err := plainJSON(obj{
		{"openapi", "3.1.0"},
		{"info", obj{{"title", "forage"}, {"version", "1"}, {"description", introduction},
			{"license", obj{{"name", "Apache License 2.0"}, {"identifier", "Apache-2.0"}}}}},
		{"servers", []obj{{{"url", "http://127.0.0.1:{port}"},
			{"variables", obj{{"port", obj{{"default", "7707"}, {"description", "As web.addr says."}}}}}}}},
		{"security", []obj{{{"token", []string{}}}, {{"cookie", []string{}}, {"proof", []string{}}}}},
		{"tags", tagList},
		{"paths", paths},
		{"components", obj{{"securitySchemes", obj{
			{"token", obj{{"type", "http"}, {"scheme", "bearer"},
				{"description", "For programs: the token of `api.json`."}}},
			{"cookie", obj{{"type", "apiKey"}, {"in", "cookie"}, {"name", "forage-7707"},
				{"description", "For browsers, together with the proof. Its name ends with the port of the node."}}},
			{"proof", obj{{"type", "apiKey"}, {"in", "header"}, {"name", proofHeader},
				{"description", "The `proof` with which a session began."}}},
		}}, {"responses", refusalResponses()}, {"schemas", s.components()}}},
	})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = json.Indent(&b, file, "", "  ")
	b.WriteByte('\n')
	return b.Bytes(), err
}

func refusalResponses() (o obj) {
	for _, r := range refusals {
		schema := ref("Problem")
		if r.status == http.StatusBadRequest {
			schema = obj{{"anyOf", []obj{ref("Problem"), ref("SettingError")}}}
		}
		one := obj{{"description", r.text}, {"content", obj{{"application/json", obj{{"schema", schema}}}}}}
		if r.status == http.StatusTooManyRequests {
			one = append(one, member{"headers", obj{{"Retry-After",
				obj{{"description", "In seconds."}, {"schema", obj{{"type", "integer"}}}}}}})
		}
		o = append(o, member{r.name, one})
	}
	return o
}

func (s *schemas) paths(routes map[string]route) (paths obj) {
	for _, c := range apiCalls {
		method, path, _ := strings.Cut(c.call, " ")
		i := slices.IndexFunc(paths, func(m member) bool { return m.key == path })
		if i < 0 {
			i, paths = len(paths), append(paths, member{path, obj{}})
		}
		one := member{strings.ToLower(method), s.operation(c, method, routes[routeOf(path)].open)}
		paths[i].value = append(paths[i].value.(obj), one)
	}
	return paths
}

// routeOf returns the key of the table of routes for a path of the file.
func routeOf(path string) string {
	path, _, _ = strings.Cut(path, "{")
	return path
}

func (s *schemas) operation(c apiCall, method string, open bool) obj {
	o := obj{{"operationId", c.id}, {"tags", []string{c.tag}}, {"summary", c.summary}}
	if c.text != "" {
		o = append(o, member{"description", c.text})
	}
	if open {
		o = append(o, member{"security", []obj{}})
	}
	if len(c.params) > 0 {
		o = append(o, member{"parameters", parameters(c.params)})
	}
	if c.body != nil {
		body := obj{{"schema", s.of(reflect.TypeOf(c.body), true)}}
		if c.example != nil {
			body = append(body, member{"example", c.example})
		}
		required := len(demanded[schemaName(reflect.TypeOf(c.body))]) > 0
		o = append(o, member{"requestBody", obj{{"required", required}, {"content", obj{{"application/json", body}}}}})
	}
	return append(o, member{"responses", s.responses(c, method, open)})
}

func parameters(params []param) (list []obj) {
	for _, p := range params {
		in := p.in
		if in == "" {
			in = "query"
		}
		o := obj{{"name", p.name}, {"in", in}, {"description", p.text}}
		if p.required {
			o = append(o, member{"required", true})
		}
		o = append(o, member{"schema", p.schema})
		if p.example != nil {
			o = append(o, member{"example", p.example})
		}
		list = append(list, o)
	}
	return list
}

func (s *schemas) responses(c apiCall, method string, open bool) obj {
	status := max(c.status, http.StatusOK) // 0 stands for it
	success := obj{{"description", map[int]string{200: "Done.", 202: "It has begun.",
		204: "Done; there is nothing to say."}[status]}}
	var content obj
	if c.answer != nil {
		schema := obj{{"type", "object"}}
		if reflect.TypeOf(c.answer).Kind() == reflect.Struct {
			schema = s.of(reflect.TypeOf(c.answer), false)
		}
		content = append(content, member{"application/json", obj{{"schema", schema}}})
	}
	for _, k := range c.kinds {
		content = append(content, member{k.kind, obj{{"schema", obj{{"type", "string"}, {"description", k.text}}}}})
	}
	if content != nil {
		success = append(success, member{"content", content})
	}
	all := obj{{strconv.Itoa(status), success}}
	statuses := refusalsOf(c, method, open)
	for _, r := range refusals {
		if slices.Contains(statuses, r.status) {
			all = append(all, member{strconv.Itoa(r.status), obj{{"$ref", "#/components/responses/" + r.name}}})
		}
	}
	return all
}

// refusalsOf returns the errors that a call may answer.
func refusalsOf(c apiCall, method string, open bool) []int {
	list := append([]int{403, 421}, c.errors...)
	if c.call != "GET /healthz" {
		list = append(list, 400)
	}
	if !open {
		list = append(list, 401)
	}
	if method == http.MethodPost {
		list = append(list, 413, 415)
	}
	if c.node {
		list = append(list, 500, 503, 504)
	}
	return list
}
