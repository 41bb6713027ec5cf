package message

import (
	"reflect"
	"testing"

	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/ring"
)

// What is written is read again, and a claim of a state that there is not fails.
func TestMessages_RoundTrip(t *testing.T) {
	prefix := ring.Prefix{Len: 1}
	status := Status{Founding: 1 << 40, Term: 2, LastTerm: 3, LastIndex: 4, None: true, Leads: true, Heeds: true}
	claims := []Claim{
		{Prefix: prefix, Number: 5, State: Acting}, {Prefix: prefix, Number: 6, State: Held, Shard: "shard"},
	}
	release := Release{ID: 7, Given: record.Authorities{{Prefix: prefix, Number: 8}}}
	w := &codec.Writer{}
	status.Write(w)
	WriteClaims(w, claims)
	release.Write(w)
	r := &codec.Reader{B: w.B}
	if got := ReadStatus(r); got != status {
		t.Errorf("status = %+v, want %+v", got, status)
	}
	for i, got := range ReadClaims(r) {
		if got.Marks = nil; !reflect.DeepEqual(got, claims[i]) {
			t.Errorf("claim %d = %+v, want %+v", i, got, claims[i])
		}
	}
	if got := ReadRelease(r); got.ID != release.ID || !reflect.DeepEqual(got.Given, release.Given) {
		t.Errorf("release = %+v, want %+v", got, release)
	}
	if r.Failed || len(r.B) > 0 {
		t.Errorf("failed: %v, %d bytes left", r.Failed, len(r.B))
	}
	w = &codec.Writer{}
	WriteClaims(w, []Claim{{Prefix: prefix, State: Whole + 1}})
	if r := (&codec.Reader{B: w.B}); len(ReadClaims(r)) > 0 && !r.Failed {
		t.Error("an unknown state is read")
	}
}
