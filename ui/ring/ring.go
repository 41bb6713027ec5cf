package ring

import (
	"image"
	"strings"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/ring/paint"
	"github.com/forage-net/forage/ui/ring/palette"
	"github.com/forage-net/forage/ui/ring/strip"
)

// Ring is the picture of the Ring. It belongs to one goroutine.
type Ring struct {
	scene   scene
	marks   marks
	painter painter
	layers  layers
	pace    pace

	// w and h are what was asked for, in pixels, and fit how much smaller the picture is than that.
	w, h int
	fit  float64
	k    float64

	tag    tag
	spot   *Spot
	owned  strip.Strip
	stale  bool
	arcsOf string
}

// New returns a picture of nothing, in the colours of the day and with English words.
func New(f paint.Fonts) *Ring {
	r := &Ring{k: 1, fit: 1, stale: true}
	r.scene.self, r.scene.fill = -1, -1
	r.painter = painter{look: palette.Light(), words: Words{}.complete(), writer: paint.NewWriter(f)}
	r.marks.list = make([]mark, 0, mostMarks)
	r.layers.out = &image.NRGBA{}
	r.SetRate(MostRate)
	return r
}

// SetLook changes the colours.
func (r *Ring) SetLook(l palette.Look) {
	if r.painter.look != l {
		r.painter.look = l
		r.renew()
	}
}

// SetWords changes the language.
func (r *Ring) SetWords(w Words) {
	r.painter.words = w.complete()
	r.ask()
}

// SetRate is how many frames a second Next allows, 1 to MostRate: fewer where drawing is dear.
func (r *Ring) SetRate(perSecond int) {
	r.pace.between = time.Second / time.Duration(max(1, min(MostRate, perSecond)))
}

