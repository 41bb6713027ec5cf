package tray

import (
	"testing"

	"github.com/forage-net/forage/app/api"
)

// Only the first page is news; others would have the icon of a busy node set again each second.
func TestTray_LooksForOnePageOnly(t *testing.T) {
	tr := newTray(Config{})
	looks := func(what string, e api.Event, want int) {
		t.Helper()
		tr.note([]api.Event{e})
		if len(tr.look) != want {
			t.Errorf("after %s it looks %d times, want %d", what, len(tr.look), want)
		}
		for len(tr.look)+len(tr.first) > 0 {
			select {
			case <-tr.look:
			case <-tr.first:
			}
		}
	}
	page := api.Event{Kind: api.KindPage, Domain: "a.example"}
	looks("a page of another node", api.Event{Kind: api.KindPage, Peer: "x"}, 0)
	looks("the first page", page, 1)
	looks("the second page", page, 0)
	looks("a change of state", api.Event{Kind: api.KindNode}, 1)
	tr.waits.Store(true)
	looks("a page that was waited for", page, 1)
}
