package app

import (
	"context"
	"net/http"
	"testing"

	"github.com/forage-net/forage/app/bandwidth"
)

// By the time anything starts that might send, nothing may be sent: the first decision holds.
func TestNode_SendsNothingFromTheFirstDecision(t *testing.T) {
	site := newTestSite(t, "a.test", func(http.ResponseWriter, *http.Request) {})
	o := labOptions(t, t.TempDir(), site.hosts, "http://a.test/")
	o.ExitWhenIdle, o.Lab.NoLimits, o.Lab.Limits, o.Lab.AwaitConsent = 0, false, true, true
	n := newNode(t, o)
	if err := n.Arbiter.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, sent := range []bool{true, false} {
		if n.bandwidth.Wait(ended, bandwidth.Pages, sent, 1) == nil {
			t.Errorf("a byte may pass before the user has agreed, sent %v", sent)
		}
	}
}
