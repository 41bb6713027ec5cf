package limits

import (
	"fmt"

	"github.com/forage-net/forage/assets/words"
)

// Level is how much a node may work. Levels are ordered: a smaller one allows less.
type Level uint8

const (
	// Off starts nothing, and stops what is under way.
	Off Level = 0
	// Gentle works within the smaller budget.
	Gentle Level = 1
	// Full works within the whole budget.
	Full Level = 2
)

var levelNames = [...]string{Off: "off", Gentle: "gentle", Full: "full"}

// String returns "off", "gentle" or "full".
func (l Level) String() string { return nameOf(levelNames[:], int(l)) }

// MarshalText implements encoding.TextMarshaler.
func (l Level) MarshalText() ([]byte, error) { return marshalName(levelNames[:], int(l)) }

// UnmarshalText implements encoding.TextUnmarshaler. Its errors read on after the value.
func (l *Level) UnmarshalText(text []byte) error { return unmarshalName(levelNames[:], text, l) }

// Footing is how far a node takes part in the swarm. A larger one is more quiet.
type Footing uint8

const (
	// Duty is all of it. Wherever the level is above Off, the footing is Duty.
	Duty Footing = 0
	// Standby keeps the books for others within narrow bounds: no request to any site and no
	// bulk transfer.
	Standby Footing = 1
	// Silent sends not one packet.
	Silent Footing = 2
)

var footingNames = [...]string{Duty: "duty", Standby: "standby", Silent: "silent"}

// String returns "duty", "standby" or "silent".
func (f Footing) String() string { return nameOf(footingNames[:], int(f)) }

// MarshalText implements encoding.TextMarshaler.
func (f Footing) MarshalText() ([]byte, error) { return marshalName(footingNames[:], int(f)) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *Footing) UnmarshalText(text []byte) error { return unmarshalName(footingNames[:], text, f) }

// Mode is what the user asked for by hand.
type Mode uint8

const (
	// Auto leaves it to the settings.
	Auto Mode = 0
	// On works although the user is there, outside the hours of work, too.
	On Mode = 1
	// Paused does nothing.
	Paused Mode = 2
)

var modeNames = [...]string{Auto: "auto", On: "on", Paused: "off"}

// String returns "auto", "on" or "off", as the setting "mode" has it.
func (m Mode) String() string { return nameOf(modeNames[:], int(m)) }

// MarshalText implements encoding.TextMarshaler.
func (m Mode) MarshalText() ([]byte, error) { return marshalName(modeNames[:], int(m)) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *Mode) UnmarshalText(text []byte) error { return unmarshalName(modeNames[:], text, m) }

// Presence is whether somebody uses the computer.
type Presence uint8

const (
	// InUse is the safe one.
	InUse Presence = 0
	// Away is nobody there.
	Away Presence = 1
)

var presenceNames = [...]string{InUse: "in_use", Away: "away"}

// String returns "in_use" or "away".
func (p Presence) String() string { return nameOf(presenceNames[:], int(p)) }

// MarshalText implements encoding.TextMarshaler.
func (p Presence) MarshalText() ([]byte, error) { return marshalName(presenceNames[:], int(p)) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Presence) UnmarshalText(text []byte) error { return unmarshalName(presenceNames[:], text, p) }

// Answer is yes, no, or that the user has not said yet.
type Answer uint8

const (
	// Ask counts as Yes until the user has been asked.
	Ask Answer = 0
	// Yes is the user's own.
	Yes Answer = 1
	// No is the user's own.
	No Answer = 2
)

var answerNames = [...]string{Ask: "ask", Yes: "yes", No: "no"}

// String returns "ask", "yes" or "no".
func (a Answer) String() string { return nameOf(answerNames[:], int(a)) }

// MarshalText implements encoding.TextMarshaler.
func (a Answer) MarshalText() ([]byte, error) { return marshalName(answerNames[:], int(a)) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *Answer) UnmarshalText(text []byte) error { return unmarshalName(answerNames[:], text, a) }

func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return "invalid"
}

func marshalName(names []string, i int) ([]byte, error) {
	if i >= len(names) {
		return nil, fmt.Errorf("%d is none of %q", i, names)
	}
	return []byte(names[i]), nil
}

func unmarshalName[T ~uint8](names []string, text []byte, to *T) error {
	for i, name := range names {
		if name == string(text) {
			*to = T(i)
			return nil
		}
	}
	return words.New("said.settings.is-none-of", words.Args{"names": fmt.Sprintf("%q", names)})
}
