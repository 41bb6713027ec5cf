package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/apitest"
)

var update = flag.Bool("update", false, "write openapi.json anew")

func TestOpenAPI_File(t *testing.T) {
	want, err := writeOpenAPI(New(Config{Node: newTestNode("ab")}).routes())
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("../openapi.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(api.OpenAPI, want) {
		t.Error("openapi.json is not what types, comments and the table of calls say; go test ./app/api/server -run " +
			"TestOpenAPI_File -update writes it anew")
	}
}

// What is served is in the file, and what is in the file is served; the package's comment lists the same.
func TestOpenAPI_Routes(t *testing.T) {
	var served, described []string
	for path, rt := range New(Config{Node: newTestNode("ab")}).routes() {
		for _, method := range rt.methods() {
			served = append(served, method+" "+path)
		}
	}
	inFile := map[string][]string{}
	for _, o := range readFile(t).Operations() {
		key := o.Method + " " + routeOf(o.Path)
		described, inFile[key] = append(described, key), o.Names("query")
	}
	listed := listedCalls(t)
	slices.Sort(served)
	slices.Sort(described)
	same(t, "openapi.json (from apiCalls in openapi_calls_test.go)", served, described)
	same(t, "doc.go of app/api", served, slices.Sorted(maps.Keys(listed)))
	for key, names := range inFile {
		if want := "(" + strings.Join(names, ", ") + ")"; len(names) > 0 && !strings.Contains(listed[key], want) {
			t.Errorf("doc.go says of %s %q, without %s", key, listed[key], want)
		}
	}
}

// same fails the test for each call that is served and not in a list of them, or in it and not served.
func same(t *testing.T, list string, served, listed []string) {
	t.Helper()
	for _, call := range served {
		if !slices.Contains(listed, call) {
			t.Errorf("%s is served, and not in %s", call, list)
		}
	}
	for _, call := range listed {
		if !slices.Contains(served, call) {
			t.Errorf("%s is in %s, and not served", call, list)
		}
	}
	if len(served) != len(listed) {
		t.Errorf("%d calls are served, %s has %d", len(served), list, len(listed))
	}
}

// listedCalls returns the calls in the comment of the package, with what is said of them, except for the
// dashboard's files.
func listedCalls(t *testing.T) map[string]string {
	source, err := os.ReadFile("../doc.go")
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]string{}
	for line := range strings.Lines(string(source)) {
		words := strings.Fields(strings.TrimPrefix(line, "//"))
		if len(words) < 2 || words[0] != "GET" && words[0] != "POST" || words[1] == "/" {
			continue
		}
		calls[words[0]+" "+strings.TrimSuffix(strings.TrimSuffix(words[1], "TICKET"),
			"VIEW")] = strings.Join(words[2:], " ")
	}
	return calls
}

// The file is held to a real server: whatever it answers must be in the file, and whatever is in the file must be
// answered.
func TestOpenAPI_Handlers(t *testing.T) {
	d := newDriver(t)
	for _, depth := range []int{fillAll, fillHeads, fillBarely} {
		d.node.depth = depth
		for _, o := range d.operations {
			d.want(o, request{}, o.Success())
		}
	}
	d.node.depth = fillAll
	for _, o := range d.operations {
		d.strangers(o)
		d.queries(o)
		d.bodies(o)
		d.troubles(o)
	}
	d.sessions()
	d.streams()
	d.rarities()
	for _, o := range d.operations {
		for _, kind := range o.Answers(d.v) {
			if !d.seen[o.ID()+" "+kind] {
				t.Errorf("%s: %s is in the file, and never came", o.ID(), kind)
			}
		}
	}
}

// strangers are those who may not call, and those who call in another way.
func (d *driver) strangers(o apitest.Operation) {
	d.want(o, request{header: http.Header{"Origin": {"http://evil.example"}}}, 403)
	d.want(o, request{host: "evil.example"}, 421)
	if o.Open() {
		d.want(o, request{stranger: true}, o.Success())
		return
	}
	d.want(o, request{stranger: true}, 401)
	d.want(o, request{header: http.Header{"Authorization": {"Bearer x"}}}, 401)
}

