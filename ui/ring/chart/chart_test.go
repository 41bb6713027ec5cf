package chart

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/pictest"
	"github.com/forage-net/forage/ui/ring/paint"
	"github.com/forage-net/forage/ui/ring/palette"
	"github.com/forage-net/forage/ui/ring/ticks"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// judge judges a picture in one of the looks, and compares it with the stored picture of that name, if it has one.
func judge(t *testing.T, stored string, dark bool, img image.Image) {
	t.Helper()
	pictest.Drawn(t, img, dark)
	if stored != "" {
		pictest.Golden(t, stored, img)
	}
}

var looks = map[string]palette.Look{"light": palette.Light(), "dark": palette.Dark()}

func chartData(kind Kind, unit api.Unit, n, series int) Data {
	d := Data{Kind: kind, Unit: unit, Counted: true}
	for i := range n {
		at := noon.Truncate(time.Hour)
		switch unit {
		case api.UnitHour:
			at = at.Add(time.Duration(i-n+1) * time.Hour)
		case api.UnitDay:
			at = at.AddDate(0, 0, i-n+1)
		case api.UnitYear:
			at = time.Date(noon.Year()+i-n+1, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		d.Times = append(d.Times, at)
	}
	for s := range series {
		values := make([]float64, n)
		for i := range values {
			values[i] = math.Round(1200 * (1 + math.Sin(float64(i)/3+float64(s))) * float64(i+4) / float64(n))
		}
		d.Series = append(d.Series, Series{fmt.Sprintf("Series %d", s+1), values})
	}
	return d
}

func chartWords(u api.Unit) Words {
	w := Words{Empty: "Nothing to show yet."}
	switch u {
	case api.UnitHour:
		w.When = func(at time.Time) string {
			if at.Hour() == 0 {
				return at.Format("2 Jan")
			}
			return at.Format("15:04")
		}
	case api.UnitDay:
		w.When = func(at time.Time) string { return at.Format("2 Jan") }
	case api.UnitYear:
		w.When = func(at time.Time) string { return at.Format("2006") }
	}
	return w
}

func TestChart_Looks(t *testing.T) {
	two := chartData(Bars, api.UnitDay, 30, 2)
	stacked := chartData(Bars, api.UnitDay, 30, 2)
	stacked.Stacked = true
	areas := chartData(Areas, api.UnitHour, 48, 2)
	areas.Stacked = true
	limited := chartData(Lines, api.UnitHour, 24, 1)
	limited.Limit, limited.LimitName = 2600, "Your limit: 2,600 pages"
	before := chartData(Bars, api.UnitDay, 30, 2)
	before.Before, before.BeforeName, before.Series = before.Series[1].Values, "Period before", before.Series[:1]
	gaps := chartData(Lines, api.UnitHour, 24, 2)
	for _, i := range []int{5, 6, 12, 14} {
		gaps.Series[0].Values[i] = math.NaN()
	}
	for name, d := range map[string]Data{
		"hours": chartData(Bars, api.UnitHour, 48, 1), "days": chartData(Bars, api.UnitDay, 60, 1), "years": chartData(Bars, api.UnitYear, 5, 1),
		"two": two, "bars": stacked, "areas": areas, "lines": limited, "gaps": gaps, "before": before, "empty": {},
	} {
		for theme, colours := range looks {
			t.Run(name+theme, func(t *testing.T) {
				c := New(paint.Fonts{})
				c.SetLook(colours)
				c.SetWords(chartWords(d.Unit))
				c.Set(d)
				c.Highlight(10)
				stored := ""
				if theme == "light" && (name == "bars" || name == "before" || name == "areas" || name == "lines") {
					stored = "chart-" + name
				}
				judge(t, stored, theme == "dark", c.Draw(400, 160, 1))
			})
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		highest   float64
		most      int
		counted   bool
		step, top float64
	}{
		{0, 4, false, 0.5, 1}, {0, 4, true, 1, 1}, {1, 4, true, 1, 1}, {3, 4, true, 1, 3}, {3, 4, false, 1, 3}, {7, 4, true, 2, 8}, {100, 4, true, 50, 100},
		{101, 4, true, 50, 150}, {2400, 4, true, 1000, 3000}, {1e9, 5, false, 2e8, 1e9}, {0.03, 3, false, 0.01, 0.03}, {5, 0, true, 5, 5},
		{math.NaN(), 4, true, 1, 1}, {math.Inf(1), 2, true, 5e17, 1e18},
	} {
		got := ticks.For(c.highest, c.most, c.counted)
		if math.Abs(got.Step/c.step-1) > 1e-9 || math.Abs(got.Top/c.top-1) > 1e-9 {
			t.Errorf("ticksFor(%v, %d, %v) = %v, want %v, %v", c.highest, c.most, c.counted, got, c.step, c.top)
		}
		if got.N() < 1 || got.N() > max(2, c.most) {
			t.Errorf("ticksFor(%v, %d) are %d", c.highest, c.most, got.N())
		}
	}
}

func TestLabels_StandAtRoundTimes(t *testing.T) {
	for _, c := range []struct {
		unit api.Unit
		n    int
		slot float64
		want []string
	}{
		{api.UnitHour, 24, 10, []string{"18", "00", "06", "12"}},
		{api.UnitHour, 24, 100, nil},
		{api.UnitHour, 200, 1, []string{"00", "00", "00", "00"}},
		{api.UnitYear, 12, 10, []string{"2015", "2020", "2025"}},
		{api.UnitDay, 30, 8, []string{"25", "01", "08", "15", "22"}},
	} {
		d := chartData(Bars, c.unit, c.n, 1)
		stride := ticks.Stride(c.unit, 40, c.slot)
		var got []string
		for i, at := range d.Times {
			if ticks.Labelled(c.unit, at, i, c.n, stride) {
				got = append(got, at.Format(map[api.Unit]string{api.UnitHour: "15", api.UnitDay: "02", api.UnitYear: "2006"}[c.unit]))
			}
		}
		if c.want == nil && len(got) != c.n {
			t.Errorf("where there is room, %d of %d are labelled", len(got), c.n)
		} else if c.want != nil && !slices.Equal(got, c.want) {
			t.Errorf("%d %ss of %v have labels at %v, want %v", c.n, c.unit, c.slot, got, c.want)
		}
	}
}

func TestChart_At(t *testing.T) {
	c := New(paint.Fonts{})
	if _, ok := c.At(50); ok {
		t.Error("something is there before anything was drawn")
	}
	c.Set(chartData(Bars, api.UnitDay, 30, 1))
	for _, scale := range []float64{1, 2} {
		c.Draw(int(400*scale), int(200*scale), scale)
		for i := range 30 {
			if got, ok := c.At(c.plan.middle(i) * scale); !ok || got != i {
				t.Errorf("at the middle of bar %d is %d, %v", i, got, ok)
			}
		}
		for _, x := range []float64{-1, 0, 400 * scale, math.NaN(), math.Inf(1)} {
			if got, ok := c.At(x); ok {
				t.Errorf("at %v is %d", x, got)
			}
		}
	}
	c.Set(chartData(Bars, api.UnitDay, 10, 1)) // as they come while the mouse is there
	if got, ok := c.At(740); !ok || got != 9 {
		t.Errorf("of new values that are yet to be drawn, the last is %d, %v", got, ok)
	}
	c.Set(Data{})
	if _, ok := c.At(200); ok {
		t.Error("there is something on an empty chart")
	}
}

func TestChart_IsPaintedOnceAChange(t *testing.T) {
	c := New(paint.Fonts{})
	c.Set(chartData(Areas, api.UnitDay, 60, 2))
	first := c.Draw(400, 200, 1)
	if n := testing.AllocsPerRun(10, func() { c.Draw(400, 200, 1) }); n > 0 {
		t.Errorf("a chart that does not change leaves %v pieces of garbage", n)
	}
	before := slices.Clone(first.Pix)
	c.Highlight(3)
	if second := c.Draw(400, 200, 1); second != first || slices.Equal(before, second.Pix) {
		t.Error("what is highlighted is not seen, or on another image")
	}
	c.Highlight(1000)
	if !slices.Equal(before, c.Draw(400, 200, 1).Pix) {
		t.Error("what is highlighted is seen for ever")
	}
}

func TestChart_TakesAnything(t *testing.T) {
	values := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -5, 0, 1e-300, 1, 1e300}
	rnd := rand.New(rand.NewPCG(8, 9))
	for range 100 {
		c := New(paint.Fonts{})
		n := []int{0, 1, 2, 30, 3 * MostPoints}[rnd.IntN(5)]
		d := Data{
			Kind: Kind(rnd.IntN(4)), Unit: []api.Unit{api.UnitDay, api.UnitHour, api.UnitYear, "x"}[rnd.IntN(4)], Stacked: rnd.IntN(2) == 0,
			Counted: rnd.IntN(2) == 0, Limit: values[rnd.IntN(len(values))], LimitName: string(make([]byte, 1<<16)),
		}
		for i := range n {
			d.Times = append(d.Times, noon.Add(time.Duration(i)*time.Hour))
		}
		for range rnd.IntN(4) {
			s := Series{Name: "a\nname\x00"}
			for range rnd.IntN(n + 2) {
				s.Values = append(s.Values, values[rnd.IntN(len(values))])
			}
			d.Series = append(d.Series, s)
		}
		c.Set(d)
		c.Highlight(rnd.IntN(40) - 3)
		w, h := rnd.IntN(300)-2, rnd.IntN(200)-2
		if got, want := c.Draw(w, h, rnd.Float64()*3).Rect, image.Rect(0, 0, max(1, w), max(1, h)); got != want {
			t.Errorf("it is of %v, want %v", got, want)
		}
		c.At(float64(w) / 2)
	}
}

func TestChart_ShowsTheLastOfMany(t *testing.T) {
	d := chartData(Bars, api.UnitHour, MostPoints+10, 1)
	c := New(paint.Fonts{})
	c.Set(d)
	if len(c.data.Times) != MostPoints || !c.data.Times[0].Equal(d.Times[10]) || c.data.Series[0].Values[0] != d.Series[0].Values[10] {
		t.Error("the last are not what is shown, or values lost their times")
	}
}

func BenchmarkChart(b *testing.B) {
	for name, kind := range map[string]Kind{"bars": Bars, "areas": Areas} {
		b.Run(name, func(b *testing.B) {
			c := New(paint.Fonts{})
			c.SetWords(chartWords(api.UnitDay))
			c.Set(chartData(kind, api.UnitDay, 60, 2))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c.Highlight(i % 60)
				c.Draw(800, 220, 1)
			}
		})
	}
}
