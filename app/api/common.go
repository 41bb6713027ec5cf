package api

import (
	_ "embed"
	"errors"
	"slices"
	"strings"
	"sync"
)

// errCommon is returned for a password that is among the first that everybody tries.
var errCommon = errors.New("this is one of the passwords that everybody tries first; take another")

// commonPasswords are the commonest passwords that are long enough to be taken, in lower case, one a line: those among the 47,000 of
// github.com/trustelem/zxcvbn (MIT licence).
//
//go:embed common-passwords.txt
var commonPasswords string

var sortedCommon = sync.OnceValue(func() []string {
	list := strings.Fields(commonPasswords)
	slices.Sort(list)
	return list
})

// isCommon reports whether a password is one of the commonest, however it is capitalised.
func isCommon(password string) bool {
	_, found := slices.BinarySearch(sortedCommon(), strings.ToLower(strings.TrimSpace(password)))
	return found
}
