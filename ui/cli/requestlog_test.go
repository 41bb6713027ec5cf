package cli

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/requestlog"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/requests"
	"github.com/forage-net/forage/ui/cli/env"
)

// recordedHome is the home of a node that made some requests and does not run: three today,
// one the day before yesterday.
func recordedHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	state := filepath.Join(home, "state")
	today := time.Now()
	now := today.AddDate(0, 0, -2)
	l, err := requests.Open(requests.Config{Dir: requestlog.Dir(state), Days: 30, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	x := requests.Record{URL: "http://a.example/old", Domain: "a.example", Code: "fetched", Allowed: "no-robots", Status: 200, Addr: netip.MustParseAddr("192.0.2.1"), Waited: -1}
	x.Time = now
	l.Append(&x)
	now = today
	x.Time, x.URL, x.Title, x.Waited, x.Gap = now, "http://a.example/new", "A \x1b[2Jpage", 2500*time.Millisecond, 2*time.Second
	l.Append(&x)
	x.URL, x.Domain, x.Title = "http://b.example/", "b.example", ""
	l.Append(&x)
	x = requests.Record{Time: now, URL: "http://a.example/no", Domain: "a.example", Code: "forbidden", Allowed: "rules", Rule: "Disallow: /no", Waited: -1}
	l.Append(&x)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := storage.Open(config.Paths{State: state}.Store(), storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return home
}

func TestLog_PrintsTheRecordOfRequests(t *testing.T) {
	home := recordedHome(t)
	for _, c := range []struct {
		args  string
		lines int
		want  string
	}{
		{"log --requests", 3, "http://a.example/new  (no-robots; waited 2.5 s of 2.0 s)  A [2Jpage"},
		{"log --requests", 3, "-  http://a.example/no  (Disallow: /no)"},
		{"log --requests --domain a.example", 2, "http://a.example/new"},
		{"log --requests --days 3 --domain a.example", 3, "http://a.example/old  (no-robots)"},
		{"log --requests --domain c.example", 0, ""},
		{"log --requests --report", -1, "Requests made   3, to 2 sites"},
		{"log --requests --report --days 1", -1, "Requests made   2, to 2 sites"},
	} {
		var out, errs bytes.Buffer
		code := Main(append(strings.Fields(c.args), "--home", home), &out, &errs)
		if got := strings.Count(out.String(), "\n"); code != env.ExitOK || !strings.Contains(out.String(), c.want) || c.lines >= 0 && got != c.lines || errs.Len() > 0 {
			t.Errorf("forage %s: exit code %d, %d lines, want %d with %q:\n%s%s", c.args, code, got, c.lines, c.want, out.String(), errs.String())
		}
	}
	var out, errs bytes.Buffer
	if code := Main([]string{"log", "--requests", "--json", "--home", home}, &out, &errs); code != env.ExitOK {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	var first api.Request
	if err := json.NewDecoder(&out).Decode(&first); err != nil || first.Code != api.CodeForbidden || first.Rule != "Disallow: /no" || first.WaitedS != -1 {
		t.Errorf("first %+v, %v", first, err)
	}
}

func TestLog_RefusesFlagsThatMakeNoSense(t *testing.T) {
	home := t.TempDir()
	for _, args := range []string{"--days 3", "--domain a.example", "--report", "--requests --follow", "--requests --days 366", "--requests --days -1", "--requests --report --domain a.example"} {
		var out, errs bytes.Buffer
		if code := Main(append(strings.Fields("log "+args), "--home", home), &out, &errs); code != env.ExitUsage {
			t.Errorf("forage log %s: exit code %d, want %d\n%s", args, code, env.ExitUsage, errs.String())
		}
	}
}
