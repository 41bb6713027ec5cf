package worker

import (
	"github.com/forage-net/forage/crawl/extract"
	"github.com/forage-net/forage/crawl/words"
)

// counter returns the counter for the words of a page, nil if they are not wanted.
func (m *more) counter() *words.Counter {
	if m == nil {
		return nil
	}
	return m.words
}

// plainWords counts the words of a text that is not HTML. It returns nil if people do not read such texts, or the words are not wanted.
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
