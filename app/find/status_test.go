package find

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forage-net/forage/storage/index"
	"github.com/forage-net/forage/storage/progress"
)

// putMany archives pages of one size, with a word in each that no other has.
func (l *lab) putMany(from, until int) {
	l.Helper()
	for i := from; i < until; i++ {
		l.put(visit{url: fmt.Sprintf("http://site%03d.test/", i), body: html("en", fmt.Sprint("Page ", i), fmt.Sprintf("unique%03d %s", i, strings.Repeat("words of all kinds ", 20)))})
	}
}

// config returns the lab's configuration with settings.
func (l *lab) config(s Settings) Config {
	return Config{Archive: l.dir, Index: Dir(l.dir), Settings: func() Settings { return s }}
}

func (l *lab) isOf(want, tolerance int) {
	l.Helper()
	if got := l.Status().Waiting; got < want-tolerance || got > want+tolerance {
		l.Errorf("about %d pages wait, want %d or %d more or less", got, want, tolerance)
	}
}

func TestStatus_WaitingIsAnEstimate(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.isOf(0, 0)
	l.putMany(0, 40)
	l.read()
	l.isOf(0, 0)
	if s := l.Status(); s.Pages != 40 || s.Behind || s.Full || !s.On {
		t.Errorf("status after reading: %+v", s)
	}
	l.Close()
	l.putMany(40, 60)
	l.open()
	l.isOf(20, 2)
	if page := l.search("unique010"); page.Waiting < 18 || page.Pages != 40 || page.Full {
		t.Errorf("the answer is %+v", page)
	}
	l.read()
	l.isOf(0, 0)
}

// Only what came before the first page that is known needs to be read.
func TestTrail_Gap(t *testing.T) {
	t.Parallel()
	place := func(n int64) index.Place { return index.Place{File: "a", Offset: n} }
	r := trail{end: place(10)}
	if _, _, ok := r.gap(); ok {
		t.Error("there is a gap at first")
	}
	r.miss(r.begin())
	r.wrote(place(50))
	if from, to, ok := r.gap(); !ok || from != place(10) || to != (index.Place{}) {
		t.Errorf("the gap is from %v to %v, %v", from, to, ok)
	}
	r.queued(place(40))
	if from, to, ok := r.gap(); !ok || from != place(10) || to != place(40) {
		t.Errorf("the gap is from %v to %v, %v", from, to, ok)
	}
	r.caughtUp(1)
	if _, _, ok := r.gap(); ok {
		t.Error("there is a gap after it was read")
	}
}

func sizeOfArchive(l *lab) int64 { return bytesBetween(filesOf(l.dir), index.Place{}, index.Place{}) }

func TestRounded(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{0: 0, 7: 7, 99: 99, 100: 100, 128: 120, 999: 990, 12345: 12000} {
		if got := rounded(n); got != want {
			t.Errorf("rounded(%d) = %d, want %d", n, got, want)
		}
	}
}

func TestBytesBetween(t *testing.T) {
	t.Parallel()
	files := []archiveFile{{"a", 10}, {"b", 20}, {"c", 40}}
	for _, c := range []struct {
		from, to index.Place
		want     int64
	}{
		{index.Place{}, index.Place{}, 70}, {index.Place{File: "b", Offset: 5}, index.Place{}, 55}, {index.Place{File: "b", Offset: 5}, index.Place{File: "c", Offset: 3}, 18},
		{index.Place{File: "b", Offset: 5}, index.Place{File: "b", Offset: 8}, 3}, {index.Place{File: "b", Offset: 50}, index.Place{}, 40},
		{index.Place{File: "bb", Offset: 50}, index.Place{}, 40}, {index.Place{File: "d"}, index.Place{}, 0}, {index.Place{}, index.Place{File: "c", Offset: 99}, 70},
	} {
		if got := bytesBetween(files, c.from, c.to); got != c.want {
			t.Errorf("bytesBetween(%v, %v) = %d, want %d", c.from, c.to, got, c.want)
		}
	}
}

// An index that takes what it may takes no more, says so, and goes on when it may.
func TestFinder_StopsAtItsBound(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.putMany(0, 100)
	l.Close()
	s := Settings{On: true, MaxBytes: 1, Share: 100}
	cfg := l.config(s)
	cfg.Settings = func() Settings { return s }
	f, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.commitPages = 30
	l.Finder = f
	for range 3 { // the bound holds from the first look on that finds something to write
		f.background(t.Context())
		if err := f.commit(); err != nil {
			t.Fatal(err)
		}
	}
	is := f.Status()
	if !is.Full || !is.Behind || is.Pages < 30 || is.Pages > 60 || is.Waiting < 100-is.Pages-10 {
		t.Errorf("at its bound it is %+v", is)
	}
	if f.Counter() != nil {
		t.Error("it still wants the words of pages")
	}
	if page := l.search("words"); !page.Full || page.Waiting == 0 {
		t.Errorf("the answer does not say that it is full: %+v", page)
	}
	s.MaxBytes = 1 << 40
	f.background(t.Context())
	if is = f.Status(); is.Full || is.Behind || is.Pages != 100 || is.Waiting != 0 || f.Counter() == nil {
		t.Errorf("with more space it is %+v", is)
	}
}

