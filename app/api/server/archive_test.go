package server

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
)

var testCapture = api.ArchivedCapture{
	ID: "forage-x.7", URL: "https://a.example/", Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Status: 200,
	MIME: "text/html", Bytes: 9, Title: "A",
}

func (n *testNode) Captures(_ context.Context, url, before string, limit int) (api.CapturePage, error) {
	if err := n.called("captures %s %s %d", url, before, limit); err != nil {
		return api.CapturePage{}, err
	}
	if url != testCapture.URL {
		return api.CapturePage{}, nil
	}
	return api.CapturePage{Captures: []api.ArchivedCapture{testCapture}, Next: "n"}, nil
}

func (n *testNode) ReadCapture(_ context.Context, id, lang string) (api.ArchivedPage, error) {
	if id == "empty" {
		return api.ArchivedPage{URL: "https://a.example/"}, nil
	}
	if id != testCapture.ID {
		return api.ArchivedPage{}, api.ErrNoCapture
	}
	return api.ArchivedPage{URL: testCapture.URL, Paragraphs: []api.Paragraph{{Kind: "p", Text: lang}},
		Links: []string{"https://b.example/"}, Cut: true}, nil
}

func TestClient_Archive(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	c, err := client.Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if got, err := c.Captures(ctx, testCapture.URL, "b", 5); err != nil ||
		!reflect.DeepEqual(got, api.CapturePage{Captures: []api.ArchivedCapture{testCapture}, Next: "n"}) {
		t.Errorf("Captures = %+v, %v", got, err)
	}
	c.Captures(ctx, "x", "", 1000)
	if got, want := strings.Join(r.node.calls, ", "), "captures https://a.example/ b 5, captures x  100"; got != want {
		t.Errorf("the node was told %s, want %s", got, want)
	}
	if got, err := c.ReadCapture(ctx, testCapture.ID, "de"); err != nil || got.Paragraphs[0].Text != "de" ||
		!got.Cut || len(got.Links) != 1 {
		t.Errorf("ReadCapture = %+v, %v", got, err)
	}
	if _, err := c.ReadCapture(ctx, "other", "en"); err == nil || err.Error() != api.ErrNoCapture.Error() {
		t.Errorf("ReadCapture of what is not there: %v", err)
	}
}

func TestServer_ArchiveInput(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	for path, want := range map[string]int{
		"/api/archive": 400, "/api/archive?url=": 400, "/api/archive?url=x": 200, "/api/archive?url=x&limit=0": 400,
		"/api/archive?url=x&y=1":                                400,
		"/api/archive?url=" + strings.Repeat("x", maxLookup+1):  400,
		"/api/archive?url=x&before=" + strings.Repeat("x", 129): 400,
		"/api/archive/page":                                     400, "/api/archive/page?id=forage-x.7": 200,
		"/api/archive/page?id=x":                           404,
		"/api/archive/page?id=x&lang=fr":                   400,
		"/api/archive/page?id=" + strings.Repeat("x", 129): 400,
	} {
		if resp, body := r.raw(t,
			"GET "+path+" HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n\n"); resp.StatusCode != want {
			t.Errorf("%.60s: %d %s, want %d", path, resp.StatusCode, body, want)
		}
	}
	for path, want := range map[string]string{
		"/api/archive?url=x":         `{"captures":[],"next":""}`,
		"/api/archive/page?id=empty": `"paragraphs":[],"links":[]`,
	} {
		if _, body := r.raw(t,
			"GET "+path+" HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n\n"); !strings.Contains(body, want) {
			t.Errorf("%s = %s, want %s in it", path, body, want)
		}
	}
}

func TestTypes_ArchiveKeys(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{api.ArchivedCapture{},
			`{"id":"","url":"","time":"0001-01-01T00:00:00Z","status":0,"mime":"","bytes":0,"title":"","revisit":false}`},
		{api.ArchivedPage{}, `{"url":"","time":"0001-01-01T00:00:00Z","title":"","language":"","status":0,"mime":"","paragraphs":null,"links":null,"cut":false,"html":false}`},
		{api.Paragraph{}, `{"kind":"","text":""}`},
	} {
		if got, err := json.Marshal(c.v); err != nil || string(got) != c.want {
			t.Errorf("%T is %s, want %s (%v)", c.v, got, c.want, err)
		}
	}
}
