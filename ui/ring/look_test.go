package ring

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"math"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/pictest"
)

// look judges a picture in one of the looks, and compares it with the stored picture of that name, if it has one.
func look(t *testing.T, stored string, dark bool, img image.Image) {
	t.Helper()
	pictest.Drawn(t, img, dark)
	if stored != "" {
		pictest.Golden(t, stored, img)
	}
}

var looks = map[string]Look{"light": Light(), "dark": Dark()}

// seen is a picture some time after events, drawn as often as a window would.
func seen(r *Ring, side int, scale float64, list api.Ring, wait time.Duration) image.Image {
	r.List(list)
	r.Draw(side, side, scale, noon)
	r.Note(noon, busy(list, noon.Add(-time.Second)))
	img := image.Image(nil)
	for at := time.Duration(0); at <= wait; at += 100 * time.Millisecond {
		img = r.Draw(side, side, scale, noon.Add(at))
	}
	return img
}

func TestRing_Looks(t *testing.T) {
	const sentence = "Paused until 18:00, since you use this computer."
	for theme, colours := range looks {
		for mode, m := range map[string]Mode{"ring": ModeRing, "swarm": ModeSwarm} {
			t.Run(theme+mode, func(t *testing.T) {
				at := func(why string) image.Image {
					r := New(Fonts{})
					r.SetLook(colours)
					r.SetMode(m)
					r.Rest(why)
					return seen(r, 280, 1, ringOf(7, 60), 1200*time.Millisecond)
				}
				stored := map[string]string{"light": mode}[theme]
				works, rests := at(""), at(sentence)
				look(t, stored, theme == "dark", works)
				look(t, "", theme == "dark", rests)
				if bytes.Equal(works.(*image.NRGBA).Pix, rests.(*image.NRGBA).Pix) {
					t.Error("of a node that rests the picture says nothing")
				}
			})
		}
	}
}

func TestRing_SavedLooks(t *testing.T) {
	r := New(Fonts{})
	r.List(ringOf(3, 40))
	var b bytes.Buffer
	if err := r.PNG(&b, 300, noon); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	look(t, "saved", false, img)
}

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

func chartWords(u api.Unit) ChartWords {
	w := ChartWords{Empty: "Nothing to show yet."}
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
				c := NewChart(Fonts{})
				c.SetLook(colours)
				c.SetWords(chartWords(d.Unit))
				c.Set(d)
				c.Highlight(10)
				stored := ""
				if theme == "light" && (name == "bars" || name == "before" || name == "areas" || name == "lines") {
					stored = "chart-" + name
				}
				look(t, stored, theme == "dark", c.Draw(400, 160, 1))
			})
		}
	}
}

func TestSamples_Look(t *testing.T) {
	for theme, colours := range looks {
		all := image.NewNRGBA(image.Rect(0, 0, 2*SampleWidth, int(samples)*2*SampleHeight))
		for i, s := range append(Samples(ModeRing), Samples(ModeSwarm)[:4]...) {
			at := image.Rect(0, i*2*SampleHeight, all.Rect.Dx(), (i+1)*2*SampleHeight)
			img := s.Draw(colours, 2)
			look(t, "", theme == "dark", img)
			draw.Draw(all, at, img, image.Point{}, draw.Src)
		}
		look(t, map[string]string{"light": "samples"}[theme], theme == "dark", all)
	}
}

// At rest the sites around the reason are seen: with and without them the picture differs.
func TestRest_LeavesSitesToBeSeen(t *testing.T) {
	draw := func(list api.Ring) *image.NRGBA {
		r := New(Fonts{})
		r.List(list)
		r.Rest("Resting.")
		return r.Draw(300, 300, 1, noon)
	}
	list := ringOf(3, 40)
	with := draw(list)
	list.Domains, list.Version = nil, "without"
	without := draw(list)
	strong := 0
	for i := range with.Pix {
		if d := int(with.Pix[i]) - int(without.Pix[i]); d > 60 || d < -60 {
			strong++
		}
	}
	if strong < 100 {
		t.Errorf("%d values tell of 40 sites, want 100 at least", strong)
	}
}
