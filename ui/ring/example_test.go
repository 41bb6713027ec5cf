package ring_test

import (
	"fmt"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/ring"
	"github.com/forage-net/forage/ui/ring/paint"
	"github.com/forage-net/forage/ui/ring/palette"
)

// A view lists the ring now and then, notes events as they come, and draws when Next says so.
func ExampleRing() {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	r := ring.New(paint.Fonts{})
	r.SetLook(palette.Dark())
	r.List(api.Ring{
		Members: []api.RingMember{{ID: "me", Self: true, Share: 1}},
		Arcs:    []api.RingArc{{From: 0, To: 1}},
		Domains: []api.RingDomain{{At: 0.25, Domain: "a.example", Fetched: 3000}},
	})
	r.Draw(200, 200, 1, now)
	r.Note(now, []api.Event{{Code: api.CodeFetched, Domain: "a.example", At: 0.25, Time: now}})
	frames := 0
	for end := now.Add(2 * time.Second); now.Before(end); frames++ {
		at, ok := r.Next(now)
		if !ok {
			break
		}
		now = at
		r.Draw(200, 200, 1, now)
	}
	spot, _ := r.Step(ring.Next)
	fmt.Println(spot.Domain, spot.Self, frames <= 2*ring.MostRate)
	// Output: a.example true true
}
