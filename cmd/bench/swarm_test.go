package main

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
)

func TestParseNodes(t *testing.T) {
	got, err := parseNodes("1, 4,16")
	if want := []int{1, 4, 16}; err != nil || !slices.Equal(got, want) {
		t.Errorf("parseNodes: %v, %v, want %v", got, err, want)
	}
}

func TestRunSwarm_RefusesArguments(t *testing.T) {
	for _, args := range [][]string{
		{"-swarm", "x"}, {"-swarm", "0"}, {"-swarm", "1,"}, {"-swarm", "201"}, {"-swarm", "1", "-node-pages", "0"},
		{"-idle", "-1"}, {"-idle", "201"},
		{"-idle", "2", "-watch", "0"}, {"-swarm", "1", "-fetchers", "0"}, {"-swarm", "1", "-gap", "-1s"},
		{"-swarm", "1", "-forage", "/nonsense"},
		{"-swarm", "1", "x"},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), args, &stdout, &stderr); code != exitUnmeasured || stderr.Len() == 0 {
			t.Errorf("%q: exit code %d, want %d and a word about it", args, code, exitUnmeasured)
		}
	}
}

func TestSteadyRate(t *testing.T) {
	var pages []time.Time
	at := time.Unix(0, 0)
	for i := range 100 {
		switch { // a slow beginning, ten a second, a slow end
		case i < 20 || i >= 71:
			at = at.Add(time.Minute)
		default:
			at = at.Add(100 * time.Millisecond)
		}
		pages = append(pages, at)
	}
	if got := steadyRate(pages); got < 9.99 || got > 10.01 {
		t.Errorf("steadyRate = %v, want 10", got)
	}
	if got := steadyRate(pages[:2]); got != 0 {
		t.Errorf("steadyRate of two pages = %v, want 0", got)
	}
}

// The gate holds its visitors until it is opened.
func TestGate(t *testing.T) {
	g, err := newGate("http://start.test/")
	if err != nil {
		t.Fatal(err)
	}
	address, _, _ := strings.Cut(g.host, " ")
	answers := make(chan string, 1)
	go func() {
		resp, err := http.Get("http://" + address + "/")
		if err != nil {
			answers <- err.Error()
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		answers <- string(body)
	}()
	if resp, err := http.Get("http://" + address + "/robots.txt"); err != nil ||
		resp.StatusCode != http.StatusNotFound {
		t.Errorf("robots.txt: %v, %v, want 404", resp, err)
	}
	select {
	case a := <-answers:
		t.Errorf("answer %q before the gate was opened", a)
	default:
	}
	g.open()
	if a := <-answers; !strings.Contains(a, `<a href="http://start.test/">`) {
		t.Errorf("answer %q, want a link to the web", a)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

func TestSwarmReport_Judge(t *testing.T) {
	r := newSwarmReport(options{})
	r.CPUs = 2
	r.Runs = []swarmRun{
		{Nodes: 1, Pages: 1000, Known: 1000, PagesPerSec: 20, WorkBytes: 360_000},
		{Nodes: 2, Pages: 2000, Known: 2000, PagesPerSec: 35, WorkBytes: 720_001},
		{Nodes: 4, Pages: 4000, PagesPerSec: 60, BusyCores: 1.9, Wrongs: []string{"twice"}},
	}
	r.Idle = &idleRun{Nodes: 50, FrameBytes: 100, StreamBytes: 2100, RSS: 61, CPU: 0.004}
	r.judge()
	want := []string{
		"2 nodes: 0.88 of linear, want 0.9 at least", "2 nodes: 1.00 times the bytes that it may send",
		"4 nodes: twice",
		"50 idle nodes: 2.1e+03 bytes a second each, want 2000 at most",
		"50 idle nodes: 61 MB of resident memory each, want 60 at most",
		"50 idle nodes: 0.004 of a core each, want 0.003 at most",
	}
	if !slices.Equal(r.Failures, want) {
		t.Errorf("failures %q, want %q", r.Failures, want)
	}
	var out bytes.Buffer
	r.Runs[1].Traffic = map[string]api.Traffic{"report": {Kind: "report", Sent: 10, BytesSent: 4000},
		"stream /forage/lab-forage/work/1": {BytesSent: 6000}}
	if err := r.print(&out, false); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"report", "stream work/1", "WRONG: 4 nodes: twice", "50 idle nodes"} {
		if !strings.Contains(out.String(), text) {
			t.Errorf("output lacks %q:\n%s", text, out.String())
		}
	}
	for _, asJSON := range []bool{false, true} {
		if err := r.print(brokenWriter{}, asJSON); err == nil {
			t.Errorf("print(JSON %t) to a broken writer succeeded", asJSON)
		}
	}
}

func TestSwarmRun_AddsTraffic(t *testing.T) {
	r := swarmRun{Traffic: map[string]api.Traffic{
		"act": {BytesSent: 5}, "stream": {BytesSent: 1}, "ping": {BytesSent: 10},
		"stream /ipfs/id/1.0.0": {BytesSent: 100},
	}}
	r.add(verdict{pages: 2, requests: 5}, nil)
	if r.WorkBytes != 6 || r.OtherBytes != 10 || r.StreamBytes != 100 || r.Requests != 2.5 {
		t.Errorf("got %+v, want 6 bytes of work, 10 others, 100 over streams, 2.5 requests a page", r)
	}
}

func TestIdleRun_Adds(t *testing.T) {
	r := idleRun{Nodes: 2, Seconds: 10}
	r.add([]process{{cpu: time.Second}, {cpu: 0}},
		[]process{{cpu: 2 * time.Second, rss: 4e6, anon: 2e6, pss: 1e6}, {rss: 2e6}})
	r.addTraffic(map[string]api.Traffic{"ping": {Kind: "ping", BytesSent: 100}},
		map[string]api.Traffic{"ping": {Kind: "ping", BytesSent: 300}, "stream x": {Protocol: "x", BytesSent: 40},
			"ask": {Kind: "ask"}})
	if r.CPU != 0.05 || r.MaxCPU != 0.1 || r.RSS != 3 || r.MaxRSS != 4 || r.Anon != 1 || r.PSS != 0.5 ||
		r.FrameBytes != 10 || r.StreamBytes != 2 || len(r.Traffic) != 2 {
		t.Errorf("got %+v", r)
	}
}

func TestMachine_Reads(t *testing.T) {
	if got, want := busyTime("cpu  100 20 30 4000 50 6 7 8 9 10\ncpu0 1\n"), 163*tick; got != want {
		t.Errorf("busyTime = %v, want %v", got, want)
	}
	const dev = "Inter-|   Receive  |  Transmit\n face |bytes packets\n    lo: 10 1 0 0 0 0 0 0 77 1 0 0 0 0 0 0\n " +
		" eth0: 1 1 0 0 0 0 0 0 2\n"
	if got := loopBytes(dev); got != 77 {
		t.Errorf("loopBytes = %d, want 77", got)
	}
	if got, want := processTime("12 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 30 12 0 0"), 42*tick; got != want {
		t.Errorf("processTime = %v, want %v", got, want)
	}
	for _, text := range []string{"", "cpu", "1 (", "lo:"} {
		if busyTime(text) != 0 || loopBytes(text) != 0 || processTime(text) != 0 {
			t.Errorf("%q is read as something", text)
		}
	}
}
