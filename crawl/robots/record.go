package robots

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/forage-net/forage/crawl"
)

// ErrRecord is returned for bytes that are no record.
var ErrRecord = errors.New("not a robots.txt record")

const (
	// lifetime is the longest a record is good for where the server answered (RFC 9309 §2.4).
	lifetime = 24 * time.Hour
	// minLifetime is the shortest that a server can ask for. Many forbid
	// caching of whatever they make, and would be asked before every page.
	minLifetime = 5 * time.Minute
	// firstRetry is the wait after the first failure; each further one in a
	// row doubles it, up to crawl.MaxWait.
	firstRetry = 5 * time.Minute
)

// Class says what the server answered when asked for its robots.txt. The
// numbers are on disk.
type Class uint8

const (
	// ClassRules is a robots.txt.
	ClassRules Class = 1
	// ClassAllowAll means there is none: any 4xx but 429.
	ClassAllowAll Class = 2
	// ClassUnreachable means we do not know: nothing may be fetched.
	ClassUnreachable Class = 3
)

// Record is what is known of the robots.txt of one origin (crawl.URL.Origin).
// The zero value knows nothing and is good for nothing.
type Record struct {
	Class Class
	// Fetched is when the server was asked, to the second.
	Fetched time.Time
	// Failures counts the attempts in a row that failed, up to 255.
	Failures uint8
	// NextTry is when an unreachable server is asked again, to the second;
	// the zero value for the other classes.
	NextTry time.Time
	// Lifetime is how long the server wants the answer to be good for, in
	// whole seconds and at most a day; 0 if it does not say.
	Lifetime time.Duration
	// Status is the HTTP status of the last answer, 0 if there was none.
	Status int
	// Body is the text of the rules, in clean spelling: what concerns us and no more. It is not
	// changed once it is here.
	Body []byte
}

// Fresh reports whether r may be relied on at now. A record from the future
// is not fresh: the clock was set back, and its age cannot be told.
func (r *Record) Fresh(now time.Time) bool {
	if now.Before(r.Fetched) {
		return false
	}
	switch r.Class {
	case ClassRules, ClassAllowAll:
		return now.Sub(r.Fetched) < r.life()
	case ClassUnreachable:
		return now.Before(r.NextTry) && now.Sub(r.Fetched) < crawl.MaxWait
	}
	return false
}

// life returns how long the answer of a server is good for.
func (r *Record) life() time.Duration {
	if r.Lifetime > 0 {
		return min(r.Lifetime, lifetime)
	}
	return lifetime
}

// Rules parses the body. Where the server could not be reached the rules
// forbid everything.
func (r *Record) Rules() *Rules {
	switch r.Class {
	case ClassRules:
		return Parse(r.Body)
	case ClassAllowAll:
		return &Rules{}
	}
	return &Rules{closed: true}
}

// Verdict says what robots.txt means for one URL.
type Verdict uint8

const (
	// Deferred means that nobody knows yet: ask for robots.txt first.
	Deferred Verdict = iota
	// Forbidden means that the URL must not be fetched.
	Forbidden
	// Allowed means that it may be.
	Allowed
)

// Verdict decides about u by r and its rules. If the verdict is Deferred, wait is the time
// until the server may be asked for robots.txt again, 0 for at once.
func (r *Record) Verdict(now time.Time, rules *Rules, u crawl.URL) (v Verdict, wait time.Duration) {
	switch {
	case !r.Fresh(now):
		return Deferred, 0
	case r.Class == ClassUnreachable:
		return Deferred, min(r.NextTry.Sub(now), crawl.MaxWait-now.Sub(r.Fetched))
	case rules.Allowed(u):
		return Allowed, 0
	}
	return Forbidden, 0
}

// record is a Record on disk. The numbers of the fields are never reused.
type record struct {
	Class    Class  `cbor:"1,keyasint"`
	Fetched  int64  `cbor:"2,keyasint"` // Unix seconds
	Failures uint8  `cbor:"3,keyasint,omitempty"`
	NextTry  int64  `cbor:"4,keyasint,omitempty"` // Unix seconds, 0 for none
	Status   uint16 `cbor:"5,keyasint,omitempty"`
	Body     []byte `cbor:"6,keyasint,omitempty"`
	Lifetime uint32 `cbor:"7,keyasint,omitempty"` // seconds
}

// maxRecord is the longest record in bytes: the body and some numbers.
const maxRecord = MaxBody + 256

// decoding holds the limits for bytes from disk. It is never changed.
var decoding = sync.OnceValue(func() cbor.DecMode {
	mode, err := cbor.DecOptions{
		DupMapKey:        cbor.DupMapKeyEnforcedAPF,
		IndefLength:      cbor.IndefLengthForbidden,
		TagsMd:           cbor.TagsForbidden,
		MaxNestedLevels:  4,
		MaxArrayElements: 16,
		MaxMapPairs:      16,
	}.DecMode()
	if err != nil {
		panic(err) // the options above contradict each other
	}
	return mode
})

// MarshalBinary implements encoding.BinaryMarshaler.
func (r Record) MarshalBinary() ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	d := record{
		Class: r.Class, Fetched: r.Fetched.Unix(), Failures: r.Failures,
		Status: uint16(r.Status), Body: r.Body, Lifetime: uint32(r.Lifetime / time.Second),
	}
	if !r.NextTry.IsZero() {
		d.NextTry = r.NextTry.Unix()
	}
	return cbor.Marshal(d)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. It copies what it
// keeps. The error is ErrRecord.
func (r *Record) UnmarshalBinary(b []byte) error {
	if len(b) > maxRecord {
		return fmt.Errorf("%w: %d bytes", ErrRecord, len(b))
	}
	var d record
	if err := decoding().Unmarshal(b, &d); err != nil {
		return fmt.Errorf("%w: %w", ErrRecord, err)
	}
	v := Record{
		Class: d.Class, Fetched: time.Unix(d.Fetched, 0), Failures: d.Failures,
		Status: int(d.Status), Body: d.Body, Lifetime: time.Duration(d.Lifetime) * time.Second,
	}
	if d.NextTry != 0 {
		v.NextTry = time.Unix(d.NextTry, 0)
	}
	if err := v.check(); err != nil {
		return err
	}
	*r = v
	return nil
}

// check returns ErrRecord if r holds what no record may.
func (r *Record) check() error {
	switch {
	case r.Class < ClassRules || r.Class > ClassUnreachable:
		return fmt.Errorf("%w: class %d", ErrRecord, r.Class)
	case r.Status < 0 || r.Status > 999:
		return fmt.Errorf("%w: status %d", ErrRecord, r.Status)
	case r.Lifetime < 0 || r.Lifetime > lifetime:
		return fmt.Errorf("%w: lifetime %v", ErrRecord, r.Lifetime)
	case len(r.Body) > MaxBody:
		return fmt.Errorf("%w: body of %d bytes", ErrRecord, len(r.Body))
	}
	return nil
}
