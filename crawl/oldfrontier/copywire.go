package frontier

import (
	"fmt"

	"github.com/forage-net/forage/crawl"
)

// copyStage says what a request is about. The numbers are on the wire.
type copyStage uint8

const (
	stageNames copyStage = 0 // which domains there are
	stageWants copyStage = 1 // what is known of some of them
	stageLists copyStage = 2 // what is not sorted by domain
	stageTidy  copyStage = 3 // nothing: the one that asks is still at work
	stageHead  copyStage = 4 // the head of the log
)

// copyRequest is what a member asks for, and how far it has come.
type copyRequest struct {
	_     struct{} `cbor:",toarray"`
	Stage copyStage
	// After is the domain behind which names are asked for, now or, in stageWants, next.
	After crawl.Domain
	// Limit is how many names, 0 for as many as there may be. None says that there are none behind After.
	Limit uint16
	None  bool
	Wants []copyWant
	Tidy  tidyPart // in stageTidy
	From  []byte
}

// copyWant is a domain that is wanted, or with an empty name what is not sorted by domain.
type copyWant struct {
	_    struct{} `cbor:",toarray"`
	Name crawl.Domain
	// Part and From say where to go on: a part, and a key in it without the name of the
	// domain; empty means its beginning.
	Part copyPart
	From []byte
	// Ranges are those that the one that asks has, from there on. They follow each other: each
	// begins where the one before ends, or at the beginning of its part. Of one that an answer has come to
	// the middle of, the sum stays as it was: the rest is sent.
	Ranges []copyRange
	// Short says that it has more than those, so the answer is not to go beyond them.
	Short bool
	// Hosts says how far its hosts have been looked at.
	Hosts []byte
}

// copyRange is a range of keys of a part.
type copyRange struct {
	_    struct{} `cbor:",toarray"`
	Part copyPart
	End  []byte // the first key behind it
	Sum  []byte // of its keys and values
}

// copyAnswer is the answer to a copyRequest.
type copyAnswer struct {
	_     struct{} `cbor:",toarray"`
	Names []copyName
	More  bool // there are others behind Names
	Given []copyGiven
	Head  []byte // encoded metaRecord
}

// copyName says that there is a domain.
type copyName struct {
	_    struct{} `cbor:",toarray"`
	Name crawl.Domain
	Sum  []byte // as in buckets.sumOf; empty if it has no record
}

// copyGiven is what there is of a part, from where the want or what was given before it ends.
type copyGiven struct {
	_     struct{} `cbor:",toarray"`
	Want  uint16   // index
	Part  copyPart
	End   []byte // the first key behind it; empty if that is the end of the part
	Same  bool   // it is what the one that asks has
	Pairs []copyPair
}

// copyPair is a key, without the name of the domain, and its value.
type copyPair struct {
	_          struct{} `cbor:",toarray"`
	Key, Value []byte
}

func (q *copyRequest) limit() int {
	if q.Limit == 0 {
		return copyNames
	}
	return min(int(q.Limit), copyNames)
}

// decodeCopyRequest reads a request from anywhere.
func decodeCopyRequest(data []byte) (q copyRequest, err error) {
	if len(data) == 0 {
		return q, nil
	}
	if len(data) > MaxCopyRequest {
		return q, fmt.Errorf("%w: a request of %d bytes", ErrCopy, len(data))
	}
	if err := decode.Unmarshal(data, &q); err != nil {
		return q, fmt.Errorf("%w: %w", ErrCopy, err)
	}
	if !q.valid() {
		return q, fmt.Errorf("%w: request of stage %d", ErrCopy, q.Stage)
	}
	return q, nil
}

// decodeCopyAnswer reads an answer from anywhere. What is given is looked at when it is taken.
func decodeCopyAnswer(data []byte) (a copyAnswer, err error) {
	if len(data) > MaxCopyAnswer {
		return a, fmt.Errorf("%w: an answer of %d bytes", ErrCopy, len(data))
	}
	if err := decode.Unmarshal(data, &a); err != nil {
		return a, fmt.Errorf("%w: %w", ErrCopy, err)
	}
	return a, nil
}

func (q *copyRequest) valid() bool {
	ok := q.Stage <= stageHead && len(q.Wants) <= copyWants && len(q.From) <= copyKeyBytes && q.Tidy < tidyParts &&
		(q.After == "" || validDomain(q.After))
	for i := range q.Wants {
		ok = ok && q.Wants[i].valid(q.Stage)
	}
	return ok && (len(q.Wants) > 0) == (q.Stage == stageWants || q.Stage == stageLists)
}

func (w *copyWant) valid(stage copyStage) bool {
	if len(w.From) > copyKeyBytes || len(w.Hosts) > copyKeyBytes {
		return false
	}
	if stage == stageWants && (!validDomain(w.Name) || w.Part >= domainParts) {
		return false
	}
	if stage == stageLists && (w.Name != "" || w.Part < domainParts || w.Part >= copyParts) {
		return false
	}
	part, from := w.Part, w.From
	for _, r := range w.Ranges {
		if r.Part > part {
			part, from = r.Part, nil
		}
		if r.Part != part || r.Part >= w.behind() || string(r.End) <= string(from) || len(r.Sum) != rangeSum {
			return false
		}
		from = r.End
	}
	return true
}
