package limits

import (
	"strings"
	"time"
)

// The states of a Reading.
const (
	unknown readingState = iota
	known
	absent
)

type readingState uint8

// Reading is what a sensor says. The zero Reading is unknown.
type Reading[T any] struct {
	value T
	state readingState
}

// Known returns the reading of a sensor that answered.
func Known[T any](value T) Reading[T] { return Reading[T]{value: value, state: known} }

// Unknown returns the reading of a sensor that should answer and does not.
func Unknown[T any]() Reading[T] { return Reading[T]{} }

// Absent returns the reading of a sensor for what this computer does not have, or its
// system has no way to tell.
func Absent[T any]() Reading[T] { return Reading[T]{state: absent} }

// Get returns the value, and whether it is known.
func (r Reading[T]) Get() (value T, ok bool) { return r.value, r.state == known }

// IsUnknown reports whether the sensor should have answered.
func (r Reading[T]) IsUnknown() bool { return r.state == unknown }

// Sensors is one reading of each sensor. In the zero Sensors all are unknown.
type Sensors struct {
	// LastInput is when keyboard, mouse, gamepad or touch were used last, by
	// Clock.Steady; it may lie before its beginning.
	LastInput Reading[time.Duration]
	// KeptAwake says that a program keeps the computer from sleeping or the screen from
	// going dark: a film counts as use.
	KeptAwake Reading[bool]
	// OnBattery says that the computer is not on mains.
	OnBattery Reading[bool]
	// Charge is that of the battery, in percent.
	Charge Reading[int]
	// Metered says that the network costs by the byte.
	Metered Reading[bool]
	// SSID is the name of the wireless network, "" if another kind is used.
	SSID Reading[string]
	// VPN says that a virtual private network is on.
	VPN Reading[bool]
	// Fullscreen says that a program fills the screen.
	Fullscreen Reading[bool]
	// ScreenShared says that somebody else sees the screen, or a presentation runs.
	ScreenShared Reading[bool]
	// Apps are the names of the programs that run. Those of which Pause.Apps does not
	// speak may be left out. Decide does not change it.
	Apps Reading[[]string]
	// OtherCPU is what all other programs use of the whole machine, in percent, as
	// the mean of about 10 s.
	OtherCPU Reading[float64]
	// Temperature is that of the hottest part, in degrees Celsius.
	Temperature Reading[float64]
	// TemperatureHigh is what the computer itself calls high.
	TemperatureHigh Reading[float64]
	// FanLoud says that the fan runs much faster than at rest.
	FanLoud Reading[bool]
	// Recall is what the makers of the program ask of this version, absent if nothing.
	Recall Reading[Recall]
	// Disk is the room there is. There always is one: absent is unknown.
	Disk Reading[DiskSpace]
}

// Recall asks this version of the program to pause.
type Recall struct {
	// Below is the first version that is not asked.
	Below string
	// Fault is why, one of recall.Fault.
	Fault int
	Until time.Time
}

// DiskSpace is in bytes.
type DiskSpace struct {
	// Used is what the node has stored.
	Used int64
	// Free and Total are of the disk it is on.
	Free, Total int64
}

// sameApp reports whether a running program is the one of that name.
func sameApp(running, name string) bool {
	base := func(s string) string {
		s = s[strings.LastIndexAny(s, `/\`)+1:]
		if n := len(s) - len(".exe"); n > 0 && strings.EqualFold(s[n:], ".exe") {
			s = s[:n]
		}
		return s
	}
	return strings.EqualFold(base(running), base(name))
}
