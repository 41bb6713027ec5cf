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

// In g033 Google does not decode "%62" in a rule, against RFC 9309 §2.2.2,
// whose table has the very same path.
const againstRFC = "g033"

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
	held := 0
	for _, c := range cases.AllowChecks {
		if !c.RFC9309 {
			continue
		}
		for _, check := range c.Checks {
			if check.Quirk != "" || c.ID == againstRFC && !check.Allow {
				continue
			}
			u, err := crawl.ParseURL(check.URL)
			if err != nil {
				t.Fatal(err)
			}
			// Whoever asks, to us it is our own name.
			body := renameAgent(c.Robots, check.UserAgent)
			if got := Parse([]byte(body)).Allowed(u); got != check.Allow {
				t.Errorf("%s %s: Allowed(%s) for %s = %v, want %v by\n%s", c.ID, c.Topic, check.URL, check.UserAgent, got, check.Allow, body)
			} else {
				held++
			}
		}
	}
	if held != 69 {
		t.Errorf("%d checks hold, want 69", held)
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
