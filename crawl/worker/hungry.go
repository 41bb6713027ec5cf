package worker

// Hungry reports whether the pool could work and holds at most a quarter of the leases it takes: it may soon have
// nothing to do.
func (p *Pool) Hungry() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.resting() && !p.full && 4*p.live <= p.bounds.fetchers*leasesPerFetcher
}
