package e2e

import (
	"testing"

	"github.com/go-rod/rod/lib/proto"
)

// At 200 %, where a window of 1280 × 900 has room for a quarter, nothing is cut off at the side, no card touches another,
// and what the node does, how it is steered and the Ring as a whole have room at once.
func TestZoom(t *testing.T) {
	l := newLab(t)
	l.crawl()
	l.await("pages are fetched", func() bool { return l.status().Pages > 5 })
	for _, view := range []struct{ lang, scheme string }{{"en", "light"}, {"de", "dark"}} {
		p := l.dashboard(view.lang)
		proto.EmulationSetEmulatedMedia{Features: []*proto.EmulationMediaFeature{{
			Name: "prefers-color-scheme", Value: view.scheme,
		}}}.Call(p)
		proto.EmulationSetDeviceMetricsOverride{Width: 640, Height: 450, DeviceScaleFactor: 2}.Call(p)
		for _, name := range pages {
			p.visit(name)
			p.settle()
			p.picture(name + "-" + view.lang)
			for what, most := range map[string]int{
				"document.documentElement.scrollWidth":                  640,
				"document.querySelector('.status').offsetHeight":        140,
				"document.querySelector('.ring-picture')?.offsetHeight": 300,
			} {
				if n := p.MustEval("() => " + what + " ?? 0").Int(); n > most {
					t.Errorf("%s, %s: %s is %d, want %d at most", name, view.lang, what, n, most)
				}
			}
			p.apart(name)
		}
		p.sound()
	}
}

// apart says which cards touch each other.
func (p *page) apart(name string) {
	p.t.Helper()
	touching := p.MustEval(`() => {
		const cards = [...document.querySelectorAll('main .card')].map(e => [e.innerText.slice(0, 30), e.getBoundingClientRect()]);
		const near = (a, b) => a.left < b.right + 8 && b.left < a.right + 8 && a.top < b.bottom + 8 && b.top < a.bottom + 8;
		return cards.flatMap(([text, a], i) => cards.slice(i + 1).filter(([, b]) => near(a, b)).map(([other]) => text + ' | ' + other));
	}`)
	for _, pair := range touching.Arr() {
		p.t.Errorf("%s: these cards touch: %s", name, pair.Str())
	}
}
