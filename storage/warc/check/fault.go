package check

import "fmt"

// Kind says what is wrong with an archive.
type Kind uint8

// The kinds of faults. Those of an index can be repaired, and a torn file; all
// others say that bytes are lost.
const (
	// Unreadable is a file that the operating system does not let us read.
	Unreadable Kind = 1
	// Torn is a file that does not end with a record.
	Torn Kind = 2
	// Damaged is a place that holds no record, with captures behind it.
	Damaged Kind = 3
	// Empty is a finished file without captures.
	Empty Kind = 4
	// BlockDigest is a record whose block has another digest than it says.
	BlockDigest Kind = 5
	// PayloadDigest is a record whose payload has another digest than it
	// says.
	PayloadDigest Kind = 6
	// NoIndex is a file with captures and without index.
	NoIndex Kind = 7
	// LineMissing is a capture without line in the index.
	LineMissing Kind = 8
	// LineWrong is a capture whose line says something else than it.
	LineWrong Kind = 9
	// LineStray is a line of the index that tells of no capture. Its
	// offset is in the index.
	LineStray Kind = 10
	// NoOriginal is a revisit of a capture that is not in the archive.
	NoOriginal Kind = 11
	// OtherPayload is a revisit of a capture with another payload.
	OtherPayload Kind = 12
)

// String returns the kind in words, to be read after the place.
func (k Kind) String() string {
	switch k {
	case Unreadable:
		return "cannot be read"
	case Torn:
		return "does not end with a record"
	case Damaged:
		return "damaged record"
	case Empty:
		return "no captures"
	case BlockDigest:
		return "wrong block digest"
	case PayloadDigest:
		return "wrong payload digest"
	case NoIndex:
		return "no index"
	case LineMissing:
		return "capture missing in the index"
	case LineWrong:
		return "wrong line in the index"
	case LineStray:
		return "line of no capture in the index"
	case NoOriginal:
		return "revisit of a capture that is not there"
	case OtherPayload:
		return "revisit of a capture with another payload"
	}
	return fmt.Sprintf("fault %d", uint8(k))
}

// Fault is one thing that is wrong with an archive.
type Fault struct {
	// File is the name as in Position.
	File string
	// Offset is where in the file, or in its index for LineStray, in bytes.
	Offset int64
	Kind   Kind
	// Detail says more, "" if there is no more to say.
	Detail string
	// Repairable says that it can be mended.
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
