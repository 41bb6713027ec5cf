package help

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"run", "demo", "status", "stats", "stop", "domains", "doctor", "resume", "never"}
	for word, want := range map[string]string{
		"stauts": "status", "statu": "status", "stat": "stats", "domain": "domains", "dom": "domains", "RUN": "run", "rnu": "run", "resum": "resume",
		"neverr": "never", "dcotor": "doctor", "xyz": "", "": "", "zzzzzzzzzz": "", "a": "", "q": "", strings.Repeat("run", 1000): "",
	} {
		if got := nearest(word, known); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
