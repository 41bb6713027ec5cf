package chart

import (
	"github.com/forage-net/forage/ui/ring/ticks"

	"github.com/forage-net/forage/ui/ring/prose"
)

// plan is where things are on a chart, in units.
type plan struct {
	left, right, top, bottom float64
	// slot is how wide the place of one value is.
	slot   float64
	ticks  ticks.Ticks
	values []label
	times  []label
}

type label struct {
	at   float64
	text string
}

const (
	chartText = 12
	// tickRoom is how high the place of one tick is at least.
	tickRoom = 34
	// between labels of times, in units.
	between = 8
)

func (p *plan) make(c *Chart) {
	w, h := float64(c.w)/c.k, float64(c.h)/c.k
	p.values, p.times = p.values[:0], p.times[:0]
	p.top, p.bottom = chartText*0.8, h-chartText*2
	if series, before, limit := c.named(); series > 0 || before || limit {
		p.top += chartText * 2
	}
	n := len(c.data.Times)
	if n == 0 || len(c.data.Series) == 0 || p.bottom <= p.top {
		p.left, p.right, p.slot = 0, 0, 0
		return
	}
	p.ticks = ticks.For(c.highest(), max(1, int((p.bottom-p.top)/tickRoom)), c.data.Counted)
	widest := p.tick(c)
	p.left, p.right = min(widest+10, w/2), w-6
	p.slot = max(0, p.right-p.left) / float64(n)
	p.when(c)
}

// highest is the largest value, or sum of values, or the limit.
func (c *Chart) highest() float64 {
	top := c.data.Limit
	for i := range c.data.Times {
		sum := 0.0
		for _, s := range c.data.Series {
			v := s.Values[i]
			if !(v > 0) {
				continue
			}
			if !c.data.Stacked {
				sum = 0
			}
			sum += v
			top = max(top, sum)
		}
		if i < len(c.data.Before) {
			top = max(top, c.data.Before[i])
		}
	}
	return top
}

// tick writes the values at the axis; the answer is how wide they are.
func (p *plan) tick(c *Chart) (widest float64) {
	for i := range p.ticks.N() + 1 {
		v := p.ticks.Step * float64(i)
		text := prose.Plain(c.words.Value(v))
		widest = max(widest, c.writer.Width(text, chartText, false, c.k))
		p.values = append(p.values, label{p.high(v), text})
	}
	return widest
}

// high is where a value is.
func (p *plan) high(v float64) float64 {
	return p.bottom - (p.bottom-p.top)*min(1, v/p.ticks.Top)
}

// middle is where the middle of a slot is.
func (p *plan) middle(i int) float64 { return p.left + p.slot*(float64(i)+0.5) }

// when writes the times at the axis.
func (p *plan) when(c *Chart) {
	times := c.data.Times
	width := func(text string) float64 { return c.writer.Width(text, chartText, false, c.k) }
	widest := 0.0
	// Of many labels, some tell how wide the others are.
	for i := 0; i < len(times); i += max(1, len(times)/400) {
		widest = max(widest, width(prose.Plain(c.words.When(times[i]))))
	}
	every := ticks.Stride(c.data.Unit, widest+between, max(p.slot, 1e-3))
	end := p.left - between
	for i, at := range times {
		if !ticks.Labelled(c.data.Unit, at, i, len(times), every) {
			continue
		}
		text := prose.Plain(c.words.When(at))
		half := width(text) / 2
		// At the ends it is moved inwards a little; what would lie on another is left out.
		x := min(max(p.middle(i), half), p.right+6-half)
		if x-half < end+between/2 {
			continue
		}
		p.times = append(p.times, label{x, text})
		end = x + half
	}
}
