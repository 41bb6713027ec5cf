// Package about is the page that says what forage is, where its files are, what it never does, and how to be rid of it.
package about

import (
	"context"
	"os"
	"runtime"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/layouts"
	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/shown"
	"github.com/forage-net/forage/ui/desktop/texts"
)

// Node is what the page asks.
type Node interface {
	Settings(ctx context.Context, lang string) (api.Settings, error)
	Ring(ctx context.Context) (api.Ring, error)
}

// Where more is to be read.
const (
	projectPage   = "https://github.com/forage-net/forage"
	webmasterPage = projectPage + "/blob/main/docs/webmasters.md"
	licencePage   = "https://www.apache.org/licenses/LICENSE-2.0"
)

// Page says what this is, where its files are, what it never does, and how to be rid of it.
type Page struct {
	d    *desk.Desk
	node Node
	is   desk.Live
	box  fyne.CanvasObject
	// looked says that somebody looks.
	looked bool
	// asking says that what does not change is on its way; file and self are it.
	asking     bool
	file, self string
	// measured is when the size of the archive was told.
	measured time.Time

	version, differs           *widget.Label
	facts                      map[string]*widget.Label
	rows                       map[string]*fyne.Container
	grid                       *fyne.Container
	steps, seen, stop, sources *widget.AccordionItem
}

// aboutFacts are told of the node and its files, in this order.
var aboutFacts = []string{"network", "node", "since", "archive", "settings", "state"}

// New makes the page. It asks nothing before somebody looks.
func New(d *desk.Desk, node Node) *Page {
	p := &Page{d: d, node: node, facts: make(map[string]*widget.Label), rows: make(map[string]*fyne.Container)}
	p.version = texts.Prose(d.T("window.about.window", "version", config.Version))
	p.differs = texts.Prose("")
	p.differs.Importance = widget.WarningImportance
	p.differs.Hide()
	welcome := texts.Prose(d.T("first.welcome"))
	welcome.TextStyle.Bold = true
	lead := boxes.Card(d.T("window.title"), nil, texts.Tight(welcome, texts.Prose(d.T("first.what")),
		texts.Prose(d.T("first.keep")),
		p.version, p.differs), p.links())
	places := boxes.Card(d.T("window.about.places"), nil, p.places())
	never := boxes.Card(d.T("window.about.never"), nil, texts.Tight(texts.Marked(d.T("first.never"),
		d.T("neighbour.webmasters.robots"), d.T("neighbour.webmasters.single"), d.T("neighbour.webmasters.gap"),
		d.T("neighbour.webmasters.leave"))...))
	p.box = container.New(layout.NewCustomPaddedVBoxLayout(10), lead, places, never, p.more(),
		texts.Fine(d.T("window.about.follows")))
	return p
}

// Content is what is shown, the same at each call.
func (p *Page) Content() fyne.CanvasObject { return p.box }

// Shown says whether somebody looks.
func (p *Page) Shown(on bool) {
	p.looked = on
	if on {
		p.measured = time.Time{}
		p.tell()
		p.ask()
	}
}

// Told implements page. What changes on a page that nobody looks at has the window drawn again, too.
func (p *Page) Told(l desk.Live) {
	p.is = l
	if p.looked {
		p.tell()
	}
}

// Happened takes events.
func (p *Page) Happened([]api.Event, bool) {}

func (p *Page) links() fyne.CanvasObject {
	d := p.d
	row := container.New(&layouts.Wrap{}, texts.Web(d.T("window.about.docs"), projectPage+"#readme"),
		texts.Web(d.T("neighbour.webmasters"), webmasterPage),
		texts.Link(d.T("window.dashboard"), func() { d.Dashboard("") }))
	return row
}

func (p *Page) places() fyne.CanvasObject {
	p.grid = container.New(layout.NewCustomPaddedVBoxLayout(-10))
	for _, name := range aboutFacts {
		value := widget.NewLabel("–")
		value.Selectable = true
		value.Wrapping = fyne.TextWrapWord
		head := container.New(layouts.AtLeast{W: 170},
			widget.NewLabelWithStyle(p.d.T("window.about."+name), fyne.TextAlignLeading, fyne.TextStyle{Bold: true}))
		p.facts[name] = value
		p.rows[name] = container.NewBorder(nil, nil, container.NewVBox(head), nil, value)
		p.grid.Add(p.rows[name])
	}
	boxes.Show(p.rows["state"], false)
	return p.grid
}

