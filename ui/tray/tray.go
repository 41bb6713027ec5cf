package tray

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/app/api"
)

// Node is what the tray shows and commands. *app.Node is one.
type Node interface {
	// Glance is what is so now, in a language. It must be cheap.
	Glance(lang string) (api.Glance, error)
	// Events and Wait are those of api.Node.
	Events(since uint64, limit int) (events []api.Event, next uint64, dropped bool)
	Wait(ctx context.Context, since uint64)
	// Pause rests for d, until Resume if that is 0; Work works for d whatever the limits say; Finish lets what is
	// under way come to its end, and then ends the node. Resume takes all three back.
	Pause(ctx context.Context, d time.Duration) error
	Work(ctx context.Context, d time.Duration) error
	Finish(ctx context.Context) error
	Resume(ctx context.Context) error
	// SetRun has it work always, while nobody uses the computer, or not at all.
	SetRun(ctx context.Context, mode api.RunMode) error
	// Startup says whether the system starts it when its user logs in; SetStartup changes that.
	Startup() api.Startup
	SetStartup(ctx context.Context, on bool) error
	// Stop begins to end the node.
	Stop(ctx context.Context) error
}

// The pages that Config.Open is asked for.
const (
	PageWindow    = "" // the window as it was left
	PageDashboard = "dashboard"
	PageSettings  = "settings"
)

// Config says what the tray is about.
type Config struct {
	Node Node
	// Lang is the language of the user, "en" or "de".
	Lang string
	// Open shows a page. It may take its time; a second call for the same menu entry comes after the first has
	// returned.
	Open func(page string) error
	// Seen is told whether the icon can be seen, at first and at each change. It may be nil.
	Seen func(bool)
	// State is the directory where it is kept of what the user was told, "" for nowhere.
	State string
	// Log is told, once, that there is no tray here.
	Log *slog.Logger
}

const (
	// rest is between two looks at the node while it is busy. Shorter, open menus flicker; longer, a pause that was
	// asked for elsewhere is seen late.
	rest = time.Second
	// refreshEvery is how often the sentence is brought up to date though nothing of note happened: it counts pages
	// and tells times.
	refreshEvery = 30 * time.Second
	// waitingEvery is the same while the node waits for sites: what it waits for changes without an event.
	waitingEvery = 5 * time.Second
	// busAgain is how long a bus that went away, or does not answer, is left alone.
	busAgain = 30 * time.Second
	// hostComes is how long a desktop that starts with us may take to make room for icons.
	hostComes = 5 * time.Second
	// keepEvery is how often it is written down, if it has changed, why the node rests; a kill forgets so much.
	keepEvery = time.Hour
	// endsWithin is how long the desktop may take to let go. The process ends afterwards in any case.
	endsWithin = 2 * time.Second
)

// tray is one that runs.
type tray struct {
	Config
	menu   *menu
	shown  view // what is on the desktop
	partly bool // not all of it is: the library panicked meanwhile
	due    notices
	kept   time.Time      // when due was written down last
	known  string         // and as what
	look   chan struct{}  // asks for a look at the node
	tapped chan struct{}  // the icon was clicked
	first  chan api.Event // the first page of this run
	paged  bool           // it was given to first; of listen alone
	page   atomic.Value   // string: what the line about a trouble opens
	waits  atomic.Bool    // the icon says that the node waits for sites
	parts  sync.WaitGroup
	tell   func(notice)  // shows a notification; of follow alone
	rest   time.Duration // and so on: the constants, except for tests
	again  time.Duration
	comes  time.Duration
	ends   time.Duration
}

// Run shows the icon until ctx ends. It must be called once in the life of a process, and only where there is a tray
// (Available).
func Run(ctx context.Context, c Config) error {
	return newTray(c).run(ctx)
}

func newTray(c Config) *tray {
	return &tray{
		Config: c, look: make(chan struct{}, 1), tapped: make(chan struct{}, 1), first: make(chan api.Event, 1),
		tell: func(notice) {},
		rest: rest, again: busAgain, comes: hostComes, ends: endsWithin,
	}
}

