package api

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/forage-net/forage/assets"
)

// errCommon is returned for a password that is among the first that everybody tries.
var errCommon = errors.New("this is one of the passwords that everybody tries first; take another")

var sortedCommon = sync.OnceValue(func() []string {
	list := strings.Fields(assets.CommonPasswords())
	slices.Sort(list)
	return list
})

// isCommon reports whether a password is one of the commonest, however it is capitalised.
func isCommon(password string) bool {
	_, found := slices.BinarySearch(sortedCommon(), strings.ToLower(strings.TrimSpace(password)))
	return found
}
