package desktop

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/layouts"
)

const todayEvery = 5 * time.Second

// hoursOfADay is how many hours of UTC a day touches at most: 25 where clocks are set back, from the middle of one on.
const hoursOfADay = 26

// today is what was done on this day of the user, and since ever.
type today struct {
	d                     *desk
	box                   fyne.CanvasObject
	poll                  *poll[api.Series]
	pages, firsts, helped *figure
	// All time.
	ever, received, domains, queued, members *figure
	is                                       live
	day                                      *api.Tally // nil: not known yet
}

func newToday(d *desk, changed func()) *today {
	t := &today{
		d: d, pages: newFigure(d.t("count.pages")), firsts: newFigure(d.t("count.firsts")),
		helped: newFigure(d.t("mine.helped")),
		ever:   newFigure(d.t("count.pages")), received: newFigure(d.t("mine.received")),
		domains: newFigure(d.t("count.domains")),
		queued:  newFigure(d.t("count.queued")), members: newFigure(d.t("count.members")),
	}
	since := widget.NewLabelWithStyle(d.t("mine.ever"), fyne.TextAlignLeading, fyne.TextStyle{Bold: true})
	since.SizeName = theme.SizeNameText
	t.box = frame(d.t("now.today"), link(d.t("now.all"), func() { d.show(pageStatistics) }),
		container.New(&layouts.Cells{Least: 100, Gap: 6}, t.pages.Container, t.firsts.Container,
			t.helped.Container), since,
		container.New(&layouts.Cells{Least: 100, Gap: 6}, t.ever.Container, t.received.Container,
			t.domains.Container, t.queued.Container, t.members.Container))
	t.poll = newPoll(d, todayEvery,
		func(ctx context.Context) (api.Series, error) {
			q := api.SeriesQuery{Unit: api.UnitHour, From: midnight(time.Now()), Limit: hoursOfADay}
			return d.node.Series(ctx, q)
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
		t.pages.set(t.d.number(t.day.Pages))
		t.firsts.set(t.d.number(t.day.Firsts))
		t.helped.set(t.d.hours(float64(t.day.HelpedS) / 3600))
	}
	if !t.is.known {
		return
	}
	s := t.is.status
	t.ever.set(t.d.number(s.Pages))
	t.received.set(t.d.bytes(s.BytesReceived))
	t.domains.set(t.d.number(s.Domains))
	t.queued.set(t.d.number(s.Queued))
	t.members.set(t.d.number(max(1, s.Members))) // a node that rests is in no list
}
