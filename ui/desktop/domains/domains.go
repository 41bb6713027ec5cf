// Package domains is the page of the sites that this node looks after: a list of any length, of which only what
// is seen is asked for, and one site in full.
package domains

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/book"
	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/layouts"
	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/texts"
)

// Node is what the page asks.
type Node interface {
	Domains(ctx context.Context, after string, limit int) ([]api.Domain, error)
	Never(ctx context.Context, text string, undo bool) (api.NeverChange, error)
}

const (
	// sitesAhead is about how many rows before the end more sites are asked for.
	sitesAhead = 40
	// sitesSweep is how many are asked for at a time while all are looked through.
	sitesSweep = 1000
	// sitesEvery is how often those that are seen are asked for again.
	sitesEvery = 5 * time.Second
	listHeight = 170
)

// listGap is what a list leaves between rows: the theme's padding.
const listGap = 5

// Page are the sites of this node.
type Page struct {
	d    *desk.Desk
	node Node
	book book.Book
	// looks counts the times that somebody began or ceased to look; looking says that somebody does.
	looks   int
	looking bool
	// asking says that more sites are on their way, again that some are asked for once more.
	asking, again bool
	is            desk.Live
	// begun says that the node has answered once.
	begun  bool
	chosen string

	box    *fyne.Container
	filter *widget.Entry
	count  *widget.Label
	empty  *widget.Label
	list   *siteList
	detail *siteDetail
}

// New makes the page. It asks nothing before somebody looks.
func New(d *desk.Desk, node Node) *Page {
	p := &Page{d: d, node: node}
	p.filter = widget.NewEntry()
	p.filter.SetPlaceHolder(d.T("window.domains.filter"))
	p.filter.OnChanged = p.sift
	p.count, p.empty = texts.Small(""), texts.Prose(d.T("loading"))
	p.empty.Alignment = fyne.TextAlignCenter
	p.list = newSiteList(p.book.Length, func() fyne.CanvasObject { return newSiteRow(d, false) }, p.fillRow,
		p.choose, func() { p.open(book.Site{}) })
	p.detail = newSiteDetail(d, node, p.changed, func() { p.open(book.Site{}) })
	title := container.NewBorder(nil, nil, nil, container.New(layouts.AtLeast{W: 180}, p.filter),
		texts.Strong(d.T("domains.title")))
	head := container.New(layout.NewCustomPaddedVBoxLayout(0), title, texts.Small(d.T("domains.note")),
		newSiteRow(d, true), widget.NewSeparator())
	rows := container.New(layouts.AtLeast{H: listHeight},
		container.NewStack(p.list, container.NewCenter(container.New(layouts.AtLeast{W: 320}, p.empty))))
	table := container.NewBorder(head, p.count, nil, nil, rows)
	p.box = container.New(layouts.Over{Gap: 10}, boxes.NewSurface(look.Card, theme.ColorNameSeparator, 12,
		boxes.Pad(12, table)), p.detail.box)
	p.tell()
	return p
}

// Content is what is shown, the same at each call.
func (p *Page) Content() fyne.CanvasObject { return p.box }

// Shown says whether somebody looks.
func (p *Page) Shown(on bool) {
	p.looking = on
	p.looks++
	if on {
		p.look(p.looks)
	}
}

// Told takes how the node is.
func (p *Page) Told(l desk.Live) {
	came := l.Reachable && !p.is.Reachable
	p.is = l
	if !p.looking {
		return
	}
	if came && !p.begun {
		p.more()
	}
	p.tell()
}

// Happened takes events.
func (p *Page) Happened([]api.Event, bool) {}

// look asks for what is seen, again and again until nobody looks any more.
func (p *Page) look(looks int) {
	if looks != p.looks || !p.looking {
		return
	}
	p.refresh()
	p.more()
	p.d.After(sitesEvery, func() { p.look(looks) })
}

// changed has what is seen asked for once more.
func (p *Page) changed() {
	p.again = false
	p.refresh()
}

// refresh asks for the sites that are seen, and for the one that is chosen.
func (p *Page) refresh() {
	if !p.begun || p.again {
		return
	}
	p.again = true
	first, last := p.list.window()
	for _, part := range p.book.Parts(first, last) {
		p.fetch(part.After, part.Limit, func() { p.again = false })
	}
	if at := p.book.Place(p.chosen); p.chosen != "" && (at < first || at > last) {
		p.fetch(p.book.Preceding(p.book.Search(p.chosen, false)), 1, func() {})
	}
}

