package worker

// Hungry reports whether the pool could work and holds at most a quarter of the leases it takes, and the sites at hand do not
// use up the pages that it may request: it may soon have nothing to do.
func (p *Pool) Hungry() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.resting() && !p.full && !p.sated && 4*p.live <= p.bounds.fetchers*leasesPerFetcher
}
