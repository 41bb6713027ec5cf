//go:build unix

package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mark stands in all pages of gone.test, in their titles, in its robots.txt and in the headers of its answers, and nowhere else.
const mark = "zyxmark"

// shared is a page of both sites.
const shared = "<html lang=\"en\"><title>Shared words</title><p>A paragraph that both sites have, as mirrors do."

// twoSites serves gone.test and kept.test, which link to each other.
func twoSites(t *testing.T) (hosts string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		host, _, _ := strings.Cut(r.Host, ":")
		if r.URL.Path == "/shared" {
			io.WriteString(w, shared)
			return
		}
		word := "ordinary"
		if host == "gone.test" {
			word = mark
			w.Header().Set("Server", mark)
		}
		switch {
		case r.URL.Path == "/robots.txt":
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprintf(w, "User-agent: *\nDisallow: /none\n# %s\n", word)
		case len(r.URL.Path) <= 3:
			fmt.Fprintf(w, "<html lang=\"en\"><title>%s page %s</title><p>Some text with the word %s in it.", word, r.URL.Path, word)
			for i := range 8 {
				fmt.Fprintf(w, "<a href=\"/%d\">page</a>", i)
			}
			io.WriteString(w, "<a href=\"/shared\">shared</a><a href=\"http://gone.test/\">one</a><a href=\"http://kept.test/\">other</a>")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	hosts = filepath.Join(t.TempDir(), "hosts")
	addr := strings.TrimPrefix(server.URL, "http://")
	if err := os.WriteFile(hosts, []byte(addr+" gone.test\n"+addr+" kept.test\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return hosts
}

// marked returns the files below a directory in which the mark stands, packed or not.
func marked(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if holdsMark(t, path, data) {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func holdsMark(t *testing.T, name string, data []byte) bool {
	t.Helper()
	if bytes.Contains(data, []byte(mark)) {
		return true
	}
	switch {
	case strings.HasSuffix(name, ".wacz"):
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			inside, _ := io.ReadAll(r)
			if holdsMark(t, f.Name, inside) {
				return true
			}
		}
	case bytes.HasPrefix(data, []byte("\x1f\x8b")):
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return bytes.Contains(text, []byte(mark))
	}
	return false
}

// checkGone verifies that nothing of gone.test is in a home, and that all of kept.test is.
func checkGone(t *testing.T, home string) {
	t.Helper()
	forage := func(args ...string) string {
		t.Helper()
		return startForage(t, append(args, "--home", home)...).succeed().stdout.String()
	}
	if files := marked(t, home); len(files) > 0 {
		t.Errorf("pages of gone.test are in %q", files)
	}
	if out := forage("log", "--requests", "--json"); strings.Contains(out, mark) || strings.Contains(out, "gone.test") || !strings.Contains(out, "kept.test") {
		t.Errorf("the record of requests is\n%.2000s", out)
	}
	if p := startForage(t, "find", mark, "--home", home); p.wait() != 1 { // no hits
		t.Errorf("find says\n%s", p.stdout.String())
	}
	exports := filepath.Join(t.TempDir(), "exports")
	for _, format := range []string{"wacz", "warc", "cdxj", "pages"} {
		forage("export", "--format", format, "--all", filepath.Join(exports, format))
	}
	filepath.WalkDir(exports, func(path string, e fs.DirEntry, err error) error {
		if info, err := e.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("others can read %s: %v, %v", path, info.Mode(), err)
		}
		return nil
	})
	if files := marked(t, exports); len(files) > 0 {
		t.Errorf("exports have it: %q", files)
	}
	if out := forage("read", "http://kept.test/shared"); !strings.Contains(out, "both sites have") {
		t.Errorf("the page of both is\n%s", out)
	}
	if out := forage("read", "http://kept.test/3"); !strings.Contains(out, "ordinary") {
		t.Errorf("another page is\n%s", out)
	}
	if p := startForage(t, "read", "http://gone.test/", "--home", home); p.wait() == 0 {
		t.Errorf("a page of gone.test is read:\n%s", p.stdout.String())
	}
}

func eraseRun(home, hosts string, flags ...string) []string {
	return append([]string{"run", "--home", home, "--accept", "--lab", "--hosts", hosts, "--api", "127.0.0.1:0", "--no-tray", "--no-limits", "--gap", "0s",
		"--seeds", "http://gone.test/", "--seeds", "http://kept.test/", "--log", filepath.Join(home, "state", "forage.log"), "--verbose"}, flags...)
}

// A site that is erased by name leaves no byte of its pages in any file of the home, while no node runs.
func TestErase_ASite(t *testing.T) {
	t.Parallel()
	hosts, home := twoSites(t), filepath.Join(t.TempDir(), "home")
	if err := os.MkdirAll(filepath.Join(home, "state"), 0o700); err != nil {
		t.Fatal(err)
	}
	startForage(t, eraseRun(home, hosts, "--exit-when-idle", "1s")...).succeed()
	if files := marked(t, home); len(files) < 3 {
		t.Fatalf("before, the mark is in %q alone", files)
	}
	p := startForage(t, "never", "gone.test", "--erase", "--home", home).succeed()
	if !strings.Contains(p.stdout.String(), "Erased: gone.test") {
		t.Errorf("it says %q", p.stdout.String())
	}
	checkGone(t, home)
	if p := startForage(t, "doctor", "--home", home); p.wait() != 0 {
		t.Errorf("the doctor says\n%s", p.stdout.String())
	}
	// The next start visits nothing of it.
	startForage(t, eraseRun(home, hosts, "--exit-when-idle", "1s")...).succeed()
	checkGone(t, home)

	startForage(t, "erase", "--url", "http://kept.test/5", "--home", home).succeed()
	if p := startForage(t, "read", "http://kept.test/5", "--home", home); p.wait() == 0 {
		t.Error("a page that was erased is read")
	}
	if p := startForage(t, "erase", "--site", "co.uk", "--home", home); p.wait() != 2 {
		t.Errorf("erasing co.uk: %s", p.stderr.String())
	}
	checkGone(t, home)
}

// A node that runs erases, and goes on.
func TestErase_ASiteWhileTheNodeRuns(t *testing.T) {
	t.Parallel()
	hosts, home := twoSites(t), filepath.Join(t.TempDir(), "home")
	if err := os.MkdirAll(filepath.Join(home, "state"), 0o700); err != nil {
		t.Fatal(err)
	}
	node := startForage(t, eraseRun(home, hosts)...)
	node.awaitUp(home)
	until(t, "all pages", func() bool {
		for _, url := range []string{"http://kept.test/shared", "http://gone.test/shared", "http://kept.test/7", "http://gone.test/7"} {
			if startForage(t, "read", url, "--home", home).wait() != 0 {
				return false
			}
		}
		return true
	})
	startForage(t, "never", "gone.test", "--erase", "--home", home).succeed()
	node.awaitUp(home)
	checkGone(t, home)
	startForage(t, "stop", "--home", home).succeed()
	node.succeed()
	checkGone(t, home)
}
