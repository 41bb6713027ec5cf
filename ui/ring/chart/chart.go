// Package chart draws values over time into an image: bars, lines and areas, with axes whose labels stand at
// round values and times, a line of the period before, and a limit.
//
// It knows no window, and trusts no values: what is no number is a gap, and of too many the last are shown. A
// Chart belongs to one goroutine.
package chart

import (
	"image"
	"image/color"
	"math"
	"strconv"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/ring/paint"
	"github.com/forage-net/forage/ui/ring/palette"
	"github.com/forage-net/forage/ui/ring/prose"
	"github.com/forage-net/forage/ui/ring/ticks"
)

// Kind is how a chart draws its values.
type Kind uint8

// The kinds of charts.
const (
	Bars Kind = iota
	Lines
	Areas
)

// Series are values over time.
type Series struct {
	// Name stands above the chart where there is more than one series.
	Name string
	// Values belong to the chart's times. What is missing, or no number, is a gap, and less than 0 is 0.
	Values []float64
}

// Data is what a chart shows.
type Data struct {
	Kind Kind
	// Unit is from one time to the next; it decides where labels stand.
	Unit api.Unit
	// Times are when each value begins, in order, in the zone in which they are told. Of more than
	// MostPoints the last are shown.
	Times []time.Time
	// Series are shown beside each other, or, if Stacked, upon each other: two at most.
	Series  []Series
	Stacked bool
	// Before is the sum of the series at as many times before these, drawn as a dashed line; empty for none. BeforeName
	// stands above the chart.
	Before     []float64
	BeforeName string
	// Counted is that there are no halves.
	Counted bool
	// Limit is drawn as a line, whose name stands above the chart; 0 is none.
	Limit     float64
	LimitName string
}

// MostPoints of a series are shown.
const MostPoints = 4096

const mostSeries = 2

// Words are what is written at a chart, in the user's language.
type Words struct {
	// Value writes a value at its axis: "1.5 GB".
	Value func(float64) string
	// When writes a time at its axis, shortly: "14:00", "3 Nov", "2026".
	When func(time.Time) string
	// Empty is said where there is nothing to show.
	Empty string
}

func (w Words) complete() Words {
	if w.Value == nil {
		w.Value = func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	}
	if w.When == nil {
		w.When = func(t time.Time) string { return t.Format(time.DateOnly) }
	}
	return w
}

// Chart is a picture of values over time. It belongs to one goroutine.
type Chart struct {
	data   Data
	words  Words
	look   palette.Look
	writer *paint.Writer
	out    *image.NRGBA
	plan   plan

	w, h        int
	k, fit      float64
	highlighted int
	stale       bool
	planned     bool
}

// New returns an empty chart in the colours of the day.
func New(f paint.Fonts) *Chart {
	return &Chart{
		look: palette.Light(), words: Words{}.complete(), writer: paint.NewWriter(f),
		out: &image.NRGBA{}, k: 1, fit: 1, highlighted: -1, stale: true,
	}
}

// SetLook changes the colours.
func (c *Chart) SetLook(l palette.Look) {
	if c.look != l {
		c.look, c.stale = l, true
	}
}

// SetWords changes the language.
func (c *Chart) SetWords(w Words) {
	c.words = w.complete()
	c.stale, c.planned = true, false
}

// Set changes what is shown. The slices are copied, and what was highlighted is not any more.
func (c *Chart) Set(d Data) {
	c.data = sane(d)
	c.stale, c.planned, c.highlighted = true, false, -1
}

// sane is a copy of what can be drawn of data: as many values as there are times, of a bounded number and size.
func sane(d Data) Data {
	skip := max(0, len(d.Times)-MostPoints)
	d.Times = append([]time.Time(nil), d.Times[skip:]...)
	list := make([]Series, 0, mostSeries)
	for _, s := range d.Series[:min(len(d.Series), mostSeries)] {
		list = append(list, Series{prose.Plain(s.Name), values(s.Values, skip, len(d.Times))})
	}
	d.Series = list
	if len(d.Before) > 0 {
		d.Before, d.BeforeName = values(d.Before, skip, len(d.Times)), prose.Plain(d.BeforeName)
	}
	if d.Limit = value(d.Limit); math.IsNaN(d.Limit) {
		d.Limit = 0
	}
	d.LimitName = prose.Plain(d.LimitName)
	return d
}

// values are so many of a list, after some that are skipped; what is missing is no number.
func values(list []float64, skip, n int) []float64 {
	kept := make([]float64, n)
	for i := range kept {
		kept[i] = math.NaN()
		if i+skip < len(list) {
			kept[i] = value(list[i+skip])
		}
	}
	return kept
}

func value(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return math.NaN()
	}
	return max(0, min(ticks.Most, v))
}

// Highlight marks one of the values, -1 for none.
func (c *Chart) Highlight(index int) {
	if index < 0 || index >= len(c.data.Times) {
		index = -1
	}
	if c.highlighted != index {
		c.highlighted, c.stale = index, true
	}
}

// At is the index of the value at a pixel, counted from the left of a picture of the size that was drawn last; false
// is where there is none.
func (c *Chart) At(x float64) (index int, ok bool) {
	n := len(c.data.Times)
	if c.w == 0 || n == 0 {
		return 0, false
	}
	if !c.planned { // the values have changed since
		c.plan.make(c)
		c.planned = true
	}
	at := x * c.fit / c.k
	if !(at >= c.plan.left && at < c.plan.right) {
		return 0, false
	}
	return min(n-1, int((at-c.plan.left)/c.plan.slot)), true
}

// Draw paints the chart into an image of so many pixels, at most paint.MostSide on its longer side; a unit of
// lengths and text is scale pixels. The image is the same each time, and is valid until the next call.
func (c *Chart) Draw(w, h int, scale float64) *image.NRGBA {
	w, h, k, fit := paint.Bounded(w, h, scale)
	if w != c.w || h != c.h || k != c.k {
		c.w, c.h, c.k, c.fit = w, h, k, fit
		paint.Resize(c.out, w, h)
		c.stale, c.planned = true, false
	}
	if !c.stale {
		return c.out
	}
	if !c.planned {
		c.plan.make(c)
		c.planned = true
	}
	c.paint(&paint.Canvas{Img: c.out, K: k})
	c.stale = false
	return c.out
}

func (c *Chart) ink(series int) color.NRGBA {
	if series == 0 {
		return c.look.Bar
	}
	return c.look.Bar2
}
