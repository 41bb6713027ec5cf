package desktop

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"fyne.io/fyne/v2/test"

	"github.com/forage-net/forage/app/api"
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
		w := &Window{d: &desk{node: hangs{}, ctx: ctx, ui: func(fn func()) { fn() }}}
		told := 0
		p := newPoll(w.d, statusEvery, w.look, func(l live) {
			if told++; l.reachable {
				t.Error("it answers")
			}
		})
		p.run(true)
		time.Sleep(callTime + time.Second)
		synctest.Wait()
		if told != 1 {
			t.Errorf("in %v it was told %d times that the node is away, want once", callTime+time.Second, told)
		}
		p.run(false)
		cancel()
		w.d.work.Wait()
	})
}

// A node with a large store takes longer than any answer.
func TestWindow_WaitsForANodeThatStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		refreshed := 0
		d := &desk{
			ctx: ctx, ui: func(fn func()) { fn() }, refresh: func() { refreshed++ },
			say: func(text string, failure bool) { t.Errorf("it says %q (failure: %v)", text, failure) },
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
		d.work.Wait()
		if refreshed != 1 {
			t.Errorf("it asks %d times how the node is, want once", refreshed)
		}
		cancel()
	})
}

// What can be undone can be for 20 seconds, whatever is said meanwhile.
func TestWindow_UndoStays(t *testing.T) {
	a := newStrictApp(t)
	w := newWindow(a, Config{Node: newKeeper(t, newStandIn(), "en"), Lang: "en"}, a.driver.loop.do)
	defer func() { w.close(); w.d.work.Wait() }()
	undone := 0
	w.d.offer("Gone.", "Undo", func() { undone++ })
	w.d.say("Something else.", false)
	w.d.say("It failed.", true)
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
