package crawl

import "time"

// Politeness decides how long a site is left alone between two requests. It
// protects sites; the user's limits are another matter.
type Politeness struct {
	// Fixed, where set, replaces everything but Retry-After: for closed test
	// networks only.
	Fixed *time.Duration
	// Slow, if set, returns by how much more sites are left alone than they
	// must be, 1 and up: many have begun to refuse this computer's address.
	Slow func() int
	// Times, if set, returns by how much every gap is longer than the site asks for, 1
	// and up: another part of a divided network may be visiting it too.
	Times func() int
}

const (
	// minGap and maxGap bound what a site's own slowness makes us wait. Five
	// times the fetch time within bounds is Heritrix's rule.
	minGap = 2 * time.Second
	maxGap = 30 * time.Second
	factor = 5

	// MaxCrawlDelay is the longest crawl delay honoured as asked; a longer one counts as this.
	MaxCrawlDelay = time.Hour
	// MaxWait bounds Retry-After and every back-off.
	MaxWait = 24 * time.Hour
	// firstBackoff is the wait after the first refusal; each further one
	// doubles it.
	firstBackoff = 30 * time.Second
)

// Gap returns the wait from the end of a request to the start of the next:
// max(crawl delay, factor × fetch time within minGap and maxGap, floor), floor being the
// owner's back-off.
func (p Politeness) Gap(crawlDelay, took, floor time.Duration) time.Duration {
	return p.times() * p.gap(crawlDelay, took, floor)
}

func (p Politeness) times() time.Duration {
	if p.Times == nil {
		return 1
	}
	return time.Duration(max(p.Times(), 1))
}

// Floor returns the gap that an owner asks of a fetcher: it is for what the fetcher
// cannot know, and longer than any gap only while Times says so.
func (p Politeness) Floor(level uint8, crawlDelay, took time.Duration) time.Duration {
	if p.Fixed == nil {
		crawlDelay = max(crawlDelay, p.Backoff(level, 0))
	}
	if times := p.times(); times > 1 {
		return times * p.gap(crawlDelay, took, 0)
	}
	if p.Fixed != nil {
		return *p.Fixed
	}
	return crawlDelay
}

func (p Politeness) gap(crawlDelay, took, floor time.Duration) time.Duration {
	if p.Fixed != nil {
		return max(*p.Fixed, floor)
	}
	slow := time.Duration(1)
	if p.Slow != nil {
		slow = time.Duration(max(p.Slow(), 1))
	}
	return max(min(crawlDelay, MaxCrawlDelay), slow*min(max(factor*took, minGap), maxGap), floor)
}

// Backoff returns how long to leave a site alone after its level-th refusal or failure in
// a row (1 and up), and at least as long as it asked for.
func (p Politeness) Backoff(level uint8, asked time.Duration) time.Duration {
	asked = min(max(asked, 0), MaxWait)
	if p.Fixed != nil {
		return max(*p.Fixed, asked)
	}
	if level == 0 {
		return asked
	}
	wait := MaxWait
	if level < 13 { // 30 s × 2^12 is more than a day
		wait = min(firstBackoff<<(level-1), MaxWait)
	}
	return max(wait, asked)
}
