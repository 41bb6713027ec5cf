package api

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// driver calls a real server as its OpenAPI file says, and holds each answer to the file.
type driver struct {
	t          *testing.T
	r          *running
	node       *fullNode
	v          validator
	docs       *sourceDocs
	operations []operation
	seen       map[string]bool // "METHOD PATH STATUS TYPE" that came
	patient    atomic.Bool     // whether guesses are far apart
	ticket     string          // of downloads; "" for a good one
}

func newDriver(t *testing.T) *driver {
	file := readFile(t)
	docs, err := readSource()
	if err != nil {
		t.Fatal(err)
	}
	d := &driver{t: t, v: validator{file}, docs: docs, operations: operations(t, file), seen: map[string]bool{}}
	d.patient.Store(true)
	var hours atomic.Int64
	d.r = start(t, t.TempDir(), func(s *Server) {
		d.node = &fullNode{testNode: s.node.(*testNode)}
		s.node = d.node
		s.guesses = newGuesses(func() time.Time {
			if d.patient.Load() {
				hours.Add(1)
			}
			return time.Unix(3600*hours.Load(), 0)
		})
	})
	return d
}

func (n *fullNode) setError(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.err = err
}

// operation is one method of one path of the file.
type operation struct {
	method, path string
	is           map[string]any
}

func readFile(t *testing.T) map[string]any {
	v, err := readJSON(openAPI)
	if err != nil {
		t.Fatal(err)
	}
	return v.(map[string]any)
}

func operations(t *testing.T, file map[string]any) (all []operation) {
	for path, item := range file["paths"].(map[string]any) {
		for method, is := range item.(map[string]any) {
			all = append(all, operation{strings.ToUpper(method), path, is.(map[string]any)})
		}
	}
	slices.SortFunc(all, func(a, b operation) int { return strings.Compare(a.id(), b.id()) })
	if len(all) < 30 {
		t.Fatalf("the file has %d calls", len(all))
	}
	return all
}

func (d *driver) operation(id string) operation {
	i := slices.IndexFunc(d.operations, func(o operation) bool { return o.id() == id })
	if i < 0 {
		d.t.Fatalf("the file has no %s", id)
	}
	return d.operations[i]
}

func (o operation) id() string { return o.method + " " + o.path }

// open reports whether the file says that strangers may call.
func (o operation) open() bool { return o.is["security"] != nil && len(list(o.is["security"])) == 0 }

func (o operation) documents(status int) bool {
	return o.is["responses"].(map[string]any)[strconv.Itoa(status)] != nil
}

// success returns the status of an answer that is no error.
func (o operation) success() int {
	for text := range o.is["responses"].(map[string]any) {
		if status, _ := strconv.Atoi(text); status < 300 {
			return status
		}
	}
	return 0
}

// answers returns all that it may answer: "STATUS TYPE".
func (o operation) answers(v validator) (all []string) {
	for status := range o.is["responses"].(map[string]any) {
		content, _ := o.response(v, status)["content"].(map[string]any)
		if len(content) == 0 {
			all = append(all, status+" ")
		}
		for kind := range content {
			all = append(all, status+" "+kind)
		}
	}
	return all
}

func (o operation) response(v validator, status string) map[string]any {
	is, _ := o.is["responses"].(map[string]any)[status].(map[string]any)
	if ref, ok := is["$ref"].(string); ok {
		is, _ = v.at(ref).(map[string]any)
	}
	return is
}

// parameters returns those in the query, header or path.
func (o operation) parameters(in string) (some []map[string]any) {
	for _, p := range list(o.is["parameters"]) {
		if p := p.(map[string]any); p["in"] == in {
			some = append(some, p)
		}
	}
	return some
}

func (o operation) names(in string) (names []string) {
	for _, p := range o.parameters(in) {
		names = append(names, p["name"].(string))
	}
	return names
}

// bodySchema returns the schema of the body, nil if there is none.
func (o operation) bodySchema(v validator) map[string]any {
	content := o.bodyContent()
	if content == nil {
		return nil
	}
	schema := content["schema"].(map[string]any)
	if ref, ok := schema["$ref"].(string); ok {
		schema = v.at(ref).(map[string]any)
	}
	return schema
}