// more is what takes longer to read.
func (p *Page) more() fyne.CanvasObject {
	d := p.d
	all := func(keys ...string) fyne.CanvasObject {
		var rows []fyne.CanvasObject
		for _, key := range keys {
			rows = append(rows, texts.Prose(d.T(key)))
		}
		return texts.Tight(rows...)
	}
	p.steps = widget.NewAccordionItem(d.T("first.how"),
		all("first.how.share", "first.how.ask", "first.how.gap", "first.how.map", "first.how.stop"))
	p.seen = widget.NewAccordionItem(d.T("first.seen"),
		all("first.seen.sites", "first.seen.helpers", "first.seen.provider", "first.whose.text"))
	p.stop = widget.NewAccordionItem(d.T("window.about.stop"), container.NewVBox(
		all("window.about.stop.close", "window.about.stop.pause", "consent.commands",
			"window.about.stop.autostart", "window.about.stop.erase", "window.about.stop.remove"),
		container.NewHBox(texts.Link(d.T("erase.title"), func() { d.Dashboard("mine") }))))
	rows := []fyne.CanvasObject{texts.Prose(d.T("window.about.licence"))}
	for _, l := range licences {
		rows = append(rows, texts.Prose(l.licence+": "+l.works))
	}
	p.sources = widget.NewAccordionItem(d.T("window.about.sources"),
		container.NewVBox(texts.Tight(rows...), container.NewHBox(texts.Web("Apache License 2.0", licencePage))))
	list := widget.NewAccordion(p.steps, p.seen, p.stop, p.sources)
	return boxes.NewSurface(look.Card, theme.ColorNameSeparator, 12, boxes.Pad(8, list))
}

// lasting is what does not change while a node runs.
type lasting struct{ file, self string }

// ask asks for what does not change, unless it is known.
func (p *Page) ask() {
	if p.asking || p.file != "" && p.self != "" {
		return
	}
	p.asking = true
	desk.Ask(p.d, func(ctx context.Context) (lasting, error) {
		settings, err := p.node.Settings(ctx, p.d.Lang)
		if err != nil {
			return lasting{}, err
		}
		ring, err := p.node.Ring(ctx)
		return lasting{settings.File, ring.Self}, err
	}, func(f lasting, err error) {
		p.asking = false
		if err == nil {
			p.file, p.self = shown.Text(f.file), shown.Text(f.self)
			p.tell()
		}
	})
}

// tell says what is known by now.
func (p *Page) tell() {
	d, s := p.d, p.is.Status
	texts.Set(p.facts["node"], orDash(p.self))
	texts.Set(p.facts["settings"], orDash(p.file))
	if !p.is.Known && !p.is.Reachable {
		return
	}
	network := shown.Text(s.Network)
	if s.Lab {
		network += ". " + d.T("first.lab")
	}
	texts.Set(p.facts["network"], network)
	texts.Set(p.facts["since"], d.Date(s.Started, d.Now())+", "+d.Clock(s.Started))
	p.measure(s, d.Now())
	p.placeState()
	p.compare(shown.Text(s.Version))
}

// filesEvery is how often the size of the archive is told again: it grows with each page.
const filesEvery = 15 * time.Second

// measure says how large the archive is.
func (p *Page) measure(s api.Status, now time.Time) {
	if since := now.Sub(p.measured); since >= 0 && since < filesEvery {
		return
	}
	p.measured = now
	d := p.d
	files := d.Number(max(0, s.ArchiveFiles))
	texts.Set(p.facts["archive"], orDash(shown.Text(s.ArchiveDir))+"\n"+d.N("window.about.files",
		max(0, s.ArchiveFiles), "files", files, "size", d.Bytes(max(0, s.ArchiveBytes))))
}

// placeState says where the state is, if the node is seen to go by the same rules as this window: the API does
// not tell.
func (p *Page) placeState() {
	paths, err := config.Resolve(p.is.Status.Home, os.Getenv, runtime.GOOS)
	known := err == nil && p.file != "" && paths.Config == p.file
	if known {
		texts.Set(p.facts["state"], shown.Text(paths.State))
	}
	if known != p.rows["state"].Visible() {
		boxes.Show(p.rows["state"], known)
		p.grid.Refresh()
	}
}

// compare says if the node is of another version than this window: that happens after an update.
func (p *Page) compare(node string) {
	texts.Set(p.version, p.d.T("window.about.version", "version", node))
	texts.Set(p.differs, p.d.T("window.about.differs", "version", config.Version))
	if other := node != config.Version; other != p.differs.Visible() {
		boxes.Show(p.differs, other)
		p.box.Refresh()
	}
}

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}
