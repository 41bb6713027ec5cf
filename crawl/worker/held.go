package worker

import "github.com/forage-net/forage/crawl"

// Domains returns the domains of the leases that are held and not over, and who
// granted each, "" for this node.
func (p *Pool) Domains() map[crawl.Domain]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := make(map[crawl.Domain]string, len(p.held))
	for name, t := range p.held {
		if !p.clocks.isOver(t) {
			m[t.Domain] = name.granter
		}
	}
	return m
}
