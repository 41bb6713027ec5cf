package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/demo"
)

// runPlayed calls run with this binary, in a role of play_test.go, in the place
// of a node.
func runPlayed(t *testing.T, role string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(playVariable, role)
	t.Setenv("GORACE", noRaceSleep)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Cleanup(func() {
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	var out, errs bytes.Buffer
	code = run(t.Context(), append([]string{"-forage", self, "-pages", strconv.Itoa(playedPages), "-page-bytes",
		"0"}, args...), &out, &errs)
	return code, out.String(), errs.String()
}

func TestRun_RightCrawl(t *testing.T) {
	profile := filepath.Join(t.TempDir(), "profile")
	code, stdout, stderr := runPlayed(t, "right", "-runs", "1", "-json", "-max-cpu", "0", "-max-rss", "0",
		"-profile", profile)
	if code != exitRight {
		t.Fatalf("exit code %d, want %d\n%s%s", code, exitRight, stdout, stderr)
	}
	var r report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Runs) != 1 {
		t.Fatalf("%d runs, want 1", len(r.Runs))
	}
	// Two pages answer the first request with a failure.
	for _, f := range append(r.Runs, r.Median, r.Best) {
		if f.Pages != playedPages || f.Requests != playedPages+2 || f.WARCPerPage != 5 || f.IndexPerPage != 3 ||
			f.StorePerPage != 7 {
			t.Errorf("got %+v, want %d pages, two requests more, and 5, 3 and 7 bytes a page", f, playedPages)
		}
		if f.CPUPer1000 <= 0 || f.WallSeconds <= 0 || f.PagesPerSec <= 0 {
			t.Errorf("got %+v, want times above 0", f)
		}
	}
	if r.PageBytes < 2000 || r.PageWireBytes < 500 || r.PageWireBytes > r.PageBytes {
		t.Errorf("a page has %v bytes, %v on the wire", r.PageBytes, r.PageWireBytes)
	}
	if text, err := os.ReadFile(profile); err != nil || string(text) != "a profile" {
		t.Errorf("profile is %q, %v", text, err)
	}
}

func TestRun_WrongCrawl(t *testing.T) {
	code, stdout, stderr := runPlayed(t, "wrong", "-runs", "1", "-max-cpu", "0", "-max-rss", "0")
	if code != exitWrong {
		t.Fatalf("exit code %d, want %d\n%s%s", code, exitWrong, stdout, stderr)
	}
	for _, want := range []string{"http://start.test/ was answered [200 200]", "was answered []", "must not be",
		"/img/a.png was requested and is no page"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("output lacks %q:\n%s", want, stdout)
		}
	}
}

func TestReport_JudgeLimits(t *testing.T) {
	// Two seconds for 1,000 pages, and three: the median is 2.5.
	began := time.Now()
	crawls := []*crawled{
		{
			usage:   usage{Began: began, User: 2 * time.Second, MaxRSS: 90e6},
			verdict: verdict{pages: 1000, first: began.Add(time.Second)},
		}, {
			usage:   usage{Began: began, User: time.Second, System: 2 * time.Second, MaxRSS: 110e6},
			verdict: verdict{pages: 1000, first: began.Add(2 * time.Second)},
		},
	}
	for _, c := range []struct {
		maxCPU, maxRSS float64
		want           []string
	}{
		{0, 0, []string{}},
		{2.5, 100, []string{}},
		{2.4, 100, []string{"2.500 CPU seconds per 1,000 pages, want 2.4 at most"}},
		{2.5, 99, []string{"100.0 MB of resident memory, want 99 at most"}},
	} {
		o := options{maxCPU: c.maxCPU, maxRSS: c.maxRSS}
		r := newReport(o)
		for _, crawl := range crawls {
			r.add(crawl)
		}
		r.judge(o)
		if !slices.Equal(r.Failures, c.want) {
			t.Errorf("-max-cpu %v -max-rss %v: %q, want %q", c.maxCPU, c.maxRSS, r.Failures, c.want)
		}
		if r.Best.CPUPer1000 != 2 || r.Best.PeakRSS != 90 || r.Best.FirstSeconds != 1 || r.Median.FirstSeconds != 1.5 {
			t.Errorf("best is %+v, median %+v, want 2 seconds, 90 MB, and the first request after 1 and 1.5 s",
				r.Best, r.Median)
		}
	}
}

func TestRun_ChildFails(t *testing.T) {
	code, _, stderr := runPlayed(t, "failing", "-runs", "1")
	if code != exitUnmeasured || !strings.Contains(stderr, "exit status 3") ||
		!strings.Contains(stderr, "the disk is on fire") {
		t.Errorf("exit code %d, want %d, with what the child said:\n%s", code, exitUnmeasured, stderr)
	}
}

