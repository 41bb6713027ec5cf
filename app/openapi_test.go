package app

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/apitest"
	"github.com/forage-net/forage/app/api/descriptor"
)

// caller calls a node as its own OpenAPI file says.
type caller struct {
	t    *testing.T
	at   descriptor.Descriptor
	file apitest.Validator
}

func newCaller(t *testing.T, o Options) *caller {
	t.Helper()
	at, err := descriptor.Read(o.Paths.State)
	if err != nil {
		t.Fatal(err)
	}
	c := &caller{t: t, at: at}
	_, text := c.send(http.MethodGet, "/api/openapi.json", "")
	file, err := apitest.ReadJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	c.file.File = file.(map[string]any)
	return c
}

func (c *caller) send(method, path, body string) (*http.Response, []byte) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, "http://"+c.at.Addr+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.at.Token)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp, text
}

// hold makes a call and holds the answer, of a status, to the file.
func (c *caller) hold(o apitest.Operation, path, body string, want int) []byte {
	c.t.Helper()
	resp, text := c.send(o.Method, path, body)
	if resp.StatusCode != want {
		c.t.Errorf("%s %s: %d %.300s, want %d", o.Method, path, resp.StatusCode, text, want)
	}
	if err := c.file.Hold(o, resp, text); err != nil {
		c.t.Errorf("%s %s: %v in %.300s", o.Method, path, err, text)
	}
	return text
}

// What a node answers that has crawled is as the OpenAPI file says, not only what the server makes of types.
func TestOpenAPI_Node(t *testing.T) {
	s := newTestSite(t, "a.test", libraryPages)
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/")
	o.ExitWhenIdle = 0
	o.Examine = func(context.Context) (api.DoctorReport, error) { // the doctor knows this package, which cannot know it
		return api.DoctorReport{OK: true, DryRun: true, Areas: []api.DoctorArea{{Name: "store", Verdict: "ok"}}}, nil
	}
	client, end := serveInBackground(t, newNode(t, o))
	defer end()
	waitCaptures(t, o, 10)
	found, err := client.SearchArchive(t.Context(), "winter", "", 1)
	if err != nil || len(found.Results) != 1 {
		t.Fatalf("searched and found %+v, %v", found, err)
	}
	values := map[string]string{"id": found.Results[0].ID, "url": "http://a.test/", "q": "a.test", "domain": "a.test"}

	c := newCaller(t, o)
	var view api.ViewTicket
	if _, text := c.send(http.MethodPost, "/api/archive/view", "{}"); json.Unmarshal(text, &view) != nil {
		t.Fatalf("a view begins with %s", text)
	}
	values["view"] = view.View
	byID := map[string]apitest.Operation{}
	for _, o := range c.file.Operations() {
		byID[o.ID()] = o
		if o.Method != http.MethodGet || strings.Contains(o.Path, "{") {
			continue
		}
		query := url.Values{}
		for _, p := range o.Parameters("query") {
			name := p["name"].(string)
			if value, ok := values[name]; ok {
				query.Set(name, value)
			} else if p["required"] == true {
				query.Set(name, p["example"].(string))
			}
		}
		if text := c.hold(o, o.Path+"?"+query.Encode(), "", http.StatusOK); o.Path == "/api/archive/page" && !strings.Contains(string(text), "Snow") {
			t.Errorf("the page is %s", text)
		}
	}
	for _, call := range []struct {
		path, body string
		want       int
	}{
		{"/api/pause", `{"for":"1h"}`, 204}, {"/api/finish", ``, 204}, {"/api/work", `{"for":"1m"}`, 204}, {"/api/resume", `{}`, 204},
		{"/api/never", `{"pattern":"b.test"}`, 200}, {"/api/never", `{"pattern":"a b"}`, 400},
		{"/api/settings", `{"set":{"disk.max":"5 GB"},"dry_run":true}`, 200}, {"/api/settings", `{"set":{"disk.max":"much"},"lang":"de"}`, 400},
		{"/api/setup", `{"agree":false,"connection_is_mine":true}`, 400},
		{"/api/export", `{"format":"links"}`, 200}, {"/api/export", `{"format":"zip"}`, 400},
		{"/api/link", `{}`, 200}, {"/api/session", `{"key":"none"}`, 401},
	} {
		text := c.hold(byID["POST "+call.path], call.path, call.body, call.want)
		if ticket, err := apitest.ReadJSON(text); err == nil && call.path == "/api/export" && call.want == 200 {
			c.hold(byID["GET /download/{ticket}"], ticket.(map[string]any)["url"].(string), "", 200)
		}
	}
}
