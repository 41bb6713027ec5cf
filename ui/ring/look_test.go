package ring

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/pictest"
	"github.com/forage-net/forage/ui/ring/paint"
	"github.com/forage-net/forage/ui/ring/palette"
)

// judge judges a picture in one of the looks, and compares it with the stored picture of that name, if it has one.
func judge(t *testing.T, stored string, dark bool, img image.Image) {
	t.Helper()
	pictest.Drawn(t, img, dark)
	if stored != "" {
		pictest.Golden(t, stored, img)
	}
}

var looks = map[string]palette.Look{"light": palette.Light(), "dark": palette.Dark()}

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
					r := New(paint.Fonts{})
					r.SetLook(colours)
					r.SetMode(m)
					r.Rest(why)
					return seen(r, 280, 1, ringOf(7, 60), 1200*time.Millisecond)
				}
				stored := map[string]string{"light": mode}[theme]
				works, rests := at(""), at(sentence)
				judge(t, stored, theme == "dark", works)
				judge(t, "", theme == "dark", rests)
				if bytes.Equal(works.(*image.NRGBA).Pix, rests.(*image.NRGBA).Pix) {
					t.Error("of a node that rests the picture says nothing")
				}
			})
		}
	}
}

func TestRing_SavedLooks(t *testing.T) {
	r := New(paint.Fonts{})
	r.List(ringOf(3, 40))
	var b bytes.Buffer
	if err := r.PNG(&b, 300, noon); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	judge(t, "saved", false, img)
}

func TestSamples_Look(t *testing.T) {
	for theme, colours := range looks {
		all := image.NewNRGBA(image.Rect(0, 0, 2*SampleWidth, int(samples)*2*SampleHeight))
		for i, s := range append(Samples(ModeRing), Samples(ModeSwarm)[:4]...) {
			at := image.Rect(0, i*2*SampleHeight, all.Rect.Dx(), (i+1)*2*SampleHeight)
			img := s.Draw(colours, 2)
			judge(t, "", theme == "dark", img)
			draw.Draw(all, at, img, image.Point{}, draw.Src)
		}
		judge(t, map[string]string{"light": "samples"}[theme], theme == "dark", all)
	}
}

// At rest the sites around the reason are seen: with and without them the picture differs.
func TestRest_LeavesSitesToBeSeen(t *testing.T) {
	draw := func(list api.Ring) *image.NRGBA {
		r := New(paint.Fonts{})
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
