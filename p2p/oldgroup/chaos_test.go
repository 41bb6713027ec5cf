package oldgroup

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var (
	chaosSeeds = flag.Int("chaos", 3, "how many random runs, each with the next seed")
	chaosFirst = flag.Int("chaosfirst", 1, "first seed")
)

// history is what clients did and what came of it.
type history struct {
	mu      sync.Mutex
	next    int
	acked   map[string]int // place in the order of answers
	refused map[string]error
	began   map[string]int // how many were acked when it was proposed
	agreed  []string       // what any member has applied, the longest
}

func (h *history) begin() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next++
	name := fmt.Sprintf("entry %d", h.next)
	h.began[name] = len(h.acked)
	return name
}

func (h *history) end(name string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case err == nil:
		h.acked[name] = len(h.acked)
	case errors.Is(err, ErrNotLeader), errors.Is(err, ErrBusy), errors.Is(err, ErrTooLarge), errors.Is(err, ErrClosed):
		h.refused[name] = err
	}
}

// see compares what a member has applied with what others have.
func (h *history) see(t *testing.T, who string, list []string) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	n := min(len(list), len(h.agreed))
	if !slices.Equal(list[:n], h.agreed[:n]) {
		for i := range n {
			if list[i] != h.agreed[i] {
				t.Fatalf("%s applied %q as entry %d, others %q", who, list[i], i, h.agreed[i])
			}
		}
	}
	if len(list) > n {
		h.agreed = slices.Clone(list)
	}
}

// check looks at what all members have applied in the end.
func (h *history) check(t *testing.T, final []string) {
	t.Helper()
	place := make(map[string]int)
	for i, e := range final {
		if _, twice := place[e]; twice {
			t.Errorf("%s is there twice", e)
		}
		place[e] = i
		if err := h.refused[e]; err != nil {
			t.Errorf("%s is there, but was refused: %v", e, err)
		}
	}
	order := make([]string, len(h.acked))
	for e, i := range h.acked {
		order[i] = e
	}
	places := make([]int, 0, len(order))
	for _, e := range order {
		p, ok := place[e]
		if !ok {
			t.Errorf("%s was acknowledged and is lost", e)
			continue
		}
		places = append(places, p)
	}
	// What was acknowledged before another was proposed comes before it.
	for e, p := range place {
		before := h.began[e]
		for i := range min(before, len(places)) {
			if places[i] > p {
				t.Errorf("%s is before what was acknowledged when it was proposed", e)
				break
			}
		}
	}
}

// chaos is one random run.
type chaos struct {
	t     *testing.T
	n     *network
	r     *rand.Rand
	h     history
	end   time.Time
	names []string
	wiped string
	work  sync.WaitGroup
	tends sync.WaitGroup
	done  chan struct{}

	mu   sync.Mutex
	goal []string
}

// wanted returns the members that are wanted.
func (c *chaos) wanted() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.goal
}

func (c *chaos) want(goal []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.goal = goal
}

func TestGroup_SurvivesChaos(t *testing.T) {
	seeds := *chaosSeeds
	if testing.Short() {
		seeds = 1
	}
	chaosRuns(t, *chaosFirst, seeds)
}

func TestGroup_SurvivesChaosLong(t *testing.T) {
	if os.Getenv("FORAGE_LONG") == "" {
		t.Skip("FORAGE_LONG is not set")
	}
	chaosRuns(t, *chaosFirst+*chaosSeeds, 100)
}

func chaosRuns(t *testing.T, first, count int) {
	for seed := first; seed < first+count; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { runChaos(t, uint64(seed)) })
		})
	}
}

