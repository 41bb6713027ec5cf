package limits

// ledgerDays is how many days a Ledger remembers: those of the longest month, and more
// than any change of the billing day brings back.
const ledgerDays = 64

// Ledger counts bytes by the day, in the user's zone. It is a value: copies are
// independent.
type Ledger [ledgerDays]DayUse

// DayUse is what went over the network on one day.
type DayUse struct {
	// Day is the number of days since 1 January 1970.
	Day int64 `json:"day"`
	// Bytes is of all kinds, both ways.
	Bytes int64 `json:"bytes"`
	// Sites are those of Bytes that went to web sites and came from them.
	Sites int64 `json:"sites,omitempty"`
}

// addFor counts n bytes on a day, some of which were for sites. If there is no room, the earliest day is forgotten.
func (l *Ledger) addFor(day, n, sites int64) {
	at := 0
	for i, e := range l {
		if e.Bytes > 0 && e.Day == day {
			at = i
			break
		}
		if e.Bytes == 0 || l[at].Bytes > 0 && e.Day < l[at].Day {
			at = i
		}
	}
	if l[at].Bytes == 0 || l[at].Day != day {
		l[at] = DayUse{Day: day}
	}
	if n > 0 {
		l[at].Bytes = satAdd(l[at].Bytes, n)
		l[at].Sites = min(satAdd(l[at].Sites, max(sites, 0)), l[at].Bytes)
	}
	if l[at].Bytes == 0 {
		l[at] = DayUse{}
	}
}

// settle moves what was counted on days after today to today.
func (l *Ledger) settle(today int64) {
	moved := l.sum(today + 1)
	for i, e := range l {
		if e.Day > today {
			l[i] = DayUse{}
		}
	}
	if moved.Bytes > 0 {
		l.addFor(today, moved.Bytes, moved.Sites)
	}
}

// since returns the bytes from a day on.
func (l *Ledger) since(day int64) int64 { return l.sum(day).Bytes }

// sum returns what was used from a day on. Days to come are included: the clock was wrong then, or
// is now, or the user has travelled west.
func (l *Ledger) sum(day int64) (use DayUse) {
	for i := range l {
		if e := &l[i]; e.Bytes > 0 && e.Day >= day {
			use.Bytes, use.Sites = satAdd(use.Bytes, e.Bytes), satAdd(use.Sites, e.Sites)
		}
	}
	return use
}

// satAdd adds two numbers that are not negative.
func satAdd(a, b int64) int64 {
	if sum := a + b; sum >= 0 {
		return sum
	}
	return 1<<63 - 1
}
