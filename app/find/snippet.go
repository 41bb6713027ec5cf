package find

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/crawl/words"
)

const (
	// snippetLength is how long the text around found words is, in bytes.
	snippetLength = 260
	// maxMarks bounds the marked words of a snippet.
	maxMarks = 40
)

// match is a found word in a paragraph.
type match struct{ from, to, word int }

// snippet returns the text of a page around the words that were looked for: where most of them are closest.
func snippet(paragraphs []string, word func([]byte) int) []api.SnippetPiece {
	best, at, found := 0, -1, []match(nil)
	for i, p := range paragraphs {
		list := matches(p, word)
		if n := worth(list); n > best {
			best, at, found = n, i, list
		}
	}
	if at < 0 {
		return nil
	}
	from, to := window(paragraphs[at], found)
	return pieces(paragraphs[at], from, to, found)
}

// matches returns the found words of a paragraph. word returns which one of the query a word is, -1 for none.
func matches(text string, word func([]byte) int) (list []match) {
	words.Split(text, func(from, to int, w []byte) bool {
		if n := word(w); n >= 0 {
			list = append(list, match{from, to, n})
		}
		return len(list) < 1000
	})
	return list
}

// worth values a paragraph: different words within the length of a snippet count most.
func worth(list []match) (best int) {
	for i := range list {
		seen, n := uint64(0), 0
		for _, m := range list[i:] {
			if m.to-list[i].from > snippetLength {
				break
			}
			n++
			seen |= 1 << (m.word & 63)
		}
		best = max(best, 100*ones(seen)+min(n, 20))
	}
	return best
}

func ones(v uint64) (n int) {
	for ; v > 0; v &= v - 1 {
		n++
	}
	return n
}

// window returns the part of a paragraph to be shown.
func window(text string, list []match) (from, to int) {
	best := 0
	for i := range list {
		rest := list[i:]
		for k, m := range rest {
			if m.to-rest[0].from > snippetLength {
				rest = rest[:k]
				break
			}
		}
		if n := worth(rest); n > best {
			best, from, to = n, rest[0].from, rest[max(len(rest)-1, 0)].to
		}
	}
	room := snippetLength - (to - from)
	from = max(0, from-room/3)
	to = min(len(text), from+snippetLength)
	from = max(0, min(from, to-snippetLength))
	return wordStart(text, from), wordEnd(text, to)
}

// wordStart returns where the first whole word from i on begins.
func wordStart(text string, i int) int {
	if i == 0 {
		return 0
	}
	for k := i; k < len(text) && k < i+24; k++ {
		if text[k] == ' ' {
			return k + 1
		}
	}
	for i < len(text) && !utf8.RuneStart(text[i]) {
		i++
	}
	return i
}

// wordEnd returns where the last whole word up to i ends.
func wordEnd(text string, i int) int {
	if i == len(text) {
		return i
	}
	for k := i; k > 0 && k > i-24; k-- {
		if text[k] == ' ' {
			return k
		}
	}
	for i > 0 && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}

// pieces cuts text[from:to] where found words begin and end.
func pieces(text string, from, to int, list []match) (out []api.SnippetPiece) {
	add := func(s string, match bool) {
		s = strings.Map(visible, s)
		if s == "" {
			return
		}
		if n := len(out); n > 0 && out[n-1].Match == match {
			out[n-1].Text += s
			return
		}
		out = append(out, api.SnippetPiece{Text: s, Match: match})
	}
	if from > 0 {
		add("… ", false)
	}
	for n, m := range list {
		if m.from < from || m.to > to || n > 1000 {
			continue
		}
		if len(out) > maxMarks {
			break
		}
		if m.from > from {
			add(text[from:m.from], false)
		}
		add(text[max(m.from, from):m.to], true)
		from = m.to
	}
	if from < to {
		add(text[from:to], false)
	}
	if to < len(text) {
		add(" …", false)
	}
	return out
}

func visible(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}
