package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forage-net/forage/cmd/papers/lab"
	"github.com/forage-net/forage/cmd/papers/rtt"
)

var update = flag.Bool("update", false, "write testdata/table.md again")

// smallLab runs everything at the sizes of tests, on generated round trips.
func smallLab() *lab.Lab {
	return &lab.Lab{Trips: rtt.Generate(160, 1), Draws: 3, Small: true, Seed: 1, Step: func(float64) {}}
}

// Every experiment gives what it gave before, at small sizes. A change of a strategy, of the product's or of a
// rival's, shows here.
func TestExperiments_GoldenTable(t *testing.T) {
	l := smallLab()
	var got strings.Builder
	for _, e := range experiments {
		if e.Lacks != "" {
			continue
		}
		r, err := e.Run(l)
		if err != nil {
			t.Fatalf("%s: %v", e.ID, err)
		}
		if strings.Contains(r.Ours, "NaN") || strings.Contains(r.Ours, "Inf") || r.Ours == "" {
			t.Errorf("%s: ours is %q", e.ID, r.Ours)
		}
		for _, f := range r.Figures {
			checkPicture(t, f.File, func() ([]byte, error) { return f.SVG() })
		}
		fmt.Fprintf(&got, "| %s | %s | %s |\n", e.ID, r.Ours, r.Verdict())
		for _, table := range r.Tables {
			table.Write(&got)
		}
	}
	const file = "testdata/table.md"
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	have, had := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(have), len(had)) {
		if i >= len(have) || i >= len(had) || have[i] != had[i] {
			t.Fatalf("line %d of the table differs\n got %s\nwant %s", i+1, have[min(i, len(have)-1)],
				had[min(i, len(had)-1)])
		}
	}
}

func checkPicture(t *testing.T, name string, draw func() ([]byte, error)) {
	t.Helper()
	svg, err := draw()
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if len(svg) > 40_000 || bytes.Contains(svg, []byte("NaN")) {
		t.Errorf("%s has %d bytes, or a place that is no number", name, len(svg))
	}
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
	}
}

// writeTrips writes round trips as a file of the data directory has them.
func writeTrips(t *testing.T, m *rtt.Matrix) string {
	t.Helper()
	var b strings.Builder
	for i := range m.Len() {
		for j := range m.Len() {
			fmt.Fprintf(&b, "%.3f\t", m.At(i, j))
		}
		b.WriteString("\n")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "PlanetLabData_9"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRun_WritesReportAndPictures(t *testing.T) {
	out := filepath.Join(t.TempDir(), "papers.md")
	var stdout, stderr bytes.Buffer
	if code := run([]string{"-data", writeTrips(t, rtt.Generate(160, 2)), "-only", "E2,E5", "-draws", "2", "-out",
		out}, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"PlanetLabData_9 (160 nodes", "| [E2](papers/e2.md)", "| E1 Apoidea",
		"| not run: was not asked for |", "| not run: lacks measured times of pings"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	page, err := os.ReadFile(filepath.Join(filepath.Dir(out), "papers", "e2.md"))
	if err != nil || !strings.HasPrefix(string(page), "# E2\n") || !strings.Contains(string(page), "](loo-12.svg)") ||
		!strings.Contains(string(page), "](../papers.md)") {
		t.Errorf("the page of E2 is %q, error %v", page, err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(out), "papers", "loo-12.svg")); err != nil {
		t.Error(err)
	}
	if !strings.Contains(stderr.String(), "E2") || strings.Contains(stderr.String(), "\r") {
		t.Errorf("progress without a terminal is %q, want a line for each", &stderr)
	}
}

// Without data nothing is taken for passed.
func TestRun_WithoutDataIsNotRun(t *testing.T) {
	out := filepath.Join(t.TempDir(), "papers.md")
	var stdout bytes.Buffer
	if code := run([]string{"-only", "E2", "-out", out}, &stdout, io.Discard); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	if !strings.Contains(stdout.String(), "E2   not run: lacks measured round trips") ||
		strings.Contains(stdout.String(), "agrees") {
		t.Errorf("got %s", &stdout)
	}
}

func TestRun_RefusesWrongUsage(t *testing.T) {
	for _, args := range [][]string{{"-only", "E99"}, {"-draws", "0"}, {"more"}, {"-nothing"}} {
		if code := run(append(args, "-out", filepath.Join(t.TempDir(), "x.md")), io.Discard, io.Discard); code != 2 {
			t.Errorf("%q: exit code %d, want 2", args, code)
		}
	}
	if code := run([]string{"-data", "/nothing/there"}, io.Discard, io.Discard); code != 1 {
		t.Errorf("data that is not there: exit code %d, want 1", code)
	}
}

func TestBar_DrawsOnTerminal(t *testing.T) {
	var out bytes.Buffer
	b := &bar{out: &out, terminal: true, shown: -1, all: 4}
	b.begin(lab.Experiment{ID: "E1", Paper: "a paper", Cost: 4})
	b.step(0.5)
	if got := out.String(); !strings.Contains(got, "[###############...............]  50 %  E1") {
		t.Errorf("got %q", got)
	}
}
