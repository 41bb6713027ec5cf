package start

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/cli/console"
)

// still is a node that answers what the test put into it.
type still struct {
	api.Node
	status api.Status
	err    error
	events []api.Event
}

func (n *still) StatusIn(context.Context, string) (api.Status, error) { return n.status, n.err }

func (n *still) Events(since uint64, limit int) ([]api.Event, uint64, bool) {
	rest := n.events[min(int(since), len(n.events)):]
	rest = rest[:min(limit, len(rest))]
	return rest, since + uint64(len(rest)), false
}

func TestProgress_SaysWhatHappensInOneLine(t *testing.T) {
	n := &still{status: api.Status{State: api.StateWorking,
		Progress: api.Progress{PagesSession: 1234, PagesPerS: 2.34, BytesReceived: 5e6},
		Backlog:  api.Backlog{Domains: 5, Queued: 678}}}
	p := nodeText{node: n}
	if got, want := p.text(t.Context()), "1,234 pages · 2.3 pages/s · 5 domains · 5.0 MB · 678 queued"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	for i := range 2500 {
		n.events = append(n.events, api.Event{Kind: api.KindPage, Title: fmt.Sprint("page ", i), Domain: "a.test"})
	}
	n.events = append(n.events, api.Event{Kind: api.KindPage, Title: "the \x1b[2Jlast", Domain: "b.test"},
		api.Event{Kind: api.KindNode, Title: "no page"}, api.Event{Kind: api.KindPage})
	if got := p.text(t.Context()); !strings.HasSuffix(got, " · the [2Jlast (b.test)") {
		t.Errorf("text %q", got)
	}
	n.status.State, n.status.Reasons = api.StatePaused, []string{"you paused it", "disk full"}
	if got := p.text(t.Context()); !strings.HasSuffix(got, "678 queued · paused: you paused it; disk full") &&
		!strings.HasSuffix(got, "678 queued · paused: you paused it, disk full") {
		t.Errorf("text %q", got)
	}
	n.err = errors.New("no answer")
	if got := p.text(t.Context()); got != "status unknown: no answer" {
		t.Errorf("text %q", got)
	}
}

func TestShowProgress_EndsWithTheLastState(t *testing.T) {
	n := &still{status: api.Status{State: api.StateStopping, Reasons: []string{"Stopping"}}}
	var out bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	showProgress(ctx, n, console.NewScreen(&out, io.Discard))
	if got := out.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "stopping") {
		t.Errorf("shown %q", got)
	}
}
