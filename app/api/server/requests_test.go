package server

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
)

func TestClient_Requests(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	c, err := client.Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	q := api.RequestQuery{Before: "2026-03-04.5", Limit: 7, Domain: "a.example", Text: "ü & ?", Kind: "page"}
	page, err := c.Requests(t.Context(), q)
	if err != nil || len(page.Requests) != 1 || page.Next != "more" || page.KeptDays != 30 ||
		page.Requests[0].Code != api.CodeForbidden {
		t.Errorf("Requests = %+v, %v", page, err)
	}
	if want := "requests {Before:2026-03-04.5 Limit:7 Domain:a.example Text:ü & ? " +
		"Kind:page}"; len(r.node.calls) != 1 || r.node.calls[0] != want {
		t.Errorf("the node was asked %q, want %q", r.node.calls, want)
	}
	for _, wrong := range []api.RequestQuery{{Limit: 0}, {Limit: 1001},
		{Limit: 1, Text: strings.Repeat("x", maxSearch+1)}, {Limit: 1, Domain: "\xff"}, {Limit: 1, Before: "wrong"}} {
		if _, err := c.Requests(t.Context(), wrong); err == nil {
			t.Errorf("Requests(%+v) succeeded", wrong)
		}
	}
	if text, err := c.RequestReport(t.Context(), 3); err != nil || text != "3 days\n" {
		t.Errorf("RequestReport = %q, %v", text, err)
	}
	if _, err := c.RequestReport(t.Context(), 366); err == nil {
		t.Error("a report about 366 days")
	}
	resp, body := r.raw(t, "GET /api/requests/report HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n\n")
	if resp.StatusCode != http.StatusOK || body != "7 days\n" ||
		!strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		t.Errorf("report %d %q, %s", resp.StatusCode, body, resp.Header.Get("Content-Type"))
	}
}

func TestClient_Ring(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	c, err := client.Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := r.node.Ring(t.Context())
	want.Domains = []api.RingDomain{}
	if got, err := c.Ring(t.Context()); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Ring = %+v, %v, want %+v", got, err, want)
	}
}
