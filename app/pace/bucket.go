package pace

const (
	// burst is for how many seconds credit gathers. It covers the time between two measurements
	// while work comes and goes; more would be felt by others.
	burst = 0.25
	// debt is after how many seconds any debt is forgotten: the span of the mean that is
	// promised. Longer, and a burst of work that does not wait would stop the rest for minutes.
	debt = 10
)

// bucket is an account of CPU seconds. The zero value lets nothing pass.
type bucket struct {
	rate   float64 // what a second adds; 0 is nothing, below 0 no limit
	last   float64 // the last rate above 0: debts are paid at it while nothing is allowed
	credit float64 // below 0: debt
}

// set changes the rate. What was used while there was no limit is no debt.
func (b *bucket) set(rate float64) {
	if b.rate < 0 {
		b.credit = 0
	}
	b.rate = rate
	if rate > 0 {
		b.last = rate
		b.credit = min(max(b.credit, -debt*rate), burst*rate)
	}
}

// pass accounts for a time and what was used in it.
func (b *bucket) pass(elapsed, used float64) {
	switch {
	case b.rate > 0:
		b.credit = min(max(b.credit+b.rate*elapsed-used, -debt*b.rate), burst*b.rate)
	case b.rate == 0: // what goes on is not of those who wait, and they shall not wait for it later
		b.credit = min(b.credit+b.last*elapsed, 0)
	}
}
