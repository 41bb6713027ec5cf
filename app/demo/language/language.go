// Package language has the languages in which the sites of the practice web write: titles and sentences that
// are put together from a site's own words, and the fixed texts of pages. It is the same at every call; nothing
// in it may be changed.
package language

import (
	"strconv"
	"strings"
)

// Language is what the pages of a language are written with. Titles and
// sentences are put together from it, so a subject (a site's word: "Rye
// sourdough") must stand in them without being inflected.
type Language struct {
	Tag string // of the html lang attribute
	RTL bool   // written from right to left
	// joint stands between a subject and a qualifier in a title.
	joint      string
	qualifiers []string
	// Sentences hold {s} for a subject, {n} for a number and {y} for a year.
	Sentences []string
	// Gap stands between two sentences.
	Gap   string
	Words Words
}

// Words are the fixed texts of a page.
type Words struct {
	Home, About, Contact, Contents, Next, Previous, Related, Elsewhere, Print, Page, Missing string
	Year, Count, Remark                                                                      string
}

// All returns the languages by tag.
func All() map[string]*Language {
	all := make(map[string]*Language)
	for _, l := range []*Language{
		english(), german(), french(), spanish(), portuguese(), italian(), dutch(), swedish(), polish(), turkish(),
		russian(), greek(), arabic(), hebrew(), hindi(), japanese(), chinese(), korean(),
	} {
		all[l.Tag] = l
	}
	return all
}

// Title returns the k-th title about some subjects. Titles repeat only where
// k exceeds what there is to combine, and are numbered then.
func (l *Language) Title(subjects []string, k int) string {
	s := k % len(subjects)
	round := k / len(subjects)
	q := (round + s) % len(l.qualifiers)
	title := subjects[s] + l.joint + l.qualifiers[q]
	if volume := round / len(l.qualifiers); volume > 0 {
		title += " · " + strconv.Itoa(volume+1)
	}
	return title
}

// AppendSentence appends the i-th sentence, modulo their number, about a
// subject. below returns a number from 0 to n-1.
func (l *Language) AppendSentence(b []byte, below func(n int) int, i int, subject string) []byte {
	s := l.Sentences[i%len(l.Sentences)]
	for {
		at := strings.IndexByte(s, '{')
		if at < 0 {
			return append(b, s...)
		}
		b = append(b, s[:at]...)
		switch s[at+1] {
		case 's':
			b = append(b, subject...)
		case 'n':
			b = strconv.AppendInt(b, int64(2+below(46)), 10)
		case 'y':
			b = strconv.AppendInt(b, int64(1950+below(76)), 10)
		}
		s = s[at+len("{s}"):]
	}
}
