package setup

import (
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/controls"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/shown"
	"github.com/forage-net/forage/ui/desktop/texts"
)

const (
	// firstSlack is by how much the clocks of window and node may differ.
	firstSlack = 2 * time.Second
	// firstPatience is after how long somebody who waits is told why.
	firstPatience = 20 * time.Second
	// firstKept is how many lines say what happens meanwhile.
	firstKept = 5
)

// firstPage shows the first page as soon as there is one; until then, what happens.
type firstPage struct {
	d     *desk.Desk
	done  func()
	since time.Time
	page  api.Event // of ID 0 before it came

	root     *fyne.Container
	button   *controls.EnterButton
	sentence *widget.Label
	patience *widget.Label
	list     *widget.Label
	latest   []string
}

func newFirstPage(d *desk.Desk, since time.Time, done func()) *firstPage {
	f := &firstPage{d: d, done: done, since: since, sentence: texts.Lead(""), patience: texts.Fine(""),
		list: texts.Line("")}
	f.list.Importance = widget.LowImportance
	f.patience.Hide()
	f.button = controls.NewEnterButton(d.T("first.page.skip"), widget.MediumImportance, done)
	f.root = container.NewStack(f.screen(texts.Heading(d.T("first.page.waiting")), f.sentence, f.list, f.patience))
	return f
}

func (f *firstPage) screen(rows ...fyne.CanvasObject) fyne.CanvasObject {
	acts := container.New(layout.NewCustomPaddedLayout(8, 0, 8, 22), container.NewBorder(nil, nil, nil, f.button))
	return container.NewBorder(nil, acts, nil, nil, container.NewVScroll(container.NewVBox(rows...)))
}

func (f *firstPage) content() fyne.CanvasObject { return f.root }
func (f *firstPage) update()                    {}
func (f *firstPage) focused() fyne.Focusable    { return f.button }
func (f *firstPage) fault(string)               {}

// told says how it goes while there is no page yet.
func (f *firstPage) told(l desk.Live) {
	if f.page.ID != 0 {
		return
	}
	if l.Reachable {
		texts.Set(f.sentence, l.Status.Sentence)
	}
	if waited := f.d.Now().Sub(f.since); waited > firstPatience {
		texts.Set(f.patience, f.d.T("first.page.patience", "time", f.d.Length(waited)))
		boxes.Show(f.patience, true)
	}
}

func (f *firstPage) happened(events []api.Event) {
	before := len(f.latest)
	for _, e := range events {
		if e.Time.Before(f.since.Add(-firstSlack)) {
			continue
		}
		if f.page.ID == 0 && e.Code == api.CodeFetched {
			f.came(e)
			before = -1
			continue
		}
		if key := "first.event." + string(e.Code); e.Domain != "" && f.d.Has(key) {
			f.latest = append(f.latest, f.d.T(key, "domain", shown.Text(e.Domain), "title", titleOf(e)))
		}
	}
	if len(f.latest) == before {
		return
	}
	f.latest = f.latest[max(0, len(f.latest)-firstKept):]
	texts.Set(f.list, strings.Join(f.latest, "\n"))
}

// came shows the page in the place of what was said while waiting.
func (f *firstPage) came(e api.Event) {
	d := f.d
	f.page, f.latest = e, nil
	texts.Set(f.list, "")
	title := texts.Heading(titleOf(e))
	bar := canvas.NewRectangle(look.Color(look.AmberMark))
	bar.SetMinSize(fyne.NewSize(5, 10))
	site := widget.NewLabelWithStyle(shown.Text(e.Domain), fyne.TextAlignLeading, fyne.TextStyle{Bold: true})
	site.Importance, site.Truncation = widget.HighImportance, fyne.TextTruncateEllipsis
	rows := []fyne.CanvasObject{texts.Soft(d.T("first.page.lead")),
		boxes.Edge(container.NewBorder(nil, nil, bar, nil, container.NewVBox(title, site)))}
	if e.First {
		rows = append(rows, texts.Lead(d.T("first.page.first")))
	}
	rows = append(rows, texts.Lead(d.T("first.page.stored")), f.list)
	f.button = controls.NewEnterButton(d.T("first.see"), widget.HighImportance, f.done)
	f.root.Objects = []fyne.CanvasObject{f.screen(rows...)}
	f.root.MinSize() // what was never measured cannot have the focus
	f.root.Refresh()
	controls.FocusIn(f.root, f.button)
}

// titleOf is the title of a page, or else where it is on its site.
func titleOf(e api.Event) string { return shown.First(e.Title, shown.Path(e.URL)) }
