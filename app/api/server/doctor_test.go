package server

import (
	"context"
	"testing"

	"github.com/forage-net/forage/app/api"
)

func (n *testNode) Doctor(context.Context) (api.DoctorReport, error) {
	return api.DoctorReport{OK: true, DryRun: true, Areas: []api.DoctorArea{{Name: "disk", Verdict: "ok"}}}, n.err
}

func TestServer_Doctor(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	get := func(query string) (int, string) {
		resp, body := r.raw(t, "GET /api/doctor"+query+" HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n\n")
		return resp.StatusCode, body
	}
	want := `{"ok":true,"dry_run":true,"running":false,"areas":[{"name":"disk","verdict":"ok","summary":"","findings":[]}]}` + "\n"
	if status, body := get("?lang=de"); status != 200 || body != want {
		t.Errorf("%d %s, want %s", status, body, want)
	}
	if status, _ := get("?lang=fr"); status != 400 {
		t.Errorf("a language that is none: %d", status)
	}
	r.node.err = api.ErrBusy
	if status, body := get(""); status != 503 {
		t.Errorf("at the same time: %d %s, want 503", status, body)
	}
	r.node.err = context.DeadlineExceeded
	if status, body := get(""); status != 504 {
		t.Errorf("too slow: %d %s, want 504", status, body)
	}
}
