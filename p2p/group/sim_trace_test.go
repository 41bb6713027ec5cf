package group_test

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"strings"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/stream"
)

// trace keeps the last lines of what happened, and a hash of everything.
type trace struct {
	w     *world
	lines []line // a ring
	next  int
	sum   hash.Hash64
	live  io.Writer // where lines go at once, nil: nowhere
}

// line is an event; it becomes text only when somebody reads it.
type line struct {
	at     time.Duration
	who    *machine // nil: the world
	shard  stream.Shard
	domain crawl.Domain
	format string
	args   []any
}

const (
	maxLines   = 4000
	shownLines = 120 // of the shard or domain that an invariant is about
)

func newTrace(w *world) *trace { return &trace{w: w, sum: fnv.New64a()} }

// add notes an event. Arguments must not change later.
func (t *trace) add(who *machine, s stream.Shard, d crawl.Domain, format string, args ...any) {
	l := line{t.w.now, who, s, d, format, args}
	t.hash(uint64(l.at), uint64(len(format)))
	_, _ = io.WriteString(t.sum, format)
	if t.live != nil {
		fmt.Fprintln(t.live, t.text(l))
	}
	if len(t.lines) < maxLines {
		t.lines = append(t.lines, l)
		return
	}
	t.lines[t.next] = l
	t.next = (t.next + 1) % maxLines
}

// packet takes a delivered packet into the hash, so that nodes that send something else are found out.
func (t *trace) packet(from, to *machine, p packet) {
	t.hash(uint64(t.w.now), uint64(from.index)<<32|uint64(to.index))
	_, _ = t.sum.Write(p.bytes)
}

func (t *trace) hash(a, b uint64) {
	var buf [16]byte
	binary.BigEndian.PutUint64(buf[:8], a)
	binary.BigEndian.PutUint64(buf[8:], b)
	_, _ = t.sum.Write(buf[:])
}

// text writes "12.340 s  c  b/0  acts in term 1.7, pulled from a".
func (t *trace) text(l line) string {
	who := "-"
	if l.who != nil {
		who = l.who.name
	}
	about := string(l.domain)
	if l.shard != "" {
		about = strings.TrimSpace(t.w.shard(l.shard) + " " + about)
	}
	return fmt.Sprintf("%9.3f s  %-3s %-10s %s", l.at.Seconds(), who, about, fmt.Sprintf(l.format, l.args...))
}

// shard names a shard "a/0".
func (w *world) shard(s stream.Shard) string {
	if len(s) == 0 {
		return ""
	}
	return fmt.Sprintf("%s/%d", w.name(s.Home()), s.Unit())
}

// name is the short name of a peer.
func (w *world) name(p crawl.PeerID) string {
	if m := w.byID[p]; m != nil {
		return m.name
	}
	return p.String()
}

// names are the short names of peers.
func (w *world) names(ps []crawl.PeerID) string {
	out := make([]string, len(ps))
	for i, p := range ps {
		out[i] = w.name(p)
	}
	if len(out) == 0 {
		return "nobody"
	}
	return strings.Join(out, " ")
}

// last returns the last lines that match, oldest first.
func (t *trace) last(n int, match func(line) bool) []string {
	var out []string
	for i := len(t.lines) - 1; i >= 0 && len(out) < n; i-- {
		if l := t.lines[(t.next+i)%len(t.lines)]; match(l) {
			out = append(out, t.text(l))
		}
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// report tells a failure: what broke, what happened to the shard or domain before, and how to see it again.
func (w *world) report() string {
	f := w.failed
	if f == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: after %.3f s: %s\n", w.seed, f.at.Seconds(), f.text)
	about := func(l line) bool {
		return l.shard == "" && l.domain == "" || f.shard != "" && l.shard == f.shard || f.domain != "" && l.domain == f.domain ||
			f.shard == "" && f.domain == ""
	}
	for _, l := range w.trace.last(shownLines, about) {
		fmt.Fprintln(&b, l)
	}
	for _, l := range w.state() {
		fmt.Fprintln(&b, l)
	}
	fmt.Fprintf(&b, "again: go test -v ./p2p/group -run TestSim_Seeds -seed=%d -events\n", w.seed)
	return b.String()
}

// state tells how each machine sees its shards.
func (w *world) state() (lines []string) {
	for _, m := range w.machines {
		if m.node == nil {
			continue
		}
		lines = append(lines, fmt.Sprintf("  %s up %v frozen %v, partition %d, disk up to %v", m.name, m.up, m.frozen, w.net.part[m.index], m.slow))
		for _, v := range m.node.Look() {
			if len(v.Voters) == 0 && len(v.Held) == 0 {
				continue
			}
			lines = append(lines, fmt.Sprintf("     %-6s %s in %s, leader %s, voters %s, learners %s, line %s, holds %v, %d live",
				w.shard(v.Shard), roleName(v.Role), termName(v.Term), w.name(v.Leader), w.names(v.Voters), w.names(v.Learners),
				w.names(w.roster.layoutOf(m.index).Line(v.Shard)), v.Held, v.Live))
		}
	}
	return lines
}
