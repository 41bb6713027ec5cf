//go:build !items

package app

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/forage-net/forage/storage"
)

// Who kept a log that has ended is known after a restart, of so many logs and so many peers of each.
func TestKeepers_AreRememberedWithinBounds(t *testing.T) {
	db, err := storage.Open(filepath.Join(t.TempDir(), "node.db"), storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	k, err := loadKeepers(db)
	if err != nil {
		t.Fatal(err)
	}
	remember := func(log string, peers ...string) {
		t.Helper()
		if err := k.remember(log, peers); err != nil {
			t.Fatal(err)
		}
	}
	// Names of peers are no text.
	remember("\xff1", "\x80a", "b")
	remember("\xff2", "c")
	remember("\xff1", "b", "d")
	for range 2 {
		for _, p := range []string{"\x80a", "b", "d"} {
			if !k.knew("\xff1", p) {
				t.Errorf("that %q kept the log is forgotten", p)
			}
		}
		if k.knew("\xff1", "c") || k.knew("\xff3", "c") {
			t.Error("who kept another log is believed to have kept this one")
		}
		if k, err = loadKeepers(db); err != nil {
			t.Fatal(err)
		}
	}
	for i := range maxKeepers {
		remember("\xff1", fmt.Sprint("p", i))
	}
	if k.knew("\xff1", "d") || !k.knew("\xff1", "p0") {
		t.Errorf("other than the last %d are remembered", maxKeepers)
	}
	for i := range maxKept {
		remember(fmt.Sprint("log", i), "p")
	}
	if k.knew("\xff1", "p0") || !k.knew("log0", "p") {
		t.Errorf("other than the last %d logs are remembered", maxKept)
	}
}
