package warc

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/forage-net/forage/crawl/words"
)

// asStored escapes what is escaped in titles of index lines.
var asStored = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// wordsOf returns the folded words of a query, each once, with quotes and
// backslashes escaped as in index lines, and escapes of URLs undone as there.
func wordsOf(query string) [][]byte {
	var list [][]byte
	for _, w := range bytes.FieldsFunc([]byte(strings.ToValidUTF8(query, " ")), unicode.IsSpace) {
		w = words.AppendFolded(nil, words.AppendUnescaped(nil, []byte(asStored.Replace(string(w)))))
		if len(w) > 0 && !containsWord(list, w) {
			list = append(list, w)
		}
	}
	return list
}

func containsWord(list [][]byte, w []byte) bool {
	for _, other := range list {
		if bytes.Equal(other, w) {
			return true
		}
	}
	return false
}
