package domains

import (
	"image/color"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/ui/desktop/book"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/texts"
)

// The columns of the list of sites.
const (
	columnSite = iota
	columnState
	columnPages
	columnQueued
	columnFailed
	columnNext
	columns
)

var columnNames = [columns]string{"domains.site", "domains.state", "domains.fetched", "domains.queued",
	"window.domains.failed", "domains.next"}

// span is where a column is; one without width is not shown.
type span struct{ x, width float32 }

const (
	rowHeight  = 42
	headHeight = 24
	rowMargin  = 8
	rowEnd     = 18 // the list's scroll bar lies over the rows
	rowGap     = 12
	// narrowRow is where there is no room for all columns.
	narrowRow = 620
)

// spans divides a width among the columns.
func spans(width float32) [columns]span {
	wide := [columns]float32{columnPages: 68, columnQueued: 68, columnFailed: 74, columnNext: 112}
	if width < narrowRow {
		wide[columnQueued], wide[columnFailed] = 0, 0
	}
	rest := width - rowMargin - rowEnd - rowGap // between the two that share what is left
	for _, w := range wide {
		if w > 0 {
			rest -= w + rowGap
		}
	}
	rest = max(rest, 0)
	wide[columnSite], wide[columnState] = rest*0.56, rest*0.44
	var s [columns]span
	x := float32(rowMargin)
	for i, w := range wide {
		s[i] = span{x, w}
		if w > 0 {
			x += w + rowGap
		}
	}
	return s
}

// siteRow is one line of the list of sites.
type siteRow struct {
	widget.BaseWidget
	d *desk.Desk
	// head says that it is the first line, with the names of the columns.
	head           bool
	site           book.Site
	chosen, marked bool
}

func newSiteRow(d *desk.Desk, head bool) *siteRow {
	r := &siteRow{d: d, head: head}
	r.ExtendBaseWidget(r)
	return r
}

func (r *siteRow) set(s book.Site, chosen, marked bool) {
	r.site, r.chosen, r.marked = s, chosen, marked
	r.Refresh()
}

// texts are what stands in the columns, and below.
func (r *siteRow) texts() (upper, lower [columns]string) {
	if r.head {
		for i, key := range columnNames {
			upper[i] = r.d.T(key)
		}
		return upper, lower
	}
	s := r.site
	upper = [columns]string{s.Name, stateText(r.d, s.State), r.d.Number(s.Fetched), r.d.Number(s.Queued),
		r.d.Number(s.Failed), nextText(r.d, s.NextVisit)}
	lower[columnSite], lower[columnState] = s.Title, s.Reason
	return upper, lower
}

// stateText is the state of a domain in words; one that is not known stands as it is.
func stateText(d *desk.Desk, state string) string {
	if key := "domains.state." + wordKey(state); d.Has(key) {
		return d.T(key)
	}
	return state
}

// nextText is a time in short: of today the time of day, else the day.
func nextText(d *desk.Desk, at *time.Time) string {
	if at == nil {
		return "–"
	}
	now := d.Now()
	if !at.After(now) {
		return d.T("now.soon")
	}
	year, month, day := at.Local().Date()
	if y, m, dd := now.Local().Date(); y == year && m == month && dd == day {
		return d.Clock(*at)
	}
	return d.Date(*at, now)
}

// wordKey is a text as the end of a key: letters and digits, with a hyphen for what lies between.
func wordKey(text string) string {
	key, gap := make([]byte, 0, len(text)), false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c >= 'A' && c <= 'Z' {
			if gap {
				key = append(key, '-')
			}
			key, gap = append(key, c), false
			continue
		}
		gap = true
	}
	return string(key)
}

// CreateRenderer implements fyne.Widget.
func (r *siteRow) CreateRenderer() fyne.WidgetRenderer {
	v := &siteRowRenderer{r: r, back: canvas.NewRectangle(color.Transparent)}
	v.objects = []fyne.CanvasObject{v.back}
	for i := range columns {
		v.upper[i], v.lower[i] = canvas.NewText("", color.Black), canvas.NewText("", color.Black)
		if i >= columnPages {
			v.upper[i].Alignment = fyne.TextAlignTrailing
		}
		v.objects = append(v.objects, v.upper[i])
		if i < columnPages {
			v.objects = append(v.objects, v.lower[i])
		}
	}
	return v
}

type siteRowRenderer struct {
	r            *siteRow
	back         *canvas.Rectangle
	upper, lower [columns]*canvas.Text
	objects      []fyne.CanvasObject
}

func (v *siteRowRenderer) Objects() []fyne.CanvasObject { return v.objects }
func (v *siteRowRenderer) Destroy()                     {}
func (v *siteRowRenderer) MinSize() fyne.Size {
	if v.r.head {
		return fyne.NewSize(300, headHeight)
	}
	return fyne.NewSize(300, rowHeight)
}
func (v *siteRowRenderer) Layout(size fyne.Size) { v.fill(size) }
func (v *siteRowRenderer) Refresh() {
	v.fill(v.r.Size())
	canvas.Refresh(v.r)
}

// fill writes all texts, as long as there is room.
func (v *siteRowRenderer) fill(size fyne.Size) {
	v.ground(size)
	head := v.r.head
	upper, lower := v.r.texts()
	at := spans(size.Width)
	for i := range columns {
		up, low := v.upper[i], v.lower[i]
		up.TextSize, low.TextSize = theme.TextSize(), theme.CaptionTextSize()
		up.Color, low.Color = look.Color(v.ink(i)), look.Color(look.Soft)
		if head {
			up.TextSize, up.Color = theme.CaptionTextSize(), look.Color(look.Soft)
		}
		up.TextStyle.Bold = i == columnSite && !head
		up.Text, low.Text = "", ""
		if at[i].width > 0 {
			up.Text, low.Text = texts.Fit(upper[i], up.TextSize, up.TextStyle, at[i].width),
				texts.Fit(lower[i], low.TextSize, low.TextStyle, at[i].width)
		}
		y := (size.Height - up.MinSize().Height) / 2
		if low.Text != "" {
			y = size.Height/2 - up.MinSize().Height + 3
		}
		up.Move(fyne.NewPos(at[i].x, y))
		up.Resize(fyne.NewSize(at[i].width, up.MinSize().Height))
		low.Move(fyne.NewPos(at[i].x, size.Height/2+1))
		low.Resize(fyne.NewSize(at[i].width, low.MinSize().Height))
	}
}

// ground shows which row is chosen, and which one keys lead from.
func (v *siteRowRenderer) ground(size fyne.Size) {
	v.back.FillColor, v.back.StrokeWidth, v.back.CornerRadius = color.Transparent, 0, 6
	if v.r.chosen {
		v.back.FillColor = look.Color(theme.ColorNameSelection)
	}
	if v.r.marked {
		v.back.StrokeColor, v.back.StrokeWidth = look.Color(theme.ColorNamePrimary), 2
	}
	v.back.Move(fyne.NewPos(1, 1))
	v.back.Resize(fyne.NewSize(size.Width-2, size.Height-2)) // a line is drawn around it
}

// ink is the colour of a column: what goes on and what went wrong is seen at a glance.
func (v *siteRowRenderer) ink(column int) fyne.ThemeColorName {
	if column != columnState {
		return theme.ColorNameForeground
	}
	switch v.r.site.State {
	case "being visited":
		return theme.ColorNamePrimary
	case "given up for now", "cannot be reached", "asked us to wait, or failed":
		return theme.ColorNameWarning
	}
	return theme.ColorNameForeground
}
