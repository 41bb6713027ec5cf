package p2p

import (
	"strings"
	"sync"
	"testing"
	"time"
)

// places writes down what it hears.
type places struct {
	told string
	mu   sync.Mutex
	from map[string]string
}

func (p *places) Told() string { return p.told }

func (p *places) Heard(peer, place string, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.from[peer] = place; took <= 0 {
		p.from[peer] = "at once"
	}
}

func (p *places) heard() map[string]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	copied := make(map[string]string)
	for k, v := range p.from {
		copied[k] = v
	}
	return copied
}

// Members hear from each other where they are, those that own nothing too. Of one that does not tell, nothing is heard.
func TestPlaces_AreHeardWithTheTimeOfCalls(t *testing.T) {
	t.Parallel()
	make := func(told string) *places { return &places{told: told, from: make(map[string]string)} }
	at := []*places{make("first"), make("second"), make("guest"), make("")}
	var nodes []*runningNode
	for i, p := range at {
		units := uint8(1)
		if p.told == "guest" {
			units = 0
		}
		nodes = append(nodes, startAs(t, quickTimes(), nil, units, func(c *Config) { c.Places = p },
			nodes[:min(i, 1)]...))
		<-nodes[i].Joined()
	}
	until(t, "the others are heard", func() bool {
		for i, p := range at {
			heard := p.heard()
			for j, o := range at {
				if got := heard[nodes[j].Self()]; i != j && got != o.told && (i < 2 && j < 2 || i == 2 && j == 0) {
					return false
				}
			}
		}
		return true
	})
	for i, p := range at {
		for from, place := range p.heard() {
			if place == "" || from == nodes[3].Self() || strings.Contains(place, "once") {
				t.Errorf("%d hears %q from one that says nothing", i, place)
			}
		}
	}
}