// more asks for further sites, if the end of those that are known is near or all are looked through.
func (p *Page) more() {
	after, more := p.book.Next()
	_, last := p.list.window()
	limit := book.Page
	if p.book.Filter != "" {
		limit = sitesSweep
	} else if last+sitesAhead < p.book.Length() {
		return
	}
	if p.asking || !more || !p.looking {
		return
	}
	p.asking = true
	p.fetch(after, limit, func() {
		p.asking = false
		if p.book.Filter != "" {
			p.more()
		}
	})
}

// fetch asks for a page of sites and takes it in. over is called when that was done; where the node does not answer,
// the next look asks again.
func (p *Page) fetch(after string, limit int, over func()) {
	desk.Ask(p.d, func(ctx context.Context) ([]api.Domain, error) { return p.node.Domains(ctx, after, limit) },
		func(page []api.Domain, err error) {
			if err == nil {
				p.begun = true
				p.take(after, limit, page)
				over()
				return
			}
			p.asking, p.again = false, false
		})
}

// take takes in a page. What is seen stays where it is.
func (p *Page) take(after string, limit int, page []api.Domain) {
	first, _ := p.list.window()
	top, any := p.book.At(first)
	mark, _ := p.book.At(p.list.mark)
	if !p.book.Take(after, limit, page) {
		p.tell()
		return
	}
	if now := p.book.Place(top.Domain.Domain); any && now != first {
		p.list.ScrollToOffset(p.list.GetScrollOffset() + float32(now-first)*p.list.pitch())
	}
	p.list.mark = max(0, min(p.book.Place(mark.Domain.Domain), p.book.Length()-1))
	p.list.Refresh()
	p.detail.tell(p.book.Find(p.chosen))
	p.tell()
}

func (p *Page) sift(text string) {
	p.book.Sift(text)
	p.list.mark = 0
	p.list.ScrollToTop()
	p.list.Refresh()
	p.tell()
	p.more()
}

func (p *Page) fillRow(i int, o fyne.CanvasObject) {
	s, ok := p.book.At(i)
	row, is := o.(*siteRow)
	if !ok || !is {
		return
	}
	row.set(s, s.Domain.Domain == p.chosen, p.list.focused && i == p.list.mark)
	if i+sitesAhead > p.book.Length() {
		p.more()
	}
}

func (p *Page) choose(i int) {
	s, ok := p.book.At(i)
	if !ok {
		return
	}
	p.open(s)
}

// open shows what is known of a site, of one without a name nothing.
func (p *Page) open(s book.Site) {
	p.chosen = s.Domain.Domain
	p.detail.tell(s, s.Name != "")
	boxes.Show(p.detail.box, s.Name != "")
	p.list.Refresh()
	p.box.Refresh()
}

// tell says how many there are, or why there is nothing.
func (p *Page) tell() {
	texts.Set(p.count, p.counted())
	texts.Set(p.empty, p.nothing())
	boxes.Show(p.empty, p.empty.Text != "")
}

func (p *Page) counted() string {
	known, hits := len(p.book.Sites), p.book.Length()
	all := max(p.is.Status.Domains, int64(known))
	if p.book.Whole {
		all = int64(known)
	}
	switch {
	case known == 0:
		return ""
	case p.book.Filter != "" && (p.book.Whole || p.book.Cut):
		return p.d.N("window.domains.found", int64(hits), "all", int64(known))
	case p.book.Filter != "":
		return p.d.N("window.domains.finding", int64(hits), "seen", int64(known), "all", all)
	case p.book.Cut:
		return p.d.T("window.domains.cut", "n", known)
	case p.book.Whole:
		return p.d.N("window.domains.all", int64(known))
	}
	return p.d.T("window.domains.some", "n", known, "all", all)
}

func (p *Page) nothing() string {
	switch {
	case p.book.Length() > 0:
		return ""
	case !p.begun && p.is.Known && !p.is.Reachable:
		return p.d.Gone(p.is)
	case !p.begun:
		return p.d.T("loading")
	case p.book.Filter != "" && p.book.Whole:
		return p.d.T("window.domains.nohit")
	case p.book.Filter != "":
		return p.d.T("loading")
	}
	return p.d.T("domains.none")
}
