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
	Setup(ctx context.Context, lang string) (api.Setup, error)
	ChangeSettings(ctx context.Context, c api.SettingsChange) (api.SettingsChanged, error)
	SetStartup(ctx context.Context, on bool) error
}

const (
	// settingsEvery is how often all settings are asked for: others may change them too, and what is shown must
	// be what holds.
	settingsEvery = 5 * time.Second
	presetsEvery  = time.Minute
)

// Page is the page of the few settings that most people want; the dashboard has all of them.
type Page struct {
	d    *desk.Desk
	node Node
	// after is that of the desk; tests do not wait.
	after        func(time.Duration, func())
	poll         *desk.Poll[api.Settings]
	offers       *desk.Poll[api.Setup]
	is           api.Settings
	looked, have bool
	presets      []api.SetupPreset

	queue  []change
	saving bool

	root, cards, row *fyne.Container
	fault, pending   *noticeBar
	built            []string // keys of the fields that are on the page
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
	p.offers = desk.NewPoll(d, presetsEvery, desk.InLang(d, node.Setup), p.offered)
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
	p.offers.Run(on)
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
	if !p.have || !reflect.DeepEqual(is, p.is) {
		p.put(is)
	}
}

// put shows what the node says, except where something is being done.
func (p *Page) put(is api.Settings) {
	p.is, p.have = is, true
	p.Content()
	p.notices()
	groups := p.groups()
	var keys []string
	for _, g := range groups {
		keys = append(append(keys, g.title), g.keys...)
	}
	if !slices.Equal(keys, p.built) {
		p.build(groups)
		p.built = keys
	}
	for key, f := range p.fields {
		if s, ok := p.find(key); ok {
			f.put(s)
		}
	}
	p.mark()
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
			names = append(names, settingName(s))
		}
	}
	wait := ""
	if len(names) > 0 {
		wait = p.d.N("set.waiting", int64(len(names))) + " " + strings.Join(names, ", ")
	}
	p.pending.say(wait)
}

// settingGroup are settings that stand in one card.
type settingGroup struct {
	title string
	keys  []string
}

var (
	whenKeys    = []string{"idle.after", "level.in_use", "schedule.work", "schedule.net"}
	budgetWords = []string{"cpu_percent", "down_kbit", "up_kbit"}
	amountKeys  = []string{"data.day", "data.month", "disk.max"}
	pauseKeys   = []string{"pause.battery", "pause.metered", "pause.fullscreen", "heat.fan_quiet",
		"pause.apps", "pause.other_cpu"}
	leaveKeys = []string{"topics.never"}
)

// groups are the settings to show, those that the node has.
func (p *Page) groups() []settingGroup {
	var budgets []string
	level := "gentle" // the larger of the budgets that are used at all
	for _, key := range []string{"level.in_use", "level.away"} {
		if s, ok := p.find(key); ok && s.Text == "full" {
			level = "full"
		}
	}
	known := slices.Concat(whenKeys, amountKeys, pauseKeys, leaveKeys)
	for _, word := range budgetWords {
		budgets = append(budgets, "budget."+level+"."+word)
		known = append(known, "budget.full."+word, "budget.gentle."+word)
	}
	more := slices.Clone(leaveKeys)
	for _, s := range p.is.Settings {
		if s.Simple && !slices.Contains(known, s.Key) {
			more = append(more, s.Key)
		}
	}
	groups := []settingGroup{{"set.when", whenKeys}, {"set.much", append(budgets, amountKeys...)},
		{"set.pause", pauseKeys}, {"set.more", more}}
	for i, g := range groups {
		groups[i].keys = slices.DeleteFunc(slices.Clone(g.keys),
			func(key string) bool { _, ok := p.find(key); return !ok })
	}
	return groups
}

// build makes the cards again. Fields that were there stay, with what is typed in them.
func (p *Page) build(groups []settingGroup) {
	cards := make([]fyne.CanvasObject, len(groups))
	fields := map[string]*settingField{}
	for i, g := range groups {
		var rows []fyne.CanvasObject
		if i == 0 {
			rows = append(rows, boxes.Edge(p.row), p.custom)
		}
		for _, key := range g.keys {
			s, ok := p.find(key)
			if !ok {
				continue
			}
			f := p.fields[key]
			if f == nil {
				f = newSettingField(p, s, p.short(s))
			}
			fields[key] = f
			rows = append(rows, f.box)
		}
		if g.title == "set.more" {
			rows = append(rows, p.startup)
		}
		cards[i] = boxes.Card(p.d.T(g.title), nil, rows...)
		boxes.Show(cards[i], len(rows) > 0)
	}
	p.fields = fields
	all := texts.Link(p.d.T("set.toall"), func() { p.d.Dashboard("settings") })
	left := container.NewVBox(cards[1])
	right := container.NewVBox(cards[2], cards[3], container.NewHBox(all))
	p.cards.Objects = []fyne.CanvasObject{cards[0],
		container.New(&layouts.Abreast{Least: 350, Most: 2, Gap: 8}, left, right)}
	p.cards.Refresh()
}

// short is what a setting is called where little stands around it.
func (p *Page) short(s api.Setting) string {
	key := s.Key
	if rest, ok := strings.CutPrefix(key, "budget."); ok {
		_, key, _ = strings.Cut(rest, ".")
	}
	if p.d.Has("set.short." + key) {
		return p.d.T("set.short." + key)
	}
	return settingName(s)
}

// offered takes the presets, and whether it starts with the computer.
func (p *Page) offered(is api.Setup) {
	p.Content()
	p.starts.Put(is.Startup.On)
	boxes.Show(p.startup, is.Startup.Possible)
	if reflect.DeepEqual(is.Presets, p.presets) {
		return
	}
	p.presets, p.choices = is.Presets, nil
	p.row.Objects = nil
	for _, preset := range is.Presets {
		c := controls.NewChoiceCard(controls.ChoiceText(preset.Title, preset.Text), func() { p.take(preset) })
		p.choices = append(p.choices, c)
		p.row.Add(c)
	}
	p.mark()
	p.row.Refresh()
	p.cards.Refresh()
}

// mark shows which of the presets is in force. Once something was changed none is, and a line says so.
func (p *Page) mark() {
	custom := p.have && len(p.choices) > 0
	for i, c := range p.choices {
		on := p.have
		for key, text := range p.presets[i].Settings {
			s, ok := p.find(key)
			on = on && ok && s.Text == text
		}
		c.Put(on)
		custom = custom && !on
	}
	boxes.Show(p.custom, custom)
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
