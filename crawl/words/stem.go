package words

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
)

// stemmers take the endings off the words of a language.
var stemmers = map[string]func(*snowballstem.Env) bool{
	"ar": arabic.Stem, "da": danish.Stem, "de": german.Stem, "en": english.Stem, "es": spanish.Stem, "fi": finnish.Stem,
	"fr": french.Stem, "ga": irish.Stem, "hu": hungarian.Stem, "it": italian.Stem, "nl": dutch.Stem,
	"no": norwegian.Stem, "nb": norwegian.Stem, "nn": norwegian.Stem, "pt": portuguese.Stem, "ro": romanian.Stem,
	"ru": russian.Stem, "sv": swedish.Stem, "ta": tamil.Stem, "tr": turkish.Stem,
}

// Primary returns the first part of a language tag in lower case: "de" of "de-AT". It is "" for anything that is not a
// tag.
func Primary(tag string) string {
	if i := strings.IndexAny(tag, "-_"); i >= 0 {
		tag = tag[:i]
	}
	tag = strings.ToLower(tag)
	if len(tag) < 2 || len(tag) > 3 || strings.Trim(tag, "abcdefghijklmnopqrstuvwxyz") != "" {
		return ""
	}
	return tag
}

// Term returns the term of a word of a language: a primary tag, "" if it is not known. A stem carries its language
// behind a zero byte: what is left of a word in one language may be a word in another.
func Term(language, word string) string {
	mark := ""
	if stem := stemmers[language]; stem != nil && stemmable(word) {
		mark = "\x00" + language
		env := snowballstem.NewEnv(word)
		stem(env)
		if stemmed := env.Current(); utf8.RuneCountInString(stemmed) >= leastStem {
			word = stemmed
		}
	}
	return string(AppendFolded(nil, []byte(word))) + mark
}

// leastStem is how many letters a stem has at least. What is shorter says nothing.
const leastStem = 3

// stemmable reports whether a word has letters alone.
func stemmable(word string) bool { return len(word) > 2 && !strings.ContainsAny(word, "0123456789") }

// Terms returns the terms that a word has in any language, each once. The first is that of the word as it is.
func Terms(word string) []string {
	list := []string{Term("", word)}
	for language := range stemmers {
		for _, w := range []string{word, list[0]} { // people leave accents out
			if t := Term(language, w); !contains(list, t) {
				list = append(list, t)
			}
		}
	}
	return list
}

func contains(list []string, s string) bool {
	return slices.Contains(list, s)
}

// maxStems bounds the terms that a Stemmer remembers, of all languages together: up to 15 MB.
const maxStems = 1 << 17

// Stemmer remembers the terms of words. The zero value is ready. It is not safe for concurrent use.
type Stemmer struct {
	known    map[string]map[string]string
	language string            // of the word before
	list     map[string]string // known[language]
	size     int               // of all lists
}

// Term is like the function of that name.
func (s *Stemmer) Term(language string, word []byte) string {
	if s.list == nil || language != s.language {
		s.turn(language)
	}
	if term, ok := s.list[string(word)]; ok {
		return term
	}
	if s.size++; s.size > maxStems {
		*s = Stemmer{size: 1}
		s.turn(language)
	}
	term := Term(language, string(word))
	s.list[string(word)] = term
	return term
}

// turn makes list that of a language. All languages that are not known share one.
func (s *Stemmer) turn(language string) {
	s.language = language
	if stemmers[language] == nil {
		language = ""
	}
	if s.known == nil {
		s.known = make(map[string]map[string]string)
	}
	if s.list = s.known[language]; s.list == nil {
		s.list = make(map[string]string)
		s.known[language] = s.list
	}
}
