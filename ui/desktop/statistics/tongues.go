package statistics

import (
	"cmp"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/layouts"
	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/texts"
)

// mostTongues are shown, those that most pages are in.
const mostTongues = 8

// tongues are the languages of pages.
type tongues struct {
	d   *desk.Desk
	box *fyne.Container
	is  []tongue
}

type tongue struct {
	code  string
	pages int64
	share float64
}

func newTongues(d *desk.Desk) *tongues {
	t := &tongues{d: d, box: container.New(layout.NewCustomPaddedVBoxLayout(-10), texts.Line(d.T("loading")))}
	return t
}

// most are the languages with the most pages; the share is of all.
func most(of map[string]int64) []tongue {
	var all float64
	var list []tongue
	for code, n := range of {
		if n > 0 {
			list = append(list, tongue{code: code, pages: n})
			all += float64(n)
		}
	}
	slices.SortFunc(list, func(a, b tongue) int {
		return cmp.Or(cmp.Compare(b.pages, a.pages), cmp.Compare(a.code, b.code))
	})
	list = list[:min(len(list), mostTongues)]
	for i := range list {
		list[i].share = float64(list[i].pages) / all
	}
	return list
}

func (t *tongues) tell(of map[string]int64) {
	list := most(of)
	if slices.Equal(list, t.is) && t.is != nil {
		return
	}
	t.is = append([]tongue{}, list...)
	rows := []fyne.CanvasObject{texts.Line(t.d.T("mine.nothing"))}
	if len(list) > 0 {
		rows = nil
	}
	for _, l := range list {
		value := widget.NewLabelWithStyle(t.d.Number(l.pages)+" · "+t.d.Percent(l.share, 1), fyne.TextAlignTrailing,
			fyne.TextStyle{Bold: true})
		bar := boxes.NewSurface(look.LeafPale, "", 4, layout.NewSpacer())
		row := container.NewBorder(nil, nil, nil, value, texts.Line(t.d.Tongue(l.code)))
		rows = append(rows, container.NewStack(container.New(layouts.Portion{Share: l.share}, bar), row))
	}
	t.box.Objects = rows
	t.box.Refresh()
}
