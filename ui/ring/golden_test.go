package ring

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
)

var update = flag.Bool("update", false, "write the pictures anew")

// golden compares a picture with one of testdata. Rounding may differ a little between processors.
func golden(t *testing.T, name string, got image.Image) {
	t.Helper()
	file := filepath.Join("testdata", name+".png")
	if *update {
		write(t, file, got)
		return
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if want.Bounds() != got.Bounds() {
		t.Fatalf("%s is %v, want %v", name, got.Bounds(), want.Bounds())
	}
	if far := farthestApart(got, want); far > 4 {
		made := filepath.Join(t.ArtifactDir(), filepath.Base(file))
		write(t, made, got)
		t.Errorf("%s differs by %d of 255 somewhere; see %s, and accept it by -update", name, far, made)
	}
}

func write(t *testing.T, file string, img image.Image) {
	t.Helper()
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func farthestApart(a, b image.Image) (far int) {
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			r1, g1, b1, a1 := a.At(x, y).RGBA()
			r2, g2, b2, a2 := b.At(x, y).RGBA()
			for _, d := range [...]int{int(r1) - int(r2), int(g1) - int(g2), int(b1) - int(b2), int(a1) - int(a2)} {
				far = max(far, max(d, -d)>>8)
			}
		}
	}
	return far
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
	for look, colours := range looks {
		for mode, m := range map[string]Mode{"ring": ModeRing, "swarm": ModeSwarm} {
			for rest, why := range map[string]string{"": "", "-rest": sentence} {
				t.Run(look+mode+rest, func(t *testing.T) {
					r := New(Fonts{})
					r.SetLook(colours)
					r.SetMode(m)
					r.Rest(why)
					golden(t, "ring-"+look+"-"+mode+rest, seen(r, 280, 1, ringOf(7, 60), 1200*time.Millisecond))
				})
			}
		}
	}
}

func TestRing_SavedLooks(t *testing.T) {
	r := New(Fonts{})
	r.List(ringOf(3, 40))
	var b bytes.Buffer
	if err := r.PNG(&b, 400, noon); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "saved", img)
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
	gaps := chartData(Lines, api.UnitHour, 24, 2)
	for _, i := range []int{5, 6, 12, 14} {
		gaps.Series[0].Values[i] = math.NaN()
	}
	for name, d := range map[string]Data{
		"hours": chartData(Bars, api.UnitHour, 48, 1), "days": chartData(Bars, api.UnitDay, 60, 1), "years": chartData(Bars, api.UnitYear, 5, 1),
		"two": two, "stacked": stacked, "areas": areas, "limited": limited, "gaps": gaps, "empty": {},
	} {
		for look, colours := range looks {
			if look == "dark" && name != "two" && name != "limited" {
				continue // the colours are what differs
			}
			t.Run(name+look, func(t *testing.T) {
				c := NewChart(Fonts{})
				c.SetLook(colours)
				c.SetWords(chartWords(d.Unit))
				c.Set(d)
				c.Highlight(10)
				golden(t, "chart-"+look+"-"+name, c.Draw(400, 160, 1))
			})
		}
	}
}

func TestSamples_Look(t *testing.T) {
	for look, colours := range looks {
		all := image.NewNRGBA(image.Rect(0, 0, 2*SampleWidth, int(samples)*2*SampleHeight))
		for i, s := range Samples() {
			at := image.Rect(0, i*2*SampleHeight, all.Rect.Dx(), (i+1)*2*SampleHeight)
			draw.Draw(all, at, s.Draw(colours, 2), image.Point{}, draw.Src)
		}
		golden(t, "samples-"+look, all)
	}
}
