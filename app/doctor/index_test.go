package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forage-net/forage/app"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/find"
	"github.com/forage-net/forage/app/library"
	"github.com/forage-net/forage/storage/progress"
)

// inIndex changes each file of the search index with an ending.
func inIndex(ending string, change func(b []byte) []byte) func(*testing.T, config.Paths) {
	return func(t *testing.T, p config.Paths) {
		list, err := filepath.Glob(filepath.Join(p.Index(), "*"+ending))
		if err != nil || len(list) == 0 {
			t.Fatalf("no files end with %s, %v", ending, err)
		}
		for _, path := range list {
			edit(t, path, change)
		}
	}
}

func indexDamage() []damage {
	again := []string{"earch index is damaged", "made again from the archive", " pages, 1 segment"}
	return []damage{
		{"a byte of the index", inIndex(".segment", func(b []byte) []byte { b[len(b)/3] ^= 1; return b }), "index",
			Repaired, again},
		{"half a segment", inIndex(".segment", func(b []byte) []byte { return b[:len(b)/2] }), "index", Repaired,
			again},
		{"no segment", func(t *testing.T, p config.Paths) {
			list, _ := filepath.Glob(filepath.Join(p.Index(), "*.segment"))
			for _, path := range list {
				os.Remove(path)
			}
		}, "index", Repaired, again},
		{"a manifest that is none", inIndex("manifest.json", func([]byte) []byte { return []byte("{") }), "index",
			Repaired, again},
		{"no search index", func(t *testing.T, p config.Paths) { os.RemoveAll(p.Index()) }, "index", OK,
			[]string{"none yet"}},
		{"an empty search index", inIndex("manifest.json", func([]byte) []byte { return []byte(`{"version":1}`) }),
			"index", OK, []string{"0 pages", "of the archive are not in it yet"}},
	}
}

// What is damaged of an index that is switched off goes, and what is whole stays.
func TestRun_IndexSwitchedOff(t *testing.T) {
	home := crawled(t)
	off := func(p config.Paths) {
		if err := config.Set(p.Config, "index.on", "no"); err != nil {
			t.Fatal(err)
		}
	}
	p := copyOf(t, home)
	off(p)
	before := contents(t, p)
	if v, text := area(t, look(t, Options{Paths: p}), "index"); v != OK ||
		!strings.Contains(text, "switched off, ") || !strings.Contains(text, "index.on=yes") ||
		contents(t, p) != before {
		t.Errorf("whole: %s", text)
	}
	if v, text := area(t, look(t, Options{Paths: p, Reindex: true}), "index"); v != Problem ||
		!strings.Contains(text, "index.on=yes") {
		t.Errorf("made again: %s", text)
	}
	inIndex(".segment", func(b []byte) []byte { return b[:len(b)/2] })(t, p)
	if v, text := area(t, look(t, Options{Paths: p}), "index"); v != Repaired || !strings.Contains(text, "removed") {
		t.Errorf("damaged: %s", text)
	}
	if _, err := os.Stat(p.Index()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
	if v, text := area(t, look(t, Options{Paths: p}), "index"); v != OK || !strings.Contains(text, `"switched off"`) {
		t.Errorf("removed: %s", text)
	}
}

// An index that is made again has the pages of the one before; ended early, it has some, and is none that is damaged.
func TestRun_Reindex(t *testing.T) {
	p := copyOf(t, crawled(t))
	_, before := area(t, look(t, Options{Paths: p, DryRun: true}), "index")
	if v, text := area(t, look(t, Options{Paths: p, Reindex: true, DryRun: true}), "index"); v != OK || text != before {
		t.Errorf("a dry run says %s, want %s", text, before)
	}
	old := filepath.Join(p.Index(), "old")
	if err := os.WriteFile(old, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	pages := func(text string) string {
		pages, _, _ := strings.Cut(text, ", ")
		return pages
	}
	r := look(t, Options{Paths: p, Reindex: true})
	v, text := area(t, r, "index")
	if v != OK || !r.OK || pages(text) != pages(before) || !strings.Contains(text, "It was made again") {
		t.Errorf("made again, it says %s, want the pages of %s", text, before)
	}
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is the one of before: %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	read := 0
	_, err := Run(progress.With(ctx, func(at progress.Report) {
		if at.Work.Error() == "reading pages" {
			if read++; read == 5 {
				cancel()
			}
		}
	}), Options{Paths: p, Reindex: true})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("ended early: %v", err)
	}
	if v, text := area(t, look(t, Options{Paths: p, DryRun: true}), "index"); v != OK ||
		!strings.Contains(text, "of the archive are not in it yet") {
		t.Errorf("ended early, it says %s", text)
	}
	f, err := find.Open(library.IndexConfig(p, config.Defaults()))
	if err == nil {
		err = errors.Join(f.CatchUp(t.Context()), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, text := area(t, look(t, Options{Paths: p, DryRun: true}), "index"); pages(text) != pages(before) {
		t.Errorf("gone on with, it says %s, want the pages of %s", text, before)
	}
}

// A node that runs keeps its index.
func TestRun_ReindexBesideANode(t *testing.T) {
	o := lab(t, t.TempDir())
	n, err := app.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	r := look(t, Options{Paths: o.Paths, Reindex: true})
	if v, text := area(t, r, "index"); v != Problem || !r.Running || !strings.Contains(text, "forage stop") {
		t.Errorf("running %v: %s", r.Running, text)
	}
	if _, err := os.Stat(o.Paths.Index()); err != nil {
		t.Errorf("its index is gone: %v", err)
	}
	if v, text := area(t, look(t, Options{Paths: o.Paths}), "index"); v != OK {
		t.Errorf("without being asked to: %s", text)
	}
}
