package find

import "github.com/forage-net/forage/crawl/words"

// phrases looks for sequences of words in a text. It implements words.Sink.
type phrases struct {
	wanted [][]string // folded
	found  []bool
	last   []string // words before, folded, at most as many as the longest phrase has
	at     words.Place
	most   int
}

func newPhrases(wanted [][]string) *phrases {
	p := &phrases{}
	for _, w := range wanted {
		var folded []string
		for _, word := range w {
			folded = append(folded, words.Term("", word))
		}
		p.wanted = append(p.wanted, folded)
		p.most = max(p.most, len(folded))
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
	if len(p.last) == p.most {
		copy(p.last, p.last[1:])
		p.last = p.last[:p.most-1]
	}
	p.last = append(p.last, string(words.AppendFolded(nil, word)))
	for i, w := range p.wanted {
		p.found[i] = p.found[i] || endsWith(p.last, w)
	}
}

func endsWith(list, end []string) bool {
	if len(end) > len(list) {
		return false
	}
	list = list[len(list)-len(end):]
	for i, w := range end {
		if list[i] != w {
			return false
		}
	}
	return true
}

// all reports whether all phrases were found.
func (p *phrases) all() bool {
	for _, ok := range p.found {
		if !ok {
			return false
		}
	}
	return true
}

// in reports whether a page has all phrases. Its address counts.
func (p *phrases) in(s *stored) bool {
	p.Reset()
	r := words.Reader{Sink: p}
	s.read(&r)
	if p.all() {
		return true
	}
	r.Text(words.Address, []byte(s.url.String()))
	r.Break()
	return p.all()
}
