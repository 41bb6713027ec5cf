package app

import (
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
)

// A node that fetches tells of it over its API when its user is back, until they have seen it.
func TestAbsence_OverTheAPI(t *testing.T) {
	t.Parallel()
	v := startVisitor(t, text(100), nil)
	v.works()
	back := time.Now().Add(2 * time.Hour)
	v.until("a page that is settled", func() bool { s, err := v.api.Stats(t.Context(), 0); return err == nil && s.Totals.Pages > 1 })
	v.node.Absence.Sense(back, back)
	var told api.Away
	v.until("what was fetched", func() bool {
		var err error
		if told, err = v.api.Away(t.Context()); err != nil {
			t.Fatal(err)
		}
		return told.Since != nil
	})
	if told.Pages < 2 || told.Sites < 1 || told.Firsts < 1 || told.First == nil || told.Farthest == nil || told.Sentence == "" {
		t.Errorf("%+v is told", told)
	}
	if g, err := v.node.Glance("en"); err != nil || g.Back == nil || g.Back.Sentence != told.Sentence {
		t.Errorf("the tray is told %+v, %v", g.Back, err)
	}
	if told, err := v.api.LookAway(t.Context(), true); err != nil || told.Since != nil {
		t.Errorf("after it was seen %+v is told, %v", told, err)
	}
}
