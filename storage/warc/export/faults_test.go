package export

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/forage-net/forage/storage/durable/durabletest"
	"github.com/forage-net/forage/storage/warc"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/warcfile"
	"github.com/forage-net/forage/storage/warc/warctest"
)

// TestWARC_WhateverFails exports with a fault at every operation in turn.
func TestWARC_WhateverFails(t *testing.T) {
	src := t.TempDir()
	a, err := warc.Open(warc.Config{Dir: src, MaxSize: 4 << 10, Now: func() time.Time { return warctest.Date }})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 8 {
		if _, err := a.Append(warctest.Page(n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	root := warctest.MemoryDir(t)
	runs := 0
	durabletest.EveryFault(t, []int{1, 3, durabletest.Lasts}, func(t *testing.T, fault string, prepare func(string) *durabletest.Disk) *durabletest.Disk {
		runs++
		dst := filepath.Join(root, fmt.Sprint(runs))
		if err := os.MkdirAll(dst, 0o700); err != nil {
			t.Fatal(err)
		}
		d := prepare(dst)
		_, err := copyWARC(t.Context(), d, src, dst, choices{noIndex: true})
		if (err != nil) != d.Failed() {
			t.Errorf("%s: WARC returned %v", fault, err)
		}
		entries, _ := os.ReadDir(dst)
		for _, e := range entries {
			if filepath.Ext(e.Name()) == warcfile.TempSuffix {
				continue
			}
			got, _ := os.ReadFile(filepath.Join(dst, e.Name()))
			if want, err := os.ReadFile(filepath.Join(src, e.Name())); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %s is not whole", fault, e.Name())
			}
		}
		d.Heal()
		if _, err := copyWARC(t.Context(), d, src, dst, choices{noIndex: true}); err != nil {
			t.Errorf("%s: the second WARC: %v", fault, err)
		}
		if got := len(warctest.Captures(t, dst, capture.Position{})); got != 8 {
			t.Errorf("%s: %d captures exported, want 8", fault, got)
		}
		return d
	})
}
