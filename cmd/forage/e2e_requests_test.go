//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/demo"
	"github.com/forage-net/forage/app/requestlog"
)

// unrecorded is how much of the time before a kill no request may be recorded of. It is more
// on a computer that keeps the node from writing, so a quick run does not judge it.
const unrecorded = 6 * time.Second

// What a node records of its requests is what the sites saw: all of it except the last
// seconds before it was killed, and nothing else. What robots.txt forbids is recorded
// as left out, with the line that says so.
func TestRequests_AreWhatSitesSawThoughTheNodeWasKilled(t *testing.T) {
	t.Parallel()
	const gap = 60 * time.Millisecond
	l := newLab(t, demo.Options{Sites: 5, Pages: 400})
	flags := []string{"--gap", gap.String(), "--fetchers", "16", "--no-limits", "--exit-when-idle", "1s", "--lab-times", "real"}
	p, due := l.start(flags...), make(chan struct{})
	var killed time.Time
	l.whenServed(200, func() { // the web stands still meanwhile
		until(t, "requests to be recorded", l.hasRecorded)
		killed = time.Now()
		close(due) // before the process ends, which would look like a failure
		p.signal(syscall.SIGKILL)
	})
	waitFor(t, "requests to be recorded", due, p)
	p.killedBy(syscall.SIGKILL)
	dead := time.Now()
	l.start(flags...).succeed()

	left := make(map[string][]demo.Hit)
	for _, h := range l.visits() {
		left[h.URL] = append(left[h.URL], h)
	}
	served := len(l.visits())
	made, early := 0, 0
	forbidden := make(map[string]bool)
	for line := range strings.Lines(l.forage("log", "--requests", "--days", "2", "--json")) {
		var r api.Request
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.Addr == "" {
			if r.Code == api.CodeForbidden {
				forbidden[r.URL] = true
				if !strings.HasPrefix(r.Rule, "Disallow: ") && r.Allowed == "rules" {
					t.Errorf("%+v names no line", r)
				}
			}
			continue
		}
		made++
		if r.Time.Before(killed) {
			early++
		}
		if r.WaitedS >= 0 && r.WaitedS < gap.Seconds() {
			t.Errorf("%s waited %v s, the gap is %v", r.URL, r.WaitedS, gap)
		}
		i := nearestHit(left[r.URL], r)
		if i < 0 {
			t.Errorf("recorded, but the site did not see it: %+v", r)
			continue
		}
		left[r.URL] = slices.Delete(left[r.URL], i, i+1)
	}
	if early == 0 {
		t.Error("nothing is recorded of the time before the kill")
	}
	for _, hits := range left {
		for _, h := range hits {
			if h.Start.After(dead) || killed.Sub(h.Start) > unrecorded && !testing.Short() {
				t.Errorf("not recorded: %s, %v before the kill", h.URL, killed.Sub(h.Start))
			}
		}
	}
	for u := range forbidden {
		if _, is := slices.BinarySearch(l.web.Forbidden(), u); !is {
			t.Errorf("%s is recorded as forbidden, which it is not", u)
		}
	}
	if len(forbidden) == 0 {
		t.Error("nothing is recorded as forbidden")
	}
	t.Logf("%d requests served, %d recorded, %d of them before the kill, %d left out", served, made, early, len(forbidden))
}

// hasRecorded reports whether there is a record of requests on the disk.
func (l *lab) hasRecorded() bool {
	files, err := os.ReadDir(requestlog.Dir(filepath.Join(l.home, "state")))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.t.Error(err)
	}
	return slices.ContainsFunc(files, func(f fs.DirEntry) bool {
		info, err := f.Info()
		return err == nil && info.Size() > 0
	})
}

// nearestHit returns which of some requests of a URL a record is of, -1 for none.
func nearestHit(hits []demo.Hit, r api.Request) int {
	best := -1
	for i, h := range hits {
		if r.Status != 0 && h.Status != r.Status {
			continue
		}
		if best < 0 || h.Start.Sub(r.Time).Abs() < hits[best].Start.Sub(r.Time).Abs() {
			best = i
		}
	}
	return best
}