// TestRemake ends making the index again at any page. What is there by then can be used, and the next one who reads goes on with it.
func TestRemake(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.putMany(0, 30)
	l.read()
	l.Close()
	cfg := l.config(DefaultSettings())
	for _, after := range []int{0, 1, 17} {
		ctx, cancel := context.WithCancel(t.Context())
		reads := 0
		s, err := Remake(progress.With(ctx, func(r progress.Report) {
			if reads++; reads > after {
				cancel()
			}
		}), cfg)
		if !errors.Is(err, context.Canceled) || s.Pages > after+1 || s.Pages < after-1 {
			t.Errorf("ended at page %d: %+v, %v", after, s, err)
		}
		x, err := Examine(cfg, true)
		if err != nil || x.Fault != nil || x.Pages != s.Pages {
			t.Fatalf("after that it is %+v, %v", x, err)
		}
		l.open()
		if err := l.CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := l.Status(); got.Pages != 30 || got.Waiting != 0 || l.search("unique029").Total != 1 {
			t.Errorf("then it goes on to %+v", got)
		}
		l.Close()
	}
	if s, err := Remake(t.Context(), l.config(Settings{On: true, MaxBytes: 1, Share: 1})); err != nil || !s.Full || s.Pages == 0 {
		t.Errorf("with a bound it makes %+v, %v", s, err)
	}
}

func TestExamine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		do    func(l *lab)
		fault error
		whole bool // it is found only if all is read
	}{
		{"whole", func(*lab) {}, nil, false},
		{"a changed byte", func(l *lab) { l.edit(".segment", func(b []byte) []byte { b[len(b)/3] ^= 1; return b }) }, index.ErrDamaged, true},
		{"half a segment", func(l *lab) { l.edit(".segment", func(b []byte) []byte { return b[:len(b)/2] }) }, index.ErrDamaged, false},
		{"no segment", func(l *lab) { os.Remove(l.only(".segment")) }, index.ErrDamaged, false},
		{"garbage", func(l *lab) { l.edit("manifest.json", func([]byte) []byte { return []byte("{") }) }, index.ErrDamaged, false},
		{"half an archive", func(l *lab) {
			list, err := filepath.Glob(filepath.Join(l.dir, "*.warc.gz*"))
			if err != nil || len(list) != 1 || os.Truncate(list[0], sizeOfArchive(l)/2) != nil {
				l.Fatal(list, err)
			}
		}, ErrAhead, false},
	} {
		l := newLab(t)
		l.putMany(0, 20)
		l.read()
		l.Close()
		c.do(l)
		cfg := l.config(DefaultSettings())
		for _, all := range []bool{false, true} {
			want := c.fault
			if c.whole && !all {
				want = nil
			}
			x, err := Examine(cfg, all)
			if err != nil || !errors.Is(x.Fault, want) || want == nil && (x.Fault != nil || x.Pages != 20 || x.Segments != 1 || x.Gone != 0) {
				t.Errorf("%s: read all %v: %+v, %v, want %v", c.name, all, x, err, want)
			}
		}
		if c.whole || c.fault == nil {
			continue
		}
		// Whoever opens it begins again.
		l.open()
		if got := l.Status(); got.Pages != 0 || !got.Behind {
			t.Errorf("%s: opened, it is %+v", c.name, got)
		}
	}
	if _, err := Examine(Config{Archive: t.TempDir(), Index: filepath.Join(t.TempDir(), "none")}, true); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without an index: %v", err)
	}
}

// Pages whose files were removed are counted, and what is on the disk stays.
func TestExamine_Gone(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.putMany(0, 20)
	l.read()
	l.Close()
	if err := os.RemoveAll(l.dir); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if x, err := Examine(l.config(DefaultSettings()), true); err != nil || x.Gone != 20 || x.Fault != nil {
			t.Errorf("%+v, %v", x, err)
		}
	}
}

func (l *lab) only(ending string) string {
	l.Helper()
	list, err := filepath.Glob(filepath.Join(Dir(l.dir), "*"+ending))
	if err != nil || len(list) != 1 {
		l.Fatalf("%d files end with %s, %v", len(list), ending, err)
	}
	return list[0]
}

func (l *lab) edit(ending string, change func([]byte) []byte) {
	l.Helper()
	path := l.only(ending)
	b, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, change(b), 0o600)
	}
	if err != nil {
		l.Fatal(err)
	}
}
