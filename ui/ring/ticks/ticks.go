// Package ticks is where the axes of a chart have marks.
package ticks

import (
	"math"
	"time"

	"github.com/forage-net/forage/app/api"
)

// Ticks are values at an axis: from 0 to Top, step by step.
type Ticks struct{ Step, Top float64 }

// Most is beyond what is counted.
const Most = 1e18

// For are nice ones for values up to one, no more than about so many. Of what is counted there are no halves.
func For(highest float64, most int, counted bool) Ticks {
	if !(highest > 0) {
		highest = 1
	}
	highest = min(highest, Most)
	rough := highest / float64(max(1, most))
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	step := power * 10
	for _, nice := range [...]float64{1, 2, 5} {
		if nice*power >= rough*(1-1e-9) {
			step = nice * power
			break
		}
	}
	if counted {
		step = max(1, step)
	}
	return Ticks{step, step * math.Ceil(highest/step*(1-1e-9))}
}

// N is how many there are beside 0.
func (t Ticks) N() int { return int(math.Round(t.Top / t.Step)) }

// hourStrides, dayStrides and yearStrides are how many bars lie from one label to the next.
var (
	hourStrides = [...]int{1, 2, 3, 6, 12, 24, 48, 168, 336, 672}
	dayStrides  = [...]int{1, 2, 7, 14, 28, 56, 91, 182, 364}
	yearStrides = [...]int{1, 2, 5, 10, 20, 50, 100}
)

// Stride is the first of those at which labels of a width fit into slots of one.
func Stride(u api.Unit, label, slot float64) int {
	list := dayStrides[:]
	switch u {
	case api.UnitHour:
		list = hourStrides[:]
	case api.UnitYear:
		list = yearStrides[:]
	}
	for _, n := range list {
		if float64(n)*slot >= label {
			return n
		}
	}
	return list[len(list)-1] * max(1, int(math.Ceil(label/slot/float64(list[len(list)-1]))))
}

// Labelled says whether a bar has a label: at round hours and years, and every so many days back from the last.
func Labelled(u api.Unit, at time.Time, i, n, stride int) bool {
	switch u {
	case api.UnitHour:
		if stride <= 24 {
			return at.Hour()%stride == 0
		}
		_, offset := at.Zone()
		return at.Hour() == 0 && (at.Unix()+int64(offset))/86400%int64(stride/24) == 0
	case api.UnitYear:
		return at.Year()%stride == 0
	}
	return (n-1-i)%stride == 0
}
