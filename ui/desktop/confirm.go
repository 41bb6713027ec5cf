package desktop

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/shown"
)

// confirm asks a question in the window that something is in, and calls then if the answer is yes, which is the
// text of the button.
func (d *desk) confirm(in fyne.CanvasObject, title, question, yes string, then func()) {
	win := windowOf(in)
	if win == nil {
		return
	}
	text := prose(question)
	box := dialog.NewCustomConfirm(title, yes, d.t("window.cancel"), text, func(sure bool) {
		if sure {
			then()
		}
	}, win)
	box.SetConfirmImportance(widget.WarningImportance)
	box.Resize(fyne.NewSize(min(440, win.Canvas().Size().Width-40), 0))
	showDialog(box, win)
}

// showDialog shows a dialog that the key Escape closes, too.
func showDialog(box dialog.Dialog, win fyne.Window) {
	c := win.Canvas()
	before := c.OnTypedKey()
	c.SetOnTypedKey(func(e *fyne.KeyEvent) {
		if e.Name == fyne.KeyEscape {
			box.Hide()
		}
	})
	box.SetOnClosed(func() { c.SetOnTypedKey(before) })
	box.Show()
}

// never has a site never visited again, after a question that is asked in the window of in. That can be undone for a while
// where it is said. after, if not nil, is called when the one or the other was done.
func (d *desk) never(in fyne.CanvasObject, domain string, after func()) {
	name := shown.Text(domain)
	d.confirm(in, d.t("never.button"), d.t("never.ask", "domain", name), d.t("never.button"), func() {
		d.changeNever(domain, false, after, func(api.NeverChange) {
			d.offer(d.t("never.done", "domain", name), d.t("neighbour.never.undo"), func() { d.allow(domain, after) })
		})
	})
}

// allow takes a site off the list of those never visited. Another entry may still keep it out.
func (d *desk) allow(domain string, after func()) {
	d.changeNever(domain, true, after, func(c api.NeverChange) {
		if c.Never {
			d.say(d.t("neighbour.never.still", "pattern", shown.Text(domain)), true)
			return
		}
		d.say(d.t("neighbour.never.undone", "pattern", shown.Text(domain)), false)
	})
}

// changeNever puts a site on the list of those never visited, or takes it off, and has told say what came of it.
func (d *desk) changeNever(domain string, undo bool, after func(), told func(api.NeverChange)) {
	ask(d, func(ctx context.Context) (api.NeverChange, error) { return d.node.Never(ctx, domain, undo) }, func(c api.NeverChange, err error) {
		if err != nil {
			d.say(shown.Text(d.trouble(err)), true)
			return
		}
		told(c)
		d.refresh()
		if after != nil {
			after()
		}
	})
}
