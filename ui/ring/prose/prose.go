// Package prose makes texts such that they can be drawn: in lines, without what has no shape.
package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Longest is how much of a text is drawn, in bytes; none that fits is longer.
const Longest = 1000

// Plain is a text from elsewhere as it can be drawn: one line, without what has no shape, and of bounded length.
func Plain(text string) string {
	if len(text) > Longest {
		cut := Longest
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut]
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) && r != '\u00a0' && r != '\u202f':
			return ' '
		case !unicode.IsGraphic(r) || r == utf8.RuneError:
			return -1
		}
		return r
	}, text)
}

// Wrap breaks a sentence into lines no wider than width; a word that is wider has a line of its own. It breaks at
// spaces, not at those that hold a number and its unit together.
func Wrap(text string, width float64, measure func(string) float64) []string {
	var lines []string
	line := ""
	for word := range strings.SplitSeq(text, " ") {
		if word == "" {
			continue
		}
		longer := word
		if line != "" {
			longer = line + " " + word
		}
		if line != "" && measure(longer) > width {
			lines = append(lines, line)
			line = word
		} else {
			line = longer
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
