package env

import (
	"runtime"
	"testing"
)

func TestShellQuoted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("other rules")
	}
	for arg, want := range map[string]string{
		"/home/me/forage": "/home/me/forage", "": "''", "/a b": "'/a b'", "/it's": `'/it'\''s'`, "/$HOME;x": "'/$HOME;x'", `/a\b`: `'/a\b'`, "/ü": "'/ü'", "~/x": "'~/x'",
	} {
		if got := ShellQuoted(arg); got != want {
			t.Errorf("shellQuoted(%q) = %s, want %s", arg, got, want)
		}
	}
}
