package crawl

import (
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/assets/words"
)

func TestURL_Trap(t *testing.T) {
	now := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		url  string
		trap string // a part of the reason
	}{
		// Pages.
		{"http://a.example/", ""}, {"http://a.example/?", ""}, {"http://a.example/b/c/d.html", ""}, {"http://a.example/docs/docs/index.html", ""},
		{"http://a.example/b/c/b/c/d", ""}, {"http://a.example/b/c/b/c/b", ""}, {"http://a.example/x/1/x/2/x/3", ""}, {"http://a.example/b//c", ""}, {"http://a.example//", ""},
		{"http://a.example/" + strings.Repeat("x/", 2), ""}, {"http://a.example/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t", ""}, {"http://a.example/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/", ""},
		{"http://a.example/1/2/1/3/1/4/1", ""}, {"http://a.example/en/x/en/y/en/z/u/v", ""},
		{"http://a.example/2026/07/01/title", ""}, {"http://a.example/2027/12/", ""}, {"http://a.example/1923/05/12/", ""}, {"http://a.example/1969/13/", ""}, {"http://a.example/9000/page", ""},
		{"http://a.example/rfc/9110/", ""}, {"http://a.example/2300/1/", ""}, {"http://a.example/19/05/", ""}, {"http://a.example/12345/06/", ""}, {"http://a.example/v2099-01/", ""},
		{"http://a.example/?year=2026&month=7", ""}, {"http://a.example/?date=2027-01-31", ""}, {"http://a.example/?id=2099", ""}, {"http://a.example/?start=1900", ""},
		{"http://a.example/?date=1751328000", ""}, {"http://a.example/?year=all", ""}, {"http://a.example/?month=5", ""}, {"http://a.example/?day=", ""}, {"http://a.example/?update=2099", ""},
		{"http://a.example/?birthday=1950-01-01", ""}, {"http://a.example/?date=2099-13-01", ""}, {"http://a.example/?date=2099x", ""}, {"http://a.example/?event=2099", ""},
		{"http://a.example/?week=2026-W27", ""}, {"http://a.example/?a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8&i=9&j=10&k=11&l=12", ""},
		{"http://a.example/a.example/", ""}, {"http://web.example/web/2020/http://web.example/", ""}, {"http://docs/docs/docs/x", ""}, {"http://a.example/b.example/b.example/", ""},
		// Circles.
		{"http://a.example/b/b/b", "three times"}, {"http://a.example/x/b/b/b/y", "three times"}, {"http://a.example/////", "three times"}, {"http://a.example/1/1/1/", "three times"},
		{"http://a.example/b/c/b/c/b/c", "group"}, {"http://a.example/x/b/c/b/c/b/c/y", "group"}, {"http://a.example/b/c/d/b/c/d/b/c/d/", "group"},
		{"http://a.example/a/b/c/d/e/f/a/b/c/d/e/f/a/b/c/d/e/f", "group"},
		{"http://a.example/en/x/en/y/en/z/en/u", "four times"}, {"http://a.example/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u", "deeper"},
		{"http://a.example/" + strings.Repeat("x/", 900), "deeper"}, {"http://a.example/a.example/a.example/", "host"}, {"http://a.example/A.EXAMPLE/b/a.example/c", "host"},
		{"http://a.example:8080/a.example:8080/http://a.example/", "host"},
		// Combinations.
		{"http://a.example/?a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8&i=9&j=10&k=11&l=12&m=13", "parameters"}, {"http://a.example/?" + strings.Repeat("a&", 500), "parameters"},
		// Calendars.
		{"http://a.example/2028/01/", "date"}, {"http://a.example/cal/2028/01/02", "date"}, {"http://a.example/1799/12/", "date"}, {"http://a.example/2300/1/2", "date"}, {"http://a.example/9999/12", "date"},
		{"http://a.example/2026/01/2099/01", "date"}, {"http://a.example/?year=2028", "date"}, {"http://a.example/?year=1799&month=1", "date"}, {"http://a.example/?month=2028-01", "date"},
		{"http://a.example/?DATE=2099-1-1", "date"}, {"http://a.example/?date=20990101", "date"}, {"http://a.example/?month=209901", "date"}, {"http://a.example/?day=2099/01/01", "date"},
		{"http://a.example/?day=2099%2F01%2F01", "date"}, {"http://a.example/?cal=2099.01", "date"}, {"http://a.example/?calYear=2099", "date"}, {"http://a.example/?cal_month=2099-01", "date"},
		{"http://a.example/?event-date=2099-01-01", "date"}, {"http://a.example/?calendar=2099-01", "date"}, {"http://a.example/?a=b&date=1492-10-12", "date"},
	} {
		u := mustParse(t, c.url)
		if got := words.Text(words.English, u.Trap(now), nil); (got == "") != (c.trap == "") || !strings.Contains(got, c.trap) {
			t.Errorf("Trap of %.100s = %q, want %q", u, got, c.trap)
		}
	}
}

func TestURL_TrapAllocatesNothing(t *testing.T) {
	now := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	for _, s := range []string{"http://a.example/b/c.html", "http://a.example/2026/07/x?year=2026&a=b", "http://a.example/b/b/b/b/b/b/b/b/b"} {
		u := mustParse(t, s)
		if n := testing.AllocsPerRun(100, func() { u.Trap(now) }); n != 0 {
			t.Errorf("%v allocations for %s, want 0", n, s)
		}
	}
}

func FuzzTrap(f *testing.F) {
	f.Add("a/b/a/b/a/b?year=2099", int64(2026))
	f.Add(strings.Repeat("/", 40), int64(0))
	f.Add("2099/1/?date=%2F&day=2099%2", int64(-5))
	f.Fuzz(func(t *testing.T, path string, year int64) {
		u, err := ParseURL("http://a.example/" + path)
		if err != nil {
			return
		}
		now := time.Date(int(year%10_000), 1, 1, 0, 0, 0, 0, time.UTC)
		reason := u.Trap(now)
		if strings.Count(u.Path(), "/") > 2*maxSegments && !strings.Contains(u.Path(), "?") && reason == "" {
			t.Errorf("%q is no trap", u)
		}
		if u.Path() == "/" && reason != "" {
			t.Errorf("the root is a trap: %s", reason)
		}
	})
}

func BenchmarkTrap(b *testing.B) {
	now := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct{ name, url string }{
		{"short", "https://www.example.org/library/functions.html"},
		{"story", "https://www.example.org/news/2026/01/title-of-the-story"},
		{"query", "https://www.example.org/search?page=3&q=forage&sort=date"},
		{"deep", "https://www.example.org/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t"},
	} {
		u := mustParse(b, c.url)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if u.Trap(now) != "" {
					b.Fatal("a page is a trap")
				}
			}
		})
	}
}
