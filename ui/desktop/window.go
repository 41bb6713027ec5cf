package desktop

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/setup"
	"github.com/forage-net/forage/ui/desktop/shown"
	"github.com/forage-net/forage/ui/desktop/speech"
	"github.com/forage-net/forage/ui/desktop/texts"
)

// Config is what the window needs to know.
type Config struct {
	Node Node
	// Lang is "en" or "de".
	Lang string
	// Page is where it begins, "" for the overview.
	Page string
	// Dashboard opens the dashboard at a route, "" for its first page.
	Dashboard func(ctx context.Context, route string) error
	// StartNode starts the node, where it does not run.
	StartNode func(ctx context.Context) error
	// Drawn, if not nil, is called once when something has been drawn, on a goroutine of the driver.
	Drawn func()
}

// Window is the window of a node.
type Window struct {
	c      Config
	d      *desk.Desk
	win    fyne.Window
	cancel context.CancelFunc
	closed atomic.Bool
	poll   *desk.Poll[desk.Live]
	is     desk.Live
	bar    *statusBar
	// toast is what is said, offers what can be undone: that stays whatever is said.
	toast, offers *toast
	side          *fyne.Container
	pages         []entry
	items         []*navItem
	now           int // index of the page that is shown
	body          *fyne.Container
	first         page // the first run
	main          fyne.CanvasObject
	stack         *fyne.Container
	begun         bool
	// asked says that the node was asked how it is because of what happened a moment ago, missed that more
	// happened since.
	asked, missed bool
	// stopped says that the node said that it ends.
	stopped bool
	other   error
}

// firstLook is how long the window waits for the node before it shows itself.
const firstLook = 500 * time.Millisecond

// answerTime is how long the node may take to say how it is, less than a poll waits. A node that hangs takes
// longer, and is as little there as one that ended.
const answerTime = 8 * time.Second

const (
	// statusEvery is how often the node is asked how it is. Events say sooner that something changed.
	statusEvery = 2 * time.Second
	// statusGap is how long after that it is not asked again because of what happened: while sites are visited
	// something happens all the time.
	statusGap = time.Second
)

// windowEdge is free space around what the window shows.
const windowEdge = 10

// New makes the window of an app, which has its look from then on. Run shows it.
func New(a fyne.App, c Config) *Window {
	a.Settings().SetTheme(look.NewTheme(""))
	return newWindow(a, c, fyne.Do)
}

// newWindow is New, with do to run a function on the UI goroutine.
func newWindow(a fyne.App, c Config, do func(func())) *Window {
	ctx, cancel := context.WithCancel(context.Background())
	w := &Window{c: c, cancel: cancel}
	w.d = &desk.Desk{Speech: speech.Speech{Lang: c.Lang}, Ctx: ctx, Now: time.Now,
		Refresh: func() { w.poll.Again() }}
	w.d.UI = func(fn func()) {
		if !w.closed.Load() {
			do(func() {
				if !w.closed.Load() {
					fn()
				}
			})
		}
	}
	w.d.Show, w.d.Dashboard = w.Show, w.openDashboard
	w.poll = desk.NewPoll(w.d, statusEvery, w.look, w.told)
	w.win = a.NewWindow(w.d.T("window.title"))
	w.build()
	w.win.SetContent(w.stack)
	w.win.Resize(fyne.NewSize(1080, 720))
	w.win.CenterOnScreen()
	return w
}

