package overview

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/forage-net/forage/ui/ring"
)

// ringPace is how many frames a second the Ring has. A frame draws the whole window again. A graphics card
// hardly notices; without one the processor does it, at 10 ms and more a frame. Fyne does not tell which it is.
// So there are few frames where Linux has no card to render with, and everywhere the time that this program
// takes of the processor is looked at: where it is more than it should be there are fewer frames, where it is
// little there are more.
type ringPace struct {
	// most is the bound, now the present number.
	most, now int
	// fixed says that the number was given and stays.
	fixed bool
	// away says that the user looks at another program.
	away bool
	// used is what the program had used of the processor at last; cpu asks for it, false if that is not known.
	used time.Duration
	last time.Time
	cpu  func() (time.Duration, bool)
}

const (
	// firstRate is what it begins with.
	firstRate = 2
	// softwareRate is the bound where the processor draws.
	softwareRate = 3
	// measureEvery is how often the pace is judged.
	measureEvery = 5 * time.Second
	// The pace falls above highShare of one core and rises below lowShare. A frame a second more costs at most what is
	// between them, or it would rise and fall in turn.
	highShare = 0.034
	lowShare  = 0.018
)

func newRingPace() ringPace {
	p := ringPace{most: ring.MostRate, now: firstRate, cpu: cpuTime}
	if runtime.GOOS == "linux" {
		if cards, err := filepath.Glob("/dev/dri/renderD*"); err == nil && len(cards) == 0 {
			p.most = softwareRate
		}
	}
	// For who knows better, and for measurements.
	if n, err := strconv.Atoi(os.Getenv("FORAGE_FRAMES")); err == nil {
		p.now, p.fixed = max(1, min(ring.MostRate, n)), true
	}
	return p
}

// rate is the number of frames a second.
func (p *ringPace) rate() int {
	if p.away {
		return 1
	}
	return p.now
}

// between is the time between two frames.
func (p *ringPace) between() time.Duration { return time.Second / time.Duration(p.rate()) }

// measure judges the pace now and then, and reports whether it has changed.
func (p *ringPace) measure(now time.Time) bool {
	since := now.Sub(p.last)
	if p.fixed || p.away || since >= 0 && since < measureEvery {
		return false
	}
	used, ok := p.cpu()
	if !ok {
		p.fixed = true
		return false
	}
	share := (used - p.used).Seconds() / since.Seconds()
	fresh := p.last.IsZero() || since < 0 || since > 3*measureEvery
	p.used, p.last = used, now
	before := p.now
	switch {
	case fresh: // Nothing to compare with: the window was not looked at.
	case share > highShare:
		p.now = max(1, p.now-1)
	case share < lowShare:
		p.now = min(p.most, p.now+1)
	}
	return p.now != before
}
