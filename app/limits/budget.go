package limits

// NoLimit stands for no bound in every budget. 0 means stop.
const NoLimit = -1

// Budget is what a node may use. Everywhere, 0 is nothing at all and NoLimit is no
// bound; other numbers below 0 count as 0.
type Budget struct {
	// CPUPercent is of the whole machine, all cores, as the mean of 10 s.
	CPUPercent float64 `json:"cpu_percent"`
	// DownKbit and UpKbit are for all sockets together, in 1000 bits a second.
	DownKbit int `json:"down_kbit"`
	UpKbit   int `json:"up_kbit"`
	// Sockets is how many connections are open, dials in progress included.
	Sockets int `json:"sockets"`
	// Fetchers is how many requests to sites are in flight.
	Fetchers int `json:"fetchers"`
	// PagesPerMin is how many requests to sites are begun in a minute.
	PagesPerMin int `json:"pages_per_min"`
}

// What keeping the books for others may take: kbit/s each way, percent of the whole machine, and open connections.
const (
	StandbyKbit       = 32
	StandbyCPUPercent = 0.3
	StandbySockets    = 30
)

// standbyBudget is enough to keep the books for others.
var standbyBudget = Budget{CPUPercent: StandbyCPUPercent, DownKbit: StandbyKbit, UpKbit: StandbyKbit,
	Sockets: StandbySockets}

// Min returns the smaller of each of two budgets.
func (b Budget) Min(c Budget) Budget {
	return Budget{
		CPUPercent:  least(b.CPUPercent, c.CPUPercent),
		DownKbit:    least(b.DownKbit, c.DownKbit),
		UpKbit:      least(b.UpKbit, c.UpKbit),
		Sockets:     least(b.Sockets, c.Sockets),
		Fetchers:    least(b.Fetchers, c.Fetchers),
		PagesPerMin: least(b.PagesPerMin, c.PagesPerMin),
	}
}

// least returns the smaller of two limits.
func least[T int | int64 | float64](a, b T) T {
	switch a, b = proper(a), proper(b); {
	case a == NoLimit:
		return b
	case b == NoLimit:
		return a
	}
	return min(a, b)
}

// proper returns a limit, 0 for what is none. NaN is none.
func proper[T int | int64 | float64](n T) T {
	if n == NoLimit || n > 0 {
		return n
	}
	return 0
}

// mute returns the name of a budget without which nothing can be sent, "" if there is
// none.
func (b Budget) mute() string {
	switch {
	case b.CPUPercent == 0:
		return "cpu_percent"
	case b.DownKbit == 0:
		return "down_kbit"
	case b.UpKbit == 0:
		return "up_kbit"
	case b.Sockets == 0:
		return "sockets"
	}
	return ""
}

// stops returns the name of a budget without which nothing can be fetched, "" if there
// is none.
func (b Budget) stops() string {
	switch {
	case b.mute() != "":
		return b.mute()
	case b.Fetchers == 0:
		return "fetchers"
	case b.PagesPerMin == 0:
		return "pages_per_min"
	}
	return ""
}
