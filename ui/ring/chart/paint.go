package chart

import (
	"image/color"
	"math"

	"github.com/forage-net/forage/ui/ring/paint"
	"github.com/forage-net/forage/ui/ring/prose"
)

func (c *Chart) paint(on *paint.Canvas) {
	on.Fill(c.look.Back)
	if c.plan.slot == 0 {
		c.nothing(on)
		return
	}
	c.axes(on)
	if c.highlighted >= 0 {
		at := c.plan.middle(c.highlighted)
		half := max(c.plan.slot, 2) / 2
		on.Rect(at-half, c.plan.top, at+half, c.plan.bottom, c.look.Ink, 0.09)
	}
	switch c.data.Kind {
	case Bars:
		c.bars(on)
	default:
		c.lines(on)
	}
	c.before(on)
	c.limit(on)
	c.names(on)
}

// dash draws a piece of the line of the period before, so that it is seen on bars too.
func (c *Chart) dash(on *paint.Canvas, from, to paint.Point, gone float64) {
	on.Piece(from, to, gone, true, true, paint.Stroke{Width: 4.5, Ink: c.look.Back, Alpha: 0.8})
	on.Piece(from, to, gone, true, true, paint.Stroke{Width: 2, On: 6, Off: 4, Ink: c.look.Ink, Alpha: 1})
}

// before draws the values of the period before. Gaps are bridged.
func (c *Chart) before(on *paint.Canvas) {
	from, gone, ok := paint.Point{}, 0.0, false
	for i, v := range c.data.Before {
		if math.IsNaN(v) {
			continue
		}
		to := paint.At(c.plan.middle(i), c.plan.high(v))
		if ok {
			c.dash(on, from, to, gone)
			gone += math.Hypot(to.X-from.X, to.Y-from.Y)
		}
		from, ok = to, true
	}
}

func (c *Chart) nothing(on *paint.Canvas) {
	text := paint.Pen{Size: 14, Align: paint.Middle, Ink: c.look.Soft}
	w, h := float64(c.w)/c.k, float64(c.h)/c.k
	on.Write(c.writer, c.writer.Shortened(prose.Plain(c.words.Empty), text.Size, w, c.k), w/2, h/2, text)
}

func (c *Chart) axes(on *paint.Canvas) {
	text := paint.Pen{Size: chartText, Align: paint.Right, Ink: c.look.Soft}
	for i, v := range c.plan.values {
		ink := c.look.Line
		if i == 0 {
			ink = c.look.Soft
		}
		c.level(on, v.at, ink, 0, 0)
		on.Write(c.writer, v.text, c.plan.left-8, v.at, text)
	}
	text.Align = paint.Middle
	for _, t := range c.plan.times {
		on.Write(c.writer, t.text, t.at, c.plan.bottom+chartText*1.25, text)
	}
}

// level paints a line from side to side, on whole pixels, so that it is sharp.
func (c *Chart) level(on *paint.Canvas, at float64, ink color.NRGBA, dash, gap float64) {
	wide := max(1, math.Round(c.k))
	y := (math.Round(at*c.k) - math.Floor(wide/2)) / c.k
	if dash == 0 {
		on.Rect(c.plan.left, y, c.plan.right, y+wide/c.k, ink, 1)
		return
	}
	for x := c.plan.left; x < c.plan.right; x += dash + gap {
		on.Rect(x, y, min(x+dash, c.plan.right), y+wide*1.5/c.k, ink, 1)
	}
}

// mostBar is how wide a bar is at most, barPart which part of its slot it fills.
const (
	mostBar = 48
	barPart = 0.8
)

func (c *Chart) bars(on *paint.Canvas) {
	columns := 1
	if !c.data.Stacked {
		columns = len(c.data.Series)
	}
	wide := min(c.plan.slot*barPart, float64(mostBar*columns)) / float64(columns)
	for i := range c.data.Times {
		x, under := c.plan.middle(i)-wide*float64(columns)/2, 0.0
		for n, s := range c.data.Series {
			v := s.Values[i]
			if v > 0 {
				c.bar(on, x, wide, under, under+v, c.ink(n))
			}
			if c.data.Stacked {
				if v > 0 {
					under += v
				}
			} else {
				x += wide
			}
		}
	}
}

// leastBar is how high a bar is that is not nothing, in units.
const leastBar = 1.5

