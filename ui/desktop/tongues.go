package desktop

import (
	"cmp"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/layouts"
	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/shown"
	"github.com/forage-net/forage/ui/desktop/texts"
)

// mostTongues are shown, those that most pages are in.
const mostTongues = 8

// tongues are the languages of pages.
type tongues struct {
	d   *desk
	box *fyne.Container
	is  []tongue
}

type tongue struct {
	code  string
	pages int64
	share float64
}

func newTongues(d *desk) *tongues {
	t := &tongues{d: d, box: container.New(layout.NewCustomPaddedVBoxLayout(-10), texts.Line(d.t("loading")))}
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
	rows := []fyne.CanvasObject{texts.Line(t.d.t("mine.nothing"))}
	if len(list) > 0 {
		rows = nil
	}
	for _, l := range list {
		value := widget.NewLabelWithStyle(t.d.number(l.pages)+" · "+t.d.percent(l.share, 1), fyne.TextAlignTrailing,
			fyne.TextStyle{Bold: true})
		bar := boxes.NewSurface(look.LeafPale, "", 4, layout.NewSpacer())
		row := container.NewBorder(nil, nil, nil, value, texts.Line(t.d.tongue(l.code)))
		rows = append(rows, container.NewStack(container.New(layouts.Portion{Share: l.share}, bar), row))
	}
	t.box.Objects = rows
	t.box.Refresh()
}

// tongue is the name of a language.
func (s speech) tongue(code string) string {
	if code == api.OtherLanguages || code == "" {
		return s.t("mine.otherlanguages")
	}
	tag, err := language.Parse(code)
	if err != nil {
		return shown.First(code)
	}
	in := language.English
	if s.lang == "de" {
		in = language.German
	}
	return shown.First(display.Languages(in).Name(tag), code)
}

// milestone is one in words; its number alone, for kinds of later versions.
func (s speech) milestone(m api.Milestone) string {
	if m.Kind == "language" {
		return s.t("milestone.language", "language", s.tongue(m.Language))
	}
	if s.has("milestone." + m.Kind + ".other") {
		return s.n("milestone."+m.Kind, m.Count)
	}
	return s.number(m.Count)
}

// notable are the milestones to show: numbers first, and of first pages in languages a few.
func notable(list []api.Milestone) []api.Milestone {
	const mostNumbers, mostFirsts = 5, 3
	var numbers, firsts []api.Milestone
	for _, m := range list {
		if m.Kind == "language" {
			firsts = append(firsts, m)
		} else {
			numbers = append(numbers, m)
		}
	}
	return append(numbers[:min(len(numbers), mostNumbers)], firsts[:min(len(firsts), mostFirsts)]...)
}
