package ring

import (
	"fmt"
	"testing"
)

func BenchmarkOwner(b *testing.B) {
	for _, members := range []int{13, 625, 6250, 10_000} {
		b.Run(fmt.Sprint("points=", members*PointsPerUnit), func(b *testing.B) {
			r := New(randomMembers(newRand(1), members, one))
			rng := newRand(2)
			keys := make([]Key, 1<<14)
			for i := range keys {
				keys[i] = randomKey(rng)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, ok := r.Owner(keys[i%len(keys)]); !ok {
					b.Fatal("no owner")
				}
			}
		})
	}
}

func BenchmarkNear(b *testing.B) {
	r := New(randomMembers(newRand(1), 5000, mixed))
	rng := newRand(2)
	for b.Loop() {
		r.Near(randomKey(rng), 3)
	}
}

func BenchmarkGroup(b *testing.B) {
	for _, nets := range []int{0, 1, 2, 100} {
		b.Run(fmt.Sprint("nets=", nets), func(b *testing.B) {
			members := randomMembers(newRand(1), 5000, mixed)
			for i := range members {
				if nets > 0 {
					members[i].Net = fmt.Sprint(i % nets)
				}
			}
			r := New(members)
			for i := 0; b.Loop(); i++ {
				r.Group(Unit{members[i%len(members)].ID, 0}, copies)
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for _, size := range []int{200, 10_000} {
		b.Run(fmt.Sprint("members=", size), func(b *testing.B) {
			members := randomMembers(newRand(1), size, one)
			b.ReportAllocs()
			for b.Loop() {
				New(members)
			}
		})
	}
}

func BenchmarkArcs(b *testing.B) {
	for _, size := range []int{200, 10_000} {
		b.Run(fmt.Sprint("members=", size), func(b *testing.B) {
			r := New(randomMembers(newRand(1), size, one))
			id := r.Members()[0].ID
			for b.Loop() {
				r.Arcs(id)
			}
		})
	}
}

func BenchmarkShare(b *testing.B) {
	r := New(randomMembers(newRand(1), 10_000, one))
	id := r.Members()[0].ID
	for b.Loop() {
		r.Share(id)
	}
}
