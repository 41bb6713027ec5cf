package ring

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/ring/paint"
	"github.com/forage-net/forage/ui/ring/palette"
)

// paint.Whole paints all that a Ring shows at a time, without anything that it keeps.
func (r *Ring) whole(now time.Time) *image.NRGBA {
	next := New(paint.Fonts{})
	next.scene, next.marks.list = r.scene, slices.Clone(r.marks.list)
	next.tag = r.tag
	next.painter.look, next.painter.words = r.painter.look, r.painter.words
	next.pace.still = r.pace.still
	if r.spot != nil {
		spot := *r.spot
		next.spot = &spot
	}
	return next.Draw(r.w, r.h, r.k, now)
}

// Whatever happens and whenever it is drawn, what was painted in parts is as if it was painted at once.
func TestDraw_PartsAreTheWhole(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	lists := []api.Ring{ringOf(1, 30), ringOf(3, 40), ringOf(40, 400), {}, {Version: "x", Arcs: []api.RingArc{{To: 1}}}}
	r, now, list := New(paint.Fonts{}), noon, lists[1]
	r.List(list)
	w, h, scale := 150, 150, 1.0
	for step := range 600 {
		switch rnd.IntN(12) {
		case 0:
			list = lists[rnd.IntN(len(lists))]
			r.List(list)
		case 1:
			w, h, scale = 1+rnd.IntN(200), 1+rnd.IntN(200), 0.5+rnd.Float64()*2
		case 2:
			r.SetLook([]palette.Look{palette.Light(), palette.Dark()}[rnd.IntN(2)])
		case 3:
			if rnd.IntN(3) == 0 {
				r.SetMode(Mode(rnd.IntN(2)))
			}
		case 4:
			r.Rest([]string{"", "", "Resting for a while."}[rnd.IntN(3)])
		case 5:
			r.Step(Step(rnd.IntN(6)))
		case 6:
			if spot, ok := r.Hit(rnd.Float64()*float64(w), rnd.Float64()*float64(h)); ok {
				r.Point(spot)
			} else {
				r.Unpoint()
			}
		case 7:
			r.Still(rnd.IntN(4) == 0)
		default:
			events := busy(list, now.Add(-time.Second))
			from := rnd.IntN(len(events))
			r.Note(now, events[from:from+rnd.IntN(min(8, len(events)-from))])
		}
		got := r.Draw(w, h, scale, now)
		if r.pace.changed {
			// Of what lasts, a frame may be a little old: what is above it must be right all the same.
			before := slices.Clone(got.Pix)
			r.layers.dirtyAll()
			r.top(&paint.Canvas{K: r.k}, now)
			if !bytes.Equal(before, got.Pix) {
				t.Fatalf("step %d: what is painted in parts is not the whole", step)
			}
		} else if want := r.whole(r.pace.base); r.pace.base.Equal(now) && !bytes.Equal(got.Pix, want.Pix) {
			t.Fatalf("step %d: the picture is not what it would be if it was painted anew", step)
		}
		now = now.Add(time.Duration(rnd.IntN(700)) * time.Millisecond)
	}
}

func TestDraw_GivesTheSameImage(t *testing.T) {
	r := New(paint.Fonts{})
	first := r.Draw(100, 80, 1, noon)
	for _, side := range []int{100, 300, 5} {
		if img := r.Draw(side, side, 2, noon); img != first || img.Rect != image.Rect(0, 0, side, side) {
			t.Errorf("at %d it is another image, or of %v", side, img.Rect)
		}
	}
}

