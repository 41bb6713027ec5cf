package group_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/stream"
)

// machine is a computer with a disk and clocks on which a node runs while it is up. It drives the node
// as the real driver does: packets and ticks are taken while no step runs; a step commits, and what was
// decided leaves only when the disk is done.
type machine struct {
	w     *world
	index int
	id    crawl.PeerID
	name  string // short, for traces
	clock *simClock
	disk  *disk
	saved *disk // a backup, nil without
	node  *group.Node

	up, frozen bool
	boot       int // counts starts
	leaving    bool
	gone       bool // never to be switched on again
	retired    bool // it left and has handed over everything
	founded    bool // its store has been written
	opaque     bool // a liar: what it notes is not believed

	idle, committed int           // steps in a row that left work and wrote nothing; updates of the disk before them
	busy            bool          // a step runs
	planned         bool          // a step is about to begin
	batch           time.Duration // until when items wait for others, 0 if none do
	inbox           []packet
	notes           []group.Note // of the step that runs
	later           []func()     // what calls said during the step that runs

	slow      time.Duration // the usual disk delay is up to this
	startedAt time.Duration
	downSince time.Duration
	unsteady  time.Duration                   // last time it was frozen, down or slow
	setBack   time.Duration                   // last time its wall clock was set back
	rolled    bool                            // this start found an older memory
	trustees  map[stream.Shard][]crawl.PeerID // voters by the memory of this start
	config    func(*group.Config)
}

// maxInbox bounds what a busy or frozen machine keeps; sockets drop the rest.
const maxInbox = 512

// maxIdle is how many steps in a row may leave work undone and write nothing.
const maxIdle = 5000

// nameOf returns a, b, … z, aa, ab, ….
func nameOf(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return nameOf(i/26-1) + nameOf(i%26)
}

// addMachine returns a new machine that is down. Its ID differs from seed to seed, so rings do, too.
func (w *world) addMachine() *machine {
	i := len(w.machines)
	m := &machine{w: w, index: i, name: nameOf(i), disk: newDisk(), slow: 20 * time.Millisecond}
	m.id = crawl.PeerID(fmt.Sprintf("%s-%04x", m.name, (w.seed*0x9E3779B97F4A7C15)>>48))
	m.clock = &simClock{now: func() time.Duration { return w.now }, rate: 1 + maxDrift*(2*w.rng.Float64()-1)}
	m.clock.start()
	w.machines = append(w.machines, m)
	w.byID[m.id] = m
	w.net.grow()
	w.roster.grow()
	m.tickForEver()
	return m
}

// live reports whether the machine does anything now.
func (m *machine) live() bool { return m.up && !m.frozen }

// start switches the machine on.
func (m *machine) start() {
	if m.up || m.gone {
		return
	}
	m.boot++
	m.up, m.frozen, m.busy, m.planned = true, false, false, false
	m.inbox, m.notes, m.later, m.batch = nil, nil, nil, 0
	m.clock.start()
	m.startedAt, m.unsteady = m.w.now, m.w.now
	chance := rand.New(rand.NewPCG(m.w.rng.Uint64(), uint64(m.index)))
	cfg := group.Config{
		Self: m.id, Times: m.w.times, Clock: m.clock, Directory: &directory{m.w.roster, m.index},
		Merge: mergeItems, Take: takeItems, Chance: chance.Uint64, Gap: func(crawl.Domain) time.Duration { return m.w.gap },
		Founder: m.index == m.w.founder && !m.founded, Note: m.note,
	}
	if m.config != nil {
		m.config(&cfg)
	}
	node, err := group.Open(cfg, m.disk)
	if err != nil {
		m.w.fail("", "", "%s cannot start: %v", m.name, err)
		return
	}
	m.node = node
	m.disk.keep()
	m.w.trace.add(m, "", "", "starts")
	m.w.check.started(m)
	m.w.load.started(m)
	m.plan(0)
}

// crash switches the machine off at once. A commit that runs is lost in one of two cases, and nothing of it has left.
func (m *machine) crash() {
	if !m.up {
		return
	}
	lost := m.busy && m.w.chance(0.5)
	if lost {
		m.disk.lose()
	} else if m.busy {
		m.w.check.durable(m, m.notes)
	}
	m.disk.keep()
	m.up, m.frozen, m.busy, m.notes, m.later = false, false, false, nil, nil
	m.downSince, m.unsteady = m.w.now, m.w.now
	m.w.trace.add(m, "", "", "crashes, its last commit lost: %v", lost)
	m.w.load.stopped(m)
}

// freeze stops everything on the machine, its clock too; thaw continues.
func (m *machine) freeze() {
	if !m.live() {
		return
	}
	m.frozen, m.unsteady = true, m.w.now
	m.clock.freeze()
	m.w.trace.add(m, "", "", "freezes")
}

func (m *machine) thaw() {
	if !m.frozen {
		return
	}
	m.frozen, m.unsteady = false, m.w.now
	m.clock.thaw()
	m.w.trace.add(m, "", "", "thaws")
	m.plan(0)
}

// tickForEver calls Tick every quarter of a beat while the machine is live.
func (m *machine) tickForEver() {
	m.w.every(m.w.times.Beat/4, func() {
		if m.live() && !m.busy {
			m.node.Tick()
			m.plan(0)
		}
	})
}

// packet is what one node told another.
type packet struct {
	from  crawl.PeerID
	lane  stream.Lane
	bytes []byte
}

