package help

import "strings"

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
		if d := slips(word, k); d < least {
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

// slips is how many bytes must be added, dropped, replaced or swapped with the next to
// turn a into b.
func slips(a, b string) int {
	last, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := row[j]
			if a[i] != b[j] {
				cost++
			}
			next[j+1] = min(cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], last[j-1]+1)
			}
		}
		last, row = row, next
	}
	return row[len(b)]
}