func TestDraw_AnySize(t *testing.T) {
	r := New(paint.Fonts{})
	r.List(ringOf(3, 10))
	for _, c := range []struct {
		w, h  int
		scale float64
		want  image.Point
	}{
		{0, 0, 1, image.Pt(1, 1)}, {-5, 7, 0, image.Pt(1, 7)}, {3, 900, math.NaN(), image.Pt(3, 900)}, {40, 40, math.Inf(1), image.Pt(40, 40)},
		{40, 40, -1, image.Pt(40, 40)}, {math.MaxInt, 10, 1, image.Pt(paint.MostSide, 1)}, {2 * paint.MostSide, paint.MostSide / 8, 1, image.Pt(paint.MostSide, paint.MostSide/16)},
	} {
		for _, mode := range []Mode{ModeRing, ModeSwarm} {
			r.SetMode(mode)
			r.Rest(strings.Repeat("Why? ", 1000))
			r.Draw(c.w, c.h, c.scale, noon)
			r.Rest("")
			r.Note(noon, busy(ringOf(3, 10), noon))
			img := r.Draw(c.w, c.h, c.scale, noon.Add(500*time.Millisecond))
			if img.Rect.Size() != c.want {
				t.Errorf("Draw(%d, %d, %v) is of %v, want %v", c.w, c.h, c.scale, img.Rect.Size(), c.want)
			}
			r.Hit(float64(c.w)/2, float64(c.h)/2)
		}
	}
}

func TestDraw_IsOpaque(t *testing.T) {
	r := New(paint.Fonts{})
	r.SetLook(palette.Look{}) // colours without alpha
	r.List(ringOf(3, 10))
	for i, p := range r.Draw(64, 64, 1, noon).Pix {
		if i%4 == 3 && p != 255 {
			t.Fatal("the picture has holes")
		}
	}
}

// The top is a place like any other: what goes on over it has no seam there.
func TestDraw_HasNoSeamAtTheTop(t *testing.T) {
	list := api.Ring{Members: []api.RingMember{{ID: "me", Self: true}, {ID: "other", Connected: true}}}
	at := func(arcs ...api.RingArc) (d disc, pix func(place, part float64) []uint8) {
		r := New(paint.Fonts{})
		list.Arcs = arcs
		r.List(list)
		img := r.Draw(300, 300, 1, noon)
		d = r.disc()
		return d, func(place, part float64) []uint8 {
			p := d.onDisc(place, part)
			i := img.PixOffset(int(p.X), int(p.Y))
			return img.Pix[i : i+3]
		}
	}
	_, over := at(api.RingArc{To: 0.1}, api.RingArc{From: 0.1, To: 0.9, Member: 1}, api.RingArc{From: 0.9, To: 1})
	_, aside := at(api.RingArc{To: 0.15, Member: 1}, api.RingArc{From: 0.15, To: 0.35}, api.RingArc{From: 0.35, To: 1, Member: 1})
	for _, part := range []float64{0.9, 0.95, 1, 1.04, 1.06} {
		// The picture is the same a quarter turned, except for where pixels begin.
		top, right := over(0.001, part), aside(0.251, part)
		for i := range top {
			if d := int(top[i]) - int(right[i]); d > 24 || d < -24 {
				t.Errorf("at %v of the radius the top is %v, the side %v", part, top, right)
			}
		}
	}
}

// A list and events without any sense are a smaller picture, and no more.
func TestDraw_TakesNothingOnTrust(t *testing.T) {
	nan := math.NaN()
	values := []float64{nan, math.Inf(1), math.Inf(-1), -1, 0, 0.5, 1, 2, math.MaxFloat64, math.SmallestNonzeroFloat64}
	rnd := rand.New(rand.NewPCG(5, 6))
	some := func() float64 { return values[rnd.IntN(len(values))] }
	for range 60 {
		r := New(paint.Fonts{})
		list := api.Ring{Fill: some()}
		far := time.Unix(math.MaxInt32*1000, 0)
		for range rnd.IntN(40) {
			list.Members = append(list.Members, api.RingMember{ID: strings.Repeat("\u202e", rnd.IntN(9)), Self: rnd.IntN(2) == 0, Share: some(), Capacity: -1})
			list.Arcs = append(list.Arcs, api.RingArc{From: some(), To: some(), Member: rnd.IntN(50) - 5})
			list.Domains = append(list.Domains, api.RingDomain{At: some(), Domain: string(rune(rnd.IntN(99))), Fetched: math.MinInt64, Last: &far})
		}
		r.List(list)
		r.SetMode(Mode(rnd.IntN(2)))
		var events []api.Event
		for _, code := range codes {
			peer := ""
			if n := len(list.Members); n > 0 && rnd.IntN(2) == 0 {
				peer = list.Members[rnd.IntN(n)].ID
			}
			at := []time.Time{{}, noon, far}[rnd.IntN(3)]
			events = append(events, api.Event{Code: code, At: some(), Peer: peer, Time: at, Domain: string(rune(rnd.IntN(99)))})
		}
		r.Note(noon, events)
		for _, at := range []time.Time{noon, noon.Add(time.Second), {}, far} {
			r.Draw(60, 60, 1, at)
			r.Next(at)
			r.Hit(some(), some())
			r.Step(Step(rnd.IntN(9)))
			r.Point(Spot{At: some(), Member: rnd.IntN(100) - 50, Fetched: math.MinInt64, Domain: "x"})
		}
	}
}

