// Package setup is the first run: what forage is, what others see, when it may work, and the first page.
// Nothing is sent before its user has agreed.
package setup

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
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
	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/texts"
)

// Node is what the page asks.
type Node interface {
	Setup(ctx context.Context, lang string) (api.Setup, error)
	Agree(ctx context.Context, a api.Agreement) error
	Work(ctx context.Context, d time.Duration) error
	SetStartup(ctx context.Context, on bool) error
}

// The screens of the first run, in their order. Nothing is sent before the buttons of the fourth.
const (
	stepWelcome = iota
	stepSeen
	stepWhen
	stepReady
	stepFirst
)

// screens is how many there are to go through.
const screens = 4

// setupEvery is how often the node is asked for what it knows of the computer, which changes.
const setupEvery = 5 * time.Second

// The focus is tried for so often, and so long apart.
const (
	grabTries = 40
	grabEvery = 50 * time.Millisecond
)

// maxEarly is how many events are kept while the node is asked.
const maxEarly = 500

// Page is the first run: what forage is, what others see, when it may work, and the first page.
type Page struct {
	d     *desk.Desk
	node  Node
	done  func()
	start func()
	poll  *desk.Poll[api.Setup]

	is   api.Setup
	have bool // whether is was answered
	live desk.Live
	step int

	// What was ticked and chosen. agreed is the version of the text that was on the screen.
	mine   bool
	agreed int
	preset string
	chosen bool // whether preset is the user's choice
	starts bool // with the computer
	// answers are what was ticked, by the keys of questions.
	answers map[string][]string
	busy    bool
	over    bool
	early   []api.Event
	grabs   int // counts, so that an earlier screen does not take the focus of a later one

	root   *fyne.Container
	lost   *setupLost
	lab    *widget.Label
	screen setupScreen
	first  *firstPage
}

// setupScreen is what one step shows.
type setupScreen interface {
	content() fyne.CanvasObject
	// update shows what the node answered again.
	update()
	// focused is what the keyboard begins with.
	focused() fyne.Focusable
	// fault says what the node found wrong with what was chosen here.
	fault(text string)
}

// New makes the first run; done is called when it is over, start to start a node that does not answer.
func New(d *desk.Desk, node Node, done, start func()) *Page {
	p := &Page{d: d, node: node, done: done, start: start, answers: map[string][]string{}}
	p.poll = desk.NewPoll(d, setupEvery, desk.InLang(d, node.Setup), p.answered)
	return p
}

// Content is what is shown, the same at each call.
func (p *Page) Content() fyne.CanvasObject {
	if p.root == nil {
		p.lost = newSetupLost(p.d, p.start)
		p.lab = texts.Fine(p.d.T("first.lab"))
		p.lab.Hide()
		p.root = container.NewStack()
		p.turn(p.step)
	}
	return p.root
}

// Shown begins again where an earlier first run is over.
func (p *Page) Shown(on bool) {
	if !on {
		p.poll.Run(false)
		p.over = true
		p.grabs++
		return
	}
	if p.over {
		p.over, p.mine = false, false
		p.turn(stepWelcome)
	}
	p.poll.Run(true)
	p.grab()
}

// Told keeps an eye on who else agrees: the first run is over then.
func (p *Page) Told(l desk.Live) {
	p.live = l
	if p.root == nil {
		return
	}
	if p.lost.told(l) || p.lab.Visible() != l.Status.Lab {
		boxes.Show(p.lab, l.Status.Lab)
		p.root.Refresh()
	}
	if p.first != nil {
		p.first.told(l)
	}
	if r, ok := p.screen.(*readyScreen); ok && l.Reachable && r.wrong.Text == p.d.T("lost.short") {
		r.fault("") // it answers again
	}
	if l.Reachable && l.Status.Consent && !p.busy && p.step < stepFirst {
		p.done()
	}
}

// Happened takes events.
func (p *Page) Happened(events []api.Event, _ bool) {
	switch {
	case p.first != nil:
		p.first.happened(events)
	case p.busy: // the first page may come before the node's answer
		p.early = append(p.early, events...)
		p.early = p.early[max(0, len(p.early)-maxEarly):]
	}
}

// answered takes what the node says of the computer.
func (p *Page) answered(is api.Setup) {
	if p.have && reflect.DeepEqual(is, p.is) {
		return
	}
	first := !p.have
	p.is, p.have = is, true
	if !p.chosen {
		p.preset = ""
		for _, preset := range is.Presets {
			if preset.Chosen {
				p.preset = preset.ID
				break
			}
		}
	}
	switch {
	case first && p.step != stepWelcome:
		p.turn(p.step)
	case p.screen != nil:
		p.screen.update()
	}
}

// turn shows a screen.
func (p *Page) turn(to int) {
	p.step = to
	if to != stepFirst {
		p.first = nil
	}
	switch {
	case to == stepWelcome:
		p.screen = p.newWelcomeScreen()
	case to == stepFirst:
		p.first = newFirstPage(p.d, p.d.Now(), p.done)
		p.first.told(p.live)
		p.screen = p.first
	case !p.have:
		p.screen = p.newLoadingScreen()
	case to == stepSeen:
		p.screen = p.newSeenScreen()
	case to == stepWhen:
		p.screen = p.newWhenScreen()
	case to == stepReady:
		p.screen = p.newReadyScreen()
	}
	p.root.Objects = []fyne.CanvasObject{p.frame(p.screen.content())}
	p.root.Refresh()
	p.grab()
}

