package check

import (
	"fmt"
	"strconv"

	"github.com/forage-net/forage/assets/words"
)

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

// kinds are the words for them.
var kinds = [...]*words.Message{
	Unreadable:    words.New("said.doctor.cannot-be-read", nil),
	Torn:          words.New("said.doctor.does-not-end-with-a-record", nil),
	Damaged:       words.New("said.doctor.damaged-record", nil),
	Empty:         words.New("said.doctor.no-captures", nil),
	BlockDigest:   words.New("said.doctor.wrong-block-digest", nil),
	PayloadDigest: words.New("said.doctor.wrong-payload-digest", nil),
	NoIndex:       words.New("said.doctor.no-index", nil),
	LineMissing:   words.New("said.doctor.capture-missing-in-the-index", nil),
	LineWrong:     words.New("said.doctor.wrong-line-in-the-index", nil),
	LineStray:     words.New("said.doctor.line-of-no-capture-in-the", nil),
	NoOriginal:    words.New("said.doctor.revisit-of-a-capture-that-is", nil),
	OtherPayload:  words.New("said.doctor.revisit-of-a-capture-with-another", nil),
}

// In says in a few words of a language what is wrong.
func (k Kind) In(lang string) string {
	if int(k) < len(kinds) && kinds[k] != nil {
		return kinds[k].In(lang)
	}
	return fmt.Sprintf("fault %d", uint8(k))
}

func (k Kind) String() string { return k.In(words.English) }

// Fault is one thing that is wrong with an archive. As an error it is one line.
type Fault struct {
	// File is the name as in Position.
	File string
	// Offset is where in the file, or in its index for LineStray, in bytes.
	Offset int64
	Kind   Kind
	// Detail says more, nil if there is no more to say.
	Detail error
	// Repairable says that it can be mended.
	Repairable bool
}

// In says it in a language.
func (f Fault) In(lang string) string {
	s := words.Text(lang, "said.doctor.at", words.Args{
		"file": f.File, "offset": strconv.FormatInt(f.Offset, 10), "fault": f.Kind.In(lang),
	})
	if f.Detail != nil {
		s += ": " + words.In(lang, f.Detail)
	}
	return s
}

func (f Fault) Error() string { return f.In(words.English) }
