package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// page is the dashboard in a browser of its own: without cookies, storage or history.
type page struct {
	*rod.Page
	tab *rod.Page // the same, without a bound on its time
	t   *testing.T
	lab *lab

	mu     sync.Mutex
	faults []string // what the browser complained about
	clicks int
}

// open opens a link in a new window of a language, "en" or "de".
func (l *lab) open(link, lang string) *page {
	l.t.Helper()
	return l.openWith(link, lang, func(*rod.Page) {})
}

// openWith is open with something to prepare before the page is there.
func (l *lab) openWith(link, lang string, prepare func(*rod.Page)) *page {
	l.t.Helper()
	window, err := chrome.Incognito()
	if err != nil {
		l.t.Fatal(err)
	}
	tab := window.MustPage("")
	p := &page{Page: tab.Timeout(3 * patience), tab: tab, t: l.t, lab: l}
	l.t.Cleanup(func() {
		if l.t.Failed() {
			p.picture("failed")
		}
		tab.Close()
		window.Close()
	})
	// What navigator.languages says.
	proto.NetworkSetUserAgentOverride{UserAgent: tab.MustEval("() => navigator.userAgent").Str(), AcceptLanguage: lang}.Call(tab)
	go tab.EachEvent(func(e *proto.RuntimeExceptionThrown) {
		p.fault("exception: " + e.ExceptionDetails.Text + " " + describe(e.ExceptionDetails.Exception))
	}, func(e *proto.LogEntryAdded) {
		// That the node is away is expected where it is taken away.
		if e.Entry.Level == proto.LogLogEntryLevelError && e.Entry.Source != proto.LogLogEntrySourceNetwork {
			p.fault("error: " + e.Entry.Text)
		}
	})()
	proto.LogEnable{}.Call(tab)
	prepare(tab)
	p.MustNavigate(link)
	return p
}

func describe(o *proto.RuntimeRemoteObject) string {
	if o == nil {
		return ""
	}
	return o.Description
}

// dashboard opens the dashboard by a link of the command line.
func (l *lab) dashboard(lang string) *page {
	l.t.Helper()
	p := l.open(strings.TrimSpace(l.forage("dashboard", "--print")), lang)
	p.see("nav a[aria-current]", "") // the key is used
	return p
}

func (p *page) fault(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, text)
}

// sound says what the browser complained about.
func (p *page) sound() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.faults {
		p.t.Error(f)
	}
}

// see waits until an element has a text in it.
func (p *page) see(selector, text string) *rod.Element {
	p.t.Helper()
	e, err := p.find(selector, text)
	if err != nil {
		p.t.Fatalf("%s with %q is not there: %v; the page says:\n%.3000s", selector, text, err, p.text())
	}
	return e.CancelTimeout().Timeout(patience)
}

func (p *page) find(selector, text string) (*rod.Element, error) {
	if text == "" {
		return p.Timeout(patience).Element(selector)
	}
	return p.Timeout(patience).ElementR(selector, regexp.QuoteMeta(text))
}

// gone waits until no element has a text in it.
func (p *page) gone(selector, text string) {
	p.t.Helper()
	p.lab.await(selector+" with "+text+" is gone", func() bool {
		has, _, err := p.HasR(selector, regexp.QuoteMeta(text))
		return err == nil && !has
	})
}

func (p *page) text() string {
	v, err := p.Eval("() => document.body.innerText")
	if err != nil {
		return err.Error()
	}
	return v.Value.Str()
}

// click clicks on what has a text, as a person would.
func (p *page) click(selector, text string) {
	p.t.Helper()
	p.clicks++
	if err := p.see(selector, text).Click(proto.InputMouseButtonLeft, 1); err != nil {
		p.t.Fatalf("click on %s with %q: %v", selector, text, err)
	}
}

// visit shows a page of the dashboard.
func (p *page) visit(name string) {
	p.t.Helper()
	p.MustEval("name => { location.hash = '#/' + name }", name)
	p.MustWait("name => document.querySelector('nav a[aria-current]')?.getAttribute('href') === '#/' + name.split('?')[0]", name)
}

// settle waits until a page shows what it is about. It is never still: things happen on it.
func (p *page) settle() {
	p.t.Helper()
	p.MustWait("() => document.querySelector('main h1, main h2') && !document.querySelector('.loading')")
	p.MustWaitIdle()
}

// picture writes a picture of the page into the directory that FORAGE_PICTURES names.
func (p *page) picture(name string) {
	dir := os.Getenv("FORAGE_PICTURES")
	if dir == "" {
		return
	}
	img, err := p.tab.Timeout(patience).Screenshot(true, nil)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, strings.ReplaceAll(p.t.Name(), "/", "_")+"-"+name+".png"), img, 0o600)
	}
	if err != nil {
		p.t.Logf("no picture: %v", err)
	}
}