// grab gives the focus to what a screen begins with. Before the window was drawn it waits for that.
func (p *Page) grab() {
	p.grabs++
	p.grabWithin(p.grabs, grabTries)
}

func (p *Page) grabWithin(turn, tries int) {
	w := p.screen.focused()
	if w == nil || turn != p.grabs || tries == 0 || controls.FocusIn(p.root, w) {
		return
	}
	p.d.After(grabEvery, func() { p.grabWithin(turn, tries-1) })
}

func (p *Page) next() { p.turn(p.step + 1) }
func (p *Page) back() { p.turn(p.step - 1) }

// agreement is what is sent to the node.
func (p *Page) agreement() (api.Agreement, error) {
	a := api.Agreement{Agree: true, ConnectionIsMine: p.mine, Preset: p.preset, Version: p.agreed, Lang: p.d.Lang,
		Settings: map[string]json.RawMessage{}}
	for _, q := range p.is.Questions {
		list, answered := p.answers[q.Key]
		var value any = list
		if !q.Many && len(list) > 0 {
			value = list[0]
		}
		if !answered || !q.Many && len(list) == 0 {
			continue
		}
		raw, err := json.Marshal(value)
		if err != nil {
			return a, err
		}
		a.Settings[q.Key] = raw
	}
	return a, nil
}

// agree says yes to what was read and chosen, and then has the node work for a while or not. From here on
// the node may send.
func (p *Page) agree(work bool) {
	if p.busy {
		return
	}
	a, err := p.agreement()
	if err != nil {
		p.screen.fault(p.d.Trouble(err))
		return
	}
	p.hold(true)
	at := p.d.Now()
	desk.Ask(p.d, func(ctx context.Context) (error, error) {
		if err := p.node.Agree(ctx, a); err != nil || !work {
			return nil, err
		}
		return p.node.Work(ctx, desk.HelpNow), nil
	}, func(notWorking, err error) {
		early := p.early
		p.hold(false)
		p.went(at, work, notWorking, err)
		if p.first != nil {
			p.first.happened(early)
		}
	})
}

// went goes on after the node has answered to the agreement.
func (p *Page) went(at time.Time, work bool, notWorking, err error) {
	if err == nil && p.starts {
		p.d.Startup(p.node, true)
	}
	switch {
	case err != nil:
		p.refused(err)
		return
	case !work:
		p.d.Say(p.d.T("first.waits"), false)
		p.done()
	case notWorking != nil: // consent is given: the first page comes when there is time
		p.d.Say(p.d.Trouble(notWorking), true)
		p.done()
	default:
		p.poll.Run(false)
		p.turn(stepFirst)
		p.first.since = at
	}
	p.d.Refresh()
}

// refused says what is wrong where it can be put right.
func (p *Page) refused(err error) {
	step := stepReady
	if bad, ok := errors.AsType[*api.SettingError](err); ok {
		step = p.stepOf(bad)
	}
	if step == stepSeen { // the text may be another now
		p.mine = false
		p.poll.Again()
	}
	if step != p.step {
		p.turn(step)
	}
	p.screen.fault(p.d.Trouble(err))
	p.grab() // a button that was held has lost the focus
}

// stepOf is the screen that something wrong belongs to.
func (p *Page) stepOf(bad *api.SettingError) int {
	isAsked := func(q api.SetupQuestion) bool { return q.Key == bad.Key }
	switch {
	case slices.Contains([]string{"agree", "connection", "version"}, bad.Reason):
		return stepSeen
	case bad.Reason == "preset", slices.ContainsFunc(p.is.Questions, isAsked):
		return stepWhen
	}
	return stepReady
}

// hold keeps a second click from doing anything while the node is asked.
func (p *Page) hold(on bool) {
	p.busy, p.early = on, nil
	if r, ok := p.screen.(*readyScreen); ok {
		r.hold(on)
	}
}

// setupLost says that the node does not answer, and offers to start it.
type setupLost struct {
	d      *desk.Desk
	text   *widget.Label
	button *controls.EnterButton
	box    fyne.CanvasObject
}

func newSetupLost(d *desk.Desk, start func()) *setupLost {
	l := &setupLost{d: d, text: texts.Prose(""), button: controls.NewEnterButton(d.T("window.lost.start"),
		widget.MediumImportance, start)}
	l.box = boxes.NewSurface(look.RedPale, theme.ColorNameSeparator, 10,
		boxes.Pad(4, container.NewBorder(nil, nil, nil, container.NewCenter(l.button), l.text)))
	l.box.Hide()
	return l
}

// told reports whether it came or went.
func (l *setupLost) told(is desk.Live) bool {
	was := l.box.Visible()
	if is.Known && !is.Reachable {
		texts.Set(l.text, l.d.T("lost.short")+" "+l.d.T("window.lost.text", "since",
			l.d.Length(l.d.Now().Sub(is.Lost))))
	}
	boxes.Show(l.box, is.Known && !is.Reachable)
	return was != l.box.Visible()
}
