package calls

import (
	"fmt"
	"testing"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
)

// deadStream is a stream that only has to be there.
type deadStream struct{ network.Stream }

// signalStream says when its reading side is closed.
type signalStream struct {
	network.Stream
	closed chan struct{}
}

func (s signalStream) CloseRead() error {
	close(s.closed)
	return nil
}

func newTestDoor() *door {
	d := newDoor(newClock().now, [classes]int{})
	d.start()
	return d
}

func testPeer(i int) peer.ID { return peer.ID(fmt.Sprintf("peer %d", i)) }

func TestDoor_BoundsHandlers(t *testing.T) {
	for class := range Class(classes) {
		d, bounds := newTestDoor(), boundsOf(class)
		spec, err := Spec{Name: "x", Class: class}.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		var in *inbound
		admitted := 0
		for i := range 2 * bounds.handlers {
			in, _ = d.enter(testPeer(i), class, deadStream{})
			of := 0
			for range maxStreams + 1 {
				if v := d.admit(in, 1, &spec, 10); v.wait == 0 {
					of++
				} else if v.wait != bounds.pause || v.flood {
					t.Errorf("%v: declined with %+v, want a wait of %v", class, v, bounds.pause)
				}
			}
			if of > bounds.perPeer {
				t.Errorf("%v: %d requests of a peer in flight, want at most %d", class, of, bounds.perPeer)
			}
			admitted += of
		}
		if admitted != bounds.handlers {
			t.Errorf("%v: %d requests in flight, want %d", class, admitted, bounds.handlers)
		}
		b, _ := d.books.Peek(testPeer(0))
		first := b.streams[class][0]
		d.dismiss(first)
		if v := d.admit(first, 1, &spec, 10); v.wait != 0 {
			t.Errorf("%v: declined after one ended: %+v", class, v)
		}
	}
}

func TestDoor_RemembersABoundedNumberOfPeers(t *testing.T) {
	d := newTestDoor()
	for i := range 3 * maxPeers {
		in, _ := d.enter(testPeer(i), Control, deadStream{})
		if in == nil {
			t.Fatalf("peer %d was not let in", i)
		}
		d.leave(in)
	}
	if got := d.books.Len(); got != maxPeers {
		t.Errorf("%d books, want %d", got, maxPeers)
	}
	for i := range maxPeers {
		if in, _ := d.enter(testPeer(i), Control, deadStream{}); in == nil {
			t.Fatalf("peer %d was not let in", i)
		}
	}
	if in, _ := d.enter(testPeer(maxPeers), Control, deadStream{}); in != nil {
		t.Error("a peer was let in where all have streams")
	}
	if in, _ := d.enter(testPeer(0), Control, deadStream{}); in == nil {
		t.Error("a peer that has a stream was not let in")
	}
}

func TestDoor_RequestOnAStreamThatMadeRoomDoesNotBegin(t *testing.T) {
	d := newTestDoor()
	first, _ := d.enter(testPeer(1), Control, deadStream{})
	for range maxStreams - 1 {
		if _, out := d.enter(testPeer(1), Control, deadStream{}); len(out) > 0 {
			t.Fatal("a stream made room too early")
		}
	}
	if _, out := d.enter(testPeer(1), Control, deadStream{}); len(out) != 1 || out[0] != first {
		t.Fatal("the stream idle longest did not make room")
	}
	if d.begin(first) {
		t.Error("a request began on it")
	}
	d.leave(first)
}

func TestDoor_ClosedLetsNothingIn(t *testing.T) {
	d := newTestDoor()
	s := signalStream{closed: make(chan struct{})}
	in, _ := d.enter(testPeer(1), Control, s)
	stopped := make(chan struct{})
	go func() {
		d.stop()
		close(stopped)
	}()
	<-s.closed
	if late, _ := d.enter(testPeer(2), Control, deadStream{}); late != nil || d.begin(in) {
		t.Error("a closed door let something begin")
	}
	d.leave(in)
	<-stopped
}

func TestDoor_RepliesUnderWayDoNotCount(t *testing.T) {
	d := newTestDoor()
	var all []*inbound
	for range maxStreams {
		in, _ := d.enter(testPeer(1), Control, deadStream{})
		d.begin(in)
		all = append(all, in)
	}
	if in, _ := d.enter(testPeer(1), Control, deadStream{}); in != nil {
		t.Error("a stream was let in beside busy ones")
	}
	for _, in := range all {
		d.dismiss(in)
	}
	for i := range maxStreams {
		in, out := d.enter(testPeer(1), Control, deadStream{})
		if in == nil || len(out) > 0 {
			t.Fatalf("stream %d was not let in beside replies", i)
		}
		d.begin(in)
	}
	if in, _ := d.enter(testPeer(1), Control, deadStream{}); in != nil {
		t.Errorf("more than %d streams were let in", 2*maxStreams)
	}
}