func TestHit_CountsPixelsOfWhatWasAskedFor(t *testing.T) {
	r := New(paint.Fonts{})
	r.List(ringOf(1, 0))
	if _, ok := r.Hit(5, 5); ok {
		t.Error("something is there before anything was drawn")
	}
	for _, c := range []struct {
		w, h  int
		scale float64
	}{{300, 300, 1}, {300, 300, 2}, {600, 300, 1.5}, {2 * paint.MostSide, 100, 1}} {
		r.Draw(c.w, c.h, c.scale, noon)
		x, y := float64(c.w)/2, float64(c.h)/2
		// Half-way from the middle to the right rim.
		spot, ok := r.Hit(x+y/2, y)
		if !ok || !near(spot.At, 0.25) || !spot.Self || spot.Share != 1 {
			t.Errorf("%+v: %+v, %v", c, spot, ok)
		}
		if _, ok := r.Hit(2, 2); ok {
			t.Errorf("%+v: the corner is on the ring", c)
		}
	}
}

func TestPoint_FollowsTheList(t *testing.T) {
	r := New(paint.Fonts{})
	r.List(ringOf(3, 10))
	spot, ok := r.Step(Next)
	if !ok || spot.Domain == "" {
		t.Fatalf("%+v, %v", spot, ok)
	}
	r.List(ringOf(1, 0))
	if got, ok := r.Spot(); !ok || got.Domain != "" || got.At != spot.At || got.Share != 1 {
		t.Errorf("where the site was is %+v", got)
	}
	r.List(api.Ring{})
	if got, ok := r.Spot(); !ok || got.Member != -1 {
		t.Errorf("on an empty ring it is %+v, %v", got, ok)
	}
	r.Draw(50, 50, 1, noon)
	r.SetMode(ModeSwarm)
	if _, ok := r.Spot(); ok {
		t.Error("another view points at the same")
	}
}

// Only what an event told of moves, and it is gone in the end.
func TestNote_OnlyEventsMove(t *testing.T) {
	r := New(paint.Fonts{})
	list := ringOf(5, 30)
	r.List(list)
	before := slices.Clone(r.Draw(200, 200, 1, noon).Pix)
	r.Note(noon, []api.Event{{Code: api.CodePace, Time: noon, At: 0.5}, {Code: api.CodeFailed, Time: noon, At: -1}})
	if !bytes.Equal(before, r.Draw(200, 200, 1, noon.Add(400*time.Millisecond)).Pix) {
		t.Error("something is seen of events without a place")
	}
	r.Note(noon, []api.Event{{Code: api.CodeFailed, Time: noon, At: 0.5}})
	if bytes.Equal(before, r.Draw(200, 200, 1, noon.Add(400*time.Millisecond)).Pix) {
		t.Error("nothing is seen of an event")
	}
	if !bytes.Equal(before, r.Draw(200, 200, 1, noon.Add(4*time.Second)).Pix) {
		t.Error("something is left of an event")
	}
}

// frames draws a second of a busy ring.
func frames(r *Ring, side int, events []api.Event, from time.Time) {
	r.Note(from, events)
	for i := range 10 {
		r.Draw(side, side, 1, from.Add(time.Duration(i)*100*time.Millisecond))
	}
}

