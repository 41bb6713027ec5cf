package e2e

import "testing"

// A node that is killed and started again has its page back without a reload, in the same session.
func TestReconnects(t *testing.T) {
	l := newLab(t)
	l.crawl()
	addr := l.addr()
	p := l.dashboard("en")
	l.await("pages are fetched", func() bool { return l.status().Pages > 3 })
	p.see(".latest li", "")
	p.MustEval("() => { window.same = true }")
	l.kill()
	p.see(".lost", "No answer for")
	l.start(addr, "--accept", "--gap", "1s")
	p.gone(".lost", "No answer")
	before := l.status()
	l.await("pages are fetched again", func() bool { return l.status().Pages > before.Pages })
	l.await("new pages are shown", func() bool {
		return p.MustEval("() => document.querySelectorAll('.latest li').length").Int() > 0
	})
	if !p.MustEval("() => window.same === true").Bool() {
		t.Error("the page was loaded anew")
	}
	p.sound()
}
