package scope

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"strings"
	"sync"

	"github.com/forage-net/forage/assets/words"
)

// BuiltinRefusal is an entry of the list that is always in force in the public
// world.
type BuiltinRefusal struct {
	// Pattern is canonical, as from NeverPattern.
	Pattern string
	// Reason says in a few words why nobody should be sent there.
	Reason *words.Message
}

//go:embed builtin.txt
var builtinText string

// Builtin returns the built-in list in the order of the file. The slice is
// shared and must not be changed.
func Builtin() []BuiltinRefusal { return builtin() }

// BuiltinVersion identifies the built-in list of this build: the beginning of
// the SHA-256 of its text, in hexadecimal.
func BuiltinVersion() string {
	sum := sha256.Sum256([]byte(builtinText))
	return hex.EncodeToString(sum[:8])
}

// builtin is read once and never changed: a parsed constant.
var builtin = sync.OnceValue(func() []BuiltinRefusal {
	var list []BuiltinRefusal
	var reason *words.Message
	for line := range strings.Lines(builtinText) {
		line = strings.TrimSpace(line)
		if text, ok := strings.CutPrefix(line, "="); ok {
			if reason, ok = words.Parse("said.refused." + strings.TrimSpace(text)); !ok {
				panic("scope: built-in reason " + text) // a test reads them all
			}
		} else if line != "" && line[0] != '#' {
			list = append(list, BuiltinRefusal{Pattern: line, Reason: reason})
		}
	}
	return list
})