func TestRun_RefusesArguments(t *testing.T) {
	for _, args := range [][]string{
		{}, {"-forage", ".", "x"}, {"-forage", ".", "-runs", "0"}, {"-forage", ".", "-pages", "0"},
		{"-forage", ".", "-max-cpu", "-1"},
		{"-forage", ".", "-page-bytes", "-1"}, {"-nonsense"}, {"-forage", filepath.Join(t.TempDir(), "missing")},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), args, &stdout, &stderr); code != exitUnmeasured || stderr.Len() == 0 {
			t.Errorf("%q: exit code %d, want %d and a word about it", args, code, exitUnmeasured)
		}
	}
}

// The memory of this process must not be taken for that of its child.
func TestRunChild_OwnMemoryOnly(t *testing.T) {
	ballast := make([]byte, 160<<20)
	for i := 0; i < len(ballast); i += 4096 {
		ballast[i] = 1
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	peak := func(role string) int64 {
		u, err := runChild(t.Context(), append(childEnv(""), playVariable+"="+role, "GORACE="+noRaceSleep), self)
		if err != nil {
			t.Fatal(err)
		}
		return u.MaxRSS
	}
	idle, eater := peak("idle"), peak("eater")
	if idle == 0 {
		t.Skip("this system does not say how much memory a process had")
	}
	if ballast[0] != 1 || idle > 100<<20 {
		t.Errorf("an idle child had %d bytes at most, want that of it alone", idle)
	}
	if eater < idle+eaten/2 {
		t.Errorf("a child that used %d bytes more than an idle one had %d at most, the idle one %d", eaten, eater, idle)
	}
}

func TestTally_Judge(t *testing.T) {
	const page, other = "http://a.test/", "http://a.test/other"
	for _, c := range []struct {
		name   string
		served map[string][]int
		pages  int
		wrongs []string
		checks int64
	}{
		{"once", map[string][]int{page: {200}, other: {404, 404}}, 1, nil, 0},
		{"again after a failure", map[string][]int{page: {503, 200}}, 1, nil, 0},
		{"never", nil, 0, []string{"http://a.test/ was answered [], want it fetched once"}, 0},
		{"twice", map[string][]int{page: {200, 200}}, 1,
			[]string{"http://a.test/ was answered [200 200], want it fetched once"}, 0},
		{"twice, to check it", map[string][]int{page: {200, 200}}, 1, nil, 1},
		{"not modified", map[string][]int{page: {200, 304}}, 1,
			[]string{"http://a.test/ was answered [200 304], want it fetched once"}, 0},
		{"given up", map[string][]int{page: {500, 500}}, 0,
			[]string{"http://a.test/ was answered [500 500], want it fetched once"}, 0},
		{
			"forbidden", map[string][]int{page: {200}, "http://a.test/secret": {200}}, 1,
			[]string{"http://a.test/secret was requested and must not be"}, 0,
		},
		{
			"image", map[string][]int{page: {200}, "http://a.test/img/1.png": {200}}, 1,
			[]string{"http://a.test/img/1.png was requested and is no page"}, 0,
		},
	} {
		asked, requests := newTally(), 0
		for u, statuses := range c.served {
			for _, s := range statuses {
				requests++
				asked.add(demo.Hit{URL: u, Status: s, Start: time.Unix(int64(requests), 0),
					End: time.Unix(int64(requests)+1, 0)})
			}
		}
		v := asked.judge([]string{page}, []string{"http://a.test/secret"}, c.checks)
		if v.pages != c.pages || v.requests != requests || !slices.Equal(v.wrongs, c.wrongs) {
			t.Errorf("%s: %+v, want %d pages, %d requests and %q", c.name, v, c.pages, requests, c.wrongs)
		}
		if want := time.Duration(requests) * time.Second; v.span != want {
			t.Errorf("%s: span %v, want %v", c.name, v.span, want)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{[]float64{3}, 3}, {[]float64{4, 2}, 3}, {[]float64{9, 1, 5}, 5}, {[]float64{8, 1, 2, 4}, 3}} {
		if got := median(c.values); got != c.want {
			t.Errorf("median(%v) = %v, want %v", c.values, got, c.want)
		}
	}
}

func TestReport_PrintsFailedWrites(t *testing.T) {
	r := newReport(options{})
	r.add(&crawled{})
	r.judge(options{})
	for _, asJSON := range []bool{false, true} {
		if err := r.print(brokenWriter{}, asJSON); err == nil {
			t.Errorf("print(JSON %t) to a broken writer succeeded", asJSON)
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken") }

func TestTail(t *testing.T) {
	last := &tail{max: 5}
	for _, s := range []string{"abc", "defghijk", "l"} {
		if n, err := last.Write([]byte(s)); n != len(s) || err != nil {
			t.Errorf("Write(%q) = %d, %v", s, n, err)
		}
	}
	if got, want := string(last.kept), "hijkl"; got != want {
		t.Errorf("kept %q, want %q", got, want)
	}
}
