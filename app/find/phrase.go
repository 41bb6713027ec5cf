package find

import (
	"slices"

	"github.com/forage-net/forage/crawl/words"
)

// phrases looks for sequences of words in a text. It implements words.Sink.
type phrases struct {
	numbers map[string]int // of the words of all phrases, folded
	wanted  [][]int
	found   []bool
	last    []int // the words before, back to the last one of no phrase; at most as many as the longest phrase has
	at      words.Place
	most    int
	folded  []byte
}

func newPhrases(wanted [][]string) *phrases {
	p := &phrases{numbers: make(map[string]int)}
	for _, w := range wanted {
		var phrase []int
		for _, word := range w {
			word = words.Term("", word)
			if _, ok := p.numbers[word]; !ok {
				p.numbers[word] = len(p.numbers)
			}
			phrase = append(phrase, p.numbers[word])
		}
		p.wanted = append(p.wanted, phrase)
		p.most = max(p.most, len(phrase))
	}
	p.Reset()
	return p
}

// Reset implements words.Sink.
func (p *phrases) Reset() { p.found, p.last = make([]bool, len(p.wanted)), p.last[:0] }

// Word implements words.Sink.
func (p *phrases) Word(at words.Place, word []byte) {
	if at != p.at {
		p.at, p.last = at, p.last[:0]
	}
	p.folded = words.AppendFolded(p.folded[:0], word)
	n, ok := p.numbers[string(p.folded)]
	if !ok {
		p.last = p.last[:0]
		return
	}
	if len(p.last) == p.most {
		copy(p.last, p.last[1:])
		p.last = p.last[:p.most-1]
	}
	p.last = append(p.last, n)
	for i, w := range p.wanted {
		p.found[i] = p.found[i] || endsWith(p.last, w)
	}
}

func endsWith(list, end []int) bool {
	return len(end) <= len(list) && slices.Equal(list[len(list)-len(end):], end)
}

// all reports whether all phrases were found.
func (p *phrases) all() bool {
	return !slices.Contains(p.found, false)
}
