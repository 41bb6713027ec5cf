package stream

import (
	"bytes"
	"maps"
	"testing"
)

func TestMarks(t *testing.T) {
	m := Marks{1: 5, 2: 0}
	for _, c := range []struct {
		stamp Stamp
		want  bool
	}{{Stamp{1, 5}, true}, {Stamp{1, 6}, false}, {Stamp{2, 0}, true}, {Stamp{2, 1}, false}, {Stamp{3, 0}, false}} {
		if got := m.Has(c.stamp); got != c.want {
			t.Errorf("Has(%v) = %t, want %t", c.stamp, got, c.want)
		}
	}
	for _, c := range []struct {
		other Marks
		want  bool
	}{{nil, true}, {Marks{1: 5}, true}, {Marks{1: 6}, false}, {Marks{3: 0}, false}, {m, true}} {
		if got := m.Covers(c.other); got != c.want {
			t.Errorf("Covers(%v) = %t, want %t", c.other, got, c.want)
		}
	}
	m.join(Marks{1: 4, 2: 7, 3: 0})
	if want := (Marks{1: 5, 2: 7, 3: 0}); !maps.Equal(m, want) {
		t.Errorf("join: %v, want %v", m, want)
	}
	if m.short(0) == (Marks{1: 7, 2: 5, 3: 0}).short(0) || m.short(0) == (Marks{1: 5, 2: 7}).short(0) || Marks(nil).short(0) != 0 {
		t.Error("different marks have one sum")
	}
	if m.short(3) != (Marks{2: 7, 1: 5}).short(0) {
		t.Error("the hash without a run is not that of the others")
	}
}

func TestMarks_ForgetTheLowestGenerations(t *testing.T) {
	m := make(Marks)
	for g := range uint64(100) {
		m[NewRun(g, 100-g)] = g
		m.trim(func(Run) bool { return false })
	}
	if len(m) != MaxRuns || m.runs()[0].Generation() != 100-MaxRuns {
		t.Errorf("%d runs, from generation %d", len(m), m.runs()[0].Generation())
	}
	m[NewRun(0, 1)] = 1
	m.trim(func(r Run) bool { return r.Generation() == 0 })
	if len(m) != MaxRuns || !m.Has(Stamp{NewRun(0, 1), 1}) {
		t.Error("a run in use is forgotten")
	}
	if r := NewRun(Marks{NewRun(1<<30, 1): 1}.highest()+1, 5); r.Generation() != maxGeneration {
		t.Errorf("generation %d after the highest", r.Generation())
	}
}

func TestShard(t *testing.T) {
	s := ShardOf("home", 200)
	if s.Home() != "home" || s.Unit() != 200 || s.String() != "home/200" {
		t.Errorf("%q: home %q, unit %d, string %s", string(s), s.Home(), s.Unit(), s)
	}
	if (Shard("").Home() != "") || Shard("").Unit() != 0 || Shard("").valid() {
		t.Error("the empty shard has a home")
	}
	if (Term{1, 9}).Compare(Term{2, 0}) >= 0 || (Term{2, 1}).Compare(Term{2, 1}) != 0 || (Term{2, 1}).Compare(Term{2, 2}) >= 0 {
		t.Error("terms are out of order")
	}
}

func TestSummary(t *testing.T) {
	s := &summary{latest: make(Marks)}
	for i := range uint64(20) {
		s.add(Stamp{Run(i % maxSummary), i})
	}
	if len(s.latest) != maxSummary {
		t.Errorf("summary %v", s)
	}
	s.add(Stamp{99, 1})
	if all := (Marks{0: 20, 99: 1}); all.Covers(s.latest) {
		t.Errorf("summary of too many runs %v", s)
	}
}

func TestQueue(t *testing.T) {
	var q Queue
	for i := range 5 {
		if !q.Push(LaneStream, bytes.Repeat([]byte{byte(i)}, 100)) {
			t.Fatal("a message does not fit")
		}
	}
	q.Push(LaneBeat, []byte("beat"))
	for _, c := range []struct {
		lane  Lane
		max   int
		first byte
		want  int
	}{{LaneStream, 250, 0, 2}, {LaneStream, 1, 2, 1}, {LaneBeat, 100, 'b', 1}, {LaneAct, 100, 0, 0}, {LaneStream, 1000, 3, 2}, {LaneStream, 1000, 0, 0}} {
		got := q.Take(c.lane, c.max)
		if len(got) != c.want || len(got) > 0 && got[0][0] != c.first {
			t.Errorf("Take(%d, %d) = %d messages %v", c.lane, c.max, len(got), got)
		}
	}
	if q.Len() != 0 || q.lanes[LaneStream].bytes != 0 {
		t.Errorf("%d messages, %d bytes are left", q.Len(), q.lanes[LaneStream].bytes)
	}
	n := 0
	for q.Push(LanePull, nil) {
		n++
	}
	if n == 0 || n > 1<<15 {
		t.Errorf("%d empty messages fit", n)
	}
	if !q.Push(LaneAct, nil) {
		t.Error("a full lane fills another")
	}
}

func TestCommitLog(t *testing.T) {
	var c commitLog
	for n := uint64(1); n <= 10; n++ {
		c.add(bytes.Repeat([]byte{byte(n)}, 10), 55)
	}
	if c.first() != 5 || c.size != 60 {
		t.Errorf("first %d, %d bytes", c.first(), c.size)
	}
	c.trim(9)
	if c.first() != 9 || c.size != 20 || c.at(8) != nil || c.at(11) != nil || c.at(10)[0] != 10 {
		t.Errorf("after trim: first %d, %d bytes", c.first(), c.size)
	}
	c.trim(50)
	if c.first() != 11 || c.size != 0 || c.at(11) != nil {
		t.Errorf("empty: first %d, %d bytes", c.first(), c.size)
	}
}