func TestDraw_LeavesNoGarbage(t *testing.T) {
	r := New(paint.Fonts{})
	list := ringOf(20, 200)
	r.List(list)
	now := noon
	events := busy(list, now)
	events = slices.DeleteFunc(events, func(e api.Event) bool { return e.Code == api.CodeDomainLeft })
	run := func() {
		for i := range events {
			events[i].Time = now
		}
		frames(r, 200, events, now)
		now = now.Add(time.Second)
	}
	run()
	if n := testing.AllocsPerRun(20, run); n > 0 {
		t.Errorf("a second of frames leaves %v pieces of garbage", n)
	}
}

func TestPNG(t *testing.T) {
	r := New(paint.Fonts{})
	list := ringOf(2, 12)
	r.List(list)
	var told Saved
	r.SetWords(Words{Caption: func(s Saved) string { told = s; return strings.Repeat("words ", 500) }})
	before := slices.Clone(r.Draw(90, 90, 1, noon).Pix)
	if got := savedSize(1 << 40); got != paint.MostSide {
		t.Errorf("the largest picture is %d wide, want %d", got, paint.MostSide)
	}
	for size, want := range map[int]int{200: 200, 0: leastSaved} {
		var b bytes.Buffer
		if err := r.PNG(&b, size, noon); err != nil {
			t.Fatal(err)
		}
		got, err := png.DecodeConfig(&b)
		if err != nil || got.Width != want || got.Height <= want {
			t.Errorf("PNG(%d) is %d × %d (%v), want %d wide", size, got.Width, got.Height, err, want)
		}
	}
	pages := int64(0)
	for _, d := range list.Domains {
		pages += d.Fetched
	}
	if want := (Saved{noon, 12, pages, list.Members[0].Share}); told != want {
		t.Errorf("the caption is of %+v, want %+v", told, want)
	}
	if !bytes.Equal(before, r.Draw(90, 90, 1, noon).Pix) {
		t.Error("saving changes what is shown")
	}
	if err := r.PNG(full{}, 64, noon); !errors.Is(err, errFull) {
		t.Errorf("on a full disk: %v", err)
	}
}

var errFull = errors.New("no room")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestFonts_ThatAreNoneAreReplaced(t *testing.T) {
	want := slices.Clone(New(paint.Fonts{}).Draw(10, 10, 1, noon).Pix)
	r := New(paint.Fonts{Regular: []byte("no font"), Bold: []byte{}})
	r.Rest("Why")
	r.Draw(100, 100, 1, noon)
	r.Rest("")
	if !bytes.Equal(want, r.Draw(10, 10, 1, noon).Pix) {
		t.Error("the picture is another")
	}
}

func BenchmarkRing_Frame(b *testing.B) {
	list := ringOf(300, 2000)
	events := slices.DeleteFunc(busy(list, noon), func(e api.Event) bool { return e.Code == api.CodeDomainLeft })
	r := New(paint.Fonts{})
	r.List(list)
	r.Draw(640, 640, 1, noon)
	now := noon
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%10 == 0 {
			for i := range events {
				events[i].Time = now
			}
			r.Note(now, events)
		}
		r.pace.changed = false // what lasts is measured below
		r.Draw(640, 640, 1, now)
		now = now.Add(100 * time.Millisecond)
	}
}

func BenchmarkRing_Base(b *testing.B) {
	for name, stale := range map[string]bool{"sites": false, "all": true} {
		b.Run(name, func(b *testing.B) {
			r := New(paint.Fonts{})
			r.List(ringOf(300, 2000))
			r.Draw(640, 640, 1, noon)
			b.ReportAllocs()
			for b.Loop() {
				r.ask()
				r.stale = stale
				r.Draw(640, 640, 1, noon)
			}
		})
	}
}

func BenchmarkRing_Still(b *testing.B) {
	r := New(paint.Fonts{})
	r.List(ringOf(300, 2000))
	b.ReportAllocs()
	for b.Loop() {
		r.Draw(640, 640, 1, noon)
	}
}
