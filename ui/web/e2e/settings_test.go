package e2e

import (
	"context"
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"

	"github.com/forage-net/forage/app/api"
)

// What is painted on the week stands in the file, and holds at once.
func TestPaintTheWeek(t *testing.T) {
	l := newLab(t)
	l.crawl("--lab-limits")
	l.forage("set", "idle.unknown_is=away")
	l.forage("set", "pause.other_cpu=100")
	before := l.forage("get", "schedule.work")
	l.await("the node works", func() bool { return l.status().State != api.StatePaused })
	p := l.dashboard("en")
	p.visit("settings")
	p.see("label", "Rest").MustClick()
	grid := p.see("[role=grid]", "")
	grid.MustScrollIntoView()
	rows := p.MustElements("[role=grid] [role=row]")[1:]
	first, last := rows.First().MustElements("[data-cell]").First(), rows.Last().MustElements("[data-cell]").Last()
	from, to := first.MustShape().OnePointInside(), last.MustShape().OnePointInside()
	p.Mouse.MustMoveTo(from.X, from.Y)
	p.Mouse.MustDown(proto.InputMouseButtonLeft)
	if err := p.Mouse.MoveLinear(*to, 12); err != nil {
		t.Fatal(err)
	}
	p.Mouse.MustUp(proto.InputMouseButtonLeft)
	p.see("header.paused .sentence", "hours")
	p.picture("week")
	if after := l.forage("get", "schedule.work"); after == before {
		t.Errorf("the file still says %s", after)
	}
	served := len(l.web.Served())
	limits, err := l.client().Limits(context.Background(), "en")
	if err != nil || limits.Level != "off" {
		t.Errorf("level %q, %v", limits.Level, err)
	}
	// By keyboard: one cell is work again.
	p.see("label", "Work").MustClick()
	first.MustFocus()
	p.Keyboard.MustType(input.Space)
	l.await("one quarter of an hour is in the file", func() bool { return strings.Contains(l.forage("get", "schedule.work"), "00:15") })
	if n := len(l.web.Served()); n != served {
		t.Logf("%d requests after the hours had ended: those in flight", n-served)
	}
	p.sound()
}

// A limit that is changed on the page is obeyed by the engine.
func TestChangeALimit(t *testing.T) {
	l := newLab(t)
	l.crawl("--lab-limits")
	l.forage("set", "pause.other_cpu=100")
	l.forage("resume", "--for", "1h")
	p := l.dashboard("en")
	p.visit("settings?key=budget.full.pages_per_min")
	field := p.see("[id='set-budget.full.pages_per_min'] input", "")
	field.MustSelectAllText().MustInput("6").MustType(input.Enter)
	l.await("the engine allows six pages a minute", func() bool {
		limits, err := l.client().Limits(context.Background(), "en")
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range limits.Budgets {
			if b.Name == "pages_per_min" {
				return b.Limit == 6
			}
		}
		return false
	})
	p.picture("limit")
	p.sound()
}
