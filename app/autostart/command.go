package autostart

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forage-net/forage/assets/words"
)

// maxWord and maxWords bound a command: systems have limits of their own not far above.
const (
	maxWord  = 4096
	maxWords = 64
)

// check refuses commands that not every format can hold. Characters that could begin a new line are among
// them: none may become a line of its own in a file that says what to run.
func check(goos string, command []string) error {
	if len(command) == 0 || len(command) > maxWords {
		return words.New("said.cli.cannot-be-started-words",
			words.Args{"count": len(command), "error": ErrUnwritable})
	}
	if !isAbs(goos, command[0]) {
		return unwritable(strconv.Quote(command[0]), errNotAbsolute)
	}
	for _, word := range command {
		if err := checkWord(word); err != nil {
			return err
		}
	}
	return nil
}

var errNotAbsolute = words.New("said.cli.it-is-no-absolute-path", nil)

// unwritable says why a word cannot be written down.
func unwritable(word string, why error) error {
	return fmt.Errorf("%s %w: %w", word, ErrUnwritable, why)
}

func checkWord(word string) error {
	if len(word) > maxWord {
		return unwritable(fmt.Sprintf("%.40q…", word), words.New("said.cli.it-is-too-long", nil))
	}
	bad := func(r rune) bool {
		return unicode.IsControl(r) || r == '\uFFFE' || r == '\uFFFF' || r == '\u2028' || r == '\u2029'
	}
	if !utf8.ValidString(word) || strings.ContainsFunc(word, bad) {
		return unwritable(strconv.Quote(word), words.New("said.cli.a-character-that-cannot-be-written", nil))
	}
	return nil
}

// isAbs goes by goos, as the rules of each system are tested on all.
func isAbs(goos, path string) bool {
	if goos != "windows" {
		return strings.HasPrefix(path, "/")
	}
	drive := len(path) >= 3 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
	return drive || strings.HasPrefix(path, `\\`)
}

// shell runs a program whose name a format cannot hold in the first place.
var shell = []string{"/bin/sh", "-c", `exec "$@"`, "forage"}

// shielded puts a shell before a command if its program has one of the given characters.
func shielded(command []string, chars string) []string {
	if !strings.ContainsAny(command[0], chars) {
		return command
	}
	return slices.Concat(shell, command)
}

// unshielded undoes shielded.
func unshielded(command []string) []string {
	if len(command) > len(shell) && slices.Equal(command[:len(shell)], shell) {
		return command[len(shell):]
	}
	return command
}

// wordsOf reads a value word by word. It returns nil if a word is malformed, or if there are too many.
func wordsOf(value string, first func(string) (word, rest string, ok bool)) (words []string) {
	for value != "" {
		word, rest, ok := first(value)
		if !ok || len(words) == maxWords+len(shell) {
			return nil
		}
		words, value = append(words, word), rest
	}
	return words
}
