package overview

import (
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/layouts"
	"github.com/forage-net/forage/ui/desktop/texts"
)

const (
	// mostTold events are told in words.
	mostTold = 12
	// toldEvery is how often the words change at most, so that they can be read.
	toldEvery = 5 * time.Second
)

// ringTold is the same events as the picture's in words, when somebody wants them.
type ringTold struct {
	d     *desk.Desk
	box   *fyne.Container
	text  *widget.Label
	list  []api.Event
	stale bool
	last  time.Time
}

func newRingTold(d *desk.Desk) *ringTold {
	t := &ringTold{d: d, text: texts.Fine("")}
	t.text.Hide()
	t.box = container.New(layouts.Pile{Gap: -6}, texts.Link(d.T("ring.words"), t.toggle), t.text)
	return t
}

func (t *ringTold) toggle() {
	if t.text.Visible() {
		t.text.Hide()
		return
	}
	t.last, t.stale = time.Time{}, true
	t.update(t.d.Now())
	t.text.Show()
}

// take adds events, the oldest first.
func (t *ringTold) take(events []api.Event) {
	t.list = append(t.list, events[max(0, len(events)-mostTold):]...)
	if over := len(t.list) - mostTold; over > 0 {
		t.list = append([]api.Event(nil), t.list[over:]...)
	}
	t.stale = true
}

func (t *ringTold) update(now time.Time) {
	if since := now.Sub(t.last); !t.stale || since >= 0 && since < toldEvery {
		return
	}
	t.stale, t.last = false, now
	if len(t.list) == 0 {
		texts.Set(t.text, t.d.T("ring.words.none"))
		return
	}
	var b strings.Builder
	for i := len(t.list) - 1; i >= 0; i-- {
		e := t.list[i]
		b.WriteString(e.Time.Local().Format("15:04:05") + "  " + toldOf(t.d, e))
		if i > 0 {
			b.WriteByte('\n')
		}
	}
	texts.Set(t.text, b.String())
}
