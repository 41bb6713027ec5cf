// Package texts is text in the kinds that the window has: headings, prose, lines, links and figures.
package texts

import (
	"net/url"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Strong is a heading.
func Strong(text string) *widget.Label {
	l := widget.NewLabelWithStyle(text, fyne.TextAlignLeading, fyne.TextStyle{Bold: true})
	l.SizeName = theme.SizeNameSubHeadingText
	return l
}

// Prose is text that wraps.
func Prose(text string) *widget.Label {
	l := widget.NewLabel(text)
	l.Wrapping = fyne.TextWrapWord
	return l
}

// Fine is text that is less important, and small; it wraps.
func Fine(text string) *widget.Label {
	l := Prose(text)
	l.Importance = widget.LowImportance
	l.SizeName = theme.SizeNameCaptionText
	return l
}

// Line is text that is cut with an ellipsis where there is no room.
func Line(text string) *widget.Label {
	l := widget.NewLabel(text)
	l.Truncation = fyne.TextTruncateEllipsis
	return l
}

// Set changes a text only where it differs: each change draws the window again.
func Set(l *widget.Label, text string) {
	if l.Text != text {
		l.SetText(text)
	}
}

// Link is a text to click on.
func Link(text string, tapped func()) *widget.Hyperlink {
	l := widget.NewHyperlink(text, nil)
	l.OnTapped = tapped
	return l
}

// Figure is a number with what it counts below.
type Figure struct {
	*fyne.Container
	Value *widget.Label
}

// NewFigure returns a figure whose number is not known yet.
func NewFigure(name string) *Figure {
	value := widget.NewLabelWithStyle("–", fyne.TextAlignLeading, fyne.TextStyle{Bold: true})
	value.SizeName = theme.SizeNameHeadingText
	return &Figure{container.New(layout.NewCustomPaddedVBoxLayout(-12), value, Fine(name)), value}
}

// Set shows another number.
func (f *Figure) Set(value string) { Set(f.Value, value) }

// Small is one line of text that is less important, cut where there is no room.
func Small(text string) *widget.Label {
	l := Line(text)
	l.Importance, l.SizeName = widget.LowImportance, theme.SizeNameCaptionText
	return l
}

// Same reports whether two lists of labels, or rows of such, say the same.
func Same(a, b []fyne.CanvasObject) bool {
	return slices.Equal(Of(a), Of(b))
}

// Of are the texts of labels and links, and of those in containers, in order.
func Of(objects []fyne.CanvasObject) []string {
	var texts []string
	for _, o := range objects {
		switch o := o.(type) {
		case *widget.Label:
			texts = append(texts, o.Text)
		case *widget.Hyperlink:
			texts = append(texts, o.Text)
		case *fyne.Container:
			texts = append(texts, Of(o.Objects)...)
		}
	}
	return texts
}

// Web is a link to a page of the web, which opens in the browser.
func Web(text, to string) *widget.Hyperlink {
	at, err := url.Parse(to)
	if err != nil {
		at = nil // of a constant
	}
	return widget.NewHyperlink(text, at)
}

// Tight puts texts below each other as the lines of one.
func Tight(rows ...fyne.CanvasObject) fyne.CanvasObject {
	return container.New(layout.NewCustomPaddedVBoxLayout(-8), rows...)
}

// Marked are sentences with a mark before each.
func Marked(texts ...string) []fyne.CanvasObject {
	var rows []fyne.CanvasObject
	for _, text := range texts {
		mark := widget.NewIcon(theme.NewPrimaryThemedResource(theme.ConfirmIcon()))
		at := container.New(layout.NewCustomPaddedLayout(9, 0, 8, 0),
			container.NewVBox(container.NewGridWrap(fyne.NewSquareSize(16), mark)))
		rows = append(rows, container.NewBorder(nil, nil, at, nil, Prose(text)))
	}
	return rows
}

// Fit cuts a text that is wider than a width, and says so with an ellipsis.
func Fit(text string, size float32, style fyne.TextStyle, width float32) string {
	wide := func(s string) bool { return fyne.MeasureText(s, size, style).Width > width }
	if text == "" || !wide(text) {
		return text
	}
	runes := []rune(text)
	low, high := 0, len(runes)
	for low < high {
		mid := (low + high + 1) / 2
		if wide(string(runes[:mid]) + "…") {
			high = mid - 1
		} else {
			low = mid
		}
	}
	if low == 0 {
		return ""
	}
	return string(runes[:low]) + "…"
}

// Heading is the large title of a screen; it wraps.
func Heading(text string) *widget.Label {
	l := Prose(text)
	l.TextStyle.Bold = true
	l.SizeName = theme.SizeNameHeadingText
	return l
}

// Lead is prose in a larger size.
func Lead(text string) *widget.Label {
	l := Prose(text)
	l.SizeName = theme.SizeNameSubHeadingText
	return l
}

// Soft is prose that is less important.
func Soft(text string) *widget.Label {
	l := Prose(text)
	l.Importance = widget.LowImportance
	return l
}
