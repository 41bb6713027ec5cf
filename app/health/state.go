package health

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"sync"
	"time"

	"github.com/fxamacker/cbor/v2"
)

// ErrState is returned for bytes that are no state.
var ErrState = errors.New("not a state of the address health")

// state is a Tracker on disk. The numbers of the fields are never reused.
type state struct {
	Slot  int64 `cbor:"1,keyasint"`
	Level int   `cbor:"2,keyasint,omitempty"`
	Step  int   `cbor:"3,keyasint,omitempty"`
	Calm  int64 `cbor:"4,keyasint,omitempty"` // Unix seconds
	// Counts holds kindBytes for each kind, in the order of their numbers.
	Counts []byte `cbor:"5,keyasint,omitempty"`
	// Domains holds domainBytes for each, in the order of the hashes.
	Domains []byte `cbor:"6,keyasint,omitempty"`
}

const (
	domainBytes = 4 * 8 // hash, answered, refused, challenged
	kindBytes   = weekSlots * 4
	countsBytes = kinds * kindBytes
	// maxState is the longest state in bytes, and some for the frame.
	maxState = maxDomains*domainBytes + countsBytes + 256
)

// decoding holds the limits for bytes from disk. It is never changed.
var decoding = sync.OnceValue(func() cbor.DecMode {
	mode, err := cbor.DecOptions{
		DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden,
		MaxNestedLevels: 4, MaxArrayElements: 16, MaxMapPairs: 16,
	}.DecMode()
	if err != nil {
		panic(err) // the options above contradict each other
	}
	return mode
})

// State returns what Restore needs to go on from here: at most 135 kB. It
// holds no names.
func (t *Tracker) State() ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := state{Slot: t.now, Level: t.level, Step: t.slow.step, Calm: t.slow.calm}
	for k := range t.counts {
		for _, n := range t.counts[k] {
			s.Counts = binary.LittleEndian.AppendUint32(s.Counts, n)
		}
	}
	for _, h := range slices.Sorted(maps.Keys(t.domains)) {
		d := t.domains[h]
		for _, n := range [...]uint64{h, d.answered, d.refused, d.challenged} {
			s.Domains = binary.LittleEndian.AppendUint64(s.Domains, n)
		}
	}
	return cbor.Marshal(s)
}

// Restore makes t what State described, as of now. What is damaged is refused
// with ErrState, and t is as it was.
func (t *Tracker) Restore(data []byte, now time.Time) error {
	if len(data) > maxState {
		return fmt.Errorf("%w: %d bytes", ErrState, len(data))
	}
	var s state
	if err := decoding().Unmarshal(data, &s); err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	if s.Slot < 0 || s.Slot > 1<<40 || s.Level < 0 || s.Level > maxLevel || s.Step < 0 || s.Step > len(steps) ||
		s.Calm < 0 {
		return fmt.Errorf("%w: a number is out of range", ErrState)
	}
	if len(s.Counts) > countsBytes || len(s.Counts)%kindBytes != 0 || len(s.Domains)%domainBytes != 0 ||
		len(s.Domains) > maxDomains*domainBytes {
		return fmt.Errorf("%w: its parts have wrong lengths", ErrState)
	}
	domains, err := s.domains()
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now, t.level, t.domains, t.stale = s.Slot, s.Level, domains, true
	t.slow = slowness{step: s.Step, calm: s.Calm}
	clear(t.counts[:])
	for i := range len(s.Counts) / 4 {
		t.counts[i/weekSlots][i%weekSlots] = binary.LittleEndian.Uint32(s.Counts[i*4:])
	}
	t.advance(now)
	return nil
}

// domains reads the domains, which must be as a Tracker keeps them.
func (s *state) domains() (map[uint64]*domain, error) {
	domains := make(map[uint64]*domain, len(s.Domains)/domainBytes)
	last := uint64(0)
	for rest := s.Domains; len(rest) > 0; rest = rest[domainBytes:] {
		h := binary.LittleEndian.Uint64(rest)
		d := &domain{
			answered: binary.LittleEndian.Uint64(rest[8:]), refused: binary.LittleEndian.Uint64(rest[16:]),
			challenged: binary.LittleEndian.Uint64(rest[24:]),
		}
		switch {
		case len(domains) > 0 && h <= last, bits.TrailingZeros64(h) < s.Level:
			return nil, fmt.Errorf("%w: a domain has no business in it", ErrState)
		case d.answered == 0, d.answered&^weekMask != 0, d.refused&^d.answered != 0, d.challenged&^d.refused != 0:
			return nil, fmt.Errorf("%w: a domain refused without an answer", ErrState)
		}
		domains[h], last = d, h
	}
	return domains, nil
}
