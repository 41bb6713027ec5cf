//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/demo"
)

// victim is a lab whose crawl is complete, to be damaged again and again:
// restore brings back what it was.
type victim struct {
	*lab
	kept string
}

func newVictim(t *testing.T) victim {
	t.Helper()
	l := newLab(t, demo.Options{Sites: 2, Pages: 80})
	l.start(fullSpeed...).succeed()
	v := victim{l, filepath.Join(t.TempDir(), "kept")}
	if err := os.CopyFS(v.kept, os.DirFS(l.home)); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v victim) restore() {
	v.t.Helper()
	if err := os.RemoveAll(v.home); err != nil {
		v.t.Fatal(err)
	}
	if err := os.CopyFS(v.home, os.DirFS(v.kept)); err != nil {
		v.t.Fatal(err)
	}
}

func (v victim) storePath() string {
	return config.Paths{State: filepath.Join(v.home, "state")}.Store()
}

// finished returns the name of an archive file.
func (v victim) finished() string {
	v.t.Helper()
	list, err := filepath.Glob(filepath.Join(v.warcDir(), "*.warc.gz"))
	if err != nil || len(list) == 0 {
		v.t.Fatalf("no file in the archive, %v", err)
	}
	return list[0]
}

// damageStore replaces the store by what change makes of it.
func (v victim) damageStore(change func(b []byte) []byte) {
	v.t.Helper()
	writeFile(v.t, v.storePath(), string(change(readFile(v.t, v.storePath()))))
}

// digests returns the digest of every file below a directory.
func digests(t *testing.T, dir string) map[string][32]byte {
	t.Helper()
	m := make(map[string][32]byte)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		m[path] = sha256.Sum256(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// What to do is said in one line, and what is there stays as it is.
func TestDamage_OfTheStore(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	page := os.Getpagesize()
	for _, c := range []struct {
		name   string
		change func(b []byte) []byte
		why    string
	}{
		{"cut to nothing", func([]byte) []byte { return nil }, "the file is empty"},
		{"cut to 100 bytes", func(b []byte) []byte { return b[:100] }, "both of its headers are unreadable"},
		{"cut to 4096 bytes", func(b []byte) []byte { return b[:4096] }, "the file is cut off: 4096 bytes of "},
		{"cut to eight pages", func(b []byte) []byte { return b[:8*os.Getpagesize()] }, "the file is cut off: "},
		{"garbage", func(b []byte) []byte { return bytes.Repeat([]byte("garbage!"), len(b)/8) }, "both of its headers are unreadable"},
		{"zeros", func(b []byte) []byte { clear(b); return b }, "both of its headers are unreadable"},
		{"a byte in each header", func(b []byte) []byte { b[30] ^= 1; b[page+30] ^= 1; return b }, "both of its headers are unreadable"},
		{"zeros behind the headers", func(b []byte) []byte { clear(b[2*page:]); return b }, ""},
		{"another file", func(b []byte) []byte { return []byte("hello\n") }, "both of its headers are unreadable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v.t = t
			v.restore()
			v.damageStore(c.change)
			says := []string{
				"forage: open store " + v.storePath() + ": the store is damaged: " + c.why,
				"; the archive in " + v.warcDir() + ` is safe: run "forage doctor", or move ` + v.storePath() + " away and start over",
			}
			v.refuses(1, says, v.runArgs(fullSpeed...)...)
			v.refuses(1, says, "status", "--home", v.home)
		})
	}
}

// refuses runs a command that must end with a code and say something, without
// a panic, and without a change to any file of the home.
func (v victim) refuses(code int, says []string, args ...string) {
	v.t.Helper()
	before := digests(v.t, v.home)
	p := startForage(v.t, args...)
	if got := p.wait(); got != code {
		v.t.Errorf("%s ended with %d, want %d", args[0], got, code)
	}
	v.complains(p, says)
	for path, sum := range digests(v.t, v.home) {
		if before[path] != sum {
			v.t.Errorf("%s has changed %s", args[0], path)
		}
		delete(before, path)
	}
	for path := range before {
		v.t.Errorf("%s has removed %s", args[0], path)
	}
}

// complains fails the test unless a process has said something, and no more
// than a user can read.
func (v victim) complains(p *process, says []string) {
	v.t.Helper()
	text := p.stderr.String()
	for _, want := range says {
		if !strings.Contains(text, want) {
			v.t.Errorf("standard error does not say %q:\n%s", want, tail(text))
		}
	}
	if strings.Contains(text, "goroutine ") || strings.Contains(text, "panic") {
		v.t.Errorf("it panicked:\n%s", tail(text))
	}
}

// A disk that fails under a node that runs ends it, with words and not with the
// state of all its goroutines. What it has archived is whole.
func TestDamage_WhileANodeRuns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		damage func(f *os.File, size int64) error
	}{
		{"garbage", func(f *os.File, size int64) error {
			_, err := f.WriteAt(bytes.Repeat([]byte{0xfe}, int(size)-2*os.Getpagesize()), 2*int64(os.Getpagesize()))
			return err
		}},
		{"cut off", func(f *os.File, _ int64) error { return f.Truncate(2 * int64(os.Getpagesize())) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := victim{lab: newLab(t, demo.Options{Pages: 900})}
			p := v.start(append(slices.Clone(fullSpeed), "--gap", "20ms")...)
			damaged := make(chan struct{})
			v.whenServed(200, func() {
				defer close(damaged)
				f, err := os.OpenFile(v.storePath(), os.O_RDWR, 0)
				if err != nil {
					t.Error(err)
					return
				}
				defer f.Close()
				info, err := f.Stat()
				if err == nil {
					err = c.damage(f, info.Size())
				}
				if err != nil {
					t.Error(err)
				}
			})
			waitFor(t, "the store to be damaged", damaged, p)
			if code := p.wait(); code != 1 {
				t.Errorf("it ended with %d, want 1", code)
			}
			v.complains(p, []string{"forage: ", "the store is damaged: "})
			p = v.start(fullSpeed...)
			if code := p.wait(); code != 1 {
				t.Errorf("the next one ended with %d, want 1", code)
			}
			v.complains(p, []string{"forage: open store " + v.storePath() + ": the store is damaged: "})
			for _, r := range readUnfinished(t, v.warcDir()) {
				if r.kind == "" {
					t.Errorf("a record of no type in %s at %d", r.file, r.offset)
				}
			}
		})
	}
}

