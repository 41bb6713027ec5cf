package route_test

import "slices"

// What can happen without any fault, by what it is about.
var (
	working   = []verb{passTime, lapse, ask, begin, end, hearAsk, takeGrant}
	leasing   = []verb{passTime, lapse, ask, hearAsk, takeGrant} // without requests
	renewing  = []verb{renew, hearRenew, takeRenewal}
	returning = []verb{giveBack, hearRelease}
)

// times says how often things may happen that are seldom.
type times map[verb]int

// among returns a universe in which clocks are as bad as they may be: those of members
// run fast and those of fetchers slow.
func among(members int, seldom times, kinds ...[]verb) *universe {
	u := &universe{members: members, limit: make(times)}
	for pc := range u.rates {
		u.rates[pc] = rateError
		if pc >= maxMembers {
			u.rates[pc] = -rateError
		}
	}
	for _, v := range slices.Concat(kinds...) {
		u.limit[v] = often
	}
	if members > 1 {
		u.limit[spread] = often
	}
	for v, n := range seldom {
		u.limit[v] = n
	}
	return u
}

// anything returns a universe in which everything may happen.
func anything(members int) *universe {
	u := among(members, nil)
	for v := range verbs {
		u.limit[v] = often
	}
	return u
}
