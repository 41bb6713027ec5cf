package ring

import (
	"fmt"
	"time"
)

// Words are what is written into the picture, in the user's language. What is empty is English.
type Words struct {
	// You is this node's name.
	You string
	// Member is what stands at another one, line by line: who it is, and how far; negative if nobody knows.
	Member func(id string, ms float64) []string
	// Away writes a round trip in milliseconds: "14 ms".
	Away func(ms float64) string
	// Caption stands below a saved picture.
	Caption func(Saved) string
}

// Saved is what a saved picture shows.
type Saved struct {
	Time time.Time
	// Sites are drawn, Pages were fetched of them, Share is this node's part of the ring, 0 to 1.
	Sites int
	Pages int64
	Share float64
}

func (w Words) complete() Words {
	if w.You == "" {
		w.You = "You"
	}
	if w.Away == nil {
		w.Away = func(ms float64) string { return fmt.Sprintf("%.0f ms", ms) }
	}
	if w.Member == nil {
		w.Member = func(id string, _ float64) []string { return []string{id} }
	}
	if w.Caption == nil {
		w.Caption = caption
	}
	return w
}

func caption(s Saved) string {
	return fmt.Sprintf("forage · %s · %d sites · %d pages", s.Time.Format(time.DateOnly), s.Sites, s.Pages)
}
