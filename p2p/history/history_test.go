package history

import (
	"testing"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/p2p/roster"
)

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestCheck_StoreWasSetBack(t *testing.T) {
	for _, c := range []struct {
		name               string
		loaded, heard, own uint64
		back               bool
	}{
		{"a new store", 0, 9, 0, false},
		{"nobody knows a later record", 7, 7, 7, false},
		{"others know a later record", 7, 9, 7, true},
		{"its own of this run", 7, 9, 9, false},
	} {
		h := New("self", "lab", c.loaded)
		if ok := h.Check(c.heard, c.own, false); ok == c.back || closed(h.SetBack()) != c.back {
			t.Errorf("%s: may issue %v, set back %v, want %v", c.name, ok, closed(h.SetBack()), c.back)
		}
		if h.Trust(); !h.Check(c.heard, c.own, false) {
			t.Errorf("%s: it issues nothing though that was seen to", c.name)
		}
	}
}

// A node that goes on to hear of later records, while it issues its own, gives way in the end: another has its key.
func TestCheck_Doubled(t *testing.T) {
	h := New("self", "lab", 7)
	h.Check(9, 7, true)
	if h.Trust(); closed(h.Doubled()) {
		t.Fatal("one later record may be of its own earlier life")
	}
	for i := range uint64(200) { // chance decides from the third on
		h.Check(20+i, 10+i, true)
	}
	if !closed(h.Doubled()) {
		t.Error("it goes on beside another node with its key")
	}
}

// A record that comes by comparison counts if it is later than the store's, and not of this run.
func TestSee(t *testing.T) {
	key, _, err := crypto.GenerateEd25519Key(nil)
	if err != nil {
		t.Fatal(err)
	}
	self, err := peer.IDFromPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	record := func(seq uint64) []byte {
		raw, err := roster.Seal("lab", key, roster.Record{Peer: self, Seq: seq, Issued: 1_790_000_000, State: roster.StateActive})
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	h := New(self, "lab", 7)
	h.Issued(record(8))
	h.See([][]byte{[]byte("nonsense"), record(6), record(8)})
	if closed(h.SetBack()) {
		t.Error("its own record and an older one count as another's")
	}
	if h.See([][]byte{record(9)}); !closed(h.SetBack()) {
		t.Error("a later record does not count")
	}
}
