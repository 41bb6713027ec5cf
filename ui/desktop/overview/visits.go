package overview

import (
	"context"
	"math"
	"net/url"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/controls"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/layouts"
	"github.com/forage-net/forage/ui/desktop/shown"
	"github.com/forage-net/forage/ui/desktop/texts"
)

const (
	// mostVisits are shown.
	mostVisits = 6
	// visitsEvery is how often they are asked for: each answer sets lines again, which takes some ms.
	visitsEvery = 3 * time.Second
)

// visiting says at which sites the node is, and when each is asked again.
type visiting struct {
	d     *desk.Desk
	box   fyne.CanvasObject
	poll  *desk.Poll[[]api.Visit]
	empty *widget.Label
	rows  [mostVisits]*visitRow
	list  []api.Visit
	known bool
	is    desk.Live
	// last are the latest pages of the sites that are visited.
	last map[string]api.Event
}

func newVisiting(d *desk.Desk, node Node, changed func()) *visiting {
	v := &visiting{d: d, empty: texts.Prose(d.T("loading")), last: map[string]api.Event{}}
	v.empty.Importance = widget.LowImportance
	inside := []fyne.CanvasObject{v.empty}
	for i := range v.rows {
		v.rows[i] = newVisitRow(d, node)
		inside = append(inside, v.rows[i].box)
	}
	v.box = boxes.Frame(d.T("now.visiting"), nil, container.New(layouts.Pile{Gap: 4}, inside...))
	v.poll = desk.NewPoll(d, visitsEvery,
		func(ctx context.Context) ([]api.Visit, error) { return node.Visits(ctx, mostVisits) },
		func(list []api.Visit) {
			v.list, v.known = settled(v.list, list[:min(len(list), mostVisits)]), true
			v.forget()
			changed()
		})
	return v
}

// settled is a list in which what was in the one before stays at its place, so that lines do not change under
// the pointer.
func settled(before, list []api.Visit) []api.Visit {
	places := make([]api.Visit, len(list))
	taken := make([]bool, len(list))
	var rest []api.Visit
	for _, visit := range list {
		at := slices.IndexFunc(before, func(b api.Visit) bool { return b.Domain == visit.Domain })
		if at < 0 || at >= len(list) || taken[at] {
			rest = append(rest, visit)
			continue
		}
		places[at], taken[at] = visit, true
	}
	for i := range places {
		if !taken[i] {
			places[i], rest = rest[0], rest[1:]
		}
	}
	return places
}

// take notes the latest page of each site.
func (v *visiting) take(events []api.Event) {
	for _, e := range events {
		if e.Kind == api.KindPage && e.Domain != "" {
			v.last[e.Domain] = e
		}
	}
	if len(v.last) > mostLast {
		v.forget()
	}
}

// mostLast bounds the sites whose latest page is known between two answers.
const mostLast = 1000

// forget drops the pages of sites that are not visited now.
func (v *visiting) forget() {
	kept := make(map[string]api.Event, mostVisits)
	for _, visit := range v.list {
		if e, ok := v.last[visit.Domain]; ok {
			kept[visit.Domain] = e
		}
	}
	v.last = kept
}

// update shows what is known, as it is at a time.
func (v *visiting) update(now time.Time) {
	list := v.list
	if v.is.Known && !v.is.Reachable {
		list = nil
	}
	for i, row := range v.rows {
		boxes.Show(row.box, i < len(list))
		if i < len(list) {
			row.set(list[i], v.last[list[i].Domain], now)
		}
	}
	texts.Set(v.empty, v.nothing())
	boxes.Show(v.empty, len(list) == 0)
}

// nothing is what is said where no site is visited.
func (v *visiting) nothing() string {
	switch {
	case v.is.Known && !v.is.Reachable:
		return v.d.Gone(v.is)
	case !v.known:
		return v.d.T("loading")
	case v.is.Status.State == api.StatePaused:
		return v.d.T("now.visiting.paused")
	}
	return v.d.T("now.visiting.none")
}

// counts reports whether something counts down.
func (v *visiting) counts() bool { return v.known && len(v.list) > 0 && v.is.Reachable }

// visitRow is one site.
type visitRow struct {
	node               Node
	d                  *desk.Desk
	box, head          *fyne.Container
	domain, turn, page *widget.Label
	visit              api.Visit
}

func newVisitRow(d *desk.Desk, node Node) *visitRow {
	r := &visitRow{d: d, node: node, domain: texts.Line(""), turn: widget.NewLabel(""), page: texts.Line("")}
	r.domain.TextStyle.Bold = true
	r.page.SizeName, r.turn.SizeName = theme.SizeNameCaptionText, theme.SizeNameCaptionText
	r.turn.Alignment, r.turn.Importance = fyne.TextAlignTrailing, widget.LowImportance
	more := controls.NewMenuButton("", r.acts)
	more.Icon, more.Importance = theme.MoreHorizontalIcon(), widget.LowImportance
	r.head = container.NewBorder(nil, nil, nil, r.turn, r.domain)
	r.box = container.NewBorder(nil, nil, nil, container.NewCenter(more),
		container.New(layouts.Pile{Gap: -14}, r.head, r.page))
	return r
}

// acts are what can be done with the site, as in the dashboard.
func (r *visitRow) acts() []*fyne.MenuItem {
	d, domain := r.d, r.visit.Domain
	return []*fyne.MenuItem{
		fyne.NewMenuItem(d.T("site.menu.archive"),
			func() { d.Dashboard("mine?" + url.Values{"site": {domain}}.Encode()) }),
		fyne.NewMenuItem(d.T("never.button"), func() { d.Never(r.node, domain, nil) }),
	}
}

func (r *visitRow) set(v api.Visit, last api.Event, now time.Time) {
	r.visit = v
	texts.Set(r.domain, shown.Text(v.Domain))
	if text := turnText(r.d, v, now); text != r.turn.Text {
		r.turn.SetText(text)
		r.head.Layout.Layout(r.head.Objects, r.head.Size()) // It may be wider.
	}
	if v.Owner != "" {
		texts.Set(r.page, r.d.T("now.theirs", "peer", r.d.Helper(v.Owner)))
		return
	}
	texts.Set(r.page, lastPageText(r.d, v, last))
}

// turnText says when a site is asked next.
func turnText(d *desk.Desk, v api.Visit, now time.Time) string {
	if v.Busy || v.Next == nil {
		return d.T("now.busy")
	}
	left := math.Ceil(v.Next.Sub(now).Seconds())
	if left <= 0 {
		return d.T("now.soon")
	}
	return d.T("now.wait", "time", d.Length(time.Duration(left)*time.Second))
}

// lastPageText says what was fetched last of a site, or else what comes.
func lastPageText(d *desk.Desk, v api.Visit, last api.Event) string {
	if last.Kind != api.KindPage {
		return shown.Path(v.URL)
	}
	text := d.T("now.last", "title", shown.First(last.Title, shown.Path(last.URL)))
	if last.Bytes > 0 {
		// after a title from right to left it would be drawn into it, except for that mark
		text += "\u200e  " + d.Bytes(last.Bytes)
	}
	return text
}
