// Package overview is the first page: the Ring, what is visited now, what is used of what is allowed, and what
// came of it. What is new is noted when it comes and shown together, since each change of a widget draws the
// whole window again.
package overview

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/layouts"
)

// Node is what the page asks.
type Node interface {
	Away(ctx context.Context) (api.Away, error)
	LookAway(ctx context.Context, seen bool) (api.Away, error)
	LimitHistory(ctx context.Context) (api.LimitHistory, error)
	Series(ctx context.Context, q api.SeriesQuery) (api.Series, error)
	Visits(ctx context.Context, limit int) ([]api.Visit, error)
	Ring(ctx context.Context) (api.Ring, error)
	Never(ctx context.Context, text string, undo bool) (api.NeverChange, error)
}

// Page is the first page: the Ring, what is visited now, what is used of what is allowed, and what came of it.
//
// Each change of a widget draws the whole window again. So what is new is noted when it comes, and shown
// together: with the next frame of the Ring while that moves, and else once a second.
type Page struct {
	d        *desk.Desk
	box      fyne.CanvasObject
	away     *whileAway
	ring     *ringCard
	visiting *visiting
	promises *promises
	today    *today
	latest   *latest
	ticker   *desk.Ticker
	looked   bool
	// stale says that something is known that is not shown, updated is when all was shown last, opened since
	// when somebody looks.
	stale           bool
	updated, opened time.Time
}

// New makes the page. It asks nothing before somebody looks.
func New(d *desk.Desk, node Node) *Page {
	p := &Page{d: d, stale: true}
	p.ticker = desk.NewTicker(d, p.beat)
	p.visiting, p.promises = newVisiting(d, node, p.changed), newPromises(d, node, p.changed)
	p.today, p.latest = newToday(d, node, p.changed), newLatest(d)
	p.ring = newRingCard(d, node, p.wake)
	left := container.New(layouts.Pile{Gap: 10}, p.ring.box, p.promises.box)
	right := container.New(layouts.Pile{Gap: 10}, p.visiting.box, p.today.box, p.latest.box)
	p.away = newWhileAway(d, node)
	columns := container.New(&layouts.TwoColumns{Gap: 10, Least: 660, Share: 0.55}, left, right)
	p.box = container.New(layouts.Pile{Gap: 10}, p.away.box, columns)
	life := fyne.CurrentApp().Lifecycle()
	life.SetOnExitedForeground(func() { p.ring.away(true) })
	life.SetOnEnteredForeground(func() {
		p.ring.away(false)
		p.away.look(false)
	})
	return p
}

// Content is what is shown, the same at each call.
func (p *Page) Content() fyne.CanvasObject { return p.box }

// Shown says whether somebody looks.
func (p *Page) Shown(on bool) {
	p.looked, p.opened = on, p.d.Now()
	if on {
		p.away.look(false)
	}
	p.away.poll.Run(on)
	p.ring.poll.Run(on)
	p.visiting.poll.Run(on)
	p.promises.poll.Run(on)
	p.today.poll.Run(on)
	p.ticker.Run(on)
}

// Told takes how the node is.
func (p *Page) Told(l desk.Live) {
	p.ring.tellState(l)
	p.visiting.is, p.promises.is, p.today.is = l, l, l
	p.changed()
}

// Happened takes events.
func (p *Page) Happened(events []api.Event, missed bool) {
	p.ring.happened(events, missed)
	p.visiting.take(events)
	p.latest.take(events)
	if missed && p.looked {
		p.visiting.poll.Fresh()
		p.today.poll.Fresh()
	}
	p.changed()
}

// opening is how long everything is shown at once when somebody begins to look.
const opening = 2 * time.Second

// changed notes that something is new. It is shown with the next beat.
func (p *Page) changed() {
	p.stale = true
	if !p.looked {
		return
	}
	now := p.d.Now()
	if since := now.Sub(p.opened); since >= 0 && since < opening {
		p.update(now)
	}
	p.wake()
}

// wake has the next beat come when the next frame is due.
func (p *Page) wake() {
	if !p.looked {
		return
	}
	if at, ok := p.ring.next(p.d.Now()); ok {
		p.ticker.Wake(at)
	}
}

// idleBeat is the time between two beats while the Ring is at rest: what counts down does so by seconds.
const idleBeat = time.Second

// beat shows what is new, with a frame of the Ring if one is due, and returns how long until the next.
func (p *Page) beat() time.Duration {
	now := p.d.Now()
	if p.ring.frame(now) || p.due(now) {
		p.d.ShowNews()
		p.update(now)
	}
	at, ok := p.ring.next(now)
	switch {
	case ok && !at.After(now): // It was asked for just now.
		return p.ring.pace.between()
	case ok:
		return min(idleBeat, at.Sub(now))
	}
	return idleBeat
}

// due reports whether it is time to show what is new without a frame of the Ring: one that comes in a little while is
// waited for.
func (p *Page) due(now time.Time) bool {
	since := now.Sub(p.updated)
	if since < 0 || since >= 2*idleBeat {
		return true
	}
	at, ok := p.ring.next(now)
	return since >= idleBeat && !(ok && at.Sub(now) < idleBeat/2)
}

// update shows what is known.
func (p *Page) update(now time.Time) {
	if p.stale {
		p.promises.update(now)
		p.today.update()
	}
	if p.stale || p.visiting.counts() {
		p.visiting.update(now)
	}
	p.latest.update(now)
	p.ring.told.update(now)
	p.stale, p.updated = false, now
}
