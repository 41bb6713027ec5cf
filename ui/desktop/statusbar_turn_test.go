package desktop

import (
	"fmt"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/desktest"
)

// While sites are visited one by one, the bar is not drawn again for each.
func TestStatusBar_IsCalm(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	at := desktest.Noon
	b.Desk.Now = func() time.Time { return at }
	bar := newStatusBar(b.Desk, b.Node, func() {})
	is := desk.Live{Status: b.Node.Is.Status, Limits: b.Node.Is.Limits, Known: true, Reachable: true}
	tell := func(after time.Duration, s api.State, pages int) {
		at = at.Add(after)
		is.Status.State, is.Status.Sentence = s, fmt.Sprintf("%s, %d pages.", s, pages)
		bar.told(is)
	}
	for i, c := range []struct {
		after time.Duration
		state api.State
		pages int
		want  string
	}{
		{0, api.StateWorking, 1, "working, 1 pages."},
		{2 * time.Second, api.StateWorking, 2, "working, 1 pages."},
		{3 * time.Second, api.StateWorking, 3, "working, 3 pages."},
		{time.Second, api.StateWaiting, 3, "working, 3 pages."}, // it may not last
		{500 * time.Millisecond, api.StateWorking, 3, "working, 3 pages."},
		{500 * time.Millisecond, api.StateWaiting, 4, "working, 3 pages."},
		{900 * time.Millisecond, api.StateWaiting, 4, "working, 3 pages."},
		{100 * time.Millisecond, api.StateWaiting, 5, "waiting, 5 pages."},
		{0, api.StatePaused, 5, "paused, 5 pages."},
		{0, api.StateWorking, 5, "working, 5 pages."},
	} {
		tell(c.after, c.state, c.pages)
		if bar.text.Text != c.want {
			t.Errorf("%d: it says %q, want %q", i, bar.text.Text, c.want)
		}
	}
	tell(0, api.StateWaiting, 6)
	at = at.Add(turnHold)
	bar.hold()
	if bar.drawn != moodWaiting {
		t.Error("a turn that lasts is not shown without another answer")
	}
	at = at.Add(-time.Hour) // somebody set the clock
	tell(0, api.StateWaiting, 7)
	if bar.text.Text != "waiting, 7 pages." {
		t.Errorf("after the clock was set back it says %q", bar.text.Text)
	}
}
