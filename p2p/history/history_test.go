package history

import (
	"fmt"
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
		if ok := h.Check(heard(c.heard, "other"), c.own); ok == c.back || closed(h.SetBack()) != c.back {
			t.Errorf("%s: may issue %v, set back %v, want %v", c.name, ok, closed(h.SetBack()), c.back)
		}
		if h.Trust(); !h.Check(heard(c.heard, "other"), c.own) {
			t.Errorf("%s: it issues nothing though that was seen to", c.name)
		}
	}
}

// heard is what others know of a node.
func heard(number uint64, raw string) roster.Member {
	return roster.Member{Record: roster.Record{Seq: number}, Raw: []byte(raw)}
}

// A node that goes on to hear of later records, while it issues its own, gives way in the end: another has its key.
func TestCheck_Doubled(t *testing.T) {
	h := New("self", "lab", 7)
	h.Check(heard(9, "other"), 7)
	h.Trust()
	h.Issued(10, []byte("own"))
	for range 200 {
		h.Check(heard(11, "another"), 10)
	}
	if closed(h.Doubled()) {
		t.Fatal("one later record may be of its own earlier life")
	}
	for i := range uint64(200) { // chance decides from the second on
		h.Issued(12+2*i, []byte("own"))
		h.Check(heard(13+2*i, fmt.Sprint("other ", i)), 12+2*i)
	}
	if !closed(h.Doubled()) {
		t.Error("it goes on beside another node with its key")
	}
}

// Two nodes with one key may issue the same number in one moment.
func TestIsForeign(t *testing.T) {
	h := New("self", "lab", 7)
	if h.IsForeign(heard(8, "other")) || h.IsContested() {
		t.Error("a run that has issued nothing defends it")
	}
	h.Issued(8, []byte("own"))
	for _, c := range []struct {
		number uint64
		raw    string
		want   bool
	}{{8, "own", false}, {8, "other", true}, {9, "other", true}, {7, "other", false}} {
		if got := h.IsForeign(heard(c.number, c.raw)); got != c.want {
			t.Errorf("number %d, %s: %v", c.number, c.raw, got)
		}
	}
	if h.Check(heard(8, "other"), 8); !h.IsContested() || !closed(h.SetBack()) {
		t.Error("a record with its own number is no reason")
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
	h.Issued(8, record(8))
	h.See([][]byte{[]byte("nonsense"), record(6), record(8)})
	if closed(h.SetBack()) {
		t.Error("its own record and an older one count as another's")
	}
	if h.See([][]byte{record(9)}); !closed(h.SetBack()) {
		t.Error("a later record does not count")
	}
}
