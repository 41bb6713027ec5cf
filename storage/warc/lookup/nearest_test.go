package lookup

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/storage/warc"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/warctest"
)

// visit is a capture of a URL some hours after the beginning.
func visit(hour int, url string, status int) capture.Capture {
	c := warctest.Titled(hour, url, fmt.Sprint(hour))
	c.Date, c.Status = warctest.Date.Add(time.Duration(hour)*time.Hour), status
	return c
}

// again is a revisit: the page was as at another capture.
func again(hour int, url string, as capture.Capture) capture.Capture {
	c := visit(hour, url, 200)
	c.Response, c.PayloadDigest = c.Response[:c.HeadLen], as.PayloadDigest
	c.Revisit = &capture.Refers{URL: as.URL, Date: as.Date}
	return c
}

func TestNearest(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, warc.Config{NoSync: true, Dir: dir, MaxSize: 4 << 10})
	first := visit(0, "https://a.example/style.css", 200)
	for _, c := range []capture.Capture{
		first,
		visit(1, "https://a.example/late.png", 200),
		visit(2, "https://a.example/both", 200),
		visit(3, "https://a.example/error", 200),
		visit(4, "http://www.a.example/scheme", 200),
		visit(5, "https://a.example/scheme", 200),
		visit(6, "https://a.example/error", 404),
		again(7, "https://a.example/style.css", first),
		again(8, "https://b.example/twin.css", first),
		visit(9, "https://a.example/both", 200),
		visit(10, "https://a.example/both", 200),
		visit(11, "https://A.example/Case", 200),
	} {
		warctest.Append(t, a, c)
	}
	urls := []string{"https://a.example/style.css", "https://a.example/late.png", "https://a.example/both", "https://a.example/error",
		"https://a.example/scheme", "http://a.example/scheme", "https://b.example/twin.css", "https://a.example/case", "https://a.example/none", "", "x",
		"https://a.example/both", strings.Repeat("x", capture.MaxURL+1)}
	for _, c := range []struct {
		hour   int
		bodies bool
		want   string // hours of the captures of the first eight URLs
	}{
		{0, true, "0 1 2 3 5 4 0 11"},
		{6, true, "0 1 9 3 5 5 0 11"},
		{12, true, "0 1 10 3 5 5 0 11"},
		{6, false, "7 1 9 6 5 5 8 11"},
		{5, false, "7 1 2 6 5 5 8 11"},
		{-3, false, "0 1 2 3 5 4 8 11"},
	} {
		found, whole, err := Nearest(t.Context(), dir, urls, Near{Time: warctest.Date.Add(time.Duration(c.hour) * time.Hour), Bodies: c.bodies})
		if err != nil || !whole || len(found) != 8 {
			t.Fatalf("hour %d: %d found, %v, %v", c.hour, len(found), whole, err)
		}
		var hours []string
		for _, url := range urls[:8] {
			hours = append(hours, found[url].Title)
		}
		if got := strings.Join(hours, " "); got != c.want {
			t.Errorf("hour %d, bodies %v: captures of hours %s, want %s", c.hour, c.bodies, got, c.want)
		}
		for url, f := range found {
			if c.bodies && (f.Revisit || f.Status != 200) {
				t.Errorf("%s has no body: %+v", url, f)
			}
			if same, err := Find(dir, f.ID); err != nil || same != f {
				t.Errorf("Find(%s) = %+v, %v, want %+v", f.ID, same, err, f)
			}
		}
	}
}

// The walk has an end where nothing older can be nearer, where time is up, and where the caller left.
func TestNearest_Ends(t *testing.T) {
	dir := t.TempDir()
	writeIndex(t, dir, 3000)
	last := "https://www.site2999.example/section/7/a-page-about-something-2999.html"
	far := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	s := nearest{near: Near{Time: far}, wanted: map[string][]string{}, best: map[string]Found{}, originals: map[[20]byte]Found{}, settled: map[string]bool{}}
	s.want(last)
	s.open = 1
	r, err := backwards(t.Context(), dir, Bounds{Limit: 1}, s.match)
	if err != nil || r.Searched != 1 || s.best[last].URL != last {
		t.Errorf("%d lines read for the newest capture, %v", r.Searched, err)
	}
	found, whole, err := Nearest(t.Context(), dir, []string{last, "https://nowhere.example/"}, Near{Time: far, Budget: 1})
	if err != nil || whole || len(found) != 1 {
		t.Errorf("without time: %d found, whole %v, %v", len(found), whole, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Nearest(ctx, dir, []string{"https://nowhere.example/"}, Near{}); !errors.Is(err, context.Canceled) {
		t.Errorf("for one who left: %v", err)
	}
	if found, whole, err := Nearest(t.Context(), filepath.Join(dir, "none"), []string{last}, Near{}); err != nil || !whole || len(found) != 0 {
		t.Errorf("without archive: %v, %v, %v", found, whole, err)
	}
}
