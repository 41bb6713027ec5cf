package overview

import (
	"net/url"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/layouts"
	"github.com/forage-net/forage/ui/desktop/shown"
	"github.com/forage-net/forage/ui/desktop/texts"
)

const (
	// mostLatest pages are listed.
	mostLatest = 8
	// latestEvery is how often the list changes at most: all its lines move with each page.
	latestEvery = 3 * time.Second
)

// latest are the pages that were fetched last, the newest first.
type latest struct {
	box   fyne.CanvasObject
	empty *widget.Label
	rows  [mostLatest]*pageRow
	list  []api.Event
	stale bool
	last  time.Time
}

func newLatest(d *desk.Desk) *latest {
	l := &latest{empty: texts.Prose(d.T("now.latest.none"))}
	l.empty.Importance = widget.LowImportance
	inside := []fyne.CanvasObject{l.empty}
	for i := range l.rows {
		l.rows[i] = newPageRow(d)
		inside = append(inside, l.rows[i].box)
	}
	l.box = boxes.Frame(d.T("now.latest"), texts.Link(d.T("now.log"), func() { d.Dashboard("log") }),
		container.New(layouts.Pile{Gap: -2}, inside...))
	return l
}

// take adds events, the oldest first.
func (l *latest) take(events []api.Event) {
	for _, e := range events {
		if e.Kind == api.KindPage {
			l.list = append(l.list, e)
			l.stale = true
		}
	}
	if over := len(l.list) - mostLatest; over > 0 {
		l.list = append([]api.Event(nil), l.list[over:]...)
	}
}

func (l *latest) update(now time.Time) {
	if since := now.Sub(l.last); !l.stale || since >= 0 && since < latestEvery {
		return
	}
	l.stale, l.last = false, now
	n := len(l.list)
	for i, row := range l.rows {
		boxes.Show(row.box, i < n)
		if i < n {
			row.set(l.list[n-1-i])
		}
	}
	boxes.Show(l.empty, n == 0)
}

// pageRow is one page. Its title leads to what the archive has of it.
type pageRow struct {
	box   *fyne.Container
	title *widget.Hyperlink
	where *widget.Label
	page  api.Event
}

func newPageRow(d *desk.Desk) *pageRow {
	r := &pageRow{where: texts.Line("")}
	r.title = texts.Link("", func() { d.Dashboard("mine?" + url.Values{"url": {r.page.URL}}.Encode()) })
	r.title.Truncation = fyne.TextTruncateEllipsis
	r.where.SizeName, r.where.Importance = theme.SizeNameCaptionText, widget.LowImportance
	r.box = container.New(layouts.Pile{Gap: -14}, r.title, r.where)
	r.box.Hide()
	return r
}

func (r *pageRow) set(e api.Event) {
	r.page = e
	title := shown.Text(e.Title)
	if title == "" {
		title = shown.Path(e.URL)
	}
	if r.title.Text != title {
		r.title.SetText(title)
	}
	texts.Set(r.where, e.Time.Local().Format("15:04:05")+" · "+shown.Text(e.Domain))
}
