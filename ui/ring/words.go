package ring

import (
	"fmt"
	"time"
)

// Words are what is written into the picture, in the user's language. What is empty is English.
type Words struct {
	// Share writes a part of the ring, 0 to 1: "3.4 %".
	Share func(share float64) string
	// You is this node's name at its part, ShareOf follows its share: "of the ring is yours".
	You, ShareOf string
	// Reached says how many of the others are connected; there may be none.
	Reached func(connected, others int) string
	// Name writes another's ID.
	Name func(id string) string
	// Away writes how far another is, in milliseconds: "14 ms".
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
	if w.Share == nil {
		w.Share = percent
	}
	if w.You == "" {
		w.You = "You"
	}
	if w.ShareOf == "" {
		w.ShareOf = "of the ring is yours"
	}
	if w.Reached == nil {
		w.Reached = reached
	}
	if w.Name == nil {
		w.Name = shortName
	}
	if w.Away == nil {
		w.Away = func(ms float64) string { return fmt.Sprintf("%.0f ms", ms) }
	}
	if w.Caption == nil {
		w.Caption = caption
	}
	return w
}

func percent(share float64) string {
	if share < 0.1 {
		return fmt.Sprintf("%.1f %%", share*100)
	}
	return fmt.Sprintf("%.0f %%", share*100)
}

func reached(connected, others int) string {
	if others == 0 {
		return "nobody else is here yet"
	}
	return fmt.Sprintf("%d of %d other helpers connected", connected, others)
}

// shortName is the end of an ID, which tells nodes apart better than its beginning.
func shortName(id string) string {
	if r := []rune(id); len(r) > 8 {
		return "…" + string(r[len(r)-6:])
	}
	return id
}

func caption(s Saved) string {
	return fmt.Sprintf("forage · %s · %d sites · %d pages", s.Time.Format(time.DateOnly), s.Sites, s.Pages)
}
