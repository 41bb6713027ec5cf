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
		"a/index.html":       `<a href="http://b.test/">b</a> <a href=pic.png>p</a> <a href=dir>d</a> <a href="mailto:x@y">m</a>`,
		"a/pic.png":          "png",
		"a/dir/index.html":   `<base href="/dir/sub/"><a href="x%20y.html#z">x</a><a href="x y.html">x</a>`,
		"a/dir/sub/x y.html": `<!-- <a href="/no.html"> --><script>"<a href='/no.html'>"</script><a href="">self</a>`,
		"a/no.html":          "never linked",
		"b/index.html":       `<iframe src=frame.htm></iframe><noscript><a href=/priv/open.html>o</a></noscript><a href=/priv/shut.html>s</a>`,
		"b/frame.htm":        `<meta http-equiv=Refresh content="3; URL='moved.html'"><a href=gone.html>g</a>`,
		"b/moved.html":       `<meta name=robots content="noindex, NoFollow"><a href=hidden.html>h</a>`,
		"b/hidden.html":      "hidden",
		"b/priv/open.html":   "open",
		"b/priv/shut.html":   "shut",
		"b.robots.txt":       "User-agent: *\nDisallow: /priv/\nAllow: /priv/open.html\n",
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
		"b.test": {root: filepath.Join(dir, "b"), alias: map[string]string{"/robots.txt": filepath.Join(dir, "b.robots.txt")}},
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

func TestJudge(t *testing.T) {
	w := smallWeb(t)
	with := func(more ...string) []string { return append(append([]string{}, rightLog...), more...) }
	for _, c := range []struct {
		name  string
		lines []string
		o     options
		right bool
		says  string
	}{
		{"right", rightLog, options{}, true, "pages fetched          7"},
		{"gap kept", rightLog, options{gap: 2 * time.Second}, true, "smallest gap           2s"},
		{"gap not kept", rightLog, options{gap: 2100 * time.Millisecond}, false, "2.1s: not kept"},
		{"not HTML", rightLog, options{}, true, "12, of them 2 robots.txt and 8.3 % not HTML"},
		{"missing", rightLog[:11][:10], options{}, false, "pages missing          1\n  http://a.test/dir/sub/x y.html"},
		{"twice", with("b.test 200 /frame%2Ehtm text/html"), options{}, false, "http://b.test/frame.htm (2 times)"},
		{"again", with("b.test 304 /frame.htm -"), options{again: true}, true, "http://b.test/frame.htm (2 times)"},
		{"forbidden", with("b.test 200 /priv/shut.html text/html"), options{}, false, "forbidden requests     1\n  http://b.test/priv/shut.html (200)"},
		{"forbidden, percent", with("b.test 404 /%70riv/x text/html"), options{}, false, "forbidden requests     1"},
		{"beyond", with("a.test 200 /no.html text/html"), options{}, true, "beyond the links       1"},
		{"no robots", rightLog[1:], options{}, false, "before robots.txt      1\n  a.test: /"},
		{"one host", rightLog[:10], options{host: "b.test"}, true, "pages fetched          4"},
		{"since", with(rightLog...), options{since: 1012}, true, "pages fetched          7"},
		{"other hosts", with("c.test 200 / text/html"), options{}, true, "requests               12"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.log = writeLog(t, c.lines)
			var out bytes.Buffer
			right, err := judge(t.Context(), w, c.o, &out)
			if err != nil {
				t.Fatal(err)
			}
			if right != c.right || !strings.Contains(out.String(), c.says) {
				t.Errorf("right = %v, want %v with %q:\n%s", right, c.right, c.says, &out)
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
	var out bytes.Buffer
	right, err := judge(t.Context(), smallWeb(t), options{log: name, from: from}, &out)
	if err != nil || !right {
		t.Errorf("right = %v, %v, want true:\n%s", right, err, &out)
	}
}

func TestRun_Usage(t *testing.T) {
	for _, args := range [][]string{
		{}, {"-docs", "x"}, {"-nonsense"}, {"-docs", "x", "-www", "x", "-log", "x", "more"},
		{"-docs", "x", "-www", "x", "-log", "x", "-gap", "-1s"}, {"-docs", "x", "-www", "x", "-log", "x", "-all", "-host", "y"},
		{"-docs", "x", "-www", "x", "-log", "x", "-host", "nobody.test"},
		{"-docs", "x", "-www", "x", "-log", filepath.Join(t.TempDir(), "absent")},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), args, &out, &errs); code != exitUnjudged || errs.Len() == 0 {
			t.Errorf("run(%q) = %d with %q, want %d and a reason", args, code, &errs, exitUnjudged)
		}
	}
}
