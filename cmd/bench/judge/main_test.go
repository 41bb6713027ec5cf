package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// smallWeb writes a web of two sites: a.test links to b.test, and b.test has
// rules and an odd page.
func smallWeb(t *testing.T) web {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a/index.html": `<a href="http://b.test/">b</a> <a href=pic.png>p</a> <a href=dir>d</a> ` +
			`<a href="mailto:x@y">m</a>`,
		"a/pic.png":          "png",
		"a/dir/index.html":   `<base href="/dir/sub/"><a href="x%20y.html#z">x</a><a href="x y.html">x</a>`,
		"a/dir/sub/x y.html": `<!-- <a href="/no.html"> --><script>"<a href='/no.html'>"</script><a href="">self</a>`,
		"a/no.html":          "never linked",
		"b/index.html": `<iframe src=frame.htm></iframe><noscript><a href=/priv/open.html>o</a></noscript>` +
			`<a href=/priv/shut.html>s</a>`,
		"b/frame.htm":      `<meta http-equiv=Refresh content="3; URL='moved.html'"><a href=gone.html>g</a>`,
		"b/moved.html":     `<meta name=robots content="noindex, NoFollow"><a href=hidden.html>h</a>`,
		"b/hidden.html":    "hidden",
		"b/priv/open.html": "open",
		"b/priv/shut.html": "shut",
		"b.robots.txt":     "User-agent: *\nDisallow: /priv/\nAllow: /priv/open.html\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return web{start: "http://a.test/", sites: map[string]*site{
		"a.test": {root: filepath.Join(dir, "a")},
		"b.test": {root: filepath.Join(dir, "b"), alias: map[string]string{"/robots.txt": filepath.Join(dir,
			"b.robots.txt")}},
	}}
}

func TestFindTruth(t *testing.T) {
	found, err := findTruth(t.Context(), smallWeb(t))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"http://a.test/", "http://a.test/dir/", "http://a.test/dir/sub/x y.html",
		"http://b.test/", "http://b.test/frame.htm", "http://b.test/moved.html", "http://b.test/priv/open.html",
	}
	for _, page := range want {
		host, path, _ := strings.Cut(strings.TrimPrefix(page, "http://"), "/")
		if !found.pages[pageKey{host, "/" + path}] {
			t.Errorf("%s is not among the pages", page)
		}
	}
	if len(found.pages) != len(want) {
		t.Errorf("found %d pages, want %d: %v", len(found.pages), len(want), found.pages)
	}
	if len(found.barred) != 1 || !found.barred[pageKey{"b.test", "/priv/shut.html"}] {
		t.Errorf("barred = %v, want /priv/shut.html", found.barred)
	}
}

// rightLog is a crawl as it should be, with 2 s between requests to a host.
var rightLog = []string{
	"a.test 404 /robots.txt text/html", "b.test 200 /robots.txt text/plain",
	"a.test 200 / text/html", "b.test 200 / text/html;charset=utf-8",
	"a.test 200 /pic.png image/png", "b.test 200 /frame.htm text/html",
	"a.test 301 /dir text/html", "b.test 200 /moved.html text/html",
	"a.test 200 /dir/ text/html", "b.test 200 /priv/open.html text/html",
	"a.test 200 /dir/sub/x%20y.html text/html", "b.test 404 /gone.html text/html",
}

