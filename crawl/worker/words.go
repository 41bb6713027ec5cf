package worker

import (
	"github.com/forage-net/forage/crawl/extract"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/words"
)

// counter returns what counts the words of a page, nil if nobody wants them.
func (m *more) counter() *words.Counter {
	if m == nil {
		return nil
	}
	return m.words
}

// plainWords counts the words of a text that is not a page, as far as people write such texts; nil if it is none or nobody wants them.
func (m *more) plainWords(r *fetch.Response, contentType string, body []byte) *words.Counter {
	c := m.counter()
	if c == nil || r.MediaType != "text/plain" && r.MediaType != "text/markdown" {
		return nil
	}
	text, _ := extract.Decode(contentType, body)
	c.Text(words.Body, text)
	c.Break()
	return c
}
