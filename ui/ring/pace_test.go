package ring

import (
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/ring/paint"
	"github.com/forage-net/forage/ui/ring/palette"
)

func TestNext(t *testing.T) {
	const never = time.Duration(-1)
	list := ringOf(3, 20)
	unvisited := ringOf(3, 20)
	for i := range unvisited.Domains {
		unvisited.Domains[i].Fetched = 0
	}
	page := []api.Event{{Code: api.CodeFetched, At: 0.3, Domain: "foreign.example", Peer: "other", Time: noon}}
	for _, c := range []struct {
		name string
		do   func(*Ring)
		wait time.Duration // how long nothing happens after the first frame
		want time.Duration // until the next frame, from then on
	}{
		{"at once if none was drawn", func(r *Ring) { *r = *New(paint.Fonts{}) }, 0, 0},
		{"never while nothing changes", func(r *Ring) { r.List(api.Ring{}); r.Draw(100, 100, 1, noon.Add(5*time.Second)) }, time.Minute, never},
		{"after minutes, since sites fade", func(r *Ring) { r.List(unvisited); r.ask(); r.Draw(100, 100, 1, noon) }, time.Minute, 9 * time.Minute},
		{"ten times a second while something flies", func(r *Ring) { r.Note(noon, page) }, 20 * time.Millisecond, 80 * time.Millisecond},
		{"three times if that is dear", func(r *Ring) { r.SetRate(3); r.Note(noon, page) }, 0, time.Second / 3},
		{"no more often than that, whatever is asked", func(r *Ring) { r.SetRate(1000); r.Note(noon, page) }, 0, 100 * time.Millisecond},
		{"once it begins", func(r *Ring) {
			r.Note(noon, []api.Event{{Time: noon.Add(-800 * time.Millisecond)}, {Code: api.CodeFetched, At: 0.3, Peer: "other", Time: noon}})
		}, 0, 800 * time.Millisecond},
		{"a second after the last if only a site changed", func(r *Ring) {
			r.Note(noon, []api.Event{{Code: api.CodeUnchanged, At: 0.3, Domain: "a", Time: noon.Add(-time.Hour)}})
		}, 400 * time.Millisecond, 600 * time.Millisecond},
		{"soon if the user waits", func(r *Ring) { r.Step(Next) }, 0, 100 * time.Millisecond},
		{"soon for another look", func(r *Ring) { r.SetLook(palette.Dark()) }, 300 * time.Millisecond, 0},
		{"every five seconds where no motion is wanted", func(r *Ring) {
			r.Still(true)
			r.Draw(100, 100, 1, noon)
			r.Note(noon, page)
		}, time.Second, 4 * time.Second},
		{"not at all there if nothing happened", func(r *Ring) { r.List(api.Ring{}); r.Still(true); r.Draw(100, 100, 1, noon.Add(5*time.Second)) }, time.Minute, never},
		{"not for what rests", func(r *Ring) { r.List(unvisited); r.Rest("Resting."); r.Draw(100, 100, 1, noon); r.Note(noon, page) }, time.Minute, 9 * time.Minute},
		{"at once if the clock was set back", func(*Ring) {}, -time.Hour, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := New(paint.Fonts{})
			r.List(list)
			r.Draw(100, 100, 1, noon)
			c.do(r)
			now := noon.Add(c.wait)
			at, ok := r.Next(now)
			if got := at.Sub(now); ok != (c.want != never) || ok && got != c.want {
				t.Errorf("the next frame is in %v (%v), want %v", got, ok, c.want)
			}
		})
	}
}

// What is drawn whenever Next says so is as many frames as were allowed, and ends.
func TestNext_EndsWhenNothingMoves(t *testing.T) {
	for _, rate := range []int{3, 10} {
		r := New(paint.Fonts{})
		r.SetRate(rate)
		r.List(ringOf(5, 0))
		r.Note(noon, busy(ringOf(5, 0), noon.Add(-time.Second)))
		// What the events told of sites fades over days: only what moves counts here.
		frames, now := 0, noon
		for ; frames < 100; frames++ {
			at, ok := r.Next(now)
			if !ok || at.Sub(now) > time.Minute {
				break
			}
			now = at
			r.Draw(120, 120, 1, now)
		}
		most := int(now.Sub(noon).Seconds()*float64(rate)) + 2
		if frames < rate || frames > most || now.Sub(noon) > 5*time.Second {
			t.Errorf("at %d a second there are %d frames in %v, want at most %d", rate, frames, now.Sub(noon), most)
		}
		if len(r.layers.dirty) > 0 {
			t.Errorf("something is left of what flew: %v", r.layers.dirty)
		}
	}
}
