package desktop

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/controls"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/layouts"
	"github.com/forage-net/forage/ui/desktop/texts"
)

// statusBar says in a sentence what the node does, and why, and pauses and resumes it. While the node does not
// answer it says so, and offers to start it.
type statusBar struct {
	d      *desk.Desk
	node   Node
	is     desk.Live
	ground *boxes.Surface
	mark   *widget.Icon
	drawn  mood
	text   *widget.Label
	next   *widget.Label
	modes  *runModes
	keep   fyne.CanvasObject // what keeps it working although the user is there
	resume *widget.Button
	pause  *widget.Button
	begin  *widget.Button
	// standing is what is shown, last when words were shown last, turned since when it works where waiting is shown, or
	// the other way round; zero if it does not.
	standing     standing
	last, turned time.Time
}

const (
	// wordsEvery is how often the sentence changes at most where only its numbers do.
	wordsEvery = 5 * time.Second
	// turnHold is how long work or waiting lasts before it is shown.
	turnHold = time.Second
)

// steerHeight is how high the row of buttons is, whichever of them are shown.
const steerHeight = 38

// barLines is how high the sentence is with a line below it.
const barLines = 58

func newStatusBar(d *desk.Desk, node Node, start func()) *statusBar {
	b := &statusBar{d: d, node: node, mark: widget.NewIcon(moodProblem.icon()), text: texts.Prose(""),
		next: texts.Fine("")}
	b.text.TextStyle.Bold = true
	b.resume = widget.NewButton(d.T("pause.resume"), func() { d.Command(d.T("pause.resumed"), node.Resume, nil) })
	b.pause = controls.NewMenuButton(d.T("pause.menu"), b.pauses)
	b.begin = widget.NewButton(d.T("window.lost.start"), start)
	b.begin.Importance = widget.HighImportance
	// As high as two lines: what is below would jump with each one that comes.
	lines := container.New(layout.NewCustomPaddedVBoxLayout(-10), layout.NewSpacer(), b.text, b.next,
		layout.NewSpacer())
	words := container.New(layouts.AtLeast{H: barLines}, lines)
	b.modes, b.keep = newRunModes(d, node), newKeepGoing(d, node)
	b.keep.Hide()
	acts := container.NewHBox(b.begin, b.resume, b.pause)
	mark := container.NewCenter(container.NewGridWrap(fyne.NewSquareSize(28), b.mark))
	row := container.NewBorder(nil, nil, mark, nil, words)
	steer := container.New(layouts.AtLeast{H: steerHeight}, container.NewBorder(nil, nil, b.modes.box, acts, b.keep))
	all := container.New(layout.NewCustomPaddedVBoxLayout(2), row, steer)
	b.ground = boxes.NewSurface(moodProblem.ground(), "", 12, boxes.Pad(8, all))
	return b
}

// told takes how the node is. What matters is shown at once. The count of pages, which never stands still, is
// not, nor is each turn between work and waiting, of which there are two for every page while few sites are
// visited.
func (b *statusBar) told(l desk.Live) {
	b.is = l
	now := b.d.Now()
	if turn := moodOf(l); b.stands() == b.standing && turn != b.drawn {
		if b.turned.IsZero() || now.Before(b.turned) {
			b.turned = now
			b.d.After(turnHold, b.hold)
		}
		if now.Sub(b.turned) < turnHold {
			return
		}
	} else if b.turned = (time.Time{}); b.stands() == b.standing {
		if since := now.Sub(b.last); since >= 0 && since < wordsEvery {
			return
		}
	}
	b.draw(now)
}

// hold looks whether a turn has lasted.
func (b *statusBar) hold() {
	if !b.turned.IsZero() {
		b.told(b.is)
	}
}

// standing is what of the bar matters enough to be shown at once.
type standing struct {
	mood                         mood // of work and waiting, work
	reachable, known, rest, mode bool
	help, watched, stopped       bool
	run                          api.RunMode
	fault                        string
}

func (b *statusBar) stands() standing {
	l := b.is
	s := standing{
		mood: moodOf(l), reachable: l.Reachable, known: l.Known, rest: b.rests(), mode: l.Limits.Mode == "on",
		help: l.Limits.HelpNow, stopped: l.Stopped, watched: len(l.Limits.Sensors) > 0, run: l.Limits.Run,
		fault: l.Limits.Fault,
	}
	if s.mood == moodWaiting {
		s.mood = moodWorking
	}
	return s
}

