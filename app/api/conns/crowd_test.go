package conns

import (
	"net"
	"net/http"
	"testing"
)

func TestCrowd(t *testing.T) {
	c := New(2, nil)
	left := 0
	enter := func() *guest {
		ours, _ := net.Pipe()
		return c.enter(ours, func() { left++ })
	}
	first, second := enter(), enter()
	first.known()
	third := enter() // in the place of the second
	if third == nil || left != 1 || c.open != 2 {
		t.Fatalf("%d left, %d open, want the second to give way", left, c.open)
	}
	second.Close()
	second.Close()
	third.known()
	if g := enter(); g != nil || left != 1 || c.open != 2 {
		t.Errorf("beside two who are known %v came in; %d left, %d open", g, left, c.open)
	}
	first.Close()
	if left != 2 || c.open != 1 {
		t.Errorf("%d left, %d open after the first was closed", left, c.open)
	}
	if g := enter(); g == nil || c.spare.Len() != 1 {
		t.Error("there is no room when one has left")
	}
}

// Many idle connections of known callers keep no newcomers out, and those do not push each other out.
func TestCrowd_IdleConnectionsOfKnownCallersGiveWay(t *testing.T) {
	c := New(3, nil)
	end := func() net.Conn { a, b := net.Pipe(); t.Cleanup(func() { a.Close(); b.Close() }); return a }
	var known []*guest
	for range 3 {
		g := c.enter(end(), nil)
		g.known()
		known = append(known, g)
	}
	if c.enter(end(), nil) != nil {
		t.Error("busy connections of known callers gave way")
	}
	Turn(known[0], http.StateIdle)
	Turn(known[1], http.StateIdle)
	Turn(known[1], http.StateActive)
	Turn(known[2], http.StateIdle)
	first, second := c.enter(end(), nil), c.enter(end(), nil)
	if first == nil || second == nil || !known[0].outside || known[1].outside || !known[2].outside || first.outside {
		t.Errorf("%v, %v came in; of the idle ones %v and %v went, of the busy one %v", first != nil, second != nil,
			known[0].outside, known[2].outside, known[1].outside)
	}
}
