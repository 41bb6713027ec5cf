package route_test

import "testing"

// broken are rules each of which must not be left out, and the shortest way to what
// happens then.
var broken = []struct {
	name  string
	spoil func(*rules)
	in    *universe
	want  string // what happens
	trace string
}{
	{"members count no longer than the holder", func(r *rules) { r.margin = false },
		among(1, nil, working),
		"a request of lease 2 came 7.5s after one of lease 1",
		`ask f0, hear ask m0 f0, pass, lapse m0, ask f1, take grant f0, begin f0, pass, pass, hear ask m0 f1, take grant f1,
			begin f1`},
	{"fetchers count from the answer", func(r *rules) { r.countsFromAnswer = true },
		among(1, nil, working),
		"leases 1 and 2 are live at once",
		`ask f0, ask f1, hear ask m0 f0, pass, lapse m0, pass, hear ask m0 f1, take grant f0, take grant f1`},
	{"fetchers count by a clock that stands still in suspend", func(r *rules) { r.byBoot, r.byWall, r.bySteps, r.byMono = false, false, false, true },
		among(1, times{sleep: 1, wake: often}, working),
		"leases 1 and 2 are live at once",
		`ask f0, hear ask m0 f0, take grant f0, sleep f0, pass, lapse m0, pass, ask f1, hear ask m0 f1, take grant f1`},
	{"fetchers count by the wall clock alone", func(r *rules) { r.byBoot, r.bySteps = false, false },
		among(1, times{back: 1}, working),
		"leases 1 and 2 are live at once",
		`ask f0, set back f0, hear ask m0 f0, pass, lapse m0, pass, ask f1, hear ask m0 f1, take grant f0, take grant f1`},
	{"fetchers do not look at the wall clock", func(r *rules) { r.byWall, r.bySteps = false, false },
		among(1, times{freeze: 1, wake: often}, working),
		"leases 1 and 2 are live at once",
		`ask f0, hear ask m0 f0, take grant f0, freeze f0, pass, lapse m0, pass, ask f1, hear ask m0 f1, take grant f1`},
	{"steps of the wall clock end no lease", func(r *rules) { r.bySteps = false },
		among(1, times{freeze: 1, wake: often, back: 1}, working),
		"leases 1 and 2 are live at once",
		`ask f0, set back f0, hear ask m0 f0, take grant f0, freeze f0, pass, lapse m0, pass, ask f1, hear ask m0 f1,
			take grant f1`},
	{"members count by the wall clock", func(r *rules) { r.membersByWall = true },
		among(1, times{ahead: 1}, working),
		"leases 1 and 2 are live at once",
		`ask f0, ask f1, hear ask m0 f0, set ahead m0, lapse m0, pass, hear ask m0 f1, take grant f0, take grant f1`},
	{"leases are granted before they are committed", func(r *rules) { r.grantsEarly = true },
		among(3, nil, working),
		"lease 1 was granted twice",
		`ask f0, ask f1, hear ask m0 f0, hear ask m0 f1, take grant f0, take grant f1`},
	{"a leader takes for committed what it has", func(r *rules) { r.commitsAlone = true },
		among(3, times{elect: 1}, working),
		"what was committed is lost",
		`elect m1 m2, ask f0, hear ask m0 f0`},
	{"a member that lost its log votes as before", func(r *rules) { r.wipedVotes = true },
		among(3, times{elect: 1, wipe: 1, admit: often, replicate: often}, working),
		"what was committed is lost",
		`elect m1 m2, replicate m1 m2, wipe m1, ask f0, hear ask m0 f0, replicate m0 m1`},
	{"a new leader takes nothing for live", func(r *rules) { r.leaderCounts = false },
		among(3, times{elect: 1}, working),
		"leases 1 and 2 are live at once",
		`ask f0, ask f1, hear ask m0 f0, spread m0, elect m1 m0, spread m1, lapse m1, spread m1, pass, hear ask m1 f1,
			spread m1, take grant f0, take grant f1`},
	{"a leader acts before it has applied all of its predecessors", func(r *rules) { r.leaderIsCurrent = false },
		among(3, times{elect: 1, replicate: 1, passSome: 1, passTime: 2, lapse: 1, renew: 1}, []verb{ask, hearAsk, takeGrant, hearRenew, takeRenewal}),
		"leases 1 and 2 are live at once",
		`ask f0, hear ask m0 f0, spread m0, pass some, ask f1, take grant f0, renew f0, hear renewal m0 f0, replicate m0 m1,
			elect m1 m0, take renewal f0, pass, lapse m1, spread m1, pass, hear ask m1 f1, spread m1, take grant f1`},
	{"a member that restarts takes nothing for live", func(r *rules) { r.restartCounts = countsNothing },
		among(1, times{crash: 1, restart: 1, elect: 1}, working),
		"leases 1 and 2 are live at once",
		`ask f0, ask f1, hear ask m0 f0, crash m0, restart m0, elect m0 m0, lapse m0, pass, hear ask m0 f1, take grant f0,
			take grant f1`},
	{"a member that restarts takes gaps to be over", func(r *rules) { r.restartCounts = countsLeasesOnly },
		among(1, times{crash: 1, restart: 1, elect: 1, giveBack: 1, hearRelease: 1}, working),
		"a request of lease 2 came 0s after one of lease 1",
		`ask f0, ask f1, hear ask m0 f0, take grant f0, begin f0, end f0, give back f0, hear release m0 f0, crash m0,
			restart m0, elect m0 m0, hear ask m0 f1, take grant f1, begin f1`},
	{"a member that restarts gives back what others hold", func(r *rules) { r.givesBackUnnamed = true },
		among(3, times{crash: 1, restart: 1, hearRelease: 1}, working),
		"leases 1 and 2 are live at once",
		`ask f0, ask f1, hear ask m0 f0, spread m0, crash m1, restart m1, hear release m0 f0, spread m0, pass,
			hear ask m0 f1, spread m0, take grant f0, take grant f1`},
	{"a member admitted anew takes nothing for live", func(r *rules) { r.admittedCounts = countsNothing },
		among(3, times{wipe: 1, admit: 1, elect: 1}, leasing),
		"leases 1 and 2 are live at once",
		`wipe m1, ask f0, ask f1, hear ask m0 f0, spread m0, admit m0 m1, elect m1 m0, spread m1, lapse m1, spread m1, pass,
			hear ask m1 f1, spread m1, take grant f0, take grant f1`},
	{"a member admitted anew takes gaps to be over", func(r *rules) { r.admittedCounts = countsLeasesOnly },
		among(3, times{wipe: 1, admit: 1, elect: 1, replicate: 1, begin: 2, end: 1, giveBack: 1, hearRelease: 1}, []verb{ask, hearAsk, takeGrant}),
		"a request of lease 2 came 0s after one of lease 1",
		`wipe m1, ask f0, ask f1, hear ask m0 f0, spread m0, take grant f0, begin f0, end f0, give back f0,
			hear release m0 f0, spread m0, admit m0 m1, elect m1 m0, spread m1, hear ask m1 f1, spread m1, take grant f1,
			begin f1`},
	{"a member admitted anew numbers leases from 1", func(r *rules) { r.copiesNumbers = false },
		among(3, times{wipe: 1, admit: 1, elect: 1, giveBack: 1, hearRelease: 1, passTime: 1}, []verb{ask, hearAsk, takeGrant}),
		"lease 1 was granted twice",
		`wipe m1, ask f0, ask f1, hear ask m0 f0, spread m0, pass, lapse m0, spread m0, admit m0 m1, pass, elect m1 m0,
			spread m1, hear ask m1 f1, spread m1, take grant f0, take grant f1`},
	{"fetchers believe renewals of leases that are over", func(r *rules) { r.endIsEnd = false },
		among(3, times{passSome: 1}, leasing, renewing),
		"leases 1 and 2 are live at once",
		`ask f0, hear ask m0 f0, spread m0, pass some, ask f1, take grant f0, renew f0, pass, pass, hear renewal m0 f0,
			lapse m0, spread m0, pass, hear ask m0 f1, spread m0, take grant f1, take renewal f0`},
	{"a renewal takes a domain from who holds it", func(r *rules) { r.displaces = true },
		among(1, times{giveBack: 1, renew: 1, hearRelease: 1}, leasing, renewing),
		"leases 2 and 3 are live at once",
		`ask f0, hear ask m0 f0, take grant f0, renew f0, give back f0, pass, lapse m0, pass, ask f0, ask f1,
			hear ask m0 f0, hear renewal m0 f0, hear release m0 f0, pass, hear ask m0 f1, take grant f0, take grant f1`},
	{"renewals count from the answer", func(r *rules) { r.renewsFromAnswer = true },
		among(1, times{passSome: 1}, working, renewing),
		"leases 1 and 2 are live at once",
		`ask f0, hear ask m0 f0, take grant f0, renew f0, hear renewal m0 f0, pass some, ask f1, take renewal f0, pass,
			lapse m0, pass, hear ask m0 f1, take grant f1`},
	{"fetchers do not wait for the answer to a renewal", func(r *rules) { r.renewsItself = true },
		among(1, times{passSome: 1, renew: 1}, working),
		"leases 1 and 2 are live at once",
		`ask f0, hear ask m0 f0, pass some, ask f1, take grant f0, renew f0, pass, lapse m0, pass, hear ask m0 f1,
			take grant f1`},
	{"fetchers do not look at their clocks before a request", func(r *rules) { r.checks = false },
		among(1, nil, working),
		"requests of leases 1 and 2 are in flight at once",
		`ask f0, ask f1, hear ask m0 f0, pass, lapse m0, pass, hear ask m0 f1, take grant f0, begin f0, take grant f1,
			begin f1`},
	{"what is in flight is not cut", func(r *rules) { r.cuts = false },
		among(1, nil, working),
		"requests of leases 1 and 2 are in flight at once",
		`ask f0, hear ask m0 f0, take grant f0, begin f0, pass, pass, lapse m0, pass, ask f1, hear ask m0 f1, take grant f1,
			begin f1`},
	{"leases go home while a request is in flight", func(r *rules) { r.returnsInFlight = true },
		among(1, times{giveBack: 1, hearRelease: 1}, working),
		"requests of leases 1 and 2 are in flight at once",
		`ask f0, ask f1, hear ask m0 f0, take grant f0, begin f0, give back f0, hear release m0 f0, pass, hear ask m0 f1,
			take grant f1, begin f1`},
	{"who gives a lease back ends whichever is live", func(r *rules) { r.endsByNumber = false },
		among(1, times{giveBack: 1, double: 1}, working, []verb{hearRelease}),
		"leases 2 and 3 are live at once",
		`ask f0, ask f1, hear ask m0 f0, take grant f0, give back f0, ask f0, hear release m0 f0 doubled, pass,
			hear ask m0 f0, hear release m0 f0, pass, hear ask m0 f1, take grant f0, take grant f1`},
	{"a domain is due when its lease ends", func(r *rules) { r.gapAfterLease = false },
		among(1, nil, working),
		"a request of lease 2 came 9.481s after one of lease 1",
		`ask f0, hear ask m0 f0, take grant f0, begin f0, pass, pass, lapse m0, ask f1, hear ask m0 f1, take grant f1,
			begin f1`},
	{"a grant that comes twice is taken twice", func(r *rules) { r.takesTwice = true },
		among(1, times{double: 1, giveBack: 1, hearRelease: 1}, working),
		"leases 1 and 2 are live at once",
		`ask f0, ask f1, hear ask m0 f0, take grant f0 doubled, give back f0, hear release m0 f0, pass, hear ask m0 f1,
			take grant f0, take grant f1`},
	{"a grant that comes twice is given back", func(r *rules) { r.returnsTwice = true },
		among(1, times{double: 1, hearRelease: 1}, working),
		"leases 1 and 2 are live at once",
		`ask f0, ask f1, hear ask m0 f0, take grant f0 doubled, take grant f0, hear release m0 f0, pass, hear ask m0 f1,
			take grant f1`},
}

