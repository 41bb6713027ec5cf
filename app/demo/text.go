package demo

import "strings"

// language is what the pages of a language are written with. Titles and
// sentences are put together from it, so a subject (a site's word: "Rye
// sourdough") must stand in them without being inflected.
type language struct {
	tag string // of the html lang attribute
	rtl bool
	// joint stands between a subject and a qualifier in a title.
	joint      string
	qualifiers []string
	// sentences hold {s} for a subject, {n} for a number and {y} for a year.
	sentences []string
	// gap stands between two sentences.
	gap   string
	words words
}

// words are the fixed texts of a page.
type words struct {
	home, about, contact, contents, next, previous, related, elsewhere, print, page, missing string
	year, count, remark                                                                      string
}

// languages returns the languages by tag.
func languages() map[string]*language {
	all := make(map[string]*language)
	for _, l := range []*language{
		english(), german(), french(), spanish(), portuguese(), italian(), dutch(), swedish(), polish(), turkish(),
		russian(), greek(), arabic(), hebrew(), hindi(), japanese(), chinese(), korean(),
	} {
		all[l.tag] = l
	}
	return all
}

// title returns the k-th title about some subjects. Titles repeat only where
// k exceeds what there is to combine, and are numbered then.
func (l *language) title(subjects []string, k int) string {
	s := k % len(subjects)
	round := k / len(subjects)
	q := (round + s) % len(l.qualifiers)
	title := subjects[s] + l.joint + l.qualifiers[q]
	if volume := round / len(l.qualifiers); volume > 0 {
		title += " · " + itoa(volume+1)
	}
	return title
}

// appendSentence appends the i-th sentence, modulo their number, about a
// subject.
func (l *language) appendSentence(b []byte, r *random, i int, subject string) []byte {
	s := l.sentences[i%len(l.sentences)]
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
			b = appendInt(b, 2+r.below(46))
		case 'y':
			b = appendInt(b, 1950+r.below(76))
		}
		s = s[at+len("{s}"):]
	}
}
