package frontier

import (
	"testing"

	"github.com/forage-net/forage/crawl"
)

// What is known of a page outlives answers without its content: the next visit asks by
// the validators of the page, and finds it as it was.
func TestRevisit_AnswerWithoutThePageLeavesWhatIsKnown(t *testing.T) {
	for _, between := range []crawl.Outcome{
		{Result: crawl.Gone, Status: 404, Digest: [20]byte{99}, ETag: `"error"`, LastModified: "Thu, 01 Jan 2026 00:00:00 GMT"},
		{Result: crawl.Redirected, Status: 302, Digest: [20]byte{99}, ETag: `"error"`},
		{Result: crawl.Skipped, Status: 200, Digest: [20]byte{99}, ETag: `"error"`},
		{Result: crawl.Forbidden},
		{Result: crawl.Declined, Reason: "you asked never to visit it"},
	} {
		r := newRig(t, Config{})
		r.enqueue("http://a.test/")
		r.visit(page(1))
		r.advance(8 * day)
		r.wake()
		r.visit(between)
		r.advance(31 * day)
		r.wake()
		p := r.visit(page(1))[0].Prior
		if p == nil || p.ETag != `"1"` || p.LastModified != "" || p.Digest != [20]byte{1} {
			t.Errorf("after %v the page is asked for by %+v", between.Result, p)
		}
		if got := r.totals().Changed; got != 0 {
			t.Errorf("after %v the same page counts as changed %d times", between.Result, got)
		}
	}
}

// A visit that was not made is no miss: what the user did not want for a while is visited
// when they do.
func TestRevisit_DeclinedVisitsNeverGiveAPageUp(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/")
	r.visit(page(1))
	for i := range 2 * maxMisses {
		r.advance(DefaultRevisitMost + day)
		r.wake()
		if r.totals().Queued != 1 {
			t.Fatalf("after %d declined visits the page is not visited again", i)
		}
		r.visit(crawl.Outcome{Result: crawl.Declined, Reason: "you asked never to visit it"})
	}
	r.advance(DefaultRevisitMost + day)
	r.wake()
	r.visit(page(1))
	if got := r.totals(); got.Revisiting != 0 || got.Changed != 0 {
		t.Errorf("totals = %+v", got)
	}
}