func runChaos(t *testing.T, seed uint64) {
	n := newNetwork(t, seed)
	defer n.close()
	n.cfg.KeepBytes = 600 // a few dozen entries
	n.cfg.ChangeEvery = 20 * time.Second
	r := rand.New(rand.NewPCG(seed, 2))
	n.delay = func() time.Duration {
		if n.rand.IntN(50) == 0 {
			return time.Duration(n.rand.IntN(3000)) * time.Millisecond
		}
		return time.Duration(1+n.rand.IntN(40)) * time.Millisecond
	}
	c := &chaos{t: t, n: n, r: r, names: []string{"a", "b", "c", "d", "e"}, goal: []string{"a", "b", "c"}}
	c.h = history{acked: make(map[string]int), refused: make(map[string]error), began: make(map[string]int)}
	n.found("a", "b", "c")
	n.add("d", "e")
	n.disturb(0.03, 0.05)
	c.end = time.Now().Add(10 * time.Minute)
	for i := range 3 {
		c.work.Go(func() { c.client(rand.New(rand.NewPCG(seed, uint64(10+i)))) })
	}
	c.done = make(chan struct{})
	c.tends.Go(c.tend)
	defer c.tends.Wait()
	defer close(c.done)
	for time.Now().Before(c.end) {
		time.Sleep(time.Duration(r.IntN(4000)) * time.Millisecond)
		c.disturb()
		c.look()
	}
	c.calm()
	c.work.Wait()
	c.finish()
}

// up returns the nodes that are up.
func (c *chaos) up() (list []*node) {
	for _, name := range c.names {
		if x := c.n.node(name); x.isUp() {
			list = append(list, x)
		}
	}
	return list
}

func (c *chaos) anyUp() *node {
	list := c.up()
	if len(list) == 0 {
		return nil
	}
	return list[c.r.IntN(len(list))]
}

// client proposes to who it takes for the leader.
func (c *chaos) client(r *rand.Rand) {
	for time.Now().Before(c.end) {
		time.Sleep(time.Duration(r.IntN(300)) * time.Millisecond)
		x := c.n.node(c.names[r.IntN(len(c.names))])
		if !x.isUp() {
			continue
		}
		g := x.group()
		if g == nil {
			continue
		}
		if leader, _ := g.Leader(); leader != "" && c.n.node(leader).isUp() && c.n.node(leader).group() != nil && r.IntN(10) > 0 {
			x = c.n.node(leader)
			g = x.group()
		}
		life := x.served()
		name := c.h.begin()
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(100+r.IntN(5000))*time.Millisecond)
		err := g.Propose(ctx, []byte(name), name)
		cancel()
		if !x.isUp() || x.served() != life {
			err = ErrLost // it crashed, perhaps before it said so
		}
		c.h.end(name, err)
	}
}

// tend leads the group to its goal.
func (c *chaos) tend() {
	for {
		select {
		case <-time.After(2 * time.Second):
		case <-c.done:
			return
		}
		for _, x := range c.up() {
			if g := x.group(); g != nil && g.Leads() {
				ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
				did, err := g.Tend(ctx, c.wanted(), func(peer string) bool { return c.n.node(peer).isUp() }, true)
				cancel()
				if did != "" && testing.Verbose() {
					fmt.Println(time.Now().Format("04:05.000"), x.name, did, err)
				}
			}
		}
	}
}

// disturb does something bad.
func (c *chaos) disturb() {
	x := c.anyUp()
	switch k := c.r.IntN(16); {
	case k == 0 && len(c.up()) > 2 && x != nil:
		x.crash()
		c.keepOld(x)
	case k == 1 && len(c.up()) > 2 && x != nil:
		x.shut()
		c.keepOld(x)
	case k < 5:
		for _, name := range c.names {
			if y := c.n.node(name); !y.isUp() {
				y.start()
				break
			}
		}
	case k == 5:
		c.n.isolate(c.names[c.r.IntN(len(c.names))], true)
	case k == 6:
		c.n.cut(c.names[c.r.IntN(len(c.names))], c.names[c.r.IntN(len(c.names))], true)
	case k < 9:
		c.mend()
	case k == 9 && x != nil && x.group() != nil:
		x.group().Campaign()
	case k == 10 && x != nil && x.group() != nil:
		x.group().LeaderDown()
	case k == 11 && x != nil && x.group() != nil && x.group().Leads():
		g, to := x.group(), c.names[c.r.IntN(len(c.names))]
		c.work.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			g.Transfer(ctx, to)
		})
	case k == 12 && x != nil:
		c.breakDisk(x)
	case k == 13:
		c.newGoal()
	case k == 14 && x != nil:
		c.hurt(x, x.wipe)
	case k == 15 && x != nil && x.old != "":
		c.hurt(x, x.setBack)
	}
}

