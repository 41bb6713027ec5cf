package warc

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/forage-net/forage/crawl/words"
)

// appendUnescaped appends a URL with its percent escapes undone.
func appendUnescaped(b, url []byte) []byte {
	for i := 0; i < len(url); i++ {
		if url[i] == '%' && i+2 < len(url) {
			hi, lo := unhex(url[i+1]), unhex(url[i+2])
			if hi >= 0 && lo >= 0 {
				b = append(b, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		b = append(b, url[i])
	}
	return b
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// asStored escapes what is escaped in titles of index lines.
var asStored = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// wordsOf returns the folded words of a query, each once, with quotes and
// backslashes escaped as in index lines, and escapes of URLs undone as there.
func wordsOf(query string) [][]byte {
	var list [][]byte
	for _, w := range bytes.FieldsFunc([]byte(strings.ToValidUTF8(query, " ")), unicode.IsSpace) {
		w = words.AppendFolded(nil, appendUnescaped(nil, []byte(asStored.Replace(string(w)))))
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
