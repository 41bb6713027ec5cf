package frontier

import "time"

const (
	// companyFor is the least time between two commits where others keep the log too: each
	// costs some messages and a transaction at every member, whatever it holds, and what is much together is
	// packed better. What somebody waits for is committed at once where nothing was for so long.
	companyFor = 250 * time.Millisecond
	// patience takes its place, and that of DefaultCommitEvery, for ends of leases and what others report while the fetcher of
	// this node has leases enough, and hurriedPatience where a crawl runs faster than any on the public web. Twice as long,
	// domains rest for seconds between two leases. Grants do not wait so long: a fetcher that
	// waits for its own asks others, which know its domains less.
	patience        = 2500 * time.Millisecond
	hurriedPatience = time.Second
	// longPatience takes the place of all of them for the outcomes of this node, where others keep the log too and gaps are those
	// of the public web: at a page a second a commit then holds five. Twice as long, those who watch their node would see it stutter,
	// and more is fetched again when it loses power. longestPatience is for what nobody acts on.
	longPatience    = 5 * time.Second
	longestPatience = 15 * time.Second
)

// haste says how soon a proposal is to be committed.
type haste uint8

const (
	whenever haste = iota // with others, or after commitEvery
	shown                 // with others, or after longPatience
	sometime              // with others, or after longestPatience
	forLease              // as soon as somebody may need a lease
	atOnce
)

// leaseHaste is that of the end of a lease: only where gaps are short is the next one worth a commit of its own.
func (f *Frontier) leaseHaste() haste {
	if f.isHurried() {
		return forLease
	}
	return whenever
}

// slotHaste is that of the slots of addresses: likewise, but others wait for the same one.
func (f *Frontier) slotHaste() haste {
	if f.isHurried() {
		return atOnce
	}
	return whenever
}

// isHurried reports whether gaps, or leases, are so short that a commit of its own is worth what it costs.
func (c *Config) isHurried() bool {
	fixed := c.Politeness.Fixed
	return fixed != nil && (*fixed < time.Second || c.LeaseFor < DefaultLeaseFor)
}

// isHurried reports whether commits come soon.
func (f *Frontier) isHurried() bool { return f.cfg.commitEvery == hurriedCommitEvery }

// due returns when a proposal that has just come is to be committed.
func (f *Frontier) due(p *proposal) time.Time {
	at, every, apart := time.Now(), f.cfg.commitEvery, time.Duration(0)
	if f.log.Shared() {
		switch home := !f.isHurried(); {
		case p.haste == sometime && home:
			apart, every = longestPatience, longestPatience
		case p.haste == shown && home:
			apart, every = longPatience, longPatience
		case p.haste < atOnce && f.cfg.Hungry != nil && !f.cfg.Hungry():
			if apart = hurriedPatience; home {
				apart = patience
			}
			every = max(every, apart)
		default:
			apart = companyFor
		}
	}
	if p.haste < forLease {
		at = at.Add(every)
	}
	if next := f.lastCommit.Add(apart); next.After(at) {
		return next
	}
	return at
}
