package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestLatency_Percentiles(t *testing.T) {
	var took []time.Duration
	for i := 100; i > 0; i-- {
		took = append(took, time.Duration(i)*time.Millisecond)
	}
	l := newLatency("/x", took)
	if l.Calls != 100 || l.P50 != 51 || l.P99 != 100 || l.Max != 100 {
		t.Errorf("%+v", l)
	}
	if l := newLatency("/x", nil); l.Calls != 0 || l.Max != 0 {
		t.Errorf("of no calls: %+v", l)
	}
}

func TestAPIReport_Judges(t *testing.T) {
	latencies := func(floor, p99 float64, search bool) []latency {
		return []latency{{Path: bystanderPath, P99: floor}, {Path: "/api/status", P99: p99, Search: search}}
	}
	for _, c := range []struct {
		name string
		run  apiRun
		want string // part of the only failure
	}{
		{"cheap", apiRun{Pace: "home", Without: []apiTurn{{CPU: 0.01}}, With: []apiTurn{{CPU: 0.015}}}, ""},
		{"dear", apiRun{Pace: "home", Without: []apiTurn{{CPU: 0.01}, {CPU: 0.03}},
			With: []apiTurn{{CPU: 0.03}, {CPU: 0.04}}}, "1.50 %"},
		{"quick", apiRun{Pace: "full", Latencies: latencies(1, 9, false)}, ""},
		{"slow", apiRun{Pace: "full", Latencies: latencies(1, 11, false)}, "/api/status: 11.0 ms"},
		{"a slow search", apiRun{Pace: "full", Latencies: latencies(1, 11, true)}, ""},
		{"on a busy computer", apiRun{Pace: "full", Latencies: latencies(5, 14, false)}, ""},
		{"slower than a busy computer is", apiRun{Pace: "full", Latencies: latencies(5, 16, false)}, "want 15.0"},
	} {
		r := &apiReport{Dashboards: 10, Runs: []apiRun{c.run}}
		r.judge()
		if got := strings.Join(r.Failures, "; "); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		var out bytes.Buffer
		if err := r.print(&out, false); err != nil || strings.Contains(out.String(), "WRONG") != (c.want != "") {
			t.Errorf("%s: %v\n%s", c.name, err, out.String())
		}
	}
}

// At full speed a node uses what it can get: what counts is what pages cost more.
func TestAPIRun_CostAtFullSpeed(t *testing.T) {
	r := apiRun{Pace: "full", Without: []apiTurn{{CPU: 0.5, Pages: 500}}, With: []apiTurn{{CPU: 0.5, Pages: 490}}}
	if got := r.cost(); got < 0.0099 || got > 0.0101 {
		t.Errorf("cost = %v, want 0.01", got)
	}
}

func TestOptions_API(t *testing.T) {
	for _, args := range [][]string{
		{"-api"}, {"-api", "-forage", "x", "-dashboards", "31"}, {"-api", "-forage", "x", "-api-over", "1s"},
		{"-api", "-forage", "x", "-api-pace", "fast"},
		{"-api", "-forage", "/nothing/there"},
	} {
		if _, err := parseOptions(args, new(bytes.Buffer)); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}
