package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/cmd/bench/scale"
)

// runScaled calls run for 20,000 URLs in 500 domains, with this binary as the
// child, and looks for files that are left.
func runScaled(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Setenv("GORACE", noRaceSleep)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	var out, errs bytes.Buffer
	code = run(t.Context(), append([]string{"-scale", "20000", "-domains", "500"}, args...), &out, &errs)
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	return code, out.String(), errs.String()
}

// A run of every kind of work leaves a frontier that finds no fault with itself, and
// filters that know what was added.
func TestRunScale_FrontierHolds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	profile := filepath.Join(t.TempDir(), "profile")
	code, stdout, stderr := runScaled(t, "-json", "-max-rss-anon", "0", "-paced", "100ms", "-profile", profile)
	if code != exitRight {
		t.Fatalf("exit code %d, want %d\n%s%s", code, exitRight, stdout, stderr)
	}
	var r scaleReport
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Runs) != 1 || len(r.Runs[0].Stages) != 2 || r.Runs[0].Result == nil {
		t.Fatalf("got %+v, want one run of two stages and a result", r.Runs)
	}
	run := r.Runs[0]
	if run.Known < 20_000 || run.Missing > 0 || run.Dropped > 0 || run.Late > 0 || run.Faults != "" ||
		run.Probes < 200_000 || run.Wrong > 1 || run.Lost > 1 {
		t.Errorf("got %+v, want 20,000 URLs known, nothing missing, wrong, late or lost", run.Result)
	}
	if run.URLBytes < 60 || run.URLBytes > 80 || run.Largest < 0.02 || run.Largest > 0.1 || run.Blocks < 500 {
		t.Errorf("got %+v, want URLs of 70 bytes, a largest domain of some per cent and a block for each domain",
			run.Result)
	}
	var names []string
	for _, s := range run.Stages {
		if s.Known == 0 || s.Queued == 0 || s.Queued >= s.Known || s.StoreBytes == 0 || s.HeapInUse == 0 ||
			s.RSSAnon > s.PeakRSSAnon {
			t.Errorf("stage %+v does not fit together", s)
		}
		for _, span := range s.Spans {
			names = append(names, span.Name)
			if span.Settles+span.New > 0 && (span.Wall <= 0 || span.Commits == 0) {
				t.Errorf("stretch %+v took no time or no commit", span)
			}
		}
	}
	want := []string{"seeds", "first", "enqueues", "settles", "paced", "between", "last", "enqueues", "settles",
		"paced"}
	if !slices.Equal(names, want) {
		t.Errorf("stretches are %q, want %q", names, want)
	}
	if info, err := os.Stat(profile + ".20000"); err != nil || info.Size() == 0 {
		t.Errorf("no profile: %v", err)
	}
}

func TestRunScale_TooMuchMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if rssAnon("/proc/self/status") == 0 {
		t.Skip("this system does not say how much private memory a process has")
	}
	code, stdout, stderr := runScaled(t, "-max-rss-anon", "1", "-paced", "0")
	if code != exitWrong || !strings.Contains(stdout, "MB of private memory") ||
		!strings.Contains(stdout, "CPU s/1,000 settles") {
		t.Errorf("exit code %d, want %d and a table with a word about memory:\n%s%s", code, exitWrong, stdout, stderr)
	}
}

func TestRunScale_ChildFails(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"-scale", "1000", "-domains", "900"}, &stdout, &stderr)
	if code != exitUnmeasured || !strings.Contains(stderr.String(), "1000 URLs in 900 domains are out of range") {
		t.Errorf("exit code %d, want %d with what the child said:\n%s", code, exitUnmeasured, stderr.String())
	}
}

func TestRunScale_RefusesArguments(t *testing.T) {
	for _, args := range [][]string{
		{"-scale", "x"}, {"-scale", "0"}, {"-scale", "1000,"}, {"-scale", "1000", "-domains", "0"},
		{"-scale", "1000", "-paced", "-1s"}, {"-scale", "1000", "-max-rss-anon", "-1"}, {"-scale", "1000", "x"},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), args, &stdout, &stderr); code != exitUnmeasured || stderr.Len() == 0 {
			t.Errorf("%q: exit code %d, want %d and a word about it", args, code, exitUnmeasured)
		}
	}
}

func TestScaleReport_Judge(t *testing.T) {
	stage := func(peak int64) []stageMemory { return []stageMemory{{PeakRSSAnon: peak}} }
	for _, c := range []struct {
		name string
		run  scaled
		want []string
	}{
		{"right", scaled{Stages: stage(250e6), Result: &scale.Result{Probes: 5_000_000, Wrong: 10}}, []string{}},
		{"few probes", scaled{Result: &scale.Result{Probes: 1000, Wrong: 1}}, []string{}},
		{"dropped", scaled{Result: &scale.Result{Dropped: 2, Missing: 2}}, []string{}},
		{"memory", scaled{Stages: stage(251e6), Result: &scale.Result{}},
			[]string{"7 URLs: 251.0 MB of private memory with 0 known, want 250 at most"}},
		{
			"filters", scaled{Result: &scale.Result{Probes: 5_000_000, Wrong: 11, Missing: 1}},
			[]string{"7 URLs: the filters know 11 of 5000000 URLs that were never added, want 10 at most",
				"7 URLs: the filters miss 1 URLs that were added"},
		},
		{
			"frontier", scaled{Result: &scale.Result{Faults: "totals", Late: 3}},
			[]string{"7 URLs: the frontier contradicts itself: totals", "7 URLs: 3 outcomes found no task"},
		},
	} {
		c.run.URLs = 7
		r := scaleReport{MaxRSSAnon: 250, Runs: []scaled{c.run}, Failures: []string{}}
		if r.judge(); !slices.Equal(r.Failures, c.want) {
			t.Errorf("%s: %q, want %q", c.name, r.Failures, c.want)
		}
	}
}