func (b *statusBar) draw(now time.Time) {
	l := b.is
	m := moodOf(l)
	b.standing, b.last, b.turned = b.stands(), now, time.Time{}
	b.ground.Paint(m.ground())
	if b.drawn != m {
		b.mark.SetResource(m.icon())
		b.drawn = m
	}
	b.offer(l)
	texts.Set(b.text, b.sentence())
	texts.Set(b.next, b.comes())
	boxes.Show(b.next, b.next.Text != "")
}

// offer shows the buttons that are for how the node is.
func (b *statusBar) offer(l desk.Live) {
	rest := b.rests()
	byHand := rest || l.Limits.Mode == "on"
	label := b.d.T("pause.back")
	if rest {
		label = b.d.T("pause.resume")
	}
	if b.resume.Text != label {
		b.resume.SetText(label)
	}
	importance := widget.MediumImportance
	if rest {
		importance = widget.HighImportance
	}
	if b.resume.Importance != importance {
		b.resume.Importance = importance
		b.resume.Refresh()
	}
	b.modes.show(l)
	boxes.Show(b.modes.box, l.Reachable)
	boxes.Show(b.resume, l.Reachable && byHand)
	boxes.Show(b.keep, l.Reachable && l.Limits.HelpNow)
	boxes.Show(b.pause, l.Reachable && !rest)
	// a lab is begun with flags that nobody here knows
	boxes.Show(b.begin, l.Known && !l.Reachable && (knowsLab || !l.Status.Lab))
}

// sentence is what the node says of itself.
func (b *statusBar) sentence() string {
	switch {
	case b.is.Reachable:
		return b.is.Status.Sentence
	case b.is.Known:
		return b.d.Gone(b.is)
	}
	return b.d.T("lost.first")
}

// comes is what is to be known beside it: what is wrong with the settings, or when something changes.
func (b *statusBar) comes() string {
	l := b.is
	switch {
	case !l.Reachable && l.Stopped && b.begin.Visible():
		return ""
	case !l.Reachable && l.Stopped:
		return b.d.T("stopped.start") + " forage demo"
	case !l.Reachable && l.Known:
		return b.d.T("window.lost.text", "since", b.d.Length(max(b.d.Now().Sub(l.Lost), time.Second)))
	case !l.Reachable:
		return ""
	case l.Limits.Fault != "":
		return b.d.T("bar.fault", "fault", l.Limits.Fault)
	case l.Limits.Changes != nil && !b.rests():
		return b.d.T("bar.changes", "at", b.d.Clock(*l.Limits.Changes))
	}
	return ""
}

// rests reports whether it was told to rest by hand.
func (b *statusBar) rests() bool {
	for _, r := range b.is.Limits.Reasons {
		if r.Kind == "finishing" || r.Kind == "paused" {
			return true
		}
	}
	return b.is.Limits.Mode == "off"
}

// pauses are the ways to rest, and to work.
func (b *statusBar) pauses() []*fyne.MenuItem {
	d := b.d
	pause := func(key string, length time.Duration) *fyne.MenuItem {
		return fyne.NewMenuItem(d.T(key), func() {
			d.Command(d.T("pause.done"), func(ctx context.Context) error { return b.node.Pause(ctx, length) }, nil)
		})
	}
	return []*fyne.MenuItem{
		pause("pause.15m", 15*time.Minute),
		pause("pause.1h", time.Hour),
		pause("pause.3h", 3*time.Hour),
		pause("pause.8h", 8*time.Hour),
		pause("pause.tomorrow", api.UntilTomorrow(d.Now())),
		pause("pause.forever", 0),
		fyne.NewMenuItemSeparator(),
		fyne.NewMenuItem(d.T("pause.work"), func() {
			d.Command(d.T("pause.working"), func(ctx context.Context) error {
				return b.node.Work(ctx,
					desk.HelpNow)
			}, nil)
		}),
		fyne.NewMenuItem(d.T("pause.finish"), func() { d.Command(d.T("pause.finishing"), b.node.Finish, nil) }),
	}
}