func (t *tray) run(ctx context.Context) error {
	t.recall()
	ended := make(chan error, 1)
	go func() {
		err := t.show(ctx)
		t.keep()
		ended <- err
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	timer := time.NewTimer(t.ends)
	defer timer.Stop()
	select {
	case err := <-ended:
		return err
	case <-timer.C: // the desktop hangs; that is no reason to keep the user waiting
		return nil
	}
}

// recall goes on from what an earlier run knew.
func (t *tray) recall() {
	t.kept = time.Now()
	if t.State == "" {
		return
	}
	var err error
	if t.due.memory, err = recall(t.State, t.kept); err != nil {
		t.Log.Warn("What was told to the desktop before is not known", "error", err)
	}
	t.known = t.due.memory.text()
}

// keep writes down what has changed.
func (t *tray) keep() {
	t.kept = time.Now()
	text := t.due.memory.text()
	if t.State == "" || text == t.known {
		return
	}
	t.known = text
	if err := keep(t.State, text); err != nil {
		t.Log.Debug("It is not kept what was told to the desktop", "error", err)
	}
}

// follow keeps what is shown up to date until ctx ends.
func (t *tray) follow(ctx context.Context) {
	timer := time.NewTimer(refreshEvery)
	defer timer.Stop()
	for {
		timer.Reset(t.refresh())
		select {
		case <-ctx.Done():
			return
		case <-t.look:
		case <-timer.C:
		}
	}
}

// refresh shows what is so now, tells what is worth telling, and returns when to do so again at the latest.
func (t *tray) refresh() time.Duration {
	g, err := t.Node.Glance(t.Lang)
	if err != nil {
		return refreshEvery // its store is closed: the node has ended
	}
	t.apply(viewOf(g, t.Node.Startup(), t.Lang))
	var first *api.Event
	select {
	case e := <-t.first:
		first = &e
	default:
	}
	now := time.Now()
	list := t.due.next(g, first, now, t.Lang)
	for _, n := range list {
		t.tell(n)
	}
	if len(list) > 0 || now.Sub(t.kept) >= keepEvery {
		t.keep()
	}
	waits := g.State == api.StateWaiting
	t.waits.Store(waits)
	if waits {
		return waitingEvery
	}
	return refreshEvery
}

// now returns what is to be seen at first.
func (t *tray) now() view {
	g, err := t.Node.Glance(t.Lang)
	if err != nil {
		g = api.Glance{State: api.StateStopping}
	}
	v := viewOf(g, t.Node.Startup(), t.Lang)
	t.setPage(v.page)
	return v
}

func (t *tray) setPage(page string) { t.page.Store(page) }

func (t *tray) troublePage() string { page, _ := t.page.Load().(string); return page }

// listen asks for a look when something happened that the icon shows, until ctx ends.
func (t *tray) listen(ctx context.Context) {
	const batch = 256
	var since uint64
	timer := time.NewTimer(t.rest)
	defer timer.Stop()
	for {
		t.Node.Wait(ctx, since)
		if ctx.Err() != nil {
			return
		}
		for {
			events, next, _ := t.Node.Events(since, batch)
			since = next
			t.note(events)
			if len(events) < batch {
				break
			}
		}
		timer.Reset(t.rest)
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
	}
}

// note looks for what matters in events.
func (t *tray) note(events []api.Event) {
	for _, e := range events {
		switch e.Kind {
		case api.KindNode:
			t.ask()
		case api.KindPage:
			if t.waits.Load() {
				t.ask()
			}
			if t.paged || e.Peer != "" {
				continue // none is news but the first that this node fetched
			}
			t.paged = true
			t.first <- e // of capacity 1
			t.ask()
		}
	}
}

// ask has the node looked at soon.
func (t *tray) ask() {
	select {
	case t.look <- struct{}{}:
	default:
	}
}

// act does what a menu entry stands for.
func (t *tray) act(ctx context.Context, what string, do func(context.Context) error) {
	if err := do(ctx); err != nil && ctx.Err() == nil {
		t.Log.Warn("Not done what was asked for in the tray", "what", what, "error", err)
	}
	t.ask()
}

// open opens a page.
func (t *tray) open(page string) func(context.Context) error {
	return func(context.Context) error { return t.Open(page) }
}

// see tells others whether the icon can be seen.
func (t *tray) see(seen bool) {
	if t.Seen != nil {
		t.Seen(seen)
	}
}