// queries tries all that the file says of parameters, and others.
func (d *driver) queries(o apitest.Operation) {
	wrong := 400
	if !o.Documents(400) {
		wrong = o.Success()
	}
	d.want(o, request{query: url.Values{"nonsense": {"1"}}}, wrong)
	for name := range d.docs.params {
		if !slices.Contains(o.Names("query"), name) {
			d.want(o, request{query: url.Values{name: {"1"}}}, wrong)
		}
	}
	for _, p := range o.Parameters("query") {
		name := p["name"].(string)
		for _, v := range goodValues(p["schema"].(map[string]any)) {
			d.want(o, request{query: url.Values{name: {v}}}, o.Success())
		}
		bad := badValues(p["schema"].(map[string]any))
		if len(bad) == 0 {
			d.t.Errorf("%s: the file forbids nothing for %s", o.ID(), name)
		}
		for _, v := range bad {
			d.want(o, request{query: url.Values{name: {v}}}, 400)
		}
		d.want(o, request{query: url.Values{name: {"1", "1"}}}, 400)
		if p["required"] == true {
			d.want(o, request{query: url.Values{name: nil}}, 400)
		}
	}
}

// goodValues returns what a parameter may be at its bounds.
func goodValues(schema map[string]any) (values []string) {
	for _, bound := range []string{"minimum", "maximum", "default"} {
		if n, ok := schema[bound]; ok {
			values = append(values, fmt.Sprint(n))
		}
	}
	if n, ok := schema["maxLength"].(json.Number); ok {
		long, _ := strconv.Atoi(n.String())
		values = append(values, strings.Repeat("a", long))
	}
	for _, v := range list(schema["enum"]) {
		values = append(values, v.(string))
	}
	if schema["anyOf"] != nil {
		values = append(values, "2026-03-01", "2026-03-01T15:00:00Z", "2026-03-01T15:00:00.5+02:00")
	}
	if schema["pattern"] != nil {
		values = append(values, strings.Repeat("a", 64), "0")
	}
	return values
}

// badValues returns what a parameter may not be, just beyond its bounds and far from them.
func badValues(schema map[string]any) (values []string) {
	if n, ok := schema["minimum"].(json.Number); ok {
		low, _ := strconv.Atoi(n.String())
		values = append(values, strconv.Itoa(low-1), "1.5", "x")
	}
	if n, ok := schema["maximum"].(json.Number); ok {
		high, _ := strconv.Atoi(n.String())
		values = append(values, strconv.Itoa(high+1))
	}
	if n, ok := schema["maxLength"].(json.Number); ok {
		long, _ := strconv.Atoi(n.String())
		values = append(values, strings.Repeat("a", long+1))
	}
	if schema["minLength"] != nil {
		values = append(values, "")
	}
	if schema["enum"] != nil || schema["anyOf"] != nil {
		values = append(values, "nonsense")
	}
	if schema["pattern"] != nil {
		values = append(values, "xyz", strings.Repeat("a", 65))
	}
	return values
}

// bodies tries all that the file says of the body of a POST, and others.
func (d *driver) bodies(o apitest.Operation) {
	schema, _ := o.Body(d.v)
	if schema == nil {
		return
	}
	d.want(o, request{body: strings.Repeat(" ", maxBody+1)}, 413)
	d.want(o, request{header: http.Header{"Content-Type": {"text/plain"}}}, 415)
	d.want(o, request{query: url.Values{"nonsense": {"1"}}}, 400)
	d.want(o, request{body: `{"nonsense":1}`}, 400)
	base, err := apitest.ReadJSON([]byte(d.body(o)))
	if err == nil {
		err = d.v.Check(schema, base, true)
	}
	if err != nil {
		d.t.Errorf("%s: the example: %v", o.ID(), err)
		return
	}
	properties, _ := schema["properties"].(map[string]any)
	for key, property := range properties {
		with := func(value any) string {
			body := maps.Clone(base.(map[string]any))
			body[key] = value
			text, _ := json.Marshal(body) // it came from JSON
			return string(text)
		}
		d.want(o, request{body: with(json.RawMessage(`{"wrong":{}}`))},
			wrongObject(property.(map[string]any), o.Success()))
		s := property.(map[string]any)
		if s["enum"] != nil || s["const"] != nil {
			d.want(o, request{body: with("nonsense")}, 400)
		}
		if s["const"] == true {
			d.want(o, request{body: with(false)}, 400)
		}
		if s["minLength"] != nil || s["maxLength"] != nil {
			for _, v := range badValues(s) {
				d.want(o, request{body: with(v)}, 400)
			}
		}
		if n, ok := s["maxItems"].(json.Number); ok {
			most, _ := strconv.Atoi(n.String())
			d.want(o, request{body: with(make([]string, most+1))}, 400)
		}
	}
	if len(list(schema["required"])) > 0 {
		d.want(o, request{body: `{}`}, 400)
	}
}

