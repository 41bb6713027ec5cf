package route

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// Who asks and is gone before the commit, on a disk or in a network that stands still, does not keep the domain
// from others until its lease would lapse.
func TestRouter_LeaseOfWhoLeftIsTakenBack(t *testing.T) {
	shared(t, func(t *testing.T, s *sharing) {
		s.lendToA()
		s.stop()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if leases, _, err := s.r.GrantTo(ctx, "A", 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("A is told %v, %v while nothing is committed, want an error", leases, err)
		}
		s.goOn()
		time.Sleep(2 * time.Second) // the gap, though nothing was requested
		synctest.Wait()
		if got := s.ask("A", 1); len(got) != 1 || got[0].Domain != "a.test" || len(got[0].Tasks) != 2 {
			t.Errorf("A asks again and gets %v, want what it was not told of before", got)
		}
	})
}

// An ask that could not be committed at all leaves nothing behind.
func TestRouter_NothingIsTakenBackThatWasNotGranted(t *testing.T) {
	shared(t, func(t *testing.T, s *sharing) {
		s.lendToA()
		s.stop()
		for range 3 { // the second and third are for what the first is granted, and come to nothing
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if leases, _, err := s.r.GrantTo(ctx, "A", 1); err == nil {
				t.Errorf("A is told %v while nothing is committed, want an error", leases)
			}
			cancel()
		}
		s.goOn()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		first := s.ask("A", 1)
		if len(first) != 1 {
			t.Fatalf("A gets %v, want its domain", first)
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if live, err := s.f.Leases(); err != nil || len(live) != 1 || live[0].ID != first[0].ID {
			t.Errorf("live are %v, %v, want that of A alone", live, err)
		}
	})
}

// What an ask has found to be over counts against its holder, though who asked has left.
func TestRouter_LapseIsToldThoughWhoAskedLeft(t *testing.T) {
	shared(t, func(t *testing.T, s *sharing) {
		s.lendToA()
		held := s.ask("A", 1)
		if len(held) != 1 {
			t.Fatalf("A gets %v, want its domain", held)
		}
		s.stop()
		time.Sleep(2 * leaseFor)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if leases, _, err := s.r.GrantTo(ctx, "B", 1); err == nil {
			t.Errorf("B is told %v while nothing is committed, want an error", leases)
		}
		s.goOn()
		synctest.Wait()
		s.away.mu.Lock()
		defer s.away.mu.Unlock()
		if !slices.Contains(s.away.lapsed, held[0].ID) {
			t.Errorf("told of as lapsed are %v, want %d among them", s.away.lapsed, held[0].ID)
		}
	})
}
