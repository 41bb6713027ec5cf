package worker

import (
	"github.com/forage-net/forage/crawl/extract"
	"github.com/forage-net/forage/crawl/words"
)

// counter returns what counts the words of a page, nil if nobody wants them.
func (m *more) counter() *words.Counter {
	if m == nil {
		return nil
	}
	return m.words
}

// plainWords counts the words of a text that is not a page; nil if it has none for people, or nobody wants them.
func (m *more) plainWords(isText bool, contentType string, body []byte) *words.Counter {
	c := m.counter()
	if c == nil || !isText {
		return nil
	}
	text, _ := extract.Decode(contentType, body)
	c.Text(words.Body, text)
	c.Break()
	return c
}
