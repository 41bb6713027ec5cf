package desktop

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"fyne.io/fyne/v2/test"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/desktest"
)

// hangs is a node that takes calls and never answers.
type hangs struct{ Node }

func (hangs) StatusIn(ctx context.Context, _ string) (api.Status, error) {
	<-ctx.Done()
	return api.Status{}, ctx.Err()
}

func TestWindow_NodeThatHangsIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := &Window{c: Config{Node: hangs{}}, d: &desk.Desk{Ctx: ctx, UI: func(fn func()) { fn() }}}
		told := 0
		p := desk.NewPoll(w.d, statusEvery, w.look, func(l desk.Live) {
			if told++; l.Reachable {
				t.Error("it answers")
			}
		})
		p.Run(true)
		time.Sleep(statusEvery + answerTime + time.Second)
		synctest.Wait()
		if told != 1 {
			t.Errorf("it was told %d times that the node is away, want once", told)
		}
		p.Run(false)
		cancel()
		w.d.Wait()
	})
}

// A node with a large store takes longer than any answer.
func TestWindow_WaitsForANodeThatStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		refreshed := 0
		d := &desk.Desk{
			Ctx: ctx, UI: func(fn func()) { fn() }, Refresh: func() { refreshed++ },
			Say: func(text string, failure bool) { t.Errorf("it says %q (failure: %v)", text, failure) },
		}
		w := &Window{d: d, c: Config{StartNode: func(ctx context.Context) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Minute):
				return nil
			}
		}}}
		w.startNode()
		d.Wait()
		if refreshed != 1 {
			t.Errorf("it asks %d times how the node is, want once", refreshed)
		}
		cancel()
	})
}

// What can be undone can be for 20 seconds, whatever is said meanwhile.
func TestWindow_UndoStays(t *testing.T) {
	a := desktest.NewApp(t)
	w := newWindow(a, Config{Node: desktest.NewStandIn(), Lang: "en"}, a.Loop().Do)
	defer func() { w.close(); w.d.Wait() }()
	undone := 0
	w.d.Offer("Gone.", "Undo", func() { undone++ })
	w.d.Say("Something else.", false)
	w.d.Say("It failed.", true)
	if !w.offers.box.Visible() || w.offers.text.Text != "Gone." || !w.toast.box.Visible() {
		t.Fatalf("what is said takes %q away", w.offers.text.Text)
	}
	test.Tap(w.offers.act)
	if undone != 1 || w.offers.box.Visible() || !w.toast.box.Visible() {
		t.Errorf("undone %d times, still offered: %v", undone, w.offers.box.Visible())
	}
	if offerTime < 10*time.Second {
		t.Errorf("it is offered for %v", offerTime)
	}
}