func (o operation) bodyContent() map[string]any {
	body, ok := o.is["requestBody"].(map[string]any)
	if !ok {
		return nil
	}
	return body["content"].(map[string]any)["application/json"].(map[string]any)
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// request is a call, as far as it differs from one that succeeds.
type request struct {
	stranger bool // without token
	host     string
	query    url.Values // a name without values is left out
	header   http.Header
	body     string
}

// body returns a body that is taken.
func (d *driver) body(o operation) string {
	if o.path == "/api/session" && o.method == http.MethodPost {
		key, _ := d.r.server.sessions.newKey()
		return fmt.Sprintf(`{"key":%q}`, key)
	}
	if content := o.bodyContent(); content != nil && content["example"] != nil {
		text, _ := plainJSON(content["example"]) // it came from JSON
		return string(text)
	}
	return "{}"
}

// url returns where to call.
func (d *driver) url(o operation, r request) string {
	values := url.Values{}
	for _, p := range o.parameters("query") {
		if p["required"] == true {
			values.Set(p["name"].(string), p["example"].(string))
		}
	}
	for name, v := range r.query {
		values[name] = v
	}
	path := o.path
	if before, _, found := strings.Cut(path, "{"); found {
		path = before + d.ticket
		if d.ticket == "" {
			path += d.r.server.tickets.issue("warc", "forage.warc")
		}
	}
	if len(values) > 0 {
		path += "?" + values.Encode()
	}
	return "http://" + d.r.desc.Addr + path
}

// send makes a call. The caller closes the body.
func (d *driver) send(o operation, r request) *http.Response {
	var body io.Reader
	if o.method == http.MethodPost {
		if r.body == "" {
			r.body = d.body(o)
		}
		body = strings.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(d.t.Context(), o.method, d.url(o, r), body)
	if err != nil {
		d.t.Fatal(err)
	}
	if !r.stranger {
		req.Header.Set("Authorization", "Bearer "+d.r.desc.Token)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, v := range r.header {
		req.Header[name] = v
	}
	req.Host = r.host
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	return resp
}

// answer is what came.
type answer struct {
	status  int
	body    []byte
	cookies []*http.Cookie
}

// do makes a call and holds its answer to the file.
func (d *driver) do(o operation, r request) answer {
	d.t.Helper()
	resp := d.send(o, r)
	defer resp.Body.Close()
	a := answer{status: resp.StatusCode, cookies: resp.Cookies()}
	var err error
	if a.body, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer)); err == nil {
		err = d.hold(o, resp, a.body)
	}
	if err != nil {
		d.t.Errorf("%s %v: %d %.200s: %v", o.id(), r, a.status, a.body, err)
	}
	return a
}

// want makes a call that must be answered with a status.
func (d *driver) want(o operation, r request, status int) answer {
	d.t.Helper()
	a := d.do(o, r)
	if a.status != status {
		d.t.Errorf("%s %.300v: %d %.200s, want %d", o.id(), r, a.status, a.body, status)
	}
	return a
}

// hold says what is not in an answer as the file has it.
func (d *driver) hold(o operation, resp *http.Response, body []byte) error {
	kind := resp.Header.Get("Content-Type")
	is := o.response(d.v, strconv.Itoa(resp.StatusCode))
	if is == nil {
		return errors.New("this status is not in the file")
	}
	d.seen[fmt.Sprintf("%s %d %s", o.id(), resp.StatusCode, kind)] = true
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
		if value, err = readJSON(body); err != nil {
			return err
		}
	}
	return d.v.check(as["schema"], value, o.path != "/api/openapi.json")
}

func mapOf(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// streamed opens an event stream and holds its first message to a schema.
func (d *driver) streamed(o operation, r request, schema string) {
	d.t.Helper()
	resp := d.send(o, r)
	defer resp.Body.Close()
	if err := d.hold(o, resp, nil); err != nil || resp.StatusCode != http.StatusOK {
		d.t.Errorf("%s %v: %d, %v", o.id(), r, resp.StatusCode, err)
		return
	}
	enough := errors.New("enough")
	err := readStream(resp.Body, func(m message) error {
		if m.data == "" {
			return nil
		}
		value, err := readJSON([]byte(m.data))
		if err == nil {
			err = d.v.check(d.v.at("#/components/schemas/"+schema), value, true)
		}
		if err == nil && (m.event == "reset") != (schema == "ResetNotice") {
			err = fmt.Errorf("an event %q", m.event)
		}
		return errors.Join(err, enough)
	})
	if err == nil || err.Error() != enough.Error() {
		d.t.Errorf("%s %v: %v", o.id(), r, err)
	}
}
