package overview

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/layouts"
	"github.com/forage-net/forage/ui/desktop/texts"
)

const todayEvery = 5 * time.Second

// hoursOfADay is how many hours of UTC a day touches at most: 25 where clocks are set back, from the middle of one on.
const hoursOfADay = 26

// today is what was done on this day of the user, and since ever.
type today struct {
	d                     *desk.Desk
	box                   fyne.CanvasObject
	poll                  *desk.Poll[api.Series]
	pages, firsts, helped *texts.Figure
	// All time.
	ever, received, domains, queued, members *texts.Figure
	is                                       desk.Live
	day                                      *api.Tally // nil: not known yet
}

func newToday(d *desk.Desk, node Node, changed func()) *today {
	t := &today{
		d: d, pages: texts.NewFigure(d.T("count.pages")), firsts: texts.NewFigure(d.T("count.firsts")),
		helped: texts.NewFigure(d.T("mine.helped")),
		ever:   texts.NewFigure(d.T("count.pages")), received: texts.NewFigure(d.T("mine.received")),
		domains: texts.NewFigure(d.T("count.domains")),
		queued:  texts.NewFigure(d.T("count.queued")), members: texts.NewFigure(d.T("count.members")),
	}
	since := widget.NewLabelWithStyle(d.T("mine.ever"), fyne.TextAlignLeading, fyne.TextStyle{Bold: true})
	since.SizeName = theme.SizeNameText
	t.box = boxes.Frame(d.T("now.today"), texts.Link(d.T("now.all"), func() { d.Show(desk.PageStatistics) }),
		container.New(&layouts.Cells{Least: 100, Gap: 6}, t.pages.Container, t.firsts.Container,
			t.helped.Container), since,
		container.New(&layouts.Cells{Least: 100, Gap: 6}, t.ever.Container, t.received.Container,
			t.domains.Container, t.queued.Container, t.members.Container))
	t.poll = desk.NewPoll(d, todayEvery,
		func(ctx context.Context) (api.Series, error) {
			q := api.SeriesQuery{Unit: api.UnitHour, From: midnight(time.Now()), Limit: hoursOfADay}
			return node.Series(ctx, q)
		},
		func(s api.Series) {
			t.day = &s.Totals
			changed()
		})
	return t
}

// midnight returns when the day of a local time began.
func midnight(now time.Time) time.Time {
	return time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.Local)
}

func (t *today) update() {
	if t.day != nil {
		t.pages.Set(t.d.Number(t.day.Pages))
		t.firsts.Set(t.d.Number(t.day.Firsts))
		t.helped.Set(t.d.Hours(float64(t.day.HelpedS) / 3600))
	}
	if !t.is.Known {
		return
	}
	s := t.is.Status
	t.ever.Set(t.d.Number(s.Pages))
	t.received.Set(t.d.Bytes(s.BytesReceived))
	t.domains.Set(t.d.Number(s.Domains))
	t.queued.Set(t.d.Number(s.Queued))
	t.members.Set(t.d.Number(max(1, s.Members))) // a node that rests is in no list
}
