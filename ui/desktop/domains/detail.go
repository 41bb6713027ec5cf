package domains

import (
	"net/url"
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
	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/shown"
	"github.com/forage-net/forage/ui/desktop/texts"
)

// siteDetail is what is known of one site, and what can be done with it.
type siteDetail struct {
	d    *desk.Desk
	node Node
	// changed is called when the node was told to do something with the site.
	changed func()
	// is is the site that is told of; gone says that it is not among those of this node any more.
	is   book.Site
	gone bool

	box                fyne.CanvasObject
	name, title, state *widget.Label
	facts              map[string]*widget.Label
	never              *widget.Button
}

// Facts, in the order in which they stand.
var siteFacts = []string{
	"domains.fetched", "domains.queued", "window.domains.failed", "domains.bytes", "window.domains.known",
	"domains.next",
	"window.domains.delay", "neighbour.col.refusals", "neighbour.col.challenges", "neighbour.col.backoffs",
}

func newSiteDetail(d *desk.Desk, node Node, changed, shut func()) *siteDetail {
	p := &siteDetail{d: d, node: node, changed: changed, name: texts.Strong(""), title: texts.Line(""),
		state: texts.Fine(""),
		facts: make(map[string]*widget.Label)}
	p.name.Truncation = fyne.TextTruncateEllipsis
	var cells []fyne.CanvasObject
	for _, key := range siteFacts {
		value := texts.Line("")
		value.TextStyle.Bold = true
		name := texts.Small(d.T(key))
		p.facts[key] = value
		cells = append(cells, container.New(layout.NewCustomPaddedVBoxLayout(-14), name, value))
	}
	p.never = widget.NewButton(d.T("never.button"), p.turn)
	p.never.Importance = widget.DangerImportance
	show := widget.NewButton(d.T("window.domains.pages"),
		func() { d.Dashboard("mine?" + url.Values{"q": {p.is.Domain.Domain}}.Encode()) })
	end := widget.NewButtonWithIcon("", theme.CancelIcon(), shut)
	end.Importance = widget.LowImportance
	acts := container.NewCenter(container.NewHBox(show, p.never, end))
	head := container.NewBorder(nil, nil, nil, acts,
		container.New(layout.NewCustomPaddedVBoxLayout(-12), p.name, p.title))
	grid := container.NewGridWrap(fyne.NewSize(146, 46), cells...)
	p.box = boxes.NewSurface(look.Card, theme.ColorNameSeparator, 12,
		boxes.Pad(8, container.New(layout.NewCustomPaddedVBoxLayout(0), head, p.state, grid)))
	p.box.Hide()
	return p
}

// tell shows a site. One that is not there any more is shown as it was last, and that is said.
func (p *siteDetail) tell(s book.Site, there bool) {
	if there {
		p.is = s
	} else if p.is.Name == "" {
		return
	}
	p.gone = !there
	d, s := p.d, p.is
	texts.Set(p.name, s.Name)
	texts.Set(p.title, s.Title)
	boxes.Show(p.title, s.Title != "")
	texts.Set(p.state, p.sentence())
	p.offer()
	for key, value := range map[string]string{
		"domains.fetched": d.Number(s.Fetched), "domains.queued": d.Number(s.Queued),
		"window.domains.failed": d.Number(s.Failed),
		"domains.bytes":         d.Bytes(s.Bytes), "window.domains.known": d.Number(s.Duplicates),
		"domains.next":         p.next(),
		"window.domains.delay": p.delay(), "neighbour.col.refusals": d.Number(s.Refusals),
		"neighbour.col.challenges": d.Number(s.Challenges), "neighbour.col.backoffs": d.Number(s.Backoffs),
	} {
		texts.Set(p.facts[key], value)
	}
}

// offer has the button end the visits, or allow them again.
func (p *siteDetail) offer() {
	key, importance := "never.button", widget.DangerImportance
	if p.refused() {
		key, importance = "neighbour.never.undo", widget.MediumImportance
	}
	if text := p.d.T(key); p.never.Text != text {
		p.never.Importance = importance
		p.never.SetText(text)
	}
}

func (p *siteDetail) refused() bool { return p.is.State == api.DomainRefused }

// sentence is the state with its reason.
func (p *siteDetail) sentence() string {
	if p.gone {
		return p.d.T("window.domains.gone")
	}
	text := p.d.T("domains.state") + ": " + stateText(p.d, p.is.State)
	if p.is.Reason != "" {
		text += " (" + p.is.Reason + ")"
	}
	return text
}

func (p *siteDetail) next() string {
	at := p.is.NextVisit
	if at == nil || !at.After(p.d.Now()) {
		return nextText(p.d, at)
	}
	return p.d.Date(*at, p.d.Now()) + ", " + p.d.Clock(*at)
}

func (p *siteDetail) delay() string {
	wait := shown.Seconds(p.is.CrawlDelayS)
	switch {
	case wait == 0:
		return p.d.T("window.domains.delay.none")
	case wait < time.Minute:
		return p.d.Decimal(wait.Seconds(), 1) + "\u00a0s"
	}
	return p.d.Length(wait)
}

// turn ends the visits, or allows them again.
func (p *siteDetail) turn() {
	if p.refused() {
		p.d.Allow(p.node, p.is.Domain.Domain, p.changed)
		return
	}
	p.d.Never(p.node, p.is.Domain.Domain, p.changed)
}
