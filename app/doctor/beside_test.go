package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/forage-net/forage/app"
	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/assets/words"
)

// The node that runs tells by its API what the command line finds beside it.
func TestBeside_TheNodeOfThisProcess(t *testing.T) {
	o := lab(t, t.TempDir())
	o.ExitWhenIdle = 0
	o.Examine = func(ctx context.Context) (api.DoctorReport, error) { return Beside(ctx, o.Paths) }
	n, err := app.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- n.Serve(t.Context()) }()
	var c *client.Client
	for c == nil {
		if c, err = client.Dial(o.Paths.State); err != nil && !errors.Is(err, api.ErrNotRunning) {
			t.Fatal(err)
		}
		runtime.Gosched()
	}
	report, err := client.Get[api.DoctorReport](t.Context(), c, "/api/doctor")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range report.Areas {
		names = append(names, a.Name)
		if a.Name == "node" && !strings.Contains(a.Summary, "running") {
			t.Errorf("the node is %+v", a)
		}
	}
	if got := strings.Join(names, " "); !report.OK || !report.DryRun || !report.Running ||
		got != "settings files disk sensors node archive index store frontier" {
		t.Errorf("report of %s: %+v", got, report)
	}
	n.Stop(t.Context())
	if err := errors.Join(<-ended, n.Close()); err != nil {
		t.Error(err)
	}
}

// What the API tells has the keys of what the command line prints.
func TestBeside_SameKeys(t *testing.T) {
	keys := func(v any) (all map[string]any) {
		text, err := json.Marshal(v)
		if err != nil || json.Unmarshal(text, &all) != nil {
			t.Fatal(err)
		}
		return all
	}
	ours := keys(Report{OK: true, Areas: []Area{{Name: "a", Verdict: Problem, Findings: []Finding{{Problem, "x"}}}}})
	told := keys(api.DoctorReport{OK: true, Areas: []api.DoctorArea{{Name: "a", Verdict: "problem",
		Findings: []api.DoctorFinding{{Verdict: "problem", Text: "x"}}}}})
	if !reflect.DeepEqual(ours, told) {
		t.Errorf("the API tells %v, the command line %v", told, ours)
	}
}

// An archive that takes too long is looked at in part, which is no problem.
func TestRun_ArchiveWithin(t *testing.T) {
	home := crawled(t)
	r, err := Run(t.Context(), Options{Paths: pathsOf(t, home), DryRun: true, ArchiveWithin: 1})
	if err != nil || !r.OK {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, text := area(t, r, "archive"); !strings.Contains(text, "The archive is large") {
		t.Errorf("the archive: %s", text)
	}
}

// A report is in the language that it is asked for in.
func TestRun_InGerman(t *testing.T) {
	home := crawled(t)
	r, err := Run(t.Context(), Options{Paths: pathsOf(t, home), DryRun: true, Lang: words.German})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"node": "läuft nicht", "archive": "Datei, ", "store": "Einträge", "disk": "gespeichert",
	} {
		if _, text := area(t, r, name); !strings.Contains(text, want) {
			t.Errorf("%s is told as %s, want %q", name, text, want)
		}
	}
}
