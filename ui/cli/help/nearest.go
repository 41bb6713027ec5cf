package help

import (
	"strings"

	"github.com/forage-net/forage/app/config/typo"
)

// nearest returns the known word that somebody who wrote word most likely meant, "" if none is
// close: the only one that begins so, or the one with the fewest slips of the keyboard.
func nearest(word string, known []string) string {
	const longest = 40 // nothing we know is near a longer one
	word = strings.ToLower(word)
	if word == "" || len(word) > longest {
		return ""
	}
	var begins []string
	best, least := "", len(word)/3+2
	for _, k := range known {
		if strings.HasPrefix(k, word) {
			begins = append(begins, k)
		}
		if d := typo.Slips(word, k); d < least {
			best, least = k, d
		}
	}
	if len(begins) == 1 && least > 1 {
		return begins[0]
	}
	if least >= max(len(word), len(best)) { // all of it would be wrong
		return ""
	}
	return best
}