// arrives takes a packet from the network.
func (m *machine) arrives(p packet) {
	if m.busy || m.frozen {
		if len(m.inbox) < maxInbox {
			m.inbox = append(m.inbox, p)
		}
		return
	}
	m.node.Receive(p.from, p.bytes)
	m.plan(0)
}

// plan begins a step soon, unless one runs or is planned: its end looks again.
func (m *machine) plan(d time.Duration) {
	if m.busy || m.planned || !m.live() {
		return
	}
	m.planned = true
	boot := m.boot
	m.w.after(d, func() {
		if m.boot == boot {
			m.planned = false
			m.begin()
		}
	})
}

// begin commits and waits for the disk.
func (m *machine) begin() {
	if !m.live() || m.busy {
		return
	}
	m.node.Handle()
	items := m.storesItems()
	if m.node.Work() == group.Batch && !items {
		m.send()
		return
	}
	delay := time.Duration(0)
	m.busy = true
	if items {
		m.batch = 0
	}
	if m.node.Work() != group.Idle {
		before := m.disk.updates
		if err := m.node.Commit(items); err != nil {
			m.w.fail("", "", "%s cannot commit: %v", m.name, err)
			return
		}
		if m.disk.updates > before {
			delay = m.w.between(time.Millisecond, m.slow)
		}
	}
	if delay == 0 {
		m.end()
		return
	}
	boot := m.boot
	m.w.after(delay, func() { m.finish(boot) })
}

// maxBatch is how long items wait for others, to be stored together with them.
const maxBatch = 200 * time.Millisecond

// storesItems reports whether a commit stores items. Those that have come wait for more.
func (m *machine) storesItems() bool {
	if m.batch == 0 && m.node.Work() == group.Batch {
		wait := m.w.between(0, min(maxBatch, m.w.times.Beat/5))
		m.batch = m.w.now + wait
		m.w.after(wait, func() { m.plan(0) })
	}
	return m.batch > 0 && m.w.now >= m.batch
}

// send sends what the node has to say.
func (m *machine) send() {
	m.node.Take(stream.NumLanes-1, func(to crawl.PeerID, lane stream.Lane, bytes []byte) {
		m.w.net.send(m, to, packet{m.id, lane, bytes})
	})
}

// finish ends a step when the machine can; a frozen one goes on when it thaws.
func (m *machine) finish(boot int) {
	switch {
	case m.boot != boot || !m.up:
	case m.frozen:
		m.w.after(m.w.times.Beat/10, func() { m.finish(boot) })
	default:
		m.end()
	}
}

// end lets out what the step decided, and takes what came meanwhile.
func (m *machine) end() {
	m.disk.keep()
	m.busy, m.founded = false, m.founded || m.disk.updates > 0
	notes := m.notes
	m.notes = nil
	for _, n := range notes {
		m.w.check.note(m, n)
	}
	later := m.later
	m.later = nil
	for _, do := range later {
		do()
	}
	m.send()
	inbox := m.inbox
	m.inbox = nil
	for _, p := range inbox {
		m.node.Receive(p.from, p.bytes)
	}
	if m.node.Work() != group.Idle {
		m.plan(m.pause(len(inbox) > 0))
	} else {
		m.idle = 0
		if len(inbox) > 0 {
			m.plan(0)
		}
	}
	m.leaves()
}

// pause is how long the driver waits before it commits again what it could not commit. A node should not need that.
func (m *machine) pause(news bool) time.Duration {
	if m.idle++; news || m.committed != m.disk.updates {
		m.idle, m.committed = 0, m.disk.updates
	}
	switch {
	case m.idle < 100:
		return 0
	case m.idle == 100:
		m.w.check.spins++
		m.w.trace.add(m, "", "", "spins: it has something to commit and commits nothing")
	case m.idle > maxIdle:
		m.w.fail("", "", "invariant 11: %s has something to commit again and again, and commits nothing", m.name)
	}
	return 10 * time.Millisecond
}

// leaves switches the machine off when its node has handed everything over.
func (m *machine) leaves() {
	if m.leaving && m.node.Left() {
		m.w.trace.add(m, "", "", "has handed over everything")
		m.leaving, m.retired = false, true
		m.crash()
	}
}

// note keeps what a step notes until it is durable.
func (m *machine) note(n group.Note) {
	if n.Stream != nil {
		s := *n.Stream
		s.Item.Value = append([]byte(nil), s.Item.Value...)
		n.Stream = &s
	}
	if m.busy {
		m.notes = append(m.notes, n)
		return
	}
	m.w.check.note(m, n)
}

// durable does what follows from an answer of the node when the step that runs is durable. A Commit returns to a real
// driver only then.
func (m *machine) durable(do func()) {
	if m.busy {
		m.later = append(m.later, do)
		return
	}
	m.w.after(0, do) // not from within the node
}

// get reads an item from the machine's disk, nil if it is not there, whether the machine is up or not.
func (m *machine) get(d crawl.Domain, key string) []byte {
	if m.node == nil {
		return nil
	}
	var v []byte
	_ = m.disk.View(func(tx stream.Tx) error {
		v = stream.Get(tx, d, key)
		return nil
	})
	return v
}

// restore puts the backup in place of the store; wipe empties it. The machine must be down.
func (m *machine) restore() {
	m.disk, m.rolled = m.saved.clone(), true
	m.w.trace.add(m, "", "", "has its backup restored")
	m.w.check.rolledBack(m)
}

func (m *machine) wipe() {
	m.disk, m.rolled = newDisk(), true
	m.w.trace.add(m, "", "", "has lost its disk")
	m.w.check.rolledBack(m)
}
