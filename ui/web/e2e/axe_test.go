package e2e

import (
	"os"
	"testing"

	"github.com/go-rod/rod/lib/proto"
)

// No page has a serious fault of accessibility, in light and dark, wide and narrow.
func TestAccessible(t *testing.T) {
	t.Parallel() // it waits half a minute for a day of limits
	l := newLab(t)
	l.crawl()
	l.await("pages are fetched", func() bool { return l.status().Pages > 5 })
	p := l.dashboard("en")
	for _, view := range []struct {
		name, scheme string
		width        int
	}{{"light", "light", 1280}, {"dark", "dark", 1280}, {"phone", "light", 390}} {
		proto.EmulationSetEmulatedMedia{Features: []*proto.EmulationMediaFeature{{Name: "prefers-color-scheme", Value: view.scheme}}}.Call(p)
		proto.EmulationSetDeviceMetricsOverride{Width: view.width, Height: 900, DeviceScaleFactor: 1}.Call(p)
		for _, name := range pages {
			p.visit(name)
			p.settle()
			if name == "now" { // a day of limits is told a while after the start
				p.see(".past-day li", "")
				p.see(".past-day", "").MustEval("() => { this.open = true }")
			}
			p.picture(name + "-" + view.name)
			p.accessible(name + ", " + view.name)
		}
	}
	p.sound()
}

// accessible says what axe finds on what is shown now.
func (p *page) accessible(name string) {
	p.t.Helper()
	axe, err := os.ReadFile("../node_modules/axe-core/axe.min.js")
	if err != nil {
		p.t.Fatal(err)
	}
	// The page's policy forbids foreign scripts; the debugger is not bound by it.
	if r, err := (proto.RuntimeEvaluate{Expression: string(axe)}).Call(p); err != nil || r.ExceptionDetails != nil {
		p.t.Fatal(err, r)
	}
	found := p.MustEval(`async () => (await axe.run({ resultTypes: ['violations'] })).violations
		.filter(v => ['serious', 'critical'].includes(v.impact) || v.id === 'landmark-unique')
		.map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html + ' ' + n.failureSummary).join(' | '))`)
	for _, v := range found.Arr() {
		p.t.Errorf("%s: %s", name, v.Str())
	}
}
