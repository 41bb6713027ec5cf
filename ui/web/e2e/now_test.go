package e2e

import "testing"

// What comes while a page is put together is on it: a list that waits for the effects of its component to hear of events
// misses those before, until another comes.
func TestNow_MissesNothingWhileItAppears(t *testing.T) {
	s := newStandIn(t)
	p := s.show()
	s.tell(t.Context(), 1, 0, "The first page")
	p.see(".latest li", "The first page")
	p.visit("mine")
	p.see("table", domainName(0))

	// Effects wait for a frame or a moment, which do not come.
	p.MustEval(`() => { window.requestAnimationFrame = window.setTimeout = () => 0 }`)
	p.MustEval(`() => { location.hash = '#/now' }`)
	p.see(".latest li", "The first page")
	s.tell(t.Context(), 1, 0, "Meanwhile")
	p.see(".latest li", "Meanwhile")
	p.sound()
}
