// Package language has the languages in which the sites of the practice web write: titles and sentences that
// are put together from a site's own words, and the fixed texts of pages. The files beside this one have them, one a
// language.
package language

import (
	"embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

//go:embed *.json
var files embed.FS

// Language is what the pages of a language are written with. Titles and
// sentences are put together from it, so a subject (a site's word: "Rye
// sourdough") must stand in them without being inflected.
type Language struct {
	Tag string // of the html lang attribute
	RTL bool   // written from right to left
	// Joint stands between a subject and a qualifier in a title.
	Joint      string
	Qualifiers []string
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
	list, err := files.ReadDir(".")
	all := make(map[string]*Language)
	for _, f := range list {
		var raw []byte
		var l Language
		if raw, err = files.ReadFile(f.Name()); err == nil {
			err = json.Unmarshal(raw, &l)
		}
		if err != nil || l.Tag+".json" != f.Name() {
			panic(fmt.Sprintf("language: %s of %q: %v", f.Name(), l.Tag, err)) // they are built in
		}
		all[l.Tag] = &l
	}
	return all
}

// Title returns the k-th title about some subjects. Titles repeat only where
// k exceeds what there is to combine, and are numbered then.
func (l *Language) Title(subjects []string, k int) string {
	s := k % len(subjects)
	round := k / len(subjects)
	q := (round + s) % len(l.Qualifiers)
	title := subjects[s] + l.Joint + l.Qualifiers[q]
	if volume := round / len(l.Qualifiers); volume > 0 {
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
