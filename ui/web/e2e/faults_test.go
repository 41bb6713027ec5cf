package e2e

import (
	"context"
	"strings"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"

	"github.com/forage-net/forage/app/api"
)

// count returns how many elements there are.
func (p *page) count(selector string) int {
	p.t.Helper()
	return p.MustEval("selector => document.querySelectorAll(selector).length", selector).Int()
}

// A node that was stopped is no alarm: the page says how to start it, and offers nothing that nobody would do.
func TestStop_IsCalm(t *testing.T) {
	l := newLab(t)
	l.crawl()
	p := l.dashboard("en")
	p.see(".visits li:not(.empty)", "")
	l.forage("stop")
	p.see(".lost", "Start it again with")
	p.see("header.paused .sentence", "Stopped.")
	l.await("no site is shown", func() bool { return p.count(".visits li:not(.empty)") == 0 })
	for _, selector := range []string{".meter", "[role=alert]", "header.problem", ".acts button"} {
		if n := p.count(selector); n > 0 {
			t.Errorf("%d of %s after an orderly end", n, selector)
		}
	}
	p.picture("stopped")
	p.sound()
}

// Of a node that was killed nothing is left to click on, and no site that it visits.
func TestKill_LeavesNothingStale(t *testing.T) {
	l := newLab(t)
	l.crawl()
	p := l.dashboard("en")
	p.see(".visits li:not(.empty)", "")
	l.kill()
	p.see(".lost[role=alert]", "No answer for")
	l.await("no site is shown", func() bool { return p.count(".visits li:not(.empty)") == 0 })
	if n := p.count(".acts button, .meter"); n > 0 {
		t.Errorf("%d buttons and measures of a node that is gone", n)
	}
	p.sound()
}

// Who finds it at rest because somebody may be there can have it go on.
func TestRest_OffersToKeepGoing(t *testing.T) {
	l := newLab(t)
	l.crawl("--lab-limits")
	p := l.dashboard("en")
	p.see("header.paused", "")
	p.accessible("at rest")
	p.see(".keep", "Keep going while I watch")
	p.click(".keep button", "15 minutes")
	l.await("it works", func() bool { return l.status().State != api.StatePaused })
	p.gone(".keep", "Keep going while I watch")
	limits, err := l.client().Limits(context.Background(), "en")
	if err != nil || limits.Mode != "on" || limits.Until == nil {
		t.Errorf("limits %+v, %v", limits, err)
	}
	p.sound()
}

// Each row of the week is as high as its cells, and the hours stand above them.
func TestWeek_IsAligned(t *testing.T) {
	l := newLab(t)
	l.crawl("--lab-limits")
	p := l.dashboard("en")
	p.visit("settings")
	p.see("[role=grid]", "").MustScrollIntoView()
	got := p.MustEval(`() => {
		const wrong = [];
		const at = (e) => e.getBoundingClientRect();
		const hours = [...document.querySelectorAll('.week-hours .hour')].map(at);
		for (const row of document.querySelectorAll('.week-row:not(.week-hours)')) {
			const head = at(row.querySelector('.day'));
			[...row.querySelectorAll('.cell')].forEach((cell, i) => {
				const box = at(cell);
				if (Math.abs(box.top - head.top) > 0.5 || Math.abs(box.bottom - head.bottom) > 0.5) wrong.push('cell ' + i + ' ' + box.top + '-' + box.bottom + ' beside ' + head.top + '-' + head.bottom);
				if (i % 4 === 0 && Math.abs(box.left - hours[i / 4].left) > 0.5) wrong.push('cell ' + i + ' at ' + box.left + ', hour at ' + hours[i / 4].left);
			});
		}
		return wrong.slice(0, 3).join('; ');
	}`).Str()
	if got != "" {
		t.Error(got)
	}
	p.picture("week")
	p.sound()
}

// What is wrong with a setting is told with the name that stands beside it.
func TestSettings_ErrorsHaveNames(t *testing.T) {
	l := newLab(t)
	l.crawl("--lab-limits")
	p := l.dashboard("en")
	p.visit("settings?key=budget.full.pages_per_min")
	p.see("[id='set-budget.full.pages_per_min'] input", "").MustSelectAllText().MustInput("1000000")
	fault := p.see("[id='set-budget.full.pages_per_min'] .fault", "").MustText()
	if strings.Contains(fault, "budget.full") {
		t.Errorf("it says %q", fault)
	}
	t.Log(fault)
	p.sound()
}

// A reload in the middle of the first run loses neither the step nor the tick, and what a screen complains about moves nothing.
func TestFirstRun_KeepsItsPlace(t *testing.T) {
	l := newLab(t)
	l.start("127.0.0.1:0", "--await-consent", "--lab-limits", "--gap", "1s")
	p := l.open(strings.TrimSpace(l.forage("dashboard", "--print")), "en")
	p.click("button", "Continue")
	p.see("h1", "What others see")
	places := func() string {
		return p.MustEval(`() => [...document.querySelectorAll('.mine, input[type=checkbox], button.main')].map(e => e.getBoundingClientRect().top + scrollY).join()`).Str()
	}
	before := places()
	p.click("button", "I agree")
	p.see(".fault", "Please tick")
	if after := places(); after != before {
		t.Errorf("the box and the button were at %s and are at %s", before, after)
	}
	p.accessible("not ticked")
	p.MustElement("input[type=checkbox]").MustClick()
	p.click("button", "I agree")
	p.see("h1", "When")
	p.MustReload()
	p.see("h1", "When")
	p.click("button", "Back")
	if !p.see("input[type=checkbox]", "").MustProperty("checked").Bool() {
		t.Error("the tick is gone")
	}
	p.sound()
}

// A title that is written from right to left leaves what stands beside it alone.
func TestTitles_FromRightToLeft(t *testing.T) {
	s := newStandIn(t)
	p := s.show()
	const title = "שלום 12 (עולם)"
	s.tell(t.Context(), 1, 0, title)
	p.see(".latest li bdi", "שלום")
	p.sound()
}

// Today is the day of the user, wherever that is.
func TestToday_IsTheUsersDay(t *testing.T) {
	s := newStandIn(t)
	l := &lab{t: t}
	p := l.openWith(s.URL+"/#/now", "en", func(tab *rod.Page) {
		proto.EmulationSetTimezoneOverride{TimezoneID: "Asia/Kathmandu"}.Call(tab) // five hours and three quarters ahead
		tab.MustEvalOnNewDocument(`(() => {
			window.asked = [];
			const ask = window.fetch;
			window.fetch = (path, ...rest) => (window.asked.push(String(path)), ask(path, ...rest));
		})()`)
	})
	p.see("dl.figures dt", "Pages")
	got := p.MustEval("() => window.asked.find(path => path.startsWith('/api/stats/series?'))").Str()
	if !strings.Contains(got, "unit=hour") || !strings.Contains(got, "T18%3A00%3A00") {
		t.Errorf("it asked %s, want the hours since midnight in Kathmandu", got)
	}
	p.sound()
}

// A browser that is not known is told of each way in, and one that goes astray sees words.
func TestDoors_AreNamed(t *testing.T) {
	l := newLab(t)
	l.crawl()
	p := l.open("http://"+l.addr()+"/", "en")
	p.see("h1", "new here")
	for _, way := range []string{"forage dashboard", "tray menu", "window"} {
		p.see("main", way)
	}
	p.MustNavigate("http://" + l.addr() + "/nonsense")
	p.see("h1", "There is no page here")
	p.see("a", "Open the dashboard").MustClick()
	p.see("h1", "new here")
	p.sound()
}