// Each broken rule leads to what must not be, and only because it is broken.
func TestLeaseModel_EachRuleIsNeeded(t *testing.T) {
	for _, c := range broken {
		t.Run(c.name, func(t *testing.T) {
			steps, err := parseSteps(c.trace)
			if err != nil {
				t.Fatal(err)
			}
			right, wrong := designed(), designed()
			c.spoil(&wrong)
			if w, _ := c.in.replay(&right, steps); w.wrong != "" {
				t.Errorf("by the right rules: %s", w.wrong)
			}
			w, left := c.in.replay(&wrong, steps)
			if w.wrong != c.want || left > 0 {
				t.Errorf("by the broken rule: %q, want %q (%d steps were not possible)", w.wrong, c.want, left)
			}
		})
	}
}

// The model finds them without being told the way.
func TestLeaseModel_FindsEachBrokenRule(t *testing.T) {
	if underRace && !isLong() {
		t.Skip("takes long under the race detector, for nothing")
	}
	for _, c := range broken {
		t.Run(c.name, func(t *testing.T) {
			r := designed()
			c.spoil(&r)
			f := c.in.explore(&r, 300_000)
			if f.trace == nil {
				t.Fatalf("not found in %d worlds", f.worlds)
			}
			known, err := parseSteps(c.trace)
			if err != nil {
				t.Fatal(err)
			}
			if len(f.trace) != len(known) {
				t.Errorf("the shortest way has %d steps, %d are known:\n%s\n%s", len(f.trace), len(known), f.wrong, formatSteps(f.trace))
			}
		})
	}
}
