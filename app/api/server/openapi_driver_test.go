package server

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/apitest"
	"github.com/forage-net/forage/app/api/events"
	"github.com/forage-net/forage/app/api/password"
)

// driver calls a real server as its OpenAPI file says, and holds each answer to the file.
type driver struct {
	t          *testing.T
	r          *running
	node       *fullNode
	v          apitest.Validator
	docs       *sourceDocs
	operations []apitest.Operation
	seen       map[string]bool // "METHOD PATH STATUS TYPE" that came
	patient    atomic.Bool     // whether guesses are far apart
	ticket     string          // of downloads; "" for a good one
	lost       bool            // the view is over
}

func newDriver(t *testing.T) *driver {
	file := readFile(t)
	docs, err := readSource()
	if err != nil {
		t.Fatal(err)
	}
	d := &driver{t: t, v: file, docs: docs, operations: file.Operations(), seen: map[string]bool{}}
	d.patient.Store(true)
	var hours atomic.Int64
	d.r = start(t, t.TempDir(), func(s *Server) {
		d.node = &fullNode{testNode: s.node.(*testNode)}
		s.node = d.node
		s.password = password.Open(t.TempDir())
		s.guesses = password.NewGuesses(func() time.Time {
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

func readFile(t *testing.T) apitest.Validator {
	t.Helper()
	v, err := apitest.ReadJSON(api.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	return apitest.Validator{File: v.(map[string]any)}
}

func (d *driver) operation(id string) apitest.Operation {
	i := slices.IndexFunc(d.operations, func(o apitest.Operation) bool { return o.ID() == id })
	if i < 0 {
		d.t.Fatalf("the file has no %s", id)
	}
	return d.operations[i]
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
func (d *driver) body(o apitest.Operation) string {
	if o.Path == "/api/session" && o.Method == http.MethodPost {
		key, _ := d.r.server.sessions.NewKey("")
		return fmt.Sprintf(`{"key":%q}`, key)
	}
	if _, example := o.Body(d.v); example != nil {
		text, _ := plainJSON(example) // it came from JSON
		return string(text)
	}
	return "{}"
}

// url returns where to call.
func (d *driver) url(o apitest.Operation, r request) string {
	values := url.Values{}
	for _, p := range o.Parameters("query") {
		if p["required"] == true {
			values.Set(p["name"].(string), p["example"].(string))
		}
	}
	for name, v := range r.query {
		values[name] = v
	}
	path := o.Path
	if before, _, found := strings.Cut(path, "{"); found && before == archivePath {
		path = before + testView + "/" + testCapture.ID + "/"
	} else if found {
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
func (d *driver) send(o apitest.Operation, r request) *http.Response {
	var body io.Reader
	keepView(d.r.server, d.lost)
	if o.Method == http.MethodPost {
		if r.body == "" {
			r.body = d.body(o)
		}
		body = strings.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(d.t.Context(), o.Method, d.url(o, r), body)
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
func (d *driver) do(o apitest.Operation, r request) answer {
	d.t.Helper()
	resp := d.send(o, r)
	defer resp.Body.Close()
	a := answer{status: resp.StatusCode, cookies: resp.Cookies()}
	var err error
	if a.body, err = io.ReadAll(io.LimitReader(resp.Body, 16<<20)); err == nil {
		err = d.hold(o, resp, a.body)
	}
	if err != nil {
		d.t.Errorf("%s %v: %d %.200s: %v", o.ID(), r, a.status, a.body, err)
	}
	return a
}

// want makes a call that must be answered with a status.
func (d *driver) want(o apitest.Operation, r request, status int) answer {
	d.t.Helper()
	a := d.do(o, r)
	if a.status != status {
		d.t.Errorf("%s %.300v: %d %.200s, want %d", o.ID(), r, a.status, a.body, status)
	}
	return a
}

// hold says what of an answer is not as the file has it.
func (d *driver) hold(o apitest.Operation, resp *http.Response, body []byte) error {
	d.seen[fmt.Sprintf("%s %d %s", o.ID(), resp.StatusCode, resp.Header.Get("Content-Type"))] = true
	return d.v.Hold(o, resp, body)
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// streamed opens an event stream and holds its first message to a schema.
func (d *driver) streamed(o apitest.Operation, r request, schema string) {
	d.t.Helper()
	resp := d.send(o, r)
	defer resp.Body.Close()
	if err := d.hold(o, resp, nil); err != nil || resp.StatusCode != http.StatusOK {
		d.t.Errorf("%s %v: %d, %v", o.ID(), r, resp.StatusCode, err)
		return
	}
	enough := errors.New("enough")
	err := events.Read(resp.Body, func(m events.Message) error {
		if m.Data == "" {
			return nil
		}
		value, err := apitest.ReadJSON([]byte(m.Data))
		if err == nil {
			err = d.v.Check(d.v.At("#/components/schemas/"+schema), value, true)
		}
		if err == nil && (m.Event == "reset") != (schema == "ResetNotice") {
			err = fmt.Errorf("an event %q", m.Event)
		}
		return errors.Join(err, enough)
	})
	if err == nil || err.Error() != enough.Error() {
		d.t.Errorf("%s %v: %v", o.ID(), r, err)
	}
}
