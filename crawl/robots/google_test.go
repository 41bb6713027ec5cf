package robots

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/forage-net/forage/crawl"
)

// googleCases are checks transcribed from the tests of Google's parser.
type googleCases struct {
	AllowChecks []struct {
		ID      string
		Topic   string
		RFC9309 bool
		Robots  string
		Checks  []struct {
			UserAgent string `json:"user_agent"`
			URL       string
			Allow     bool
			Quirk     string
		}
	} `json:"allow_checks"`
}

func TestParse_GoogleCases(t *testing.T) {
	data, err := os.ReadFile("../../../shared/vectors/robots/google_robots_cases.json")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the test vectors are not here")
	} else if err != nil {
		t.Fatal(err)
	}
	var cases googleCases
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range cases.AllowChecks {
		if !c.RFC9309 {
			continue
		}
		for _, check := range c.Checks {
			if check.Quirk != "" {
				continue
			}
			ran++
			// Whoever asks, to us it is our own name.
			body := renameAgent(c.Robots, check.UserAgent)
			u, err := crawl.ParseURL(check.URL)
			if err != nil {
				t.Fatal(err)
			}
			// As spelt, and as stored and read again.
			path := strings.TrimPrefix(check.URL, u.Origin())
			if path == "" {
				path = "/"
			}
			for _, text := range [][]byte{[]byte(body), condense([]byte(body), crawl.URL{})} {
				rules := Parse(text)
				if got := rules.allows(path); got != check.Allow {
					t.Errorf("%s %s: allows(%s) for %s = %v, want %v by\n%s", c.ID, c.Topic, path, check.UserAgent, got, check.Allow, text)
				}
				// What we request is the canonical spelling, to which another check may apply.
				if u.Path() == path && rules.Allowed(u) != check.Allow {
					t.Errorf("%s %s: Allowed(%s) for %s = %v, want %v by\n%s", c.ID, c.Topic, u, check.UserAgent, !check.Allow, check.Allow, text)
				}
			}
		}
	}
	if ran < 70 {
		t.Errorf("ran %d checks, want 70", ran)
	}
}

// renameAgent replaces an agent's name by ours.
func renameAgent(body, agent string) string {
	lines := strings.SplitAfter(body, "\n")
	for i, line := range lines {
		if !strings.HasPrefix(strings.ToLower(line), "user-agent") {
			continue
		}
		at := strings.Index(strings.ToLower(line), strings.ToLower(agent))
		if at >= 0 {
			lines[i] = line[:at] + crawl.Token + line[at+len(agent):]
		}
	}
	return strings.Join(lines, "")
}