// readUnfinished reads the archive of a node that did not end in order.
func readUnfinished(t *testing.T, dir string) (records []record) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.warc.gz*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no file in the archive, %v", err)
	}
	for _, f := range files {
		records = append(records, readWARC(t, f)...)
	}
	return records
}

// Damage that is no reason to stop: what is left is enough, or the file is made
// again. Nothing is requested that was answered before.
func TestDamage_ThatIsOvercome(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	page := os.Getpagesize()
	for _, c := range []struct {
		name   string
		damage func(v victim)
	}{
		{"no damage", func(victim) {}},
		{"the first page of the store", func(v victim) { v.damageStore(func(b []byte) []byte { clear(b[:page]); return b }) }},
		{"the second page of the store", func(v victim) { v.damageStore(func(b []byte) []byte { clear(b[page : 2*page]); return b }) }},
		{"a byte of the first header", func(v victim) { v.damageStore(func(b []byte) []byte { b[30] ^= 1; return b }) }},
		{"bytes behind the store", func(v victim) { v.damageStore(func(b []byte) []byte { return append(b, "garbage"...) }) }},
		{"no index", func(v victim) { remove(v.t, strings.TrimSuffix(v.finished(), ".warc.gz")+".cdxj") }},
		{"an empty archive file beside", func(v victim) {
			writeFile(v.t, filepath.Join(v.warcDir(), "forage-20200101000000-00001-0123abcd.warc.gz"), "")
		}},
		{"an empty file being written", func(v victim) {
			writeFile(v.t, filepath.Join(v.warcDir(), "forage-20200101000000-00001-0123abcd.warc.gz.open"), "")
		}},
		{"a torn record", func(v victim) { tearTail(v.t, v.finished()) }},
		{"a directory for an archive file", func(v victim) {
			name := v.finished()
			remove(v.t, name)
			mkdir(v.t, name)
		}},
		{"a directory for a file being written", func(v victim) {
			mkdir(v.t, filepath.Join(v.warcDir(), "forage-20200101000000-00001-0123abcd.warc.gz.open"))
		}},
		{"files of others", func(v victim) {
			writeFile(v.t, filepath.Join(v.warcDir(), "notes.txt"), "mine")
			writeFile(v.t, filepath.Join(v.home, "state", "notes.txt"), "mine")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v.t = t
			v.restore()
			c.damage(v)
			before := len(v.visits())
			p := v.start(append(slices.Clone(fullSpeed), "--exit-when-idle", "300ms")...).succeed()
			v.complains(p, nil)
			if more := v.visits()[before:]; len(more) > 0 {
				t.Errorf("%d requests were repeated, first %s", len(more), more[0].URL)
			}
			checkStore(t, v.home)
		})
	}
}

// The archive may be gone: the disk is not there, or somebody moved it away.
func TestDamage_ArchiveIsGone(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	if err := os.RemoveAll(v.warcDir()); err != nil {
		t.Fatal(err)
	}
	before := len(v.visits())
	p := v.start(fullSpeed...)
	p.succeed()
	for _, say := range []string{"The archive is not as it was left", v.warcDir(), "forage doctor"} {
		if !strings.Contains(p.stderr.String(), say) {
			t.Errorf("standard error does not say %q:\n%s", say, p.stderr.String())
		}
	}
	if more := v.visits()[before:]; len(more) > 0 {
		t.Errorf("%d requests were repeated, first %s", len(more), more[0].URL)
	}
}

// A store that was moved away is made again; the archive stays and grows.
func TestDamage_StartAnew(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	archived := len(captures(readArchive(t, v.warcDir())))
	if err := os.Rename(v.storePath(), v.storePath()+".old"); err != nil {
		t.Fatal(err)
	}
	v.start(fullSpeed...).succeed()
	records := captures(readArchive(t, v.warcDir()))
	if len(records) != archived {
		t.Errorf("%d URLs are in the archive, %d before", len(records), archived)
	}
	checkArchive(t, v.warcDir())
	checkStore(t, v.home)
}
