package look

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
)

func TestPrintDomains(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local)
	later := now.Add(time.Minute)
	var b bytes.Buffer
	err := printDomains(&b, "", []api.Domain{
		{Domain: "a.example", Fetched: 1234, Queued: 5, Bytes: 1e6, State: "due"},
		{Domain: "b.example", Queued: 1, State: "waiting", NextVisit: &later, Reason: "odd \x1b[31m\treason"},
		{Domain: "c.example", State: "done", Distance: "fetched by …k3Qa, 14 ms (you: about 92 ms)"},
		{Domain: "d.example", Queued: 3, State: api.DomainRefused, Reason: "topic: gambling"},
	}, now)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	for i, want := range []string{"DOMAIN", "a.example  1,234    5       0       1.0 MB  now         due", "12:01:00    waiting: odd [31mreason", "-           done (fetched by …k3Qa, 14 ms (you: about 92 ms))", "never       not visited: topic: gambling"} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Error("control characters of a site reach the terminal")
	}
}
