// Package shown makes texts and numbers from outside such that a window can draw them.
package shown

import (
	"math"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	// Most is how many characters of a text from outside are shown: more than fits in a line.
	Most = 200
	// maxMarks is how many marks may stand on one letter: more than any script needs, too few to paint over
	// neighbours.
	maxMarks = 4
)

// Text is a text from outside, as a title or a name, as it may be drawn: one line of at most Most characters, with
// nothing in it that is not seen or turns the order of what stands around it.
func Text(text string) string {
	var b strings.Builder
	b.Grow(min(len(text), Most))
	count, marks, gap := 0, 0, false
	for i, r := range text {
		if i > 8*Most {
			return b.String() + "…" // nothing but what is left out
		}
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			gap = b.Len() > 0
			continue
		}
		if unseen(r) {
			continue
		}
		if unicode.In(r, unicode.Mn, unicode.Me) {
			if marks++; marks > maxMarks {
				continue
			}
		} else {
			marks = 0
		}
		if count >= Most {
			return b.String() + "…"
		}
		if gap {
			b.WriteByte(' ')
			gap = false
			count++
		}
		b.WriteRune(r) // what is no UTF-8 comes as utf8.RuneError
		count++
	}
	return b.String()
}

// unseen reports whether a character has no shape of its own. The joiners of scripts and emoji stay.
func unseen(r rune) bool {
	switch r {
	case '\u200c', '\u200d':
		return false
	case '\u115f', '\u1160', '\u3164', '\uffa0': // fillers
		return true
	}
	if r == utf8.RuneError {
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp,
		unicode.Other_Default_Ignorable_Code_Point)
}

// Piece is Text for a piece of a text, which keeps one blank on each side if it has one there.
func Piece(text string) string {
	piece := Text(text)
	blank := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || unseen(r) }
	switch start := strings.TrimLeftFunc(text, blank); {
	case piece == "":
		return strings.Repeat(" ", min(1, len(text)))
	case start != text:
		piece = " " + piece
	}
	if strings.TrimRightFunc(text, blank) != text {
		piece += " "
	}
	return piece
}

// First returns the first text that says something when it is shown, as it is shown.
func First(texts ...string) string {
	for _, t := range texts {
		if t = Text(t); t != "" {
			return t
		}
	}
	return "–"
}

// Seconds is a length of time of so many seconds, 0 for what is none and at most a year.
func Seconds(s float64) time.Duration {
	const year = 365 * 24 * time.Hour
	if math.IsNaN(s) || s <= 0 {
		return 0
	}
	return time.Duration(min(s, year.Seconds()) * float64(time.Second))
}

// Amount is a number that can be told of: from 0 to 10^18.
func Amount(f float64) float64 {
	if !(f > 0) {
		return 0
	}
	return min(f, 1e18)
}

// Path is the path of an address, for where the site is named beside it.
func Path(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return Text(address)
	}
	path := u.Path
	if path == "" {
		path = "/"
	}
	if u.RawQuery != "" {
		query, err := url.QueryUnescape(u.RawQuery)
		if err != nil {
			query = u.RawQuery
		}
		path += "?" + query
	}
	return Text(path)
}