func (w *Window) build() {
	d := w.d
	w.toast, w.offers = newToast(d), newToast(d)
	d.Say, d.Offer = w.toast.say, w.offers.offer
	w.bar = newStatusBar(d, w.c.Node, w.startNode)
	w.pages = entries(d, w.c.Node)
	w.body = container.NewStack()
	rows := []fyne.CanvasObject{}
	for i, e := range w.pages {
		item := newNavItem(d.T("window.nav."+e.name), e.icon, func() { w.turn(i) })
		w.items = append(w.items, item)
		rows = append(rows, item)
	}
	board := texts.Link(d.T("window.dashboard"), func() { d.Dashboard("") })
	foot := container.New(layout.NewCustomPaddedVBoxLayout(0), board)
	w.side = container.NewBorder(container.New(layout.NewCustomPaddedVBoxLayout(4), rows...), foot, nil, nil)
	side := container.New(layout.NewCustomPaddedLayout(0, 0, windowEdge, 0), w.side)
	frame := container.NewBorder(container.New(layout.NewCustomPaddedLayout(windowEdge, 0, windowEdge, windowEdge),
		w.bar.ground), nil, side, nil, w.body)
	w.main = container.New(layout.NewCustomPaddedLayout(0, windowEdge, 0, 0), frame)
	w.first = setup.New(d, w.c.Node, w.setUp, w.startNode)
	said := container.New(layout.NewCustomPaddedVBoxLayout(-16), w.offers.box, w.toast.box)
	w.stack = container.NewStack(w.main, container.NewBorder(nil, said, nil, nil), newFirstPaint(w.c.Drawn))
	w.turn(w.index(w.c.Page))
	w.shortcuts()
}

// Run shows the window and returns when it was closed, and everything that asked the node has ended.
// It is called on the main goroutine; loop runs the app until it quits.
func (w *Window) Run(loop func()) error {
	w.win.SetOnClosed(w.close)
	w.begin()
	w.poll.Run(true)
	w.d.Run(w.follow)
	w.chart()
	w.win.Show()
	loop()
	w.close()
	w.d.Wait()
	return w.other
}

// begin asks the node once before anything is shown, so that the right thing is shown first.
func (w *Window) begin() {
	ctx, cancel := context.WithTimeout(w.d.Ctx, firstLook)
	defer cancel()
	if l, err := w.look(ctx); err == nil {
		w.told(l)
	}
	w.main.Refresh()
	w.begun = true
	w.shown(true)
}

// shown tells what is in front whether it is looked at.
func (w *Window) shown(on bool) {
	if w.inFirst() {
		w.first.Shown(on)
		return
	}
	w.pages[w.now].page.Shown(on)
}

func (w *Window) inFirst() bool { return w.stack.Objects[0] != w.main }

func (w *Window) close() {
	w.closed.Store(true)
	w.cancel()
}

// look asks the node how it is.
func (w *Window) look(ctx context.Context) (desk.Live, error) {
	call, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	var l desk.Live
	status, err := w.c.Node.StatusIn(call, w.d.Lang)
	if err == nil {
		l.Status = status
		l.Limits, err = w.c.Node.Limits(call, w.d.Lang)
	}
	if ctx.Err() != nil {
		return l, ctx.Err()
	}
	l.Reachable = err == nil
	return l, nil
}

// told passes on how the node is.
func (w *Window) told(l desk.Live) {
	switch {
	case l.Reachable:
		// The node may say that it ends while an earlier request for its status is under way.
		ends := w.stopped && l.Status.Started.Equal(w.is.Status.Started)
		l.Known, w.stopped = true, ends || l.Status.State == api.StateStopping
	case w.is.Known:
		lost := w.is.Lost
		if w.is.Reachable {
			lost = w.d.Now()
		}
		l = desk.Live{Status: w.is.Status, Limits: w.is.Limits, Known: true, Lost: lost, Stopped: w.stopped}
	}
	w.is = l
	w.bar.told(l)
	w.choose(l.Reachable && !l.Status.Consent)
	w.first.Told(l)
	for _, e := range w.pages {
		e.page.Told(l)
	}
}

// choose shows the first run, if it is needed. It ends when its user is through.
func (w *Window) choose(first bool) {
	if first && !w.inFirst() {
		w.swap(w.first.Content())
	}
}

