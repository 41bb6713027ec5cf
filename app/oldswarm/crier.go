package swarm

import (
	"context"
	"time"
)

const (
	// cryEvery is how often it is looked whether domains wait that nobody asks for: those that
	// did at two looks are told of.
	cryEvery = 20 * time.Second
	// mostTold is how many domains are counted.
	mostTold = 32
)

// crier watches for domains that nobody asks for. It belongs to the asker's goroutine.
type crier struct {
	looked time.Time
	waited bool // at the last look
}

// announce tells the members of domains that wait for a fetcher: those who look for work ask
// their neighbours on the ring, and this node may be nobody's.
func (s *Swarm) announce(ctx context.Context) {
	if s.cfg.Router == nil {
		return
	}
	c, now := &s.crier, s.now()
	if now.Sub(c.looked) < cryEvery {
		return
	}
	waited := c.waited
	c.looked, c.waited = now, false
	if !s.leads() || s.wants.total() > 0 {
		return
	}
	domains, err := s.cfg.Router.Backlog(mostTold)
	c.waited = err == nil && domains > 0
	if waited && c.waited {
		err = s.net.Announce(ctx, domains)
	}
	if err != nil {
		s.log.Debug("Members not told of domains that wait", "error", err)
	}
}
