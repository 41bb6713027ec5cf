package requests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// sample returns the i-th of many requests as they may be.
func sample(i int) Record {
	r := Record{
		Time: noon.Add(time.Duration(i) * 100 * time.Millisecond), URL: fmt.Sprintf("https://www.site%d.example/articles/2026/page-%d.html?n=%d", i%7, i, i*i),
		Domain: fmt.Sprintf("site%d.example", i%7), Code: "fetched", Allowed: "all-allowed", Addr: netip.AddrFrom4([4]byte{192, 0, 2, byte(i % 7)}),
		Status: 200, Bytes: int64(1000 * i), Took: time.Duration(i%900) * time.Millisecond, Waited: 5 * time.Second, Gap: 2 * time.Second,
		Title: fmt.Sprint("Page ", i, " — more about it"),
	}
	switch i % 5 {
	case 1:
		r.Code, r.Allowed, r.Rule, r.Status, r.Addr, r.Waited, r.Title = "forbidden", "rules", "Disallow: /articles", 0, netip.Addr{}, -time.Millisecond, ""
	case 2:
		r.Owner = "12D3KooWother"
	case 3:
		r.By, r.Check = "12D3KooWother", "12D3KooWthird"
	}
	return r
}

// open opens a log whose clock stands.
func open(t testing.TB, dir string, now *time.Time) *Log {
	t.Helper()
	l, err := Open(Config{Dir: dir, Days: 30, Now: func() time.Time { return *now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// read returns all records, the latest first, page by page.
func read(t testing.TB, d Dir, size int) (list []Record) {
	t.Helper()
	for before := (Cursor{}); ; {
		page, next, err := d.Page(context.Background(), before, size, nil)
		if err != nil {
			t.Fatal(err)
		}
		if list = append(list, page...); next == (Cursor{}) {
			return list
		}
		again, ok := ParseCursor(next.String())
		if !ok || again != next {
			t.Fatalf("%q is read as %v", next, again)
		}
		before = next
	}
}

func TestLog_ReadsWhatItWrote(t *testing.T) {
	now := noon
	dir := t.TempDir()
	l := open(t, dir, &now)
	const count = 3000
	var want []Record
	for i := range count {
		r := sample(i)
		l.Append(&r)
		if i%13 == 0 {
			l.Flush()
		}
		want = append(want, r)
	}
	l.Flush()
	slices.Reverse(want)
	for _, size := range []int{1000, 77} {
		if got := read(t, Dir(dir), size); !reflect.DeepEqual(got, want) {
			t.Fatalf("pages of %d: %d records, the first %+v, want %d, the first %+v", size, len(got), got[0], len(want), want[0])
		}
	}
	match := func(r *Record) bool { return r.Rule != "" }
	if got, next, err := Dir(dir).Page(t.Context(), Cursor{}, 10, match); err != nil || len(got) != 10 || next == (Cursor{}) || got[9].Rule == "" {
		t.Errorf("Page of those with a rule = %d records, %v, %v", len(got), next, err)
	}
}

// The last seconds may be lost, and nothing else; what is written after that is there.
func TestLog_GoesOnBehindATornEnd(t *testing.T) {
	now := noon
	whole := t.TempDir()
	l := open(t, whole, &now)
	for i := range 30 {
		r := sample(i)
		l.Append(&r)
		if i%10 == 9 {
			l.Flush()
		}
	}
	path := Dir(whole).path("2026-03-04")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, second, err := footBefore(f, int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	for cut := int(second) - 3; cut < len(text); cut += 7 {
		for _, garbage := range []int{0, 50} {
			dir := t.TempDir()
			torn := append(bytes.Clone(text[:cut]), make([]byte, garbage)...) // some file systems leave zeros
			if err := os.WriteFile(Dir(dir).path("2026-03-04"), torn, 0o600); err != nil {
				t.Fatal(err)
			}
			want := 20
			if cut < int(second) {
				want = 10
			}
			if got := read(t, Dir(dir), 100); len(got) != want {
				t.Fatalf("cut at %d of %d: %d records, want %d", cut, len(text), len(got), want)
			}
			again := open(t, dir, &now)
			r := sample(99)
			again.Append(&r)
			again.Flush()
			got := read(t, Dir(dir), 100)
			if len(got) != want+1 || !reflect.DeepEqual(got[0], r) {
				t.Fatalf("cut at %d of %d, and gone on: %d records, want %d", cut, len(text), len(got), want+1)
			}
			again.Close()
		}
	}
}

func TestLog_PacksAndForgetsDays(t *testing.T) {
	now := noon
	dir := t.TempDir()
	l := open(t, dir, &now)
	l.cfg.Days = 3
	const perDay = 1500
	var marks []Cursor
	for day := range 5 {
		for i := range perDay {
			r := sample(i)
			r.Title = fmt.Sprint("day ", day)
			l.Append(&r)
			if i%5 == 0 {
				l.Flush()
			}
		}
		l.Flush()
		_, mark, err := Dir(dir).Page(t.Context(), Cursor{}, perDay/2, nil)
		if err != nil {
			t.Fatal(err)
		}
		marks = append(marks, mark)
		now = now.Add(24 * time.Hour)
	}
	now = now.Add(-24 * time.Hour) // the fifth day
	before := size(t, Dir(dir).path("2026-03-07"))
	if err := l.tidy(t.Context(), dayOf(now)); err != nil {
		t.Fatal(err)
	}
	days, err := Dir(dir).days()
	if want := []string{"2026-03-06", "2026-03-07", "2026-03-08"}; err != nil || !reflect.DeepEqual(days, want) {
		t.Fatalf("days %v, %v, want %v", days, err, want)
	}
	if after := size(t, Dir(dir).path("2026-03-07")); after*3 > before {
		t.Errorf("packed from %d to %d bytes", before, after)
	}
	got := read(t, Dir(dir), 1000)
	if len(got) != 3*perDay || got[0].Title != "day 4" || got[len(got)-1].Title != "day 2" {
		t.Errorf("%d records from %q to %q", len(got), got[0].Title, got[len(got)-1].Title)
	}
	// A place that was read before is still the same.
	page, _, err := Dir(dir).Page(t.Context(), marks[3], 1, nil)
	if want := sample(perDay/2 - 1); err != nil || len(page) != 1 || page[0].URL != want.URL || page[0].Title != "day 3" {
		t.Errorf("Page(%v) = %+v, %v, want %s", marks[3], page, err, want.URL)
	}
	packed := size(t, Dir(dir).path("2026-03-07"))
	if err := l.tidy(t.Context(), dayOf(now)); err != nil || size(t, Dir(dir).path("2026-03-07")) != packed {
		t.Errorf("packed again: %v", err)
	}
	l.cfg.TotalBytes = packed + size(t, Dir(dir).path("2026-03-08"))
	if err := l.tidy(t.Context(), dayOf(now)); err != nil {
		t.Fatal(err)
	}
	if days, _ := Dir(dir).days(); len(days) != 2 || days[0] != "2026-03-07" {
		t.Errorf("days %v within %d bytes, want the last two", days, l.cfg.TotalBytes)
	}
	if err := Dir(dir).Remove(); err != nil {
		t.Error(err)
	}
	if days, err := Dir(dir).days(); len(days) > 0 || err != nil {
		t.Errorf("days %v, %v after Remove", days, err)
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func TestLog_CountsWhatIsLost(t *testing.T) {
	now := noon
	dir := t.TempDir()
	l := open(t, dir, &now)
	l.cfg.DayBytes = 2000
	const count = 100
	for i := range count {
		r := sample(i)
		l.Append(&r)
		l.Flush()
	}
	kept := len(read(t, Dir(dir), 1000))
	if got := size(t, Dir(dir).path("2026-03-04")); got > 2000 || kept == 0 {
		t.Fatalf("%d bytes, %d records", got, kept)
	}
	now = now.Add(24 * time.Hour)
	r := sample(0)
	l.Append(&r)
	l.Flush()
	seen := 0
	lost, err := Dir(dir).Each(t.Context(), noon, func(*Record) bool { seen++; return true })
	if err != nil || seen != kept+1 || lost != int64(count-kept) {
		t.Errorf("Each saw %d of %d and %d are lost (%v), want %d", seen, kept+1, lost, err, count-kept)
	}
	if lost, _ := Dir(dir).Each(t.Context(), now.Add(24*time.Hour), func(*Record) bool { t.Error("a record of a day before"); return false }); lost != 0 {
		t.Errorf("%d are lost later", lost)
	}
}

func TestLog_ServeWritesEveryTwoSeconds(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		l, err := Open(Config{Dir: dir, Days: 2})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- l.Serve(ctx) }()
		synctest.Wait()
		for want := 1; want <= 3; want++ {
			r := sample(want)
			l.Append(&r)
			time.Sleep(flushEvery)
			synctest.Wait()
			if got := len(read(t, Dir(dir), 10)); got != want {
				t.Errorf("%d records after %v, want %d", got, time.Duration(want)*flushEvery, want)
			}
		}
		r := sample(4)
		l.Append(&r)
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if got := len(read(t, Dir(dir), 10)); got != 4 {
			t.Errorf("%d records at the end, want 4", got)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestLog_NilTakesNothing(t *testing.T) {
	var l *Log
	r := sample(1)
	l.Append(&r)
	l.Flush()
	if err := errors.Join(l.Serve(t.Context()), l.Close()); err != nil {
		t.Error(err)
	}
}

func TestDir_LeavesOutWhatIsDamaged(t *testing.T) {
	now := noon
	dir := t.TempDir()
	l := open(t, dir, &now)
	for i := range 30 {
		r := sample(i)
		l.Append(&r)
		if i%10 == 9 {
			l.Flush()
		}
	}
	path := Dir(dir).path("2026-03-04")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"2026-13-04.requests", "notes.txt", "2026-03-05.requests"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("no records"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := read(t, Dir(dir), 100)
	if len(got) != 20 || got[0].URL != sample(29).URL || got[19].URL != sample(0).URL {
		t.Errorf("%d records", len(got))
	}
	if list, next, err := Dir(filepath.Join(dir, "none")).Page(t.Context(), Cursor{}, 5, nil); len(list) > 0 || next != (Cursor{}) || err != nil {
		t.Errorf("no directory: %v, %v, %v", list, next, err)
	}
}

func TestRecord_LongTextsAreCut(t *testing.T) {
	r := sample(0)
	r.URL, r.Title, r.Rule = "http://a.test/"+strings.Repeat("ü", maxURL), strings.Repeat("ü", maxText), strings.Repeat("x", 10*maxText)
	var e encoder
	e.add(&r)
	list, err := decode(e.buf, 1)
	if err != nil || len(list[0].URL) > maxURL || len(list[0].Title) != maxText || len(list[0].Rule) != maxText || !strings.HasSuffix(list[0].URL, "ü") {
		t.Errorf("decode: %v, %d, %d and %d bytes", err, len(list[0].URL), len(list[0].Title), len(list[0].Rule))
	}
}

func TestParseCursor(t *testing.T) {
	for _, text := range []string{"x", "2026-03-04", "2026-03-04.", "2026-03-04.-1", "2026-3-4.1", ".1", "2026-03-04.1.2"} {
		if c, ok := ParseCursor(text); ok {
			t.Errorf("ParseCursor(%q) = %v", text, c)
		}
	}
}

func FuzzDecode(f *testing.F) {
	var e encoder
	for i := range 10 {
		r := sample(i)
		e.add(&r)
	}
	f.Add(e.buf, 10)
	f.Add([]byte{0}, 1)
	f.Fuzz(func(t *testing.T, raw []byte, count int) {
		list, err := decode(raw, count)
		if err != nil {
			return
		}
		var again encoder
		for i := range list {
			again.add(&list[i])
		}
		if back, err := decode(again.buf, len(list)); err != nil || len(back) != len(list) {
			t.Fatalf("%d records become %d, %v", len(list), len(back), err)
		}
	})
}

// FuzzFile reads files that may hold anything.
func FuzzFile(f *testing.F) {
	var e encoder
	r := sample(1)
	e.add(&r)
	b := block{raw: len(e.buf), count: 1, data: e.buf}
	f.Add(b.append(b.append(nil)))
	f.Fuzz(func(t *testing.T, text []byte) {
		end, err := goodEnd(bytes.NewReader(text), int64(len(text)))
		if err != nil || end > int64(len(text)) {
			t.Fatalf("goodEnd = %d, %v", end, err)
		}
		z, err := newUnpacker()
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		for end > 0 {
			b, from, err := blockBefore(bytes.NewReader(text), end)
			if err != nil {
				return
			}
			if from >= end {
				t.Fatalf("a block from %d to %d", from, end)
			}
			b.records(z)
			end = from
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	now := noon
	dir := b.TempDir()
	l := open(b, dir, &now)
	l.cfg.DayBytes = 1 << 40
	list := make([]Record, 4096)
	for i := range list {
		list[i] = sample(i)
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		l.Append(&list[n%len(list)])
		if n++; n%1000 == 0 {
			l.Flush()
		}
	}
	l.Flush()
	info, err := os.Stat(Dir(dir).path("2026-03-04"))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/float64(n), "bytes/record")
	if err := l.tidy(context.Background(), "2026-03-05"); err != nil {
		b.Fatal(err)
	}
	if info, err = os.Stat(Dir(dir).path("2026-03-04")); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/float64(n), "packed-bytes/record")
}

func BenchmarkPage(b *testing.B) {
	now := noon
	dir := b.TempDir()
	l := open(b, dir, &now)
	for i := range 40_000 {
		r := sample(i)
		l.Append(&r)
		if i%20 == 0 {
			l.Flush()
		}
	}
	l.Flush()
	for name, match := range map[string]func(*Record) bool{"latest": nil, "none match": func(*Record) bool { return false }} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := Dir(dir).Page(context.Background(), Cursor{}, 100, match); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What is dropped is in no file any more; the others have the numbers that they had.
func TestDir_Drop(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 5, 1, 23, 0, 0, 0, time.UTC)
	l, err := Open(Config{Dir: dir, Days: 9, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 600 {
		if n == 300 {
			now = now.Add(2 * time.Hour) // another day
		}
		host := []string{"kept.example", "gone.example", "kept.example"}[n%3]
		l.Append(&Record{Time: now, URL: fmt.Sprintf("https://%s/%d", host, n), Domain: host, Title: host})
		if n%50 == 0 {
			l.Flush()
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	gone := func(r *Record) bool { return r.Domain == "gone.example" }
	places := func() map[string]Cursor {
		list := make(map[string]Cursor)
		if err := Dir(dir).walk(t.Context(), Cursor{}, func(at Cursor, r *Record) bool { list[r.URL] = at; return true }); err != nil {
			t.Fatal(err)
		}
		return list
	}
	before := places()
	for range 2 {
		if err := Dir(dir).Drop(t.Context(), gone); err != nil {
			t.Fatal(err)
		}
		after := places()
		if len(before) != 600 || len(after) != 400 {
			t.Errorf("%d records, before %d, want 400 of 600", len(after), len(before))
		}
		for url, at := range after {
			if strings.Contains(url, "gone") || before[url] != at {
				t.Errorf("%s is at %v, was at %v", url, at, before[url])
			}
		}
	}
	if l, err = Open(Config{Dir: dir, Days: 9, Now: func() time.Time { return now }}); err != nil {
		t.Fatal(err)
	}
	l.Append(&Record{Time: now, URL: "https://kept.example/new", Domain: "kept.example"})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got := places()["https://kept.example/new"]; got.n != 300 {
		t.Errorf("the next record has the number %d of its day, want 300", got.n)
	}
}
