package api

import (
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/forage-net/forage/assets"
)

// errCommon is returned for a password that is among the first that everybody tries.
var errCommon = errors.New("this is one of the passwords that everybody tries first; take another")

var sortedCommon = sync.OnceValue(func() []string {
	list := strings.Fields(assets.CommonPasswords())
	slices.Sort(list)
	return list
})

// isCommon reports whether a password is among those that are tried first, however it is capitalised: one of the
// commonest, or the name of this computer or of the program, alone or with digits and signs behind it; a piece that
// repeats; characters that follow each other.
func isCommon(password string) bool {
	password = strings.ToLower(strings.TrimSpace(password))
	if repeats(password) || rises(password) {
		return true
	}
	host, _ := os.Hostname()
	host = strings.ToLower(host)
	short, _, _ := strings.Cut(host, ".")
	base := strings.TrimRightFunc(password, func(r rune) bool { return !unicode.IsLetter(r) })
	for _, text := range []string{password, base} {
		if _, found := slices.BinarySearch(sortedCommon(), text); found || text != "" && (text == host || text == short || text == "forage") {
			return true
		}
	}
	return false
}

// repeats reports whether a text is one piece again and again, the last one perhaps cut off.
func repeats(text string) bool {
	for piece := 1; piece <= len(text)/2; piece++ {
		if text[piece:] == text[:len(text)-piece] {
			return true
		}
	}
	return false
}

// rises reports whether each character of a text is the one before it, its neighbour in the alphabet, or, after 9, a 0,
// and the other way.
func rises(text string) bool {
	for i := 1; i < len(text); i++ {
		pair := text[i-1 : i+1]
		if step := int(pair[1]) - int(pair[0]); (step < -1 || step > 1) && pair != "90" && pair != "09" {
			return false
		}
	}
	return true
}
