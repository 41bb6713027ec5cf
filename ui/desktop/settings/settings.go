// Package settings is the page of the few settings that most people want; the dashboard has all of them. A
// field keeps what is being done to it as a draft until the node has answered, and what the node finds wrong is
// said there.
package settings

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/controls"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/layouts"
	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/texts"
)

// Node is what the page asks.
type Node interface {
	Settings(ctx context.Context, lang string) (api.Settings, error)
	ChangeSettings(ctx context.Context, c api.SettingsChange) (api.SettingsChanged, error)
	SetStartup(ctx context.Context, on bool) error
}

// settingsEvery is how often all settings are asked for: others may change them too, and what is shown must
// be what holds.
const settingsEvery = 5 * time.Second

// Page is the page of the few settings that most people want; the dashboard has all of them.
type Page struct {
	d    *desk.Desk
	node Node
	// after is that of the desk; tests do not wait.
	after        func(time.Duration, func())
	poll         *desk.Poll[api.Settings]
	is           api.Settings
	looked, have bool

	queue  []change
	saving bool

	root, cards, row *fyne.Container
	fault, pending   *noticeBar
	built            []api.SettingsCard // those that are on the page
	fields           map[string]*settingField
	custom           *widget.Label     // says that no preset is in force
	starts           *controls.TickBox // with the computer
	startup          *fyne.Container
	choices          []*controls.ChoiceCard
}

// New makes the page. It asks nothing before somebody looks.
func New(d *desk.Desk, node Node) *Page {
	p := &Page{d: d, node: node, after: d.After, fields: map[string]*settingField{}}
	p.poll = desk.NewPoll(d, settingsEvery, desk.InLang(d, node.Settings), p.answered)
	return p
}

// Content is what is shown, the same at each call.
func (p *Page) Content() fyne.CanvasObject {
	if p.root == nil {
		p.fault, p.pending = newNoticeBar(look.RedPale), newNoticeBar(look.AmberPale)
		p.row, p.custom = container.New(&layouts.Abreast{Least: 230, Most: 3, Gap: 8}),
			texts.Fine(p.d.T("window.settings.custom"))
		p.starts = controls.NewTickBox(p.d.T("startup.name"), func(on bool) { p.d.Startup(p.node, on) })
		p.startup = container.New(layout.NewCustomPaddedVBoxLayout(-6), p.starts, texts.Fine(p.d.T("startup.short")))
		p.startup.Hide()
		p.cards = container.NewVBox(texts.Prose(p.d.T("loading")))
		p.root = container.NewVBox(p.fault.box, p.pending.box, p.cards)
	}
	return p.root
}

// Shown says whether somebody looks.
func (p *Page) Shown(on bool) {
	p.looked = on
	p.poll.Run(on)
}

// Told takes how the node is.
func (p *Page) Told(desk.Live) {}

// Happened takes events.
func (p *Page) Happened([]api.Event, bool) {}

// find returns a setting by its key.
func (p *Page) find(key string) (api.Setting, bool) {
	i := slices.IndexFunc(p.is.Settings, func(s api.Setting) bool { return s.Key == key })
	if i < 0 {
		return api.Setting{}, false
	}
	return p.is.Settings[i], true
}

// answered takes what the node says from time to time.
func (p *Page) answered(is api.Settings) {
	for _, f := range p.fields {
		f.retry()
	}
	p.Content()
	p.starts.Put(is.Startup.On)
	boxes.Show(p.startup, is.Startup.Possible)
	if !p.have || !reflect.DeepEqual(is, p.is) {
		p.put(is)
	}
}

// put shows what the node says, except where something is being done.
func (p *Page) put(is api.Settings) {
	offers := !reflect.DeepEqual(is.Presets, p.is.Presets)
	p.is, p.have = is, true
	p.Content()
	p.notices()
	if offers {
		p.offer()
	}
	if !reflect.DeepEqual(is.Cards, p.built) {
		p.build()
		p.built = is.Cards
	}
	for key, f := range p.fields {
		if s, ok := p.find(key); ok {
			f.put(s)
		}
	}
}

// notices says what is wrong with the file, and what waits for a restart.
func (p *Page) notices() {
	fault := p.is.Fault
	if fault != "" && !strings.Contains(fault, p.is.File) {
		fault += " " + p.is.File
	}
	p.fault.say(fault)
	var names []string
	for _, s := range p.is.Settings {
		if s.Pending {
			names = append(names, s.Name)
		}
	}
	wait := ""
	if len(names) > 0 {
		wait = p.d.N("set.waiting", int64(len(names))) + " " + strings.Join(names, ", ")
	}
	p.pending.say(wait)
}

// build makes the cards again. Fields that were there stay, with what is typed in them.
func (p *Page) build() {
	cards := make([]fyne.CanvasObject, len(p.is.Cards))
	fields := map[string]*settingField{}
	for i, card := range p.is.Cards {
		var rows []fyne.CanvasObject
		if i == 0 {
			rows = append(rows, boxes.Edge(p.row), p.custom)
		}
		for _, row := range card.Rows {
			s, ok := p.find(row.Key)
			if !ok {
				continue
			}
			f := p.fields[row.Key]
			if f == nil {
				f = newSettingField(p, s, row)
			}
			fields[row.Key] = f
			rows = append(rows, f.box)
		}
		if i == len(cards)-1 {
			rows = append(rows, p.startup)
		}
		cards[i] = boxes.Card(card.Title, nil, rows...)
	}
	p.fields = fields
	all := texts.Link(p.d.T("set.toall"), func() { p.d.Dashboard("settings") })
	if len(cards) > 1 {
		right := container.NewVBox(append(slices.Clone(cards[2:]), container.NewHBox(all))...)
		cards = []fyne.CanvasObject{cards[0], container.New(&layouts.Abreast{Least: 350, Most: 2, Gap: 8},
			container.NewVBox(cards[1]), right)}
	}
	p.cards.Objects = cards
	p.cards.Refresh()
}

// offer shows the presets, and which of them is in force. Once something was changed none is, and a line says so.
func (p *Page) offer() {
	p.choices, p.row.Objects = nil, nil
	custom := len(p.is.Presets) > 0
	for _, preset := range p.is.Presets {
		c := controls.NewChoiceCard(controls.ChoiceText(preset.Title, preset.Text), func() { p.take(preset) })
		c.Put(preset.Chosen)
		custom = custom && !preset.Chosen
		p.choices = append(p.choices, c)
		p.row.Add(c)
	}
	boxes.Show(p.custom, custom)
	p.row.Refresh()
	p.cards.Refresh()
}

// take puts a preset in force.
func (p *Page) take(preset api.SetupPreset) {
	set := make(map[string]any, len(preset.Settings))
	for key, text := range preset.Settings {
		set[key] = text
	}
	p.save(change{set: set, then: func(err error) {
		if err != nil {
			p.d.Say(p.d.Trouble(err), true)
			return
		}
		for key := range set {
			if f := p.fields[key]; f != nil {
				f.drop()
			}
		}
	}})
}

// noticeBar is a sentence over the page that is there only when it is needed.
type noticeBar struct {
	text *widget.Label
	box  *boxes.Surface
}

func newNoticeBar(ground fyne.ThemeColorName) *noticeBar {
	n := &noticeBar{text: texts.Prose("")}
	n.box = boxes.NewSurface(ground, theme.ColorNameSeparator, 10, boxes.Pad(4, n.text))
	n.box.Hide()
	return n
}

func (n *noticeBar) say(text string) {
	texts.Set(n.text, text)
	boxes.Show(n.box, text != "")
}
