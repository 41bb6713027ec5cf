package rival

// Agents are UbiCrawler's: a host belongs to the next live agent on the circle, and each agent knows the pages that
// it fetched itself. With page recovery, an agent that gets a page which it does not know asks the next t agents for
// the host, and fetches the page only if none of them has.
type Agents struct {
	// T is how many agents are asked.
	T int
	// Asked counts questions, Fetched the pages, Twice those that some agent had fetched before.
	Asked, Fetched, Twice int

	circle *Circle
	alive  []bool
	has    []map[int32]bool // pages of each agent
	all    map[int32]bool
}

// NewAgents returns agents that are alive and know no page.
func NewAgents(agents, replicas, t int, seed uint64) *Agents {
	a := &Agents{T: t, circle: NewCircle(agents, replicas, seed), alive: make([]bool, agents),
		all: make(map[int32]bool)}
	for i := range a.alive {
		a.alive[i] = true
		a.has = append(a.has, make(map[int32]bool))
	}
	return a
}

// Set says whether an agent is alive. One that comes back knows what it knew.
func (a *Agents) Set(agent int, alive bool) { a.alive[agent] = alive }

// Find brings a link to a page of a host to the agent for it. An agent remembers what others have, too.
func (a *Agents) Find(page int32, host uint64) {
	owner, asked, known := -1, 0, false
	a.circle.InOrder(host, func(agent int) bool {
		switch {
		case !a.alive[agent]:
			return true
		case owner < 0:
			owner = agent
			return a.T > 0 && !a.has[owner][page]
		default:
			asked++
			known = known || a.has[agent][page]
		}
		return asked < a.T
	})
	if owner < 0 || a.has[owner][page] {
		return
	}
	a.Asked += asked
	a.has[owner][page] = true
	if known {
		return
	}
	if a.Fetched++; a.all[page] {
		a.Twice++
	}
	a.all[page] = true
}

// Overlap is how many pages were fetched more than once, in parts of all that were fetched once: UbiCrawler's (n − u)
// / u.
func (a *Agents) Overlap() float64 { return float64(a.Twice) / float64(max(1, len(a.all))) }
