package group

import (
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/stream"
)

// A member passes on so much in a beat for another, and nothing to one that it does not hear itself.
func TestPeers_RelayIsBounded(t *testing.T) {
	now := time.Minute
	s := &peers{self: "relay", beat: time.Second, now: func() time.Duration { return now }, known: map[crawl.PeerID]*peer{}}
	s.of("from").hear(now, 1, true, true)
	s.of("to").hear(now, 1, true, true)
	s.of("far").hear(now, 1, true, false)
	packet := make([]byte, 10<<10)
	flood := func(to crawl.PeerID) int {
		before := s.relayed
		for range 100 {
			s.relay(s.of("from"), to, packet)
		}
		return s.relayed - before
	}
	if n := flood("far"); n != 0 {
		t.Errorf("%d bytes went to a peer that is not heard directly", n)
	}
	if n := flood("to"); n < relayBytes || n > relayBytes+len(packet) {
		t.Errorf("%d bytes were passed on in a beat, want %d", n, relayBytes)
	}
	if n := s.of("to").queue.Len(); n == 0 {
		t.Error("nothing waits for the receiver")
	}
	s.take(stream.NumLanes-1, func(crawl.PeerID, stream.Lane, []byte) {})
	s.tick([]crawl.PeerID{"from", "to"})
	if n := flood("to"); n < relayBytes {
		t.Errorf("%d bytes were passed on in the next beat, want %d", n, relayBytes)
	}
}

// A relay is needed, and believed, only while one of two partners does not hear the other.
func TestPeers_RelayOnlyWhereNeeded(t *testing.T) {
	now := time.Minute
	for _, c := range []struct {
		name string
		p    *peer
		want bool
	}{
		{"nobody knows it", nil, false},
		{"a partner is not heard", &peer{partner: true}, true},
		{"a partner is heard by a relay", &peer{partner: true, heard: true, at: now}, true},
		{"a partner is heard, and has not said whom it hears", &peer{partner: true, direct: true, directAt: now}, false},
		{"both hear each other", &peer{partner: true, direct: true, directAt: now, told: true, hears: []uint32{shortOf("self")}}, false},
		{"a partner does not hear this member", &peer{partner: true, direct: true, directAt: now, told: true}, true},
		{"a partner fell silent", &peer{partner: true, direct: true, directAt: now - 4*time.Second}, true},
		{"another is not heard", &peer{}, false},
	} {
		s := &peers{self: "self", beat: time.Second, now: func() time.Duration { return now }}
		if got := s.needsRelay(c.p); got != c.want {
			t.Errorf("%s: a relay is needed: %v", c.name, got)
		}
	}
}
