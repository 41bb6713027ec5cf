package route_test

// restartRule says what a member makes of its counts when it has not counted all
// the time.
type restartRule uint8

const (
	inFull restartRule = iota
	goesOn             // from where the clock that counts suspend is: it says no more than what passed
	countsNothing
	countsLeasesOnly // gaps are taken to be over
)

// rules are what members and fetchers keep to. The right ones are designed;
// each field is one that can be broken.
type rules struct {
	margin           bool // members count a lease longer than its holder
	leaderIsCurrent  bool // a leader acts when it has applied an entry of its own term
	leaderCounts     bool // a new leader goes on with its own count
	restartCounts    restartRule
	admittedCounts   restartRule
	membersByWall    bool // members count by the wall clock
	commitsAlone     bool // a leader takes for committed what it has
	wipedVotes       bool // a member that lost its log takes part as before
	grantsEarly      bool // a lease is granted before it is committed
	copiesNumbers    bool // a copy of the state says which numbers of leases were used
	revives          bool // a lease that is over can be renewed if nobody holds another
	displaces        bool // or even if somebody does
	endsByNumber     bool // who gives a lease back ends no other
	gapAfterLease    bool
	givesBackUnnamed bool // a member that restarts gives back leases of others as its own
	lapses           bool // leases end by themselves

	// By which clocks a fetcher counts, and whether a step of the wall clock ends a
	// lease.
	byBoot, byMono, byWall, bySteps bool

	countsFromAnswer bool // a fetcher counts from the answer to its question
	renewsFromAnswer bool // and a renewal as well
	renewsItself     bool // it does not wait for the answer
	endIsEnd         bool // it takes no renewal for a lease that is over
	takesTwice       bool // it takes a grant again that was doubled on its way
	returnsTwice     bool // it gives such a grant back
	checks           bool // it looks at its clocks before each request
	cuts             bool // it cuts what is in flight when its lease is over
	returnsInFlight  bool // it gives leases back while a request is in flight

	// applied, if set, is told of every entry that a member has applied.
	applied func(w *world, at int, e entry)
}

// designed returns the rules of the design.
func designed() rules {
	return rules{
		margin: true, leaderIsCurrent: true, leaderCounts: true, endsByNumber: true, gapAfterLease: true, lapses: true, copiesNumbers: true,
		byBoot: true, byWall: true, bySteps: true, endIsEnd: true, checks: true, cuts: true,
	}
}

// counted returns how long members count a lease.
func (r *rules) counted() int64 {
	if r.margin {
		return leaseTime + leaseTime/marginPart
	}
	return leaseTime
}
