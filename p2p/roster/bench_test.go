package roster

import (
	"errors"
	"testing"
)

// fullSet returns a Set of n members with four addresses each.
func fullSet(b *testing.B, n int) *Set {
	b.Helper()
	s := newSet(newClock())
	for i := range n {
		mustAdd(b, s, seal(b, i, wide(1)))
	}
	return s
}

func wide(seq uint64) Record {
	r := record(seq)
	r.Addrs = addrs("/ip4/5.5.5.10/tcp/7708", "/ip4/5.5.5.10/udp/7708/quic-v1",
		"/ip6/2a00:1450:4001:81b::1/tcp/7708", "/ip6/2a00:1450:4001:81b::1/udp/7708/quic-v1")
	return r
}

func BenchmarkAddNew(b *testing.B) {
	s := newSet(newClock())
	raws := make([][]byte, 2000)
	for i := range raws {
		raws[i] = seal(b, 1, wide(uint64(i+1)))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%len(raws) == 0 {
			s = newSet(newClock())
		}
		if _, err := add(s, raws[i%len(raws)]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAddOld(b *testing.B) {
	s := newSet(newClock())
	old := seal(b, 1, wide(1))
	mustAdd(b, s, seal(b, 1, wide(2)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := add(s, old); !errors.Is(err, ErrOld) {
			b.Fatal(err)
		}
	}
}

func BenchmarkDigestCached(b *testing.B) {
	s := fullSet(b, DefaultMaxMembers)
	b.ReportAllocs()
	for b.Loop() {
		s.Digest()
	}
}

// BenchmarkDigestAfterAChange is what one new record costs the next reader.
func BenchmarkDigestAfterAChange(b *testing.B) {
	s := fullSet(b, DefaultMaxMembers)
	b.ReportAllocs()
	for b.Loop() {
		s.view = nil
		s.Digest()
	}
}

func BenchmarkMissing(b *testing.B) {
	s := fullSet(b, DefaultMaxMembers)
	data, _, _ := s.Summary(s.cfg.Self, 0, MaxSummary)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Missing(s.cfg.Self, data, 256, 64<<10); err != nil {
			b.Fatal(err)
		}
	}
}
