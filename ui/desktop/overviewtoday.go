package desktop

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
)

const todayEvery = 5 * time.Second

// today is what was done on this day, and since ever.
type today struct {
	d                               *desk
	box                             fyne.CanvasObject
	poll                            *poll[api.Series]
	pages, firsts, session          *figure
	ever, received, domains, queued *figure
	members                         *figure
	is                              live
	day                             api.Point
	known                           bool
}

func newToday(d *desk, changed func()) *today {
	t := &today{
		d: d, pages: newFigure(d.t("count.pages")), firsts: newFigure(d.t("count.firsts")), session: newFigure(d.t("count.session")),
		ever: newFigure(d.t("count.pages")), received: newFigure(d.t("mine.received")), domains: newFigure(d.t("count.domains")),
		queued: newFigure(d.t("count.queued")), members: newFigure(d.t("count.members")),
	}
	setText(t.pages.name, d.t("count.pages")+", "+d.t("now.utc"))
	since := widget.NewLabelWithStyle(d.t("mine.ever"), fyne.TextAlignLeading, fyne.TextStyle{Bold: true})
	since.SizeName = theme.SizeNameText
	t.box = frame(d.t("now.today"), link(d.t("now.all"), func() { d.show(pageStatistics) }),
		container.New(&cells{least: 100, gap: 6}, t.pages.Container, t.firsts.Container, t.session.Container), since,
		container.New(&cells{least: 100, gap: 6}, t.ever.Container, t.received.Container, t.domains.Container, t.queued.Container, t.members.Container))
	t.poll = newPoll(d, todayEvery,
		func(ctx context.Context) (api.Series, error) {
			return d.node.Series(ctx, api.SeriesQuery{Unit: api.UnitDay, Limit: 1})
		},
		func(s api.Series) {
			t.day, t.known = api.Point{}, true
			if n := len(s.Points); n > 0 {
				t.day = s.Points[n-1]
			}
			changed()
		})
	return t
}

func (t *today) update(now time.Time) {
	if t.known {
		day := t.day
		if day.Start.UTC().Format(time.DateOnly) != now.UTC().Format(time.DateOnly) {
			day = api.Point{}
		}
		t.pages.set(t.d.number(day.Pages))
		t.firsts.set(t.d.number(day.Firsts))
	}
	if !t.is.known {
		return
	}
	s := t.is.status
	t.session.set(t.d.number(s.PagesSession))
	t.ever.set(t.d.number(s.Pages))
	t.received.set(t.d.bytes(s.BytesReceived))
	t.domains.set(t.d.number(s.Domains))
	t.queued.set(t.d.number(s.Queued))
	t.members.set(t.d.number(s.Members))
}
