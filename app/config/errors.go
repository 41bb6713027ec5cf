package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Error says what is wrong with one setting or one line, in words for the
// person who wrote it.
type Error struct {
	// Path is the file, "" if the value did not come from one.
	Path string
	// Line counts from 1; 0 if Path is "".
	Line int
	// Key is the setting, "" where the line could not be read.
	Key string
	// Reason says what is wrong, to be read after Key: "= 40 is out of range". It quotes what somebody typed, never what stands in a file.
	Reason string
	// Range says what would be right, "" where Reason does.
	Range string
}

// Error returns for example
// "config.toml:12: budget.full.fetchers cannot have this value: a whole number from 1 to 16".
func (e *Error) Error() string {
	var b strings.Builder
	if e.Path != "" {
		fmt.Fprintf(&b, "%s:%d: ", e.Path, e.Line)
	}
	if e.Key != "" {
		b.WriteString(e.Key + " ")
	}
	b.WriteString(e.Reason)
	if e.Range != "" {
		b.WriteString(": " + e.Range)
	}
	return b.String()
}

// maxErrors is how many errors of one file are reported: a screenful.
const maxErrors = 20

// shorten cuts text for a message, which goes to a terminal: one line, nothing
// but printable characters.
func shorten(s string) string {
	const most = 60
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// unknown returns the error for a key that does not exist.
func unknown(key string) *Error {
	e := &Error{Key: shorten(key), Reason: "is not a setting"}
	if key == "mode" { // what the user asks for by hand must not outlast a restart, and has an end
		e.Reason = "stands in no file: \"forage pause\", \"forage resume\" and \"forage resume --for 2m\" change it, \"forage limits\" shows it"
		return e
	}
	for _, f := range schema() {
		if strings.HasPrefix(f.Name, key+".") {
			e.Reason = fmt.Sprintf("is a group of settings; did you mean %q?", f.Name)
			return e
		}
	}
	if best := nearest(key); best != "" {
		e.Reason += fmt.Sprintf("; did you mean %q?", best)
	}
	return e
}

// unknownAt is unknown for a line of a file: the name that stands there is not quoted unless forage knows it.
func unknownAt(key string, line int) *Error {
	e := unknown(key)
	e.Line = line
	isGroup := func(f field) bool { return strings.HasPrefix(f.Name, key+".") }
	if key != "mode" && !slices.ContainsFunc(schema(), isGroup) {
		e.Key, e.Reason = "", "this name "+e.Reason
	}
	return e
}

// wrongAt is the error of a value in a line of a file. It says what should stand there, and not what does.
func (f field) wrongAt(line int) *Error {
	return &Error{Line: line, Key: f.Name, Reason: "cannot have this value", Range: f.Range}
}

// WrongIn is the error of a setting whose value in a file has the right form and cannot be used all the same. It says what should stand
// there, and not what does.
func WrongIn(path, key string) error {
	f, ok := find(key)
	if !ok {
		return unknown(key)
	}
	wrong := f.wrongAt(1)
	wrong.Path = path
	if text, err := readFile(path); err == nil {
		if e := parse(text).find(key); e != nil {
			wrong.Line = e.line
		}
	}
	return wrong
}

// nearest returns the known key closest to what was written, "" if none is close.
func nearest(key string) string {
	const longest = 64 // no key is near a longer one
	if key == "" || len(key) > longest {
		return ""
	}
	key = strings.ToLower(strings.ReplaceAll(key, "-", "_"))
	best, least := "", len(key)/3+1
	for _, f := range schema() {
		if strings.HasSuffix(f.Name, "."+key) {
			return f.Name
		}
		if d := editDistance(key, f.Name); d < least {
			best, least = f.Name, d
		}
	}
	return best
}

// editDistance is Levenshtein's: the number of bytes inserted, removed or
// replaced to turn a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
