package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// maxShift is how far what stands on a page may move in all, as browsers count it (cumulative layout shift).
const maxShift = 0.05

// countShifts runs before the page.
const countShifts = `(() => {
	window.shifts = [];
	const name = (s) => (s.node?.parentElement ?? {}).className + ' > ' + (s.node?.className ?? s.node?.nodeName);
	new PerformanceObserver((list) => list.getEntries().filter((e) => !e.hadRecentInput)
		.forEach((e) => window.shifts.push({ value: e.value, what: e.sources.slice(0, 3).map(name).join('; ') }))).observe({ type: 'layout-shift', buffered: true });
})()`

// What happens moves nothing that somebody reads, on any page, wide and narrow.
func TestLayout_IsCalm(t *testing.T) {
	t.Parallel() // it watches for a minute
	l := newLab(t)
	l.crawl()
	l.await("pages are fetched", func() bool { return l.status().Pages > 5 })
	watched := map[string]*page{}
	for _, width := range []int{1280, 390} {
		for _, name := range pages {
			link := strings.TrimSpace(l.forage("dashboard", "--print")) + "&to=" + name
			watched[fmt.Sprint(name, " at ", width)] = l.openWith(link, "en", func(tab *rod.Page) {
				proto.EmulationSetDeviceMetricsOverride{Width: width, Height: 844, DeviceScaleFactor: 1}.Call(tab)
				tab.MustEvalOnNewDocument(countShifts)
			})
		}
	}
	for _, p := range watched {
		p.settle()
	}
	time.Sleep(map[bool]time.Duration{true: 10 * time.Second, false: time.Minute}[testing.Short()])
	for name, p := range watched {
		sum, most := p.MustEval("() => window.shifts.reduce((sum, s) => sum + s.value, 0)").Num(), ""
		if sum > maxShift {
			most = p.MustEval("() => window.shifts.sort((a, b) => b.value - a.value).slice(0, 4).map(s => s.value.toFixed(3) + ' ' + s.what).join(' | ')").Str()
			t.Errorf("%s: shifts of %.3f, want %.2f at most: %s", name, sum, maxShift, most)
		} else {
			t.Logf("%s: shifts of %.3f", name, sum)
		}
		p.sound()
	}
}