// List takes the ring as the node sees it. Nothing of it is kept but strings.
func (r *Ring) List(list api.Ring) {
	r.scene.list(&list)
	var connected strings.Builder
	connected.WriteString(list.Version)
	for _, m := range r.scene.members {
		connected.WriteByte("-+"[b2i(m.connected)])
	}
	// A node that has no versions is drawn again each time.
	if of := connected.String(); of != r.arcsOf || list.Version == "" {
		r.arcsOf, r.stale = of, true
	}
	r.pace.changed = true
	if r.spot != nil {
		r.again(*r.spot)
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// again finds what is at a spot by now.
func (r *Ring) again(spot Spot) {
	if r.scene.mode == ModeSwarm {
		if i, ok := r.scene.places[spot.Owner]; ok {
			r.Point(r.scene.member(i))
		} else {
			r.Unpoint()
		}
		return
	}
	site := r.scene.stars.get(spot.Domain)
	if site != nil {
		spot.At = site.at
	}
	r.Point(r.scene.spot(spot.At, site))
}

// Note takes events in their order, as the API tells them. Those of more than a minute ago are
// not shown, and no event is shown while the picture rests.
func (r *Ring) Note(now time.Time, events []api.Event) {
	for i := range events {
		if r.scene.stars.note(&events[i]) {
			r.pace.changed = true
		}
	}
	w, ok := windowOf(events, now)
	if !ok || r.scene.dusk != "" {
		return
	}
	r.marks.forget(now)
	for i := range events {
		begin, seen := w.start(&events[i], now)
		if !seen {
			continue
		}
		if m, ok := r.scene.markOf(&events[i], begin); ok {
			if r.pace.still {
				// It is seen in the one frame that follows.
				m.end = m.begin.Add(stillEvery)
			}
			r.marks.add(m)
			r.announce(&m, events[i].Title, events[i].Language)
		}
	}
}

// SetMode changes what is shown. What flew and what was pointed at is gone.
func (r *Ring) SetMode(m Mode) {
	if r.scene.mode != m {
		r.scene.mode, r.spot = m, nil
		r.marks.clear()
		r.renew()
	}
}

// Rest lays the picture in dusk with a sentence in its middle, which says why; "" wakes it.
func (r *Ring) Rest(sentence string) {
	if r.scene.dusk == sentence {
		return
	}
	r.scene.dusk = sentence
	if sentence != "" {
		r.marks.clear()
	}
	r.ask()
}

// Still is whether the user wants no motion: then what happened is shown now and then, all at once.
func (r *Ring) Still(still bool) {
	if r.pace.still != still {
		r.pace.still = still
		r.marks.clear()
		r.ask()
	}
}

// ask wants what lasts to be painted with the next frame.
func (r *Ring) ask() { r.pace.asked, r.pace.urgent, r.pace.changed = true, true, true }

// renew wants all to be painted with the next frame.
func (r *Ring) renew() {
	r.stale = true
	r.ask()
}

// Next is when the next frame is needed, at the earliest now; false says that none is while nobody calls another
// method. It never asks for more frames than SetRate allows.
func (r *Ring) Next(now time.Time) (time.Time, bool) {
	first, begins := r.marks.next(now)
	moving := len(r.layers.dirty) > r.layers.spots
	due, ok := r.pace.next(now, moving, first, begins, len(r.scene.stars.all))
	if at, changes := r.tagDue(); changes && r.pace.painted {
		if at = later(later(at, r.pace.last.Add(r.pace.between)), now); !ok || at.Before(due) {
			return at, true
		}
	}
	return due, ok
}

// Draw paints the picture as it is at a time into an image of so many pixels, at most paint.MostSide on its
// longer side; a unit of lengths and text is scale pixels. The image is the same each time, and is valid until
// the next call. One that would be larger is made smaller in both directions alike.
func (r *Ring) Draw(w, h int, scale float64, now time.Time) *image.NRGBA {
	r.measure(w, h, scale)
	c := paint.Canvas{K: r.k}
	if r.stale {
		r.layers.toArcs(&c, r.painter.look.Back)
		r.painter.arcs(&c, r.disc(), &r.scene)
		if r.spot != nil {
			r.own()
		}
	}
	aged := !now.Before(r.pace.base.Add(ageEvery)) || now.Before(r.pace.base)
	if r.stale || (r.pace.changed || aged) && !now.Before(r.pace.baseDue(len(r.scene.stars.all))) {
		r.layers.toBase(&c)
		r.painter.lasting(&c, r.disc(), &r.scene, now)
		r.pace.base, r.pace.changed = now, false
		r.layers.dirtyAll()
	}
	r.top(&c, now)
	r.stale, r.pace.asked, r.pace.urgent = false, false, false
	r.pace.painted, r.pace.last = true, now
	return r.layers.out
}

// top paints what moves.
func (r *Ring) top(c *paint.Canvas, now time.Time) {
	r.marks.forget(now)
	r.layers.restore(c)
	for i := range r.marks.list {
		c.Drawn = image.Rectangle{}
		r.painter.mark(c, r.disc(), &r.marks.list[i], now, r.pace.still)
		r.layers.drew(c.Drawn)
	}
	before := len(r.layers.dirty)
	c.Drawn = image.Rectangle{}
	switch {
	case r.tag.begin.IsZero() || r.tag.begin.Sub(now) > farthest: // first the picture is looked at as it is
		r.tag = tag{begin: now}
	case r.remembers() && !now.Before(r.tag.begin.Add(tagEvery)):
		r.remember(now)
	}
	if r.scene.mode == ModeRing && !r.pace.still {
		r.painter.tag(c, r.disc(), &r.scene, &r.tag, now)
		r.layers.drew(c.Drawn)
	}
	if r.spot != nil {
		c.Drawn = image.Rectangle{}
		r.painter.spot(c, r.disc(), &r.scene, r.spot, &r.owned)
		r.layers.drew(c.Drawn)
	}
	r.layers.spots = len(r.layers.dirty) - before
}

func (r *Ring) measure(w, h int, scale float64) {
	w, h, k, fit := paint.Bounded(w, h, scale)
	if w == r.w && h == r.h && k == r.k {
		return
	}
	r.w, r.h, r.k, r.fit = w, h, k, fit
	r.layers.size(w, h)
	r.stale = true
}

func (r *Ring) disc() disc {
	return discOf(float64(r.w)/r.k, float64(r.h)/r.k, r.scene.mode)
}

// Hit is what is at a pixel of the picture as it was drawn last; false is outside of the ring. x and y count pixels
// of the size that was asked for.
func (r *Ring) Hit(x, y float64) (Spot, bool) {
	if r.w == 0 {
		return Spot{}, false
	}
	unit := r.fit / r.k
	return r.scene.hit(r.disc(), paint.At(x*unit, y*unit))
}

// Point shows where the user points, as Hit or Step told.
func (r *Ring) Point(s Spot) {
	if !known(s.At) || s.Member < -1 || s.Member >= len(r.scene.members) {
		r.Unpoint()
		return
	}
	r.spot = &s
	r.own()
	r.pace.asked = true
}

// Unpoint ends that.
func (r *Ring) Unpoint() {
	if r.spot != nil {
		r.spot, r.pace.asked = nil, true
	}
}

// Spot is what the user points at, if anything.
func (r *Ring) Spot() (Spot, bool) {
	if r.spot == nil {
		return Spot{}, false
	}
	return *r.spot, true
}

// Step points to what lies one step from what the user points at, and returns that; from nowhere it is the first
// or the last. False is on an empty ring.
func (r *Ring) Step(s Step) (Spot, bool) {
	spot, ok := r.scene.step(r.spot, s)
	if ok {
		r.Point(spot)
	}
	return spot, ok
}

// own gathers all that the owner of the spot has.
func (r *Ring) own() {
	r.owned.Reset(strip.Of(paint.Whole * r.disc().r * r.k))
	for _, a := range r.scene.real {
		if a.member == r.spot.Member {
			r.owned.Add(a.from, a.to)
		}
	}
	r.owned.Done()
}
