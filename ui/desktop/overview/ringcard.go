package overview

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/files"
	"github.com/forage-net/forage/ui/desktop/layouts"
	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/shown"
	"github.com/forage-net/forage/ui/desktop/spoken"
	"github.com/forage-net/forage/ui/desktop/texts"
	"github.com/forage-net/forage/ui/ring"
)

const (
	ringEvery = 30 * time.Second
	// ringSoon is how long after something that changes the ring it is asked for again.
	ringSoon = 2 * time.Second
)

// Names of what the window remembers of the Ring.
const (
	stillKey = "ring.still"
	modeKey  = "ring.mode"
)

// ringCard is the whole space of keys as a circle, and what this node does in it.
type ringCard struct {
	d     *desk.Desk
	box   fyne.CanvasObject
	view  *ringView
	poll  *desk.Poll[api.Ring]
	modes [2]*widget.Button
	line  *widget.Label
	told  *ringTold
	named *spoken.Row
	is    desk.Live
	list  *api.Ring
	pace  ringPace
	// soon says that the ring is asked for again shortly.
	soon bool
	mode ring.Mode
	// wake has a frame come soon, if one is due.
	wake func()
}

func newRingCard(d *desk.Desk, node Node, wake func()) *ringCard {
	c := &ringCard{d: d, told: newRingTold(d), pace: newRingPace(), wake: func() {}}
	c.named = spoken.New(&layouts.Wrap{}, d.Tongue, look.Dark)
	c.line = texts.Fine("")
	c.line.Alignment = fyne.TextAlignCenter
	c.view = newRingView(d.Now, c.pointed, c.choose)
	c.view.label = d.T("ring.label")
	c.view.ring.SetWords(ringWords(d))
	c.view.ring.SetRate(c.pace.rate())
	for i, name := range []string{"ring", "swarm"} {
		c.modes[i] = widget.NewButton(d.T("ring.mode."+name), func() { c.choose(ring.Mode(i)) })
	}
	still := widget.NewCheck(d.T("window.overview.still"), c.still)
	prefs := fyne.CurrentApp().Preferences()
	still.SetChecked(prefs.Bool(stillKey))
	c.mode = ring.Mode(min(1, max(0, prefs.Int(modeKey))))
	c.view.ring.SetMode(c.mode)
	c.mark()
	below := container.New(&layouts.Wrap{},
		texts.Link(d.T("ring.legend"), c.legend), texts.Link(d.T("ring.save"), c.save), still)
	c.box = boxes.Frame(d.T("ring.title"), container.NewHBox(c.modes[0], c.modes[1]),
		container.New(layouts.Pile{Gap: 0}, c.view, c.line, c.named.Box, below, c.told.box))
	c.poll = desk.NewPoll(d, ringEvery, node.Ring, func(r api.Ring) {
		c.list = &r
		c.view.ring.List(r)
		c.tell()
		c.name()
		c.wake()
	})
	c.tell()
	c.wake = wake // from now on there is something to wake
	return c
}

// pointed says what the user points at.
func (c *ringCard) pointed() {
	c.tell()
	c.wake()
}

func (c *ringCard) tell() {
	text := c.d.T("loading")
	if spot, ok := c.view.ring.Spot(); ok {
		text = spotText(c.d, spot)
	} else if c.list != nil {
		text = ringSummary(c.d, c.list, c.mode)
	}
	texts.Set(c.line, text)
}

// name names the languages of the sites, where these are shown.
func (c *ringCard) name() {
	if c.mode == ring.ModeRing && c.list != nil {
		c.named.Tell(c.list.Domains)
	} else {
		c.named.Tell(nil)
	}
}

// choose shows the ring or the swarm.
func (c *ringCard) choose(m ring.Mode) {
	if c.mode == m {
		return
	}
	c.mode = m
	fyne.CurrentApp().Preferences().SetInt(modeKey, int(m))
	c.view.ring.SetMode(m)
	c.name()
	c.mark()
	c.pointed()
}

// mark shows which mode is chosen.
func (c *ringCard) mark() {
	for i, b := range c.modes {
		importance := widget.LowImportance
		if ring.Mode(i) == c.mode {
			importance = widget.HighImportance
		}
		if b.Importance != importance {
			b.Importance = importance
			b.Refresh()
		}
	}
}

// still is whether the user wants no motion.
func (c *ringCard) still(on bool) {
	fyne.CurrentApp().Preferences().SetBool(stillKey, on)
	c.view.ring.Still(on)
	c.wake()
}

// tellState takes how the node is.
func (c *ringCard) tellState(l desk.Live) {
	c.is = l
	c.view.ring.Rest(c.rest())
}

// rest is why the picture rests, "" while it does not.
func (c *ringCard) rest() string {
	switch {
	case !c.is.Known:
		return ""
	case !c.is.Reachable:
		return c.d.Gone(c.is)
	case c.is.Status.State != api.StatePaused && c.is.Status.State != api.StateStopping:
		return ""
	case c.is.Status.Sentence != "":
		return c.is.Status.Sentence
	}
	return c.d.T("ring.rests")
}

// telling are the events after which the ring is another.
var telling = map[api.Code]bool{api.CodeSwarm: true, api.CodeDomainCame: true, api.CodeDomainLeft: true,
	api.CodeState: true}

func (c *ringCard) happened(events []api.Event, missed bool) {
	c.told.take(events)
	c.view.ring.Note(c.d.Now(), events)
	for _, e := range events {
		missed = missed || telling[e.Code]
	}
	if missed && !c.soon {
		c.soon = true
		c.d.After(ringSoon, func() {
			c.soon = false
			c.poll.Fresh()
		})
	}
}

// frame draws a frame if one is due, and reports whether it did.
func (c *ringCard) frame(now time.Time) bool {
	if c.pace.measure(now) {
		c.view.ring.SetRate(c.pace.rate())
	}
	return c.view.frame(now)
}

// next is when the next frame is due, if one is.
func (c *ringCard) next(now time.Time) (time.Time, bool) { return c.view.ring.Next(now) }

// away is whether the user looks at another program: then one frame a second is enough.
func (c *ringCard) away(is bool) {
	c.pace.away = is
	c.view.ring.SetRate(c.pace.rate())
}

// save writes the picture among those of the user. It is drawn again, by a goroutine that has time.
func (c *ringCard) save() {
	if c.list == nil {
		return
	}
	picture := ring.New(ringFonts())
	picture.SetWords(ringWords(c.d))
	picture.SetLook(ringLook())
	picture.SetMode(c.mode)
	list, now := *c.list, c.d.Now()
	desk.Ask(c.d, func(ctx context.Context) (string, error) {
		picture.List(list)
		return savePicture(files.Pictures(), picture, now)
	}, func(path string, err error) {
		if err != nil {
			c.d.Say(shown.Text(c.d.Trouble(err)), true)
			return
		}
		c.d.Say(c.d.T("window.overview.saved", "path", path), false)
	})
}