// keepOld keeps what a node has that went down, now and then.
func (c *chaos) keepOld(x *node) {
	if x.old == "" || c.r.IntN(3) == 0 {
		x.keepOld()
	}
}

func (c *chaos) mend() {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	clear(c.n.cuts)
}

// breakDisk makes every third entry that a node applies fail for a while.
func (c *chaos) breakDisk(x *node) {
	until, count := time.Now().Add(time.Duration(c.r.IntN(10))*time.Second), 0
	x.mu.Lock()
	defer x.mu.Unlock()
	x.fail = func() error {
		if count++; time.Now().Before(until) && count%3 == 0 {
			return errors.New("disk full")
		}
		return nil
	}
}

func (c *chaos) newGoal() {
	if w := c.wiped; w != "" && (c.n.node(w).group() == nil || c.n.node(w).group().Status().Stale) {
		return // two voters are left, and a third that does not know of it
	}
	goal := slices.Clone(c.names)
	c.r.Shuffle(len(goal), func(i, k int) { goal[i], goal[k] = goal[k], goal[i] })
	c.want(goal[:1+c.r.IntN(3)])
}

// hurt makes a node lose what is on its disk, if all others are there and have theirs.
func (c *chaos) hurt(x *node, disk func()) {
	leader := (*Group)(nil)
	for _, y := range c.up() {
		if y.group() != nil && y.group().Leads() {
			leader = y.group()
		}
	}
	if leader == nil || len(c.up()) < len(c.names) || leader.Log() == "" || leader.s.cfg.Self == x.name {
		return
	}
	st := leader.Status()
	voters := 0
	for _, m := range st.Members {
		if m.Lost || !m.Active {
			return
		}
		if m.Voter {
			voters++
		}
	}
	if voters < 3 || len(c.wanted()) < 3 || len(st.Members) > 3 {
		return // a change may be under way
	}
	for _, peer := range c.wanted() {
		if !slices.ContainsFunc(st.Members, func(m Member) bool { return m.Peer == peer && m.Voter }) {
			return
		}
	}
	if w := c.wiped; w != "" && (c.n.node(w).group() == nil || c.n.node(w).group().Status().Copying || c.n.node(w).group().Status().Stale) {
		return
	}
	c.wiped = x.name
	x.shut()
	disk()
	x.start()
}

// look compares what members have applied.
func (c *chaos) look() {
	for _, x := range c.up() {
		g := x.group()
		if g == nil {
			continue
		}
		g.mu.Lock()
		copying := g.st.state.copying
		list := entries(c.t, x.db, testLog)
		g.mu.Unlock()
		if !copying {
			c.h.see(c.t, x.name, list)
		}
	}
}

// calm makes everything well.
func (c *chaos) calm() {
	c.mend()
	c.n.disturb(0, 0)
	for _, name := range c.names {
		x := c.n.node(name)
		x.mu.Lock()
		x.fail = nil
		x.mu.Unlock()
		if !x.isUp() {
			x.start()
		}
	}
	c.want([]string{"a", "b", "c"})
}

func (c *chaos) finish() {
	var leader *node
	c.n.await(6*time.Minute, "a leader with the members wanted", func() bool {
		leader = nil
		for _, x := range c.up() {
			if x.group() != nil && x.group().Leads() {
				leader = x
			}
		}
		if leader == nil {
			return false
		}
		st := leader.group().Status()
		peers := make(map[string]bool)
		for _, m := range st.Members {
			peers[m.Peer] = m.Voter
		}
		return st.Whole && maps.Equal(peers, map[string]bool{"a": true, "b": true, "c": true})
	})
	c.n.await(time.Minute, "an entry is committed", func() bool {
		leader = c.n.leader(time.Minute)
		last := c.h.begin()
		err := leader.propose(last)
		c.h.end(last, err)
		return err == nil
	})
	final := c.n.same("a", "b", "c")
	c.look()
	c.h.check(c.t, final)
	c.t.Logf("%d proposed, %d acknowledged, %d refused, %d in the log", c.h.next, len(c.h.acked), len(c.h.refused), len(final))
	c.n.await(3*time.Minute, "quiet", func() bool { return leader.group().Status().Quiet || !leader.group().Leads() })
}
