package clock

import "time"

// State is what a Clock needs to go on after a restart. It is small, and its
// numbers are on disk. The zero State is that of a node that never ran.
type State struct {
	// BootID is Sources.BootID at the time.
	BootID string `cbor:"1,keyasint,omitempty" json:"boot_id,omitempty"`
	// Boot is the reading of Sources.Boot.
	Boot time.Duration `cbor:"2,keyasint" json:"boot"`
	// Steady and Wall are where the line was and what the wall clock showed, in Unix
	// nanoseconds.
	Steady int64 `cbor:"3,keyasint" json:"steady"`
	Wall   int64 `cbor:"4,keyasint" json:"wall"`
	// Slack is how far Latest was ahead of the line.
	Slack time.Duration `cbor:"5,keyasint,omitempty" json:"slack,omitempty"`
}

// maxBootID is the longest boot ID, in bytes: a UUID, and room.
const maxBootID = 64

// valid reports whether s may have come from Clock.State.
func (s State) valid() bool {
	last := latest.AddDate(50, 0, 0).UnixNano()
	return s.Steady > 0 && s.Steady <= last && s.Wall >= 0 && s.Wall <= latest.UnixNano() &&
		s.Boot >= 0 && s.Boot <= maxSlack && s.Slack >= 0 && s.Slack <= maxSlack && len(s.BootID) <= maxBootID
}

func (s State) steady() time.Time { return time.Unix(0, s.Steady) }
func (s State) wall() time.Time   { return time.Unix(0, s.Wall) }

// passed returns how much time has surely passed since s, and whether it is
// exactly that much.
//
// Where nothing tells one boot from the next, a reading of Boot that has grown
// may be of the same boot or of a later one. In both cases the growth at
// least has passed. The store may also have moved to another computer, which ran all
// the time; so over a boot, no more is counted than the wall clocks differ by.
func (s State) passed(bootID string, boot time.Duration, wall time.Time) (d time.Duration, exact bool) {
	known := s.BootID != "" && bootID != ""
	switch {
	case known && s.BootID == bootID:
		return max(boot-s.Boot, 0), true
	case !known && boot >= s.Boot:
		d = boot - s.Boot
	default:
		d = boot
	}
	return max(min(d, wall.Sub(s.wall())), 0), false
}
