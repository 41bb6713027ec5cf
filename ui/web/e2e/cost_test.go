package e2e

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

const (
	// maxBundle is what the dashboard may be, compressed; maxHeap is what its page may keep in memory.
	maxBundle = 200 << 10
	maxHeap   = 80e6
	// dayOfEvents is one a second.
	dayOfEvents = 24 * 60 * 60
)

// ringWatched is how long the page is watched each time; what it costs is told better in a long run.
var ringWatched = map[bool]time.Duration{false: 2 * time.Second, true: 10 * time.Second}[os.Getenv("FORAGE_LONG") != ""]

// All that the dashboard loads, on all of its pages, in both languages.
func TestCost_Bundle(t *testing.T) {
	var all bytes.Buffer
	sum := 0
	err := filepath.WalkDir("../dist", func(path string, entry fs.DirEntry, err error) error {
		switch filepath.Ext(path) {
		case ".js", ".css", ".html":
		default:
			return err
		}
		if entry.Name() == "placeholder.html" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		all.Reset()
		w := gzip.NewWriter(&all)
		if _, err := w.Write(text); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		sum += all.Len()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the dashboard is %d bytes, compressed with gzip", sum)
	if sum == 0 || sum > maxBundle {
		t.Errorf("%d bytes, want %d at most, and some", sum, maxBundle)
	}
}

// observe runs before the page: it counts how often a canvas is drawn on, and notes what keeps the page from answering.
const observe = `(() => {
	window.seen = { drawn: 0, long: [] };
	const context = HTMLCanvasElement.prototype.getContext;
	HTMLCanvasElement.prototype.getContext = function (...which) {
		window.seen.drawn++;
		return context.apply(this, which);
	};
	new PerformanceObserver((list) => list.getEntries().forEach((e) => window.seen.long.push(e.duration))).observe({ type: 'longtask', buffered: true });
})()`

// show opens the dashboard of the stand-in.
func (s *standIn) show() *page {
	s.t.Helper()
	l := &lab{t: s.t}
	p := l.openWith(s.URL+"/#/now", "en", func(tab *rod.Page) { tab.MustEvalOnNewDocument(observe) })
	// CPU time: what others take on this computer is not the page's.
	proto.PerformanceEnable{TimeDomain: proto.PerformanceEnableTimeDomainThreadTicks}.Call(p)
	proto.HeapProfilerEnable{}.Call(p)
	p.see("header.status", "Visiting sites")
	return p
}

// metric returns a figure of the browser about the page.
func (p *page) metric(name string) float64 {
	p.t.Helper()
	got, err := proto.PerformanceGetMetrics{}.Call(p)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, m := range got.Metrics {
		if m.Name == name {
			return m.Value
		}
	}
	p.t.Fatalf("the browser does not say %s", name)
	return 0
}

// kept returns what the page keeps in memory, in bytes, when all is collected that nobody needs.
func (p *page) kept() float64 {
	p.t.Helper()
	if err := (proto.HeapProfilerCollectGarbage{}).Call(p); err != nil {
		p.t.Fatal(err)
	}
	return p.metric("JSHeapUsedSize")
}

func (p *page) checkHeap(when string) {
	p.t.Helper()
	before := p.metric("JSHeapUsedSize")
	kept := p.kept()
	p.t.Logf("%s: %.1f MB of scripts' memory, %.1f MB once collected; %.0f nodes", when, before/1e6, kept/1e6, p.metric("Nodes"))
	if kept > maxHeap || before > maxHeap {
		p.t.Errorf("%s: %.1f and %.1f MB, want %.0f at most", when, before/1e6, kept/1e6, maxHeap/1e6)
	}
}

// long says what kept the page from answering since it was last asked.
func (p *page) long() string {
	return p.MustEval(`() => {
		const long = window.seen.long.splice(0);
		return long.length + ' tasks of more than 50 ms, the longest ' + Math.round(Math.max(0, ...long)) + ' ms';
	}`).Str()
}

// A day of events and ten thousand domains do not fill the page's memory.
func TestCost_DayOfEvents(t *testing.T) {
	s := newStandIn(t)
	p := s.show()
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	s.tell(ctx, 1, 0, "The first page")
	p.see(".latest li", "The first page")
	t.Logf("first paint after %.0f ms, first contents after %.0f ms, script time until then %.0f ms",
		p.MustEval("() => performance.getEntriesByName('first-paint')[0]?.startTime ?? -1").Num(),
		p.MustEval("() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1").Num(), 1000*p.metric("ScriptDuration"))
	t.Log("until the first page: ", p.long())
	p.checkHeap("at first")

	events := dayOfEvents
	if testing.Short() {
		events /= 10
	}
	begin, busy := time.Now(), p.metric("TaskDuration")
	s.tell(ctx, events, time.Second, "The last page")
	p.see(".latest li", "The last page")
	t.Logf("%d events in %.1f s, %.1f s of it the page's work; %s", events, time.Since(begin).Seconds(), p.metric("TaskDuration")-busy, p.long())
	p.checkHeap("after a day of events")

	p.visit("mine")
	p.see("table", domainName(0))
	// The box is scrolled to its end until the last domain is there: what is out of sight is not made.
	most := p.MustEval(`async (last) => {
		const box = document.querySelector('.scroll.tall');
		let most = 0;
		for (let i = 0; i < 2000 && !box.textContent.includes(last); i++) {
			box.scrollTop = box.scrollHeight;
			await new Promise((done) => setTimeout(done, 10));
			most = Math.max(most, box.querySelectorAll('tbody tr').length);
		}
		return box.textContent.includes(last) ? most : -1;
	}`, domainName(standInDomains-1)).Int()
	if blocks := standInDomains / 50; most < 0 || most > blocks+500 {
		t.Errorf("the last domain is listed with %d rows at most, -1 for never; want %d for those out of sight, and some hundred", most, blocks)
	}
	t.Logf("all %d domains scrolled through, with %d rows at most: %s", standInDomains, most, p.long())
	p.checkHeap("with them listed")
	p.visit("now")
	s.tell(ctx, 1000, time.Second, "One page more")
	p.see(".latest li", "One page more")
	p.checkHeap("back on the first page")
	p.sound()
}

// The Ring draws nothing while nobody sees it.
func TestCost_RingRestsWhenHidden(t *testing.T) {
	s := newStandIn(t)
	p := s.show()
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	s.tell(ctx, 500, time.Second, "The first page")
	p.MustElement(".ring-picture canvas")

	rates := []int{1, 20}
	if testing.Short() {
		rates = rates[1:]
	}
	for _, perSecond := range rates {
		drawn, with := p.watched(ctx, s, perSecond)
		if drawn == 0 {
			t.Errorf("%d events a second: the Ring draws nothing", perSecond)
		}
		p.MustEval(`() => document.querySelector('.ring').style.display = 'none'`)
		none, without := p.watched(ctx, s, perSecond)
		p.MustEval(`() => document.querySelector('.ring').style.display = ''`)
		t.Logf("%d events a second: drawn on %.1f times a second; the page's tasks take %.2f %% of a core, %.2f %% without the Ring, which is %.2f %%",
			perSecond, float64(drawn)/ringWatched.Seconds(), 100*with, 100*without, 100*(with-without))
		if none > 0 {
			t.Errorf("out of sight the Ring was drawn on %d times", none)
		}
	}

	// A page in the background is told so; what it does then is its own decision here, as the browser still asks for frames.
	p.setHidden(true)
	hidden, idle := p.watched(ctx, nil, 0)
	t.Logf("hidden: the page's tasks take %.3f %% of a core", 100*idle)
	if hidden > 0 {
		t.Errorf("hidden, the Ring was drawn on %d times", hidden)
	}
	p.setHidden(false)
	s.tell(ctx, 1, 0, "Seen again")
	p.see(".latest li", "Seen again")
	if again, _ := p.watched(ctx, s, 1); again == 0 {
		t.Error("in sight again, the Ring draws nothing")
	}
	p.sound()
}

// watched tells the page of so many events a second for a while, and returns how often the Ring was drawn on and which part of the
// time its tasks took.
func (p *page) watched(ctx context.Context, s *standIn, perSecond int) (drawn int, busy float64) {
	p.t.Helper()
	time.Sleep(2 * time.Second) // what flies ends
	count := func() int { return p.MustEval("() => window.seen.drawn").Int() }
	before, used, begin := count(), p.metric("TaskDuration"), time.Now()
	// As a node does, which writes at most five times a second.
	perWrite := max(1, perSecond/5)
	for turn := 1; time.Since(begin) < ringWatched; turn++ {
		wait := ringWatched
		if s != nil {
			s.tell(ctx, perWrite, time.Second/time.Duration(perSecond), "A page")
			wait = time.Duration(turn*perWrite) * time.Second / time.Duration(perSecond)
		}
		time.Sleep(time.Until(begin.Add(wait)))
	}
	took := time.Since(begin).Seconds()
	return count() - before, (p.metric("TaskDuration") - used) / took
}

// setHidden has the page believe that nobody sees it, or somebody.
func (p *page) setHidden(hidden bool) {
	p.t.Helper()
	state := map[bool]string{true: "hidden", false: "visible"}[hidden]
	p.MustEval(strings.ReplaceAll(`() => {
		Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'STATE' });
		Object.defineProperty(document, 'hidden', { configurable: true, get: () => 'STATE' === 'hidden' });
		document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
	}`, "STATE", state))
	p.MustWait(fmt.Sprintf("() => document.visibilityState === '%s'", state))
}
