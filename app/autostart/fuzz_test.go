package autostart

import (
	"slices"
	"strings"
	"testing"
)

// fuzzCommand calls fn with commands of a program and one word, as the system has them.
func fuzzCommand(f *testing.F, goos, program string, fn func(t *testing.T, command []string)) {
	for _, word := range awkward {
		f.Add(word, word)
	}
	f.Fuzz(func(t *testing.T, name, word string) {
		command := []string{program + name, word, "", word + name}
		if check(goos, command) == nil {
			fn(t, command)
		}
	})
}

func oneLine(t *testing.T, text string) {
	t.Helper()
	if strings.ContainsAny(text, "\r\n\x00") {
		t.Fatalf("it has more than one line: %q", text)
	}
}

func FuzzExecValue(f *testing.F) {
	fuzzCommand(f, "linux", "/opt/", func(t *testing.T, command []string) {
		value := execValue(shielded(command, "=%"))
		oneLine(t, value)
		if got := unshielded(parseExec(value)); !slices.Equal(got, command) {
			t.Fatalf("%q is written as %s, which is read as %q", command, value, got)
		}
		if strings.Contains(strings.ReplaceAll(value, "%%", ""), "%") {
			t.Fatalf("%q is written with a field code: %s", command, value)
		}
		if got := valueOf(desktopText(command), "Exec"); got != value {
			t.Fatalf("in the file it is %s, not %s", got, value)
		}
	})
}

func FuzzParseExec(f *testing.F) {
	for _, s := range []string{`/a "b c" d`, `"\\`, `a\`, `"a"b`, `"a" "`, `\s\n`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		parseExec(s)
		parseExecStart(":" + s)
		parseCommandLine(`"` + s)
		parsePlist(s)
	})
}

func FuzzExecStart(f *testing.F) {
	fuzzCommand(f, "linux", "/opt/", func(t *testing.T, command []string) {
		value := execStart(command)
		oneLine(t, value)
		if got := unshielded(parseExecStart(value)); !slices.Equal(got, command) {
			t.Fatalf("%q is written as %s, which is read as %q", command, value, got)
		}
		if strings.Contains(strings.ReplaceAll(value, "%%", ""), "%") {
			t.Fatalf("%q is written with a specifier: %s", command, value)
		}
	})
}

func FuzzPlistString(f *testing.F) {
	fuzzCommand(f, "darwin", "/opt/", func(t *testing.T, command []string) {
		for _, kind := range []Kind{Session, Service} {
			text := launchText(kind, command)
			if got := parsePlist(text); !slices.Equal(got, command) {
				t.Fatalf("%q is read as %q", command, got)
			}
			if strings.Count(text, launchMarker) != 1 {
				t.Fatalf("the marker is there more than once:\n%s", text)
			}
		}
	})
}

func FuzzCommandLine(f *testing.F) {
	fuzzCommand(f, "windows", `C:\`, func(t *testing.T, command []string) {
		line, err := commandLine(command)
		if err != nil {
			return
		}
		if got := parseCommandLine(line); !slices.Equal(got, command) {
			t.Fatalf("%q is written as %s, which is read as %q", command, line, got)
		}
	})
}