// wrongObject returns what comes of an object for a property.
func wrongObject(schema map[string]any, success int) int {
	if schema["type"] == "object" {
		return success
	}
	return 400
}

// troubles are those of the node.
func (d *driver) troubles(o apitest.Operation) {
	if !o.Documents(504) {
		return
	}
	r := request{}
	if o.Path == "/api/events" {
		r.query = url.Values{"boot": {"00"}} // for the present boot, it answers without asking
	}
	for _, c := range []struct {
		err  error
		want int
	}{{errors.New("the disk is gone"), 500}, {context.DeadlineExceeded, 504}, {context.Canceled, 503}} {
		if errors.Is(c.err, context.Canceled) && o.Path == "/api/doctor" {
			c.err = api.ErrBusy
		}
		d.node.setError(c.err)
		d.want(o, r, c.want)
	}
	d.node.setError(nil)
}

// sessions tries the other way in.
func (d *driver) sessions() {
	var cookies []*http.Cookie
	var proof pass
	answer := d.want(d.operation("POST /api/session"), request{stranger: true}, 200)
	cookies = answer.cookies
	if err := json.Unmarshal(answer.body, &proof); err != nil || len(cookies) != 1 {
		d.t.Fatalf("a session began with %q, %d cookies", answer.body, len(cookies))
	}
	cookie := cookies[0].Name + "=" + cookies[0].Value
	for _, o := range d.operations {
		if o.Method == http.MethodGet && !o.Open() {
			d.want(o, request{stranger: true, header: http.Header{"Cookie": {cookie}, proofHeader: {proof.Proof}}}, 200)
			d.want(o, request{stranger: true, header: http.Header{"Cookie": {cookie}}}, 401)
			d.want(o, request{stranger: true, header: http.Header{proofHeader: {proof.Proof}}}, 401)
		}
	}
}

// streams reads what is no JSON as a whole, but in parts.
func (d *driver) streams() {
	o := d.operation("GET /api/events")
	accept := http.Header{"Accept": {"text/event-stream"}}
	d.streamed(o, request{header: accept}, "Event")
	d.streamed(o, request{header: accept, query: url.Values{"boot": {"00"}}}, "ResetNotice")
	for _, p := range o.Parameters("header") {
		name := p["name"].(string)
		d.streamed(o, request{header: http.Header{"Accept": {"text/event-stream"}, name: {d.r.desc.BootID + "-0"}}},
			"Event")
		for _, v := range []string{"x", "00-", "00-x", "-1"} {
			if err := d.v.Check(p["schema"], v, true); err == nil {
				d.t.Errorf("%s: the file allows %s %q", o.ID(), name, v)
			}
			d.want(o, request{header: http.Header{"Accept": {"text/event-stream"}, name: {v}}}, 400)
		}
	}
}

// rarities are answers that need more than one call.
func (d *driver) rarities() {
	d.want(d.operation("GET /api/archive/page"), request{query: url.Values{"id": {"gone"}}}, 404)
	d.want(d.operation("GET /api/archive/site"), request{query: url.Values{"domain": {"gone"}}}, 404)
	d.want(d.operation("GET /api/archive/view"), request{query: url.Values{"view": {"over"}}}, 404)
	d.lost = true
	d.want(d.operation("GET /archive/{view}"), request{}, 404)
	d.lost = false
	d.want(d.operation("POST /api/settings"), request{body: `{"reset":["gone"]}`}, 400)
	d.want(d.operation("POST /api/export"), request{body: `{"format":"nothing"}`}, 400)
	open := d.r.server.window.Open()
	d.want(d.operation("GET /api/events"), request{header: http.Header{"Accept": {"text/event-stream"}},
		query: url.Values{"window": {"1"}}}, 409)
	d.r.server.window.Close(open)

	session := d.operation("POST /api/session")
	d.want(session, request{body: `{"key":"used"}`}, 401)
	d.want(session, request{body: `{"password":"there is none"}`}, 401)
	d.patient.Store(false)
	for range 4 { // three wrong ones cost no wait
		d.do(session, request{body: `{"password":"there is none"}`})
	}
	d.want(session, request{body: `{"password":"there is none"}`}, 429)

	download := d.operation("GET /download/{ticket}")
	d.ticket = strings.Repeat("0", 32)
	d.want(download, request{}, 404)
	d.ticket = ""
	d.node.setError(errors.New("the disk is gone"))
	d.want(download, request{}, 500)
	d.node.setError(nil)
	d.r.server.tickets.mu.Lock()
	d.r.server.tickets.busy = true
	d.r.server.tickets.mu.Unlock()
	d.want(download, request{}, 503)
}
