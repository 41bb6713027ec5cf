package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/forage-net/forage/app/demo"
)

// playVariable makes the test binary play the program to be measured.
const playVariable = "BENCH_TEST_PLAYS"

// playedPages is how many pages the web has, near the fewest it can have.
const playedPages = 600

// noRaceSleep is what GORACE says to children: with the race detector each would
// else sleep for a second at its end.
const noRaceSleep = "atexit_sleep_ms=0"

// eaten is how much memory the role "eater" uses.
const eaten = 64 << 20

// TestMain makes the test binary a launcher, or a program to be measured,
// where arguments or environment say so. The frontier of a run to a size is the real one.
func TestMain(m *testing.M) {
	role := os.Getenv(playVariable)
	switch {
	case len(os.Args) > 2 && os.Args[1] == launchVerb:
		os.Exit(launch(context.Background(), os.Args[2:], os.Stdout, os.Stderr))
	case len(os.Args) == 3 && os.Args[1] == scaleVerb:
		os.Exit(runScale(context.Background(), os.Args[2], os.Stdin, os.Stdout, os.Stderr))
	case role == "":
		os.Exit(m.Run())
	}
	if err := play(role); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

func play(role string) error {
	switch role {
	case "idle":
		return nil
	case "eater":
		if b := bytes.Repeat([]byte{1}, eaten); b[len(b)-1] != 1 {
			return errors.New("no memory")
		}
		return nil
	case "right":
		return playCrawler(nil)
	case "wrong":
		return playCrawler(func(w *demo.Web, pages []string) []string {
			// The start page twice, one page never, a forbidden one and an image.
			i := slices.Index(pages, w.StartURL())
			pages[(i+1)%len(pages)] = w.StartURL()
			return append(pages, w.Forbidden()[0], w.StartURL()+"img/a.png")
		})
	}
	return errors.New("the disk is on fire")
}

// playCrawler knows beforehand what a crawl of the web fetches, and fetches
// what change makes of it. It leaves files of known size.
func playCrawler(change func(w *demo.Web, pages []string) []string) error {
	web, err := demo.Start(demo.Options{Pages: playedPages})
	if err != nil {
		return err
	}
	pages := web.Expected()
	if change != nil {
		pages = change(web, pages)
	}
	if err := web.Close(); err != nil {
		return err
	}
	hosts, err := os.ReadFile(argument("--hosts"))
	if err != nil {
		return err
	}
	var received atomic.Int64
	client := countingClient(string(hosts), &received)
	for _, u := range pages {
		status, err := request(client, u)
		if err == nil && status >= 500 {
			_, err = request(client, u)
		}
		if err != nil {
			return err
		}
	}
	return leaveFiles(argument("--home"))
}

func request(client *http.Client, url string) (status int, err error) {
	resp, err := client.Get(url)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// leaveFiles writes 5, 3 and 7 bytes a page where a node has archive, index and
// store, and a profile if that is wanted.
func leaveFiles(home string) error {
	for name, size := range map[string]int{
		"data/warc/a.warc.gz": 5 * playedPages, "data/warc/a.cdxj": 3 * playedPages,
		"state/forage.db": 7 * playedPages, "config.toml": 1,
	} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			return err
		}
	}
	if name := os.Getenv(profileVariable); name != "" {
		return os.WriteFile(name, []byte("a profile"), 0o600)
	}
	return nil
}

// argument returns the value of a flag that the program was started with.
func argument(flag string) string {
	i := slices.Index(os.Args, flag)
	if i < 0 || i+1 == len(os.Args) {
		return ""
	}
	return os.Args[i+1]
}
