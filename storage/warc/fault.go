package warc

import "fmt"

// FaultKind says what is wrong with an archive.
type FaultKind uint8

// The kinds of faults. Those of an index can be repaired, and a torn file; all
// others say that bytes are lost.
const (
	// FaultUnreadable is a file that the operating system does not let us read.
	FaultUnreadable FaultKind = 1
	// FaultTorn is a file that does not end with a record.
	FaultTorn FaultKind = 2
	// FaultDamaged is a place that holds no record, with captures behind it.
	FaultDamaged FaultKind = 3
	// FaultEmpty is a finished file without captures.
	FaultEmpty FaultKind = 4
	// FaultBlockDigest is a record whose block has another digest than it says.
	FaultBlockDigest FaultKind = 5
	// FaultPayloadDigest is a record whose payload has another digest than it
	// says.
	FaultPayloadDigest FaultKind = 6
	// FaultNoIndex is a file with captures and without index.
	FaultNoIndex FaultKind = 7
	// FaultLineMissing is a capture without line in the index.
	FaultLineMissing FaultKind = 8
	// FaultLineWrong is a capture whose line says something else than it.
	FaultLineWrong FaultKind = 9
	// FaultLineStray is a line of the index that tells of no capture. Its
	// offset is in the index.
	FaultLineStray FaultKind = 10
	// FaultNoOriginal is a revisit of a capture that is not in the archive.
	FaultNoOriginal FaultKind = 11
	// FaultOtherPayload is a revisit of a capture with another payload.
	FaultOtherPayload FaultKind = 12
)

// String returns the kind in words, to be read after the place.
func (k FaultKind) String() string {
	switch k {
	case FaultUnreadable:
		return "cannot be read"
	case FaultTorn:
		return "does not end with a record"
	case FaultDamaged:
		return "damaged record"
	case FaultEmpty:
		return "no captures"
	case FaultBlockDigest:
		return "wrong block digest"
	case FaultPayloadDigest:
		return "wrong payload digest"
	case FaultNoIndex:
		return "no index"
	case FaultLineMissing:
		return "capture missing in the index"
	case FaultLineWrong:
		return "wrong line in the index"
	case FaultLineStray:
		return "line of no capture in the index"
	case FaultNoOriginal:
		return "revisit of a capture that is not there"
	case FaultOtherPayload:
		return "revisit of a capture with another payload"
	}
	return fmt.Sprintf("fault %d", uint8(k))
}

// Fault is one thing that is wrong with an archive.
type Fault struct {
	// File is the name as in Position.
	File string
	// Offset is where in the file, or in its index for FaultLineStray, in bytes.
	Offset int64
	Kind   FaultKind
	// Detail says more, "" if there is no more to say.
	Detail string
	// Repairable says that Repair mends it.
	Repairable bool
}

// String returns the fault in one line.
func (f Fault) String() string {
	s := fmt.Sprintf("%s at %d: %s", f.File, f.Offset, f.Kind)
	if f.Detail != "" {
		s += ": " + f.Detail
	}
	return s
}