// setUp ends the first run.
func (w *Window) setUp() {
	if w.inFirst() {
		w.swap(w.main)
		w.poll.Again()
	}
}

// swap changes between the first run and the pages.
func (w *Window) swap(to fyne.CanvasObject) {
	if w.begun {
		w.shown(false)
	}
	w.stack.Objects[0] = to
	w.stack.Refresh()
	if w.begun {
		w.shown(true)
	}
}

// index returns the place of a page in the list, 0 for names that are none.
func (w *Window) index(name string) int {
	for i, e := range w.pages {
		if e.name == name {
			return i
		}
	}
	return 0
}

// Show turns to a page and brings the window to the front. It is called on the UI goroutine.
func (w *Window) Show(name string) {
	if name != "" {
		w.turn(w.index(name))
	}
	w.win.RequestFocus()
}

// turn shows a page instead of another.
func (w *Window) turn(to int) {
	if len(w.body.Objects) > 0 && to == w.now {
		return
	}
	looked := w.begun && !w.inFirst()
	if looked {
		w.pages[w.now].page.Shown(false)
	}
	w.now = to
	for i, item := range w.items {
		item.choose(i == to)
	}
	// the bar of the scroll is over the edge
	inside := container.New(layout.NewCustomPaddedLayout(10, 0, 10, windowEdge), w.pages[to].page.Content())
	w.body.Objects = []fyne.CanvasObject{container.NewVScroll(inside)}
	w.body.Refresh()
	if looked {
		w.pages[to].page.Shown(true)
	}
}

// openDashboard opens the dashboard, and says what went wrong.
func (w *Window) openDashboard(route string) {
	w.d.Command(w.d.T("window.dashboard.opens"), func(ctx context.Context) error {
		return w.c.Dashboard(ctx,
			route)
	}, nil)
}

// startTime is longer than whoever starts a node waits for it, and says more: a large store is read before it answers.
const startTime = 90 * time.Second

// startNode starts the node. That it does not answer is known; what is said tells where to read why.
func (w *Window) startNode() {
	desk.AskWithin(w.d, startTime, func(ctx context.Context) (struct{}, error) {
		return struct{}{},
			w.c.StartNode(ctx)
	},
		func(_ struct{}, err error) {
			if err != nil {
				w.d.Say(shown.Text(w.d.Trouble(err)), true)
				return
			}
			w.d.Refresh()
		})
}

// shortcuts are Ctrl+1 and on for the pages, and Ctrl+W and Ctrl+Q to close.
func (w *Window) shortcuts() {
	for i := range w.pages {
		w.key(fyne.KeyName(rune('1'+i)), func() { w.turn(i) })
	}
	for _, key := range []fyne.KeyName{fyne.KeyW, fyne.KeyQ} {
		w.key(key, w.win.Close)
	}
}

// happened passes on what happened. What the node does may be another thing then.
func (w *Window) happened(events []api.Event, missed bool) {
	for _, e := range events {
		if e.Code == api.CodeStopping && e.Time.After(w.is.Status.Started) {
			w.stopped = true
		}
	}
	if slices.ContainsFunc(events, func(e api.Event) bool { return e.Kind == api.KindNode }) {
		w.askNow()
	}
	w.first.Happened(events, missed)
	for _, e := range w.pages {
		e.page.Happened(events, missed)
	}
}

// askNow asks how the node is, unless that was asked just now; then it is asked a little later.
func (w *Window) askNow() {
	if w.asked {
		w.missed = true
		return
	}
	w.asked = true
	w.poll.Fresh()
	w.d.After(statusGap, func() {
		missed := w.missed
		w.asked, w.missed = false, false
		if missed {
			w.askNow()
		}
	})
}

// newFirstPaint is a speck that tells when it is drawn for the first time.
func newFirstPaint(drawn func()) fyne.CanvasObject {
	if drawn == nil {
		return widget.NewLabel("")
	}
	return newSpeck(drawn)
}
