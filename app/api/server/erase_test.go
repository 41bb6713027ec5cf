package server

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
)

func (n *testNode) Erase(_ context.Context, what api.Erasure) error {
	if what.IsPart() || what.KeepIdentity {
		return n.called("erase %v %v %v", what.Sites, what.URLs, what.KeepIdentity)
	}
	return n.called("erase")
}

func TestServer_Erase(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	post := func(body string) int {
		resp, _ := r.raw(t, fmt.Sprintf("POST /api/erase HTTP/1.1\nHost: HOST\nAuthorization: Bearer "+
			"TOKEN\nContent-Type: application/json\nContent-Length: %d\n\n%s", len(body), body))
		return resp.StatusCode
	}
	for _, body := range []string{"", "{}", `{"confirm":true}`, `{"confirm":"yes"}`, `{"confirm":"erase","x":1}`} {
		if got := post(body); got != 400 {
			t.Errorf("%s: %d, want 400", body, got)
		}
	}
	if len(r.node.calls) > 0 {
		t.Errorf("the node was told %q", r.node.calls)
	}
	if got := post(`{"confirm":"erase"}`); got != 202 {
		t.Errorf("%d, want 202", got)
	}
	c, err := client.Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Erase(t.Context(), api.Erasure{}); err != nil || strings.Join(r.node.calls, ", ") != "erase, erase" {
		t.Errorf("Erase = %v, the node was told %q", err, r.node.calls)
	}
}