func (c *Chart) bar(on *paint.Canvas, x, wide, from, to float64, ink color.NRGBA) {
	x1 := x + wide
	if wide*c.k >= 3 {
		// Whole pixels are sharp, and bars then differ by no more than one.
		x, x1 = math.Round(x*c.k)/c.k, math.Round(x1*c.k)/c.k
	}
	low, high := c.plan.high(from), c.plan.high(to)
	on.Rect(x, min(high, low-leastBar), x1, low, ink, 1)
}

func (c *Chart) lines(on *paint.Canvas) {
	below := func(int) float64 { return 0 }
	for n, s := range c.data.Series {
		under := below
		value := func(i int) float64 { return under(i) + s.Values[i] }
		if c.data.Kind == Areas {
			c.area(on, value, under, c.ink(n))
		}
		c.line(on, value, c.ink(n))
		if c.highlighted >= 0 && !math.IsNaN(s.Values[c.highlighted]) {
			at := paint.At(c.plan.middle(c.highlighted), c.plan.high(value(c.highlighted)))
			on.Disc(at, 5, c.look.Back, 1)
			on.Disc(at, 3.5, c.ink(n), 1)
		}
		if c.data.Stacked {
			below = func(i int) float64 {
				if v := value(i); v > 0 {
					return v
				}
				return under(i)
			}
		}
	}
}

func (c *Chart) line(on *paint.Canvas, value func(int) float64, ink color.NRGBA) {
	before, ok := paint.Point{}, false
	for i := range c.data.Times {
		v := value(i)
		if math.IsNaN(v) {
			ok = false
			continue
		}
		at := paint.At(c.plan.middle(i), c.plan.high(v))
		switch alone := i+1 >= len(c.data.Times) || math.IsNaN(value(i+1)); {
		case ok:
			on.Line(before, at, 2, ink, 1)
		case alone:
			on.Disc(at, 2.5, ink, 1)
		}
		before, ok = at, true
	}
}

// area fills below a line, a column of pixels at a time.
func (c *Chart) area(on *paint.Canvas, value, under func(int) float64, ink color.NRGBA) {
	n := len(c.data.Times)
	for x := math.Round(c.plan.left * c.k); x < c.plan.right*c.k; x++ {
		at := ((x+0.5)/c.k-c.plan.left)/c.plan.slot - 0.5
		i := int(math.Floor(at))
		if i < 0 || i+1 >= n {
			continue
		}
		q := at - float64(i)
		top := value(i)*(1-q) + value(i+1)*q
		low := under(i)*(1-q) + under(i+1)*q
		if top > low {
			on.Rect(x/c.k, c.plan.high(top), (x+1)/c.k, c.plan.high(low), ink, 0.22)
		}
	}
}

func (c *Chart) limit(on *paint.Canvas) {
	if c.data.Limit > 0 {
		c.level(on, c.plan.high(c.data.Limit), c.look.Limit, 6, 4)
	}
}

// named says what is named above the chart: the series, where there are several, the period before, and the limit.
func (c *Chart) named() (series int, before, limit bool) {
	before = len(c.data.Before) > 0 && c.data.BeforeName != ""
	if len(c.data.Series) > 1 {
		series = len(c.data.Series)
	}
	return series, before, c.data.Limit > 0 && c.data.LimitName != ""
}

// names tells what is what, where that is not plain.
func (c *Chart) names(on *paint.Canvas) {
	series, before, limit := c.named()
	if series == 0 && !before && !limit {
		return
	}
	room := (c.plan.right - c.plan.left) / float64(series+b2i(before)+b2i(limit))
	x, y := c.plan.left, float64(chartText)
	for n := range series {
		on.Rect(x, y-5, x+10, y+5, c.ink(n), 1)
		x += c.name(on, c.data.Series[n].Name, x+15, y, room-33) + 33
	}
	if before {
		c.dash(on, paint.At(x, y), paint.At(x+16, y), 0)
		x += c.name(on, c.data.BeforeName, x+21, y, room-39) + 39
	}
	if limit {
		on.Rect(x, y-1, x+6, y+1, c.look.Limit, 1)
		on.Rect(x+10, y-1, x+16, y+1, c.look.Limit, 1)
		c.name(on, c.data.LimitName, x+21, y, room-21)
	}
}

// name writes one of them; the answer is how wide it is.
func (c *Chart) name(on *paint.Canvas, text string, x, y, room float64) float64 {
	text = c.writer.Shortened(text, chartText, room, c.k)
	on.Write(c.writer, text, x, y, paint.Pen{Size: chartText, Ink: c.look.Ink})
	return c.writer.Width(text, chartText, false, c.k)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
