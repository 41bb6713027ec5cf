package overview

import (
	"context"
	"net/url"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/layouts"
	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/shown"
	"github.com/forage-net/forage/ui/desktop/speech"
	"github.com/forage-net/forage/ui/desktop/texts"
)

// awayEvery is how often it is asked what there is to tell.
const awayEvery = time.Minute

// whileAway is what was fetched while nobody was there. It is not there where there is nothing to tell.
type whileAway struct {
	d    *desk.Desk
	node Node
	box  *fyne.Container
	is   api.Away
	poll *desk.Poll[api.Away]
}

func newWhileAway(d *desk.Desk, node Node) *whileAway {
	w := &whileAway{d: d, node: node, box: container.NewStack()}
	w.box.Hide()
	w.poll = desk.NewPoll(d, awayEvery, node.Away, w.told)
	return w
}

// look tells the node that somebody looks.
func (w *whileAway) look(seen bool) {
	call := func(ctx context.Context) (api.Away, error) { return w.node.LookAway(ctx, seen) }
	desk.Ask(w.d, call, func(a api.Away, err error) {
		if err == nil {
			w.told(a)
		}
	})
}

// told shows what there is to tell.
func (w *whileAway) told(a api.Away) {
	if a.Since == nil || a.Until == nil {
		w.is = api.Away{}
		boxes.Show(w.box, false)
		return
	}
	if w.is.Until != nil && w.is.Until.Equal(*a.Until) && len(w.is.Shown) == len(a.Shown) {
		return
	}
	w.is = a
	w.box.Objects = []fyne.CanvasObject{w.content()}
	w.box.Show()
	w.box.Refresh()
}

func (w *whileAway) content() fyne.CanvasObject {
	d, a := w.d, &w.is
	much := texts.Prose(shown.Text(a.Sentence))
	much.SizeName, much.TextStyle.Bold = theme.SizeNameHeadingText, true
	rows := []fyne.CanvasObject{much}
	for _, m := range speech.Notable(a.Milestones) {
		reached := texts.Prose("★ " + d.Milestone(m))
		reached.TextStyle.Bold = true
		rows = append(rows, reached)
	}
	if f := a.First; f != nil {
		rows = append(rows, w.page(f.ID, f.URL, f.Title, d.T("away.first")+" · "+shown.Text(f.Domain)))
	}
	for _, f := range a.Shown {
		rows = append(rows, w.page(f.ID, f.URL, f.Title, shown.Text(f.Domain)+" · "+d.Tongue(f.Language)))
	}
	if a.Farthest != nil {
		rows = append(rows, texts.Fine(d.T("away.farthest", "site", shown.Text(a.Farthest.Domain), "ms",
			d.Number(a.Farthest.Ms))))
	}
	done := widget.NewButton(d.T("away.seen"), func() { w.look(true) })
	rows = append(rows, container.New(layout.NewCustomPaddedLayout(10, 2, 6, 0), container.NewHBox(done)))
	now := d.Now()
	when := texts.Fine(d.T("away.when", "since", dayAndTime(d, *a.Since, now), "until", dayAndTime(d, *a.Until, now)))
	when.Wrapping = fyne.TextWrapOff
	head := container.NewBorder(nil, nil, nil, container.NewCenter(when), texts.Strong(d.T("away.title")))
	inside := append([]fyne.CanvasObject{head}, rows...)
	return boxes.NewSurface(look.LeafPale, "", boxes.Corner,
		boxes.Pad(10, container.New(layouts.Pile{Gap: -6}, inside...)))
}

// page is one page: its archived copy, and the live one.
func (w *whileAway) page(id, address, title, where string) fyne.CanvasObject {
	to := url.Values{"url": {address}}
	if id != "" {
		to = url.Values{"id": {id}}
	}
	copied := texts.Link(shown.First(shown.Text(title), shown.Text(address)),
		func() { w.d.Dashboard("mine?" + to.Encode()) })
	copied.Truncation = fyne.TextTruncateEllipsis
	place := texts.Line(where)
	place.SizeName, place.Importance = theme.SizeNameCaptionText, widget.LowImportance
	live := texts.Web(w.d.T("away.live"), address)
	return container.NewBorder(nil, nil, nil, live, container.NewGridWithColumns(2, copied, container.NewVBox(place)))
}

// dayAndTime is a time, with its day unless it is of today.
func dayAndTime(d *desk.Desk, at, now time.Time) string {
	if at.Local().Format(time.DateOnly) == now.Local().Format(time.DateOnly) {
		return d.Clock(at)
	}
	return d.Date(at, now) + " " + d.Clock(at)
}
