package autostart

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/forage-net/forage/assets/words"
)

// Registry is the user's part of the Windows registry, HKEY_CURRENT_USER.
type Registry interface {
	// String returns a value of type REG_SZ; ok is false if there is none by that name.
	String(key, name string) (value string, ok bool, err error)
	// Binary returns a value of type REG_BINARY.
	Binary(key, name string) (value []byte, ok bool, err error)
	// SetString makes the key if it is missing.
	SetString(key, name, value string) error
	// Delete does nothing if there is no such value.
	Delete(key, name string) error
}

const (
	runKeyPath = `Software\Microsoft\Windows\CurrentVersion\Run`
	// approvedKeyPath is where the task manager notes what the user switched off.
	approvedKeyPath = `Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run`
	// ownKeyPath holds what we wrote to the Run key: a command line has no room for a marker.
	ownKeyPath  = `Software\forage`
	ownName     = "Autostart"
	runName     = "forage"
	runPlace    = `HKCU\` + runKeyPath + `\` + runName
	maxRunUnits = 260 // of UTF-16; Windows ignores longer values
)

// runKey is the value of the Run key.
type runKey struct{ r Registry }

// read returns the value, and whose it is.
func (k *runKey) read() (value string, whose owner, err error) {
	value, ok, err := k.r.String(runKeyPath, runName)
	if err != nil || !ok {
		return "", absent, err
	}
	written, _, err := k.r.String(ownKeyPath, ownName)
	if err != nil {
		return "", absent, err
	}
	if slices.Contains(strings.Split(written, "\n"), value) {
		return value, ours, nil
	}
	return value, foreign, nil
}

func (k *runKey) status() (State, error) {
	value, whose, err := k.read()
	switch {
	case err != nil:
		return State{}, err
	case whose == foreign:
		return State{Foreign: []string{runPlace}}, nil
	case whose == absent:
		return State{}, nil
	}
	approved, ok, err := k.r.Binary(approvedKeyPath, runName)
	if err != nil {
		return State{}, err
	}
	off := ok && len(approved) > 0 && approved[0]&1 == 1
	return State{Kind: Session, Place: runPlace, Command: parseCommandLine(value), Disabled: off}, nil
}

func (k *runKey) enable(command []string) error {
	line, err := commandLine(command)
	if err != nil {
		return err
	}
	old, whose, err := k.read()
	if err != nil {
		return err
	}
	if whose == foreign {
		return fmt.Errorf("%s %w", runPlace, ErrForeign)
	}
	// Both are ours until the change is done, so that an end in the middle of it leaves nothing foreign.
	if err := k.r.SetString(ownKeyPath, ownName, line+"\n"+old); err != nil {
		return err
	}
	if err := k.r.SetString(runKeyPath, runName, line); err != nil {
		return err
	}
	if err := k.r.SetString(ownKeyPath, ownName, line); err != nil {
		return err
	}
	// Whoever asks for it now has changed their mind.
	return k.r.Delete(approvedKeyPath, runName)
}

func (k *runKey) disable() error {
	_, whose, err := k.read()
	if err != nil {
		return err
	}
	if whose == foreign {
		return fmt.Errorf("%s %w", runPlace, ErrForeign)
	}
	if whose == absent {
		return k.r.Delete(ownKeyPath, ownName)
	}
	return errors.Join(k.r.Delete(runKeyPath, runName), k.r.Delete(ownKeyPath, ownName))
}

// commandLine writes a command as programs on Windows take theirs apart (CommandLineToArgvW).
func commandLine(command []string) (string, error) {
	if strings.Contains(command[0], `"`) {
		return "", unwritable(strconv.Quote(command[0]), words.New("said.cli.no-program-has-quotes", nil))
	}
	parts := []string{`"` + command[0] + `"`} // backslashes are no escapes in the first word
	for _, word := range command[1:] {
		parts = append(parts, windowsWord(word))
	}
	line := strings.Join(parts, " ")
	if n := len(utf16.Encode([]rune(line))); n > maxRunUnits {
		return "", words.New("said.cli.cannot-be-started-long",
			words.Args{"count": n, "most": maxRunUnits, "error": ErrUnwritable})
	}
	return line, nil
}

// windowsWord writes a word that is not the first. A quote is escaped; backslashes count as escapes only
// before one.
func windowsWord(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\"") {
		return word
	}
	var b strings.Builder
	b.WriteByte('"')
	slashes := 0
	for i := range len(word) {
		switch word[i] {
		case '\\':
			slashes++
		case '"':
			b.WriteString(strings.Repeat(`\`, slashes+1))
			slashes = 0
		default:
			slashes = 0
		}
		b.WriteByte(word[i])
	}
	b.WriteString(strings.Repeat(`\`, slashes))
	b.WriteByte('"')
	return b.String()
}

// parseCommandLine takes a command line apart by the rules of CommandLineToArgvW.
func parseCommandLine(line string) []string {
	if !strings.HasPrefix(line, `"`) {
		return nil
	}
	program, rest, ok := strings.Cut(line[1:], `"`)
	if !ok {
		return nil
	}
	parts := []string{program}
	for {
		rest = strings.TrimLeft(rest, " \t")
		if rest == "" || len(parts) == maxWords {
			return parts
		}
		var word string
		word, rest = windowsArgument(rest)
		parts = append(parts, word)
	}
}

// windowsArgument takes the first word off.
func windowsArgument(s string) (word, rest string) {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(s); i++ {
		slashes := 0
		for ; i < len(s) && s[i] == '\\'; i++ {
			slashes++
		}
		switch {
		case i == len(s):
			b.WriteString(strings.Repeat(`\`, slashes))
			return b.String(), ""
		case s[i] == '"':
			b.WriteString(strings.Repeat(`\`, slashes/2))
			switch {
			case slashes%2 == 1:
				b.WriteByte('"')
			case quoted && i+1 < len(s) && s[i+1] == '"':
				b.WriteByte('"')
				i++
			default:
				quoted = !quoted
			}
			continue
		}
		b.WriteString(strings.Repeat(`\`, slashes))
		if !quoted && (s[i] == ' ' || s[i] == '\t') {
			return b.String(), s[i:]
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}
