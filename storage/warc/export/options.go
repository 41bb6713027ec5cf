// Package export hands over what leaves an archive: WARC files, or the lines of their index. It leaves out captures
// that ask for it, and their revisits, which have no payload of their own. What stays is copied byte for byte. Captures
// may be appended meanwhile.
package export

import (
	"github.com/forage-net/forage/storage/warc/capture"
)

// Option changes what an export holds.
type Option func(*choices)

type choices struct {
	noIndex bool
	wish    func(*capture.Stored) Wish
}

// WithNoIndex keeps captures marked NoIndex in an export; otherwise they are
// left out, and with them their revisits, which have no payload of their own.
func WithNoIndex(o *choices) { o.noIndex = true }

// ByWish leaves out the captures for which wish returns a reason, and with them
// their revisits. It is not called for those left out as NoIndex, and must not
// keep the capture. Every record is read for it, so that nothing is exported that
// stands behind damage.
func ByWish(wish func(*capture.Stored) Wish) Option {
	return func(o *choices) { o.wish = wish }
}

func chosen(options []Option) (o choices) {
	for _, option := range options {
		option(&o)
	}
	return o
}

// Wish is what makes an export leave a capture out.
type Wish uint8

// The wishes, by weight: a capture with several counts under the first.
const (
	None     Wish = iota // it is not left out
	NoIndex              // to be kept out of indexes
	NoAI                 // to be kept out of what models are trained with
	Reserved             // rights to mine text and data are reserved
)

// LeftOut counts captures that are not in an export, by the wish that did it.
type LeftOut struct{ NoIndex, NoAI, Reserved int }

// Total is how many were left out.
func (l LeftOut) Total() int { return l.NoIndex + l.NoAI + l.Reserved }

// Add counts one capture.
func (l *LeftOut) Add(w Wish) {
	switch w {
	case NoIndex:
		l.NoIndex++
	case NoAI:
		l.NoAI++
	case Reserved:
		l.Reserved++
	}
}