// writeLog writes one line a second.
func writeLog(t *testing.T, lines []string) string {
	t.Helper()
	var b strings.Builder
	for i, l := range lines {
		f := strings.Fields(l)
		fmt.Fprintf(&b, "%d.000\t%s\t%s\tGET\t%s\t%s\t10\t-\t1\tx\n", 1000+i, f[0], f[1], f[2], f[3])
	}
	name := filepath.Join(t.TempDir(), "access.log")
	if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// judgeSmall judges a log of the small web.
func judgeSmall(t *testing.T, o options) (bool, string) {
	t.Helper()
	w := smallWeb(t)
	found, err := findTruth(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	right, err := o.judgeBy(w, found, &out)
	if err != nil {
		t.Fatal(err)
	}
	return right, out.String()
}

func TestJudge(t *testing.T) {
	with := func(more ...string) []string { return append(append([]string{}, rightLog...), more...) }
	const noGap = -1
	for _, c := range []struct {
		name  string
		lines []string
		o     options
		right bool
		says  string
	}{
		{"right", rightLog, options{gap: noGap}, true, "coverage       right  7 of 7 pages, 100.00 %"},
		{"gap kept", rightLog, options{gap: 2 * time.Second}, true,
			"0 of 10 in 2 domains shorter than 2s; smallest 2s"},
		{"gap not kept", rightLog, options{gap: 2100 * time.Millisecond}, false,
			"10 of 10 in 2 domains shorter than 2.1s"},
		{"not HTML", rightLog, options{gap: noGap}, true, "12 in 11.0 s, 8.33 % not HTML"},
		{"missing", rightLog[:10], options{gap: noGap}, false,
			"coverage       wrong  6 of 7 pages, 85.71 %\n  http://a.test/dir/sub/x y.html"},
		{"twice", with("b.test 200 /frame%2Ehtm text/html"), options{gap: noGap}, false,
			"http://b.test/frame.htm (2 times)"},
		{"again", with("b.test 304 /frame.htm -"), options{gap: noGap, again: true}, true,
			"http://b.test/frame.htm (2 times)"},
		{"forbidden", with("b.test 200 /priv/shut.html text/html"), options{gap: noGap}, false,
			"forbidden      wrong  1 requests\n  http://b.test/priv/shut.html (200)"},
		{"forbidden, percent", with("b.test 404 /%70riv/x text/html"), options{gap: noGap}, false,
			"forbidden      wrong  1 requests"},
		{"beyond", with("a.test 200 /no.html text/html"), options{gap: noGap}, true,
			"other pages           1, such as http://a.test/no.html"},
		{"no robots", rightLog[1:], options{gap: noGap}, false,
			"robots first   wrong  1 hosts asked before their robots.txt\n  a.test: /"},
		{"one host", rightLog[:10], options{gap: noGap, host: "b.test"}, true, "4 of 4 pages"},
		{"since", with(rightLog...), options{gap: noGap, since: 1012}, true, "7 of 7 pages"},
		{"other hosts", with("c.test 200 / text/html"), options{gap: noGap}, true, "requests              12 in"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.log, c.o.tolerance = writeLog(t, c.lines), -1
			right, says := judgeSmall(t, c.o)
			if right != c.right || !strings.Contains(says, c.says) {
				t.Errorf("right = %v, want %v with %q:\n%s", right, c.right, c.says, says)
			}
		})
	}
}

func TestJudge_From(t *testing.T) {
	name := writeLog(t, append([]string{"b.test 200 /priv/shut.html text/html"}, rightLog...))
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	from := int64(bytes.IndexByte(data, '\n') + 1)
	if right, says := judgeSmall(t, options{log: name, from: []int64{from}, gap: -1}); !right {
		t.Errorf("the crawl is not right:\n%s", says)
	}
}

func TestRun_Usage(t *testing.T) {
	for _, args := range [][]string{
		{}, {"-docs", "x"}, {"-nonsense"}, {"-docs", "x", "-www", "x", "-log", "x", "more"},
		{"-docs", "x", "-www", "x", "-log", "x", "-gap", "-1s"},
		{"-docs", "x", "-www", "x", "-log", "x", "-all", "-host", "y"},
		{"-docs", "x", "-www", "x", "-log", "x", "-host", "nobody.test"},
		{"-docs", "x", "-www", "x", "-log", filepath.Join(t.TempDir(), "absent")},
		{"-truth", "x", "-docs", "x", "-www", "x", "-log", "x"},
		{"-truth", filepath.Join(t.TempDir(), "absent"), "-log", "x"},
		{"-truth", "x", "-log", "x", "-from", "5", "-from", "5"}, {"-truth", "x", "-log", "x", "-from", "-1"},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), args, &out, &errs); code != exitUnjudged || errs.Len() == 0 {
			t.Errorf("run(%q) = %d with %q, want %d and a reason", args, code, &errs, exitUnjudged)
		}
	}
}
