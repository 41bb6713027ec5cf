package desktop

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/texts"
)

const (
	toastTime = 4 * time.Second
	// offerTime is enough to see that one was wrong, and to get there.
	offerTime   = 20 * time.Second
	failureTime = 12 * time.Second
)

// toast shows a sentence for a moment at the foot of the window. A failure stays longer, and until it is
// closed.
type toast struct {
	d      *desk.Desk
	box    *fyne.Container
	ground *boxes.Surface
	text   *widget.Label
	act    *widget.Button
	// shows counts, so that a timer of an earlier sentence does not take away a later one.
	shows int
}

func newToast(d *desk.Desk) *toast {
	t := &toast{d: d, text: texts.Prose("")}
	shut := widget.NewButtonWithIcon("", theme.CancelIcon(), t.hide)
	shut.Importance = widget.LowImportance
	t.act = widget.NewButton("", nil)
	t.act.Hide()
	t.ground = boxes.NewSurface(look.LeafPale, theme.ColorNameSeparator, 10,
		container.NewBorder(nil, nil, nil, container.NewCenter(container.NewHBox(t.act, shut)), t.text))
	t.box = container.NewStack(boxes.Pad(12, t.ground))
	t.box.Hide()
	return t
}

func (t *toast) say(text string, failure bool) {
	stay := toastTime
	ground := look.LeafPale
	if failure {
		stay, ground = failureTime, look.RedPale
	}
	t.ground.Paint(ground)
	t.act.Hide()
	t.stay(text, stay)
}

// offer says something with a button beside it.
func (t *toast) offer(text, act string, do func()) {
	t.act.OnTapped = func() { t.hide(); do() }
	t.act.SetText(act)
	boxes.Show(t.act, true)
	t.ground.Paint(look.LeafPale)
	t.stay(text, offerTime)
}

func (t *toast) stay(text string, stay time.Duration) {
	t.shows++
	mine := t.shows
	t.text.SetText(text)
	boxes.Show(t.box, true)
	t.d.After(stay, func() {
		if t.shows == mine {
			t.hide()
		}
	})
}

func (t *toast) hide() { t.box.Hide() }
