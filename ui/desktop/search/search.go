// Package search is the page that finds pages of the archive while somebody types.
package search

import (
	"context"
	"net/url"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/layouts"
	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/shown"
	"github.com/forage-net/forage/ui/desktop/texts"
)

// Node is what the page asks.
type Node interface {
	SearchArchive(ctx context.Context, query, from string, limit int) (api.SearchPage, error)
}

const (
	// mostFound pages are listed; the dashboard shows further ones.
	mostFound = 10
	// searchPause is how long nothing is typed until the node is asked.
	searchPause = 200 * time.Millisecond
	// maxSearch is the longest query that the node takes, in bytes.
	maxSearch = 256
)

// Page finds pages of the archive while somebody types.
type Page struct {
	d     *desk.Desk
	node  Node
	box   fyne.CanvasObject
	field *widget.Entry
	tally *widget.Label
	rows  [mostFound]*foundRow
	all   *widget.Hyperlink
	// query is what was asked for last, turn counts what was typed; an answer to an earlier turn is none.
	// cancel ends the question that is on its way.
	query  string
	turn   int
	cancel context.CancelFunc
}

// New makes the page. It asks nothing before somebody looks.
func New(d *desk.Desk, node Node) *Page {
	p := &Page{d: d, node: node, field: widget.NewEntry(), tally: texts.Fine(d.T("search.private")),
		cancel: func() {}}
	p.field.SetPlaceHolder(d.T("search.hint"))
	p.field.OnChanged = p.typed
	p.field.OnSubmitted = func(string) { p.ask(p.turn) }
	p.all = texts.Link(d.T("window.search.all"), func() { d.Dashboard("mine?" + url.Values{"q": {p.query}}.Encode()) })
	p.all.Hide()
	list := []fyne.CanvasObject{}
	for i := range p.rows {
		p.rows[i] = newFoundRow(d)
		list = append(list, p.rows[i].box)
	}
	head := container.New(layout.NewCustomPaddedVBoxLayout(4), texts.Strong(d.T("search.title")), p.field, p.tally)
	inside := container.New(layouts.Pile{Gap: 6}, head, container.New(layouts.Pile{Gap: 4}, list...), p.all)
	p.box = boxes.NewSurface(look.Card, theme.ColorNameSeparator, 12, boxes.Pad(12, inside))
	return p
}

// Content is what is shown, the same at each call.
func (p *Page) Content() fyne.CanvasObject { return p.box }

// Shown gives the field the keys: whoever turns to this page wants to type.
func (p *Page) Shown(on bool) {
	if c := fyne.CurrentApp().Driver().CanvasForObject(p.field); on && c != nil {
		c.Focus(p.field)
	}
}

// Told takes how the node is.
func (p *Page) Told(desk.Live) {}

// Happened takes events.
func (p *Page) Happened([]api.Event, bool) {}

// typed asks the node when nothing more is typed for a moment.
func (p *Page) typed(text string) {
	p.cancel()
	p.turn++
	mine := p.turn
	if strings.TrimSpace(text) == "" {
		p.tell(api.SearchPage{})
		texts.Set(p.tally, p.d.T("search.private"))
		return
	}
	p.d.After(searchPause, func() { p.ask(mine) })
}

// ask asks the node, unless something else was typed since.
func (p *Page) ask(turn int) {
	query := strings.TrimSpace(p.field.Text)
	if turn != p.turn || query == "" || len(query) > maxSearch {
		return
	}
	p.cancel()
	p.turn++
	mine := p.turn
	wanted, cancel := context.WithCancel(p.d.Ctx)
	p.cancel = cancel
	desk.Ask(p.d, func(ctx context.Context) (api.SearchPage, error) {
		ctx, end := context.WithCancel(ctx)
		defer end()
		defer context.AfterFunc(wanted, end)()
		return p.node.SearchArchive(ctx, query, "", mostFound)
	}, func(page api.SearchPage, err error) {
		if mine != p.turn {
			return
		}
		cancel()
		p.query = query
		if err != nil {
			p.tell(api.SearchPage{})
			texts.Set(p.tally, shown.Text(p.d.Trouble(err)))
			return
		}
		p.tell(page)
		texts.Set(p.tally, p.counted(page))
	})
}

// tell shows what was found.
func (p *Page) tell(page api.SearchPage) {
	for i, row := range p.rows {
		boxes.Show(row.box, i < len(page.Results))
		if i < len(page.Results) {
			row.set(page.Results[i])
		}
	}
	boxes.Show(p.all, len(page.Results) > 0 && page.Next != "")
	p.box.Refresh()
}

// counted says how much was found, and where there was nothing to look.
func (p *Page) counted(page api.SearchPage) string {
	var text string
	none := len(page.Results) == 0
	switch {
	case page.Off && none:
		text = p.d.T("search.off.none")
	case page.Off:
		text = p.d.T("search.off")
	case none:
		text = p.d.N("search.none", int64(max(page.Pages, 0)))
	case page.Some:
		text = p.d.T("search.some")
	case page.More:
		text = p.d.N("search.over", int64(max(page.Total, 0)))
	default:
		text = p.d.N("search.total", int64(max(page.Total, 0)))
	}
	switch {
	case page.Waiting > 0 && page.Full:
		text += " · " + p.d.N("search.full", int64(page.Waiting))
	case page.Waiting > 0:
		text += " · " + p.d.N("search.waiting", int64(page.Waiting))
	}
	return text
}

// foundRow is a page that was found. Its title leads to what it says, in the dashboard.
type foundRow struct {
	d     *desk.Desk
	box   *fyne.Container
	title *widget.Hyperlink
	where *widget.Label
	text  *widget.RichText
	id    string
}

func newFoundRow(d *desk.Desk) *foundRow {
	r := &foundRow{d: d, where: texts.Line(""), text: widget.NewRichText()}
	r.title = texts.Link("", func() { d.Dashboard("mine?" + url.Values{"id": {r.id}}.Encode()) })
	r.title.Truncation = fyne.TextTruncateEllipsis
	r.where.SizeName, r.where.Importance = theme.SizeNameCaptionText, widget.LowImportance
	r.text.Wrapping = fyne.TextWrapWord
	r.box = container.New(layouts.Pile{Gap: -14}, r.title, r.where, r.text)
	r.box.Hide()
	return r
}

func (r *foundRow) set(f api.SearchResult) {
	r.id = f.ID
	if title := shown.First(f.Title, f.URL); r.title.Text != title {
		r.title.SetText(title)
	}
	texts.Set(r.where, r.d.Date(f.Time, r.d.Now())+" · "+shown.Text(f.URL))
	r.text.Segments = segments(f.Snippet)
	r.text.Refresh()
	boxes.Show(r.text, len(r.text.Segments) > 0)
}

// segments are the pieces of a snippet, with the words of the query in bold, as far as it is shown.
func segments(pieces []api.SnippetPiece) (list []widget.RichTextSegment) {
	room := maxSnippet
	for _, p := range pieces {
		text := shown.Piece(p.Text)
		if len(list) == 0 {
			text = strings.TrimLeft(text, " ")
		}
		if room -= len(text); room < 0 {
			break
		}
		if text != "" {
			list = append(list, &widget.TextSegment{Text: text, Style: widget.RichTextStyle{
				Inline: true, SizeName: theme.SizeNameCaptionText, ColorName: theme.ColorNameForeground,
				TextStyle: fyne.TextStyle{Bold: p.Match},
			}})
		}
	}
	return list
}

// maxSnippet is how much of a snippet is shown, in bytes: some lines.
const maxSnippet = 600
