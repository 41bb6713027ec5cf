package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const smallTruth = "robots\thttp://a.test/robots.txt\n" +
	"robots\thttp://www.a.test/robots.txt\nrobots\thttp://www.a.test/policies/robots.txt\n" +
	"expected\thttp://a.test/\nexpected\thttp://www.a.test/x%20y\n" +
	"optional\thttp://a.test/days/*\nforbidden\thttp://a.test/days/off\n" +
	"forbidden\thttp://a.test/img/*\ndelay\thttp://www.a.test/\t1s\n" +
	"robots\thttp://b.test/robots.txt\nexpected\thttp://b.test/\n"

// request is one line of a log, by when it began and ended in milliseconds.
type request struct {
	start, end int
	status     int
	host, path string
}

// cleanRequests is a right crawl by two clients with 100 ms between requests
// to a domain; www.a.test has the 1 s it asks for.
var cleanRequests = []request{
	{0, 10, 404, "a.test", "/robots.txt"},
	{5, 15, 200, "b.test", "/robots.txt"},
	{110, 150, 200, "a.test", "/"},
	{120, 130, 200, "b.test", "/"},
	{250, 260, 301, "www.a.test", "/robots.txt"},
	{1260, 1270, 200, "www.a.test", "/policies/robots.txt"},
	{2270, 2280, 503, "www.a.test", "/x%20y"},
	{3280, 3300, 200, "www.a.test", "/x%20y"},
	{4300, 4310, 200, "a.test", "/robots.txt"},
	{4410, 4420, 200, "a.test", "/days/1"},
}

func writeRequests(t *testing.T, requests []request) string {
	t.Helper()
	var b strings.Builder
	for i, r := range requests {
		fmt.Fprintf(&b, "%.6f\t%s\t%d\tGET\t%s\ttext/html\t10\t-\t127.0.0.1:%d\tx\t%.6f\n",
			1.7e9+float64(r.end)/1000, r.host, r.status, r.path,
			i%2, float64(r.end-r.start)/1000)
	}
	name := filepath.Join(t.TempDir(), "access.log")
	if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func writeTruth(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "truth")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// Each fault that is put into the log of a right crawl is found.
func TestRun_FindsFaults(t *testing.T) {
	truth := writeTruth(t, smallTruth)
	change := func(edit func(rs []request) []request) []request { return edit(slices.Clone(cleanRequests)) }
	add := func(r request) []request { return change(func(rs []request) []request { return append(rs, r) }) }
	at := func(i, start, end int) []request {
		return change(func(rs []request) []request {
			rs[i].start, rs[i].end = start, end
			return rs
		})
	}
	const gap, delays = "100ms", ""
	for _, c := range []struct {
		name     string
		requests []request
		gap      string
		right    bool
		says     string
	}{
		{"clean", cleanRequests, gap, true, "coverage       right  3 of 3 pages, 100.00 %"},
		{"clean by crawl delays", cleanRequests, delays, true, "0 of 8 in 2 domains shorter than the crawl delays"},
		{"missing", change(func(rs []request) []request { return slices.Delete(rs, 3, 4) }), gap, false,
			"coverage       wrong  2 of 3 pages, 66.67 %\n  http://b.test/\n"},
		{"never but failed", change(func(rs []request) []request { return slices.Delete(rs, 7, 8) }), gap, false,
			"  http://www.a.test/x y\n"},
		{"double", add(request{5000, 5001, 200, "www.a.test", "/x%20y"}), gap, false,
			"overlap        wrong  1 answers that were had before\n  http://www.a.test/x y (2 times)"},
		{"double in other letters", add(request{5000, 5001, 200, "b.test", "/%2e"}), gap, false,
			"unnamed        wrong"},
		{"double of what is optional", add(request{5000, 5001, 404, "a.test", "/days/1"}), gap, false,
			"http://a.test/days/1 (2 times)"},
		{"robots.txt again", add(request{5000, 5001, 200, "www.a.test", "/policies/robots.txt"}), gap, true,
			"6 requests to 3 hosts, 3 to one at most"},
		{"forbidden", add(request{5000, 5001, 200, "a.test", "/days/off"}), gap, false,
			"forbidden      wrong  1 requests\n  http://a.test/days/off (200)"},
		{"forbidden by prefix", add(request{5000, 5001, 200, "a.test", "/img/%31.png"}), gap, false,
			"forbidden      wrong"},
		{"made up", add(request{5000, 5001, 404, "a.test", "/nowhere"}), gap, false,
			"unnamed        wrong  1 requests to which nothing leads\n  http://a.test/nowhere (404)"},
		{"before robots.txt", change(func(rs []request) []request { return slices.Delete(rs, 1, 2) }), gap, false,
			"robots first   wrong  1 hosts asked before their robots.txt\n  b.test: /"},
		{"gap of a host", at(3, 114, 130), gap, false,
			"b.test: 99ms of 100ms between http://b.test/robots.txt (127.0.0.1:1) and http://b.test/ (127.0.0.1:1)"},
		{"gap as long as asked", at(3, 115, 130), gap, true, "smallest 100ms"},
		{"gap between hosts of a domain", at(4, 240, 241), gap, false,
			"a.test: 90ms of 100ms between http://a.test/ (127.0.0.1:0) and http://www.a.test/robots.txt"},
		{"gap across a long request", at(2, 110, 1300), gap, false, "a.test: -1.05s of 100ms"},
		{"two at once", at(3, 14, 130), "0s", false, "b.test: -1ms of 0s"},
		{"crawl delay", at(7, 3270, 3300), delays, false, "a.test: 990ms of 1s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := []string{"-truth", truth, "-log", writeRequests(t, c.requests)}
			if c.gap != delays {
				args = append(args, "-gap", c.gap)
			}
			var out, errs bytes.Buffer
			code := run(t.Context(), args, &out, &errs)
			want := exitWrong
			if c.right {
				want = exitRight
			}
			if code != want || !strings.Contains(out.String(), c.says) {
				t.Errorf("exit code %d, want %d with %q:\n%s%s", code, want, c.says, &out, &errs)
			}
		})
	}
}

