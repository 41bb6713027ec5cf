package roster

import (
	"bytes"
	"errors"
	"testing"

	"github.com/forage-net/forage/p2p/signed"
)

func FuzzItem(f *testing.F) {
	relayed := record(9)
	relayed.Reach, relayed.Place = ReachRelayed, "Zürich"
	relayed.Addrs = addrs("/ip6/2a00::1/udp/1/quic-v1", "/ip4/6.6.6.6/tcp/1/p2p/"+relayID+"/p2p-circuit")
	f.Add(seal(f, 1, record(1)))
	f.Add(seal(f, 1, relayed))
	rests := record(10)
	rests.State = StateResting
	f.Add(seal(f, 1, rests))
	f.Add(sealOut(f, 1, 7, epoch, 2, 3))
	network := signed.TagOf(testNet)
	f.Fuzz(func(t *testing.T, raw []byte) {
		it, err := decode(network, raw)
		if err != nil {
			if !errors.Is(err, ErrInvalid) && !errors.Is(err, ErrForeign) {
				t.Errorf("decode() error = %v, want ErrInvalid or ErrForeign", err)
			}
			return
		}
		if it.seq == 0 || it.issued <= 0 || (it.rec == nil) != (len(it.signers) > 0) {
			t.Errorf("decode() = %+v, out of range", it)
		}
		if it.rec != nil {
			again := it.rec.append(nil, network)
			if !bytes.HasPrefix(again, raw[:1+signed.TagSize+signed.KeySize]) || it.rec.check() != nil {
				t.Errorf("record %+v does not encode again", it.rec)
			}
		}
		if changed, err := add(newSet(newClock()), raw); changed && it.verify(testNet) != nil {
			t.Errorf("Add() took what nobody signed: %v", err)
		}
	})
}

func FuzzSummary(f *testing.F) {
	s := newSet(newClock())
	for n := range 5 {
		mustAdd(f, s, seal(f, n, record(1)))
	}
	mustAdd(f, s, sealOut(f, 2, 1, epoch, 3, 4))
	whole, _, _ := s.Summary(s.cfg.Self, 0, MaxSummary)
	part, _, _ := s.Summary(s.cfg.Self, 1<<62, 100)
	f.Add(whole)
	f.Add(part)
	f.Fuzz(func(t *testing.T, data []byte) {
		items, err := s.Missing(s.cfg.Self, data, 4, 500)
		if err != nil && !errors.Is(err, ErrInvalid) && !errors.Is(err, ErrForeign) {
			t.Errorf("Missing() error = %v, want ErrInvalid or ErrForeign", err)
		}
		size := 0
		for _, raw := range items {
			size += len(raw)
		}
		if len(items) > 4 || size > 500 {
			t.Errorf("Missing() = %d items of %d bytes, want at most 4 of 500", len(items), size)
		}
	})
}
