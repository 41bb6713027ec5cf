package sense

import (
	"time"

	"github.com/forage-net/forage/app/sense/ladder"
	"github.com/forage-net/forage/app/sense/machine"
)

// Reading is what is known of one quantity.
type Reading[T any] = ladder.Reading[T]

// Status is one quantity for people. Its name is "input", "inhibition", "inhibition by the desktop", "power",
// "metered", "link", "full screen", "apps", "cpu", "temperature", "loud fan", "disk", "sleep" or "network".
type Status = ladder.Status

// What the computer runs on, whether traffic costs money, the way to the internet, and how warm the processors are.
type (
	Power   = machine.Power
	Metered = machine.Metered
	Link    = machine.Link
	Heat    = machine.Heat
)

// Input tells whether somebody uses keyboard, pointer or touch.
type Input struct {
	// Active says that there was input in the last five seconds, or that the source
	// knows no better than that the computer is in use.
	Active bool `json:"active"`
	// Last is when there was input last, where not Active.
	Last time.Time `json:"last"`
}

// IdleFor returns how long there has been no input.
func (i Input) IdleFor(now time.Time) time.Duration {
	if i.Active {
		return 0
	}
	return max(now.Sub(i.Last), 0)
}

// Inhibition tells whether a program asks that the screen stay on, as those that
// play films and show slides do.
type Inhibition struct {
	Held bool `json:"held"`
	// By names the first such program, and what it says it does.
	By string `json:"by,omitempty"`
}

// Space is room on a disk, in bytes.
type Space struct {
	Free  int64 `json:"free"` // for us
	Total int64 `json:"total"`
}

// Sleep tells of suspend.
type Sleep struct {
	// Asleep says that the computer is about to sleep.
	Asleep bool `json:"asleep"`
	// Woke is when it last woke up; zero if it has not slept since the Hub began.
	Woke time.Time `json:"woke"`
	// For is how long it slept then; 0 if nobody can tell.
	For time.Duration `json:"for"`
}

// Snapshot is all that is known at one moment.
type Snapshot struct {
	// Seq grows with every change.
	Seq uint64 `json:"seq"`
	// At is when the last change was noticed.
	At time.Time `json:"at"`

	Input      Reading[Input]      `json:"input"`
	Inhibition Reading[Inhibition] `json:"inhibition"`
	Power      Reading[Power]      `json:"power"`
	Metered    Reading[Metered]    `json:"metered"`
	Link       Reading[Link]       `json:"link"`
	// FullScreen says that the window in use covers the screen.
	FullScreen Reading[bool] `json:"full_screen"`
	// Apps are those of the named applications that run, sorted. The slice is shared: it
	// must not be changed.
	Apps Reading[[]string] `json:"apps"`
	// OtherCPU is the share of the whole computer that other programs took
	// over the last seconds, 0 to 1, in steps of a hundredth.
	OtherCPU Reading[float64] `json:"other_cpu"`
	Heat     Reading[Heat]    `json:"heat"`
	// FanLoud says that a fan runs near the most it can.
	FanLoud Reading[bool]  `json:"fan_loud"`
	Disk    Reading[Space] `json:"disk"`
	Sleep   Reading[Sleep] `json:"sleep"`
	// Network changes whenever addresses or links do; it counts the changes.
	Network Reading[uint64] `json:"network"`
}

func same[T comparable](a, b T) bool { return a == b }

// sameInput forgives differences of clocks and rounding.
func sameInput(a, b Input) bool {
	return a.Active == b.Active && (a.Active || a.Last.Sub(b.Last).Abs() < time.Second)
}

// diskStep is the change of free space that is worth telling.
const diskStep = 16 << 20

func sameSpace(a, b Space) bool {
	d := a.Free - b.Free
	return a.Total == b.Total && d < diskStep && d > -diskStep
}