// A log of two crawls is judged in two, and what is no fault of one alone is
// none.
func TestRun_SeveralCrawls(t *testing.T) {
	log := writeRequests(t, slices.Concat(cleanRequests, cleanRequests[:9]))
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	second := 0
	for range cleanRequests {
		second += bytes.IndexByte(data[second:], '\n') + 1
	}
	var out, errs bytes.Buffer
	args := []string{"-truth", writeTruth(t, smallTruth), "-log", log, "-gap", "100ms", "-json", "-from", "0",
		"-from", strconv.Itoa(second)}
	if code := run(t.Context(), args, &out, &errs); code != exitRight {
		t.Fatalf("exit code %d, want %d:\n%s%s", code, exitRight, &out, &errs)
	}
	var got struct {
		Right  bool
		Crawls []struct {
			From     int
			Right    bool
			Expected int
			Fetched  int
			Requests int
		}
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Crawls) != 2 || !got.Right || got.Crawls[1].From != second || got.Crawls[0].Requests != 10 ||
		got.Crawls[1].Fetched != 3 {
		t.Errorf("judged %+v", got)
	}
	if code := run(t.Context(), args[:7], &out, &errs); code != exitWrong {
		t.Errorf("as one crawl: exit code %d, want %d", code, exitWrong)
	}
}

func TestParseClaims_Refuses(t *testing.T) {
	for _, text := range []string{"expected", "expected\ta.test/x", "expected\thttp://a.test",
		"sometimes\thttp://a.test/", "delay\thttp://a.test/", "delay\thttp://a.test/\tx"} {
		if _, err := parseClaims(strings.NewReader(text)); err == nil {
			t.Errorf("parseClaims(%q) succeeded", text)
		}
	}
}

func TestClaims_Of(t *testing.T) {
	c, err := parseClaims(strings.NewReader("optional\thttp://a.test/*\n" +
		"forbidden\thttp://a.test/x/*\nexpected\thttp://a.test/x/y?z\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []struct {
		target string
		want   claim
	}{{"/", claimOptional}, {"/x/", claimForbidden}, {"/x/y", claimForbidden}, {"/x/%79?z", claimExpected}} {
		if got := c.of("a.test", k.target); got != k.want {
			t.Errorf("of(%q) = %d, want %d", k.target, got, k.want)
		}
	}
	if got := c.of("b.test", "/"); got != claimNone || c.knows("b.test") {
		t.Errorf("of another host = %d", got)
	}
}

func TestDomainOf(t *testing.T) {
	for host, want := range map[string]string{"www.a.test": "a.test", "a.test": "a.test", "x.y.co.uk": "y.co.uk",
		"test": "test", "www.a.test.": "a.test"} {
		if got := domainOf(host); got != want {
			t.Errorf("domainOf(%q) = %q, want %q", host, got, want)
		}
	}
}

func TestParseRobots_Delay(t *testing.T) {
	for _, c := range []struct {
		text string
		want time.Duration
	}{
		{"User-agent: *\nCrawl-delay: 1.5\nDisallow: /", 1500 * time.Millisecond},
		{"User-agent: *\nCrawl-delay: 2\n\nUser-agent: forage\nDisallow:", 0},
		{"User-agent: *\nCrawl-delay: NaN\nCrawl-delay: 1e9\nCrawl-delay: -1", 0},
	} {
		if got := parseRobots(c.text).delay; got != c.want {
			t.Errorf("parseRobots(%q).delay = %s, want %s", c.text, got, c.want)
		}
	}
}

func FuzzParseClaims(f *testing.F) {
	f.Add(smallTruth, "/days/off")
	f.Fuzz(func(t *testing.T, text, target string) {
		if c, err := parseClaims(strings.NewReader(text)); err == nil {
			c.of("a.test", target)
		}
	})
}
