package warc

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/record"
	"github.com/forage-net/forage/storage/warc/warcfile"
	"github.com/forage-net/forage/storage/warc/warctest"
)

func TestScan_FromPosition(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, Config{Dir: dir, MaxSize: 4 << 10})
	var positions []capture.Position
	for n := range 12 {
		positions = append(positions, warctest.Append(t, a, warctest.Page(n)))
	}
	for n, p := range positions {
		if got := warctest.Captures(t, dir, p); len(got) != 12-n || got[0].URL != warctest.Page(n).URL {
			t.Errorf("Scan from capture %d found %v", n, warctest.URLs(got))
		}
		if got := warctest.Captures(t, dir, p.Next()); len(got) != 11-n {
			t.Errorf("Scan behind capture %d found %d, want %d", n, len(got), 11-n)
		}
	}
	beyond := positions[3]
	beyond.Offset = 1 << 40
	warctest.Captures(t, dir, beyond)
	seen := 0
	err := warcfile.Scan(dir, capture.Position{}, func(capture.Stored) error {
		if seen++; seen == 3 {
			return errStop
		}
		return nil
	})
	if err != errStop || seen != 3 {
		t.Errorf("Scan returned %v after %d captures, want %v after 3", err, seen, errStop)
	}
}

func TestScan_GoesOnBehindDamage(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, Config{Dir: dir, MaxSize: 1})
	first, second := warctest.Append(t, a, warctest.Page(1)), warctest.Append(t, a, warctest.Page(2))
	warctest.Append(t, a, warctest.Page(3))
	warctest.Close(t, a)
	path := filepath.Join(dir, first.File)
	if err := os.Truncate(path, first.RecordOffset+5); err != nil {
		t.Fatal(err)
	}
	flip(t, filepath.Join(dir, second.File), second.RecordOffset+30)
	var got []string
	err := warcfile.Scan(dir, capture.Position{}, func(c capture.Stored) error { got = append(got, c.URL); return nil })
	if !errors.Is(err, record.ErrTorn) || !errors.Is(err, record.ErrFormat) {
		t.Errorf("Scan returned %v, want ErrTorn and record.ErrFormat", err)
	}
	if want := []string{warctest.Page(3).URL}; !slices.Equal(got, want) {
		t.Errorf("Scan found %v, want %v", got, want)
	}
	if _, err := warcfile.ReadResponse(dir, second); !errors.Is(err, record.ErrFormat) {
		t.Errorf("ReadResponse of a damaged record returned %v, want ErrFormat", err)
	}
	if _, err := warcfile.ReadResponse(dir, first); !errors.Is(err, record.ErrTorn) {
		t.Errorf("ReadResponse of a torn record returned %v, want ErrTorn", err)
	}
	for _, file := range []string{"", "../x", "../" + first.File, "forage-20260131120000-00009-00000000.warc.gz"} {
		if _, err := warcfile.ReadResponse(dir, capture.Position{File: file}); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("ReadResponse in %q returned %v, want not exist", file, err)
		}
	}
	if _, err := warcfile.ReadResponse(dir, capture.Position{File: first.File}); !errors.Is(err, record.ErrFormat) {
		t.Errorf("ReadResponse of a warcinfo returned %v, want ErrFormat", err)
	}
}

// flip damages the byte at offset.
func flip(t testing.TB, path string, offset int64) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[offset] ^= 0xff
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
