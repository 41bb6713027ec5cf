package promise

import (
	"time"

	"github.com/forage-net/forage/app/limits"
)

// Measure is something that has a limit. The numbers are saved.
type Measure uint8

const (
	// CPU is in percent of the whole machine, as the mean since the sample before.
	CPU Measure = 0
	// Down and Up are in kbit/s, as the mean since the sample before.
	Down Measure = 1
	Up   Measure = 2
	// Sockets is how many are open.
	Sockets Measure = 3
	// Pages is requests begun since the sample before, as a rate a minute: 2 in a second
	// are 120.
	Pages Measure = 4
	// Disk is in bytes.
	Disk Measure = 5

	// Measures is how many there are.
	Measures = 6
)

var measureNames = [Measures]string{"cpu", "down", "up", "sockets", "pages", "disk"}

// String returns a word for programs.
func (m Measure) String() string {
	if m < Measures {
		return measureNames[m]
	}
	return "invalid"
}

// MarshalText implements encoding.TextMarshaler.
func (m Measure) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// judgement is how a measure is held against its limit.
type judgement struct {
	window time.Duration // of the mean, 0 for what is judged sample by sample
	points float64       // of tolerance
	share  float64       // of tolerance, of the limit
	grace  time.Duration // in which a limit that was lowered does not count
	scale  float64       // of the numbers that are kept
}

// judgements has the tolerances that are promised. Half a page is none: pages are counted, but the mean is of
// fractions. The disk has a longer grace because files are deleted whole, after what is in them was
// looked up.
var judgements = [Measures]judgement{
	CPU:     {window: 10 * time.Second, points: 3, grace: grace, scale: 100},
	Down:    {window: 10 * time.Second, share: 0.05, grace: grace, scale: 10},
	Up:      {window: 10 * time.Second, share: 0.05, grace: grace, scale: 10},
	Sockets: {grace: grace, scale: 10},
	Pages:   {window: time.Minute, points: 0.5, grace: grace, scale: 10},
	Disk:    {grace: time.Minute, scale: 1},
}

const (
	// grace is how long stopping may take.
	grace = 2 * time.Second
	// hold is how long something must last to be a breach.
	hold = 5 * time.Second
	// maxStep is the longest time between two samples. After more than that nobody knows what was between them.
	maxStep = 10 * time.Second
	// kept is how long records and breaches are kept.
	kept = 24 * time.Hour
)

// Value is what is allowed and what was measured, in the unit of the measure.
type Value struct {
	// Limit is what is allowed now: 0 is nothing, limits.NoLimit is everything.
	Limit    float64
	Measured float64
}

// Sample is what was found at one time.
type Sample struct {
	Level  limits.Level
	Values [Measures]Value
	// Cause is what a breach that begins now may come from, as a stored message, such as "lowered 2 s before". It is
	// kept with the breach.
	Cause string
}

// Record is what a minute was like.
type Record struct {
	// Start is when it began; the minutes of a clock that was set do not begin with the
	// minutes that it shows.
	Start time.Time `json:"start"`
	// Seconds is for how long there were samples, up to 60; at a clock that was set, up to 90.
	Seconds int `json:"seconds"`
	// Level is the one of most of the time.
	Level   limits.Level      `json:"level"`
	Figures [Measures]Figures `json:"figures"`
}

// Figures are those of one measure in one minute.
type Figures struct {
	// Limit is the highest that there was, limits.NoLimit if there was none at some time.
	Limit float64 `json:"limit"`
	// Mean is that of the samples.
	Mean float64 `json:"mean"`
	// Max is the highest of what is judged: for CPU, rates and pages a mean of a while.
	Max float64 `json:"max"`
}

// Breach is a limit that was not kept.
type Breach struct {
	Measure Measure       `json:"measure"`
	Start   time.Time     `json:"start"`
	Length  time.Duration `json:"length_ns"`
	// Limit is what was allowed when the value was worst, and Worst that value.
	Limit float64 `json:"limit"`
	Worst float64 `json:"worst"`
	Cause string  `json:"cause,omitempty"`
	// Open is set while it lasts.
	Open bool `json:"open,omitempty"`
}
