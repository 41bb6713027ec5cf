package lookup

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/forage-net/forage/storage/warc"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/warcfile"
	"github.com/forage-net/forage/storage/warc/warctest"
)

func TestNamed(t *testing.T) {
	for _, state := range []string{"open", "finished", "without index", "wrong index", "damaged behind"} {
		dir := t.TempDir()
		a := mustOpen(t, warc.Config{Dir: dir})
		var want []string
		for n := range 20 {
			c := warctest.Page(n)
			if n%5 == 0 {
				c.URL += "/wanted"
				want = append(want, c.URL)
			}
			warctest.Append(t, a, c)
		}
		if state != "open" {
			warctest.Close(t, a)
			spoil(t, dir, state)
		}
		var got []string
		err := Named(t.Context(), dir, "/wanted", func(c capture.Stored) error {
			if !bytes.Contains(c.Response, []byte("200 OK")) {
				t.Errorf("%s: the response of %s is %.20q", state, c.URL, c.Response)
			}
			got = append(got, c.URL)
			return nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: Named found %q, %v, want %q", state, got, err, want)
		}
	}
}

// spoil brings the only file of an archive, or its index, into a state.
func spoil(t *testing.T, dir, state string) {
	t.Helper()
	files, err := warcfile.List(dir)
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	switch f := files[0]; state {
	case "without index":
		err = os.Remove(f.IndexPath())
	case "wrong index":
		err = os.WriteFile(f.IndexPath(), []byte("no line of an index\n"), 0o600)
	case "damaged behind":
		var data []byte
		if data, err = os.ReadFile(f.Path()); err == nil {
			err = os.WriteFile(f.Path(), append(data, "what is no record"...), 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestNamed_Errors(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, warc.Config{Dir: dir})
	warctest.Append(t, a, warctest.Page(1))
	own := errors.New("own")
	if err := Named(t.Context(), dir, "", func(capture.Stored) error { return own }); !errors.Is(err, own) {
		t.Errorf("Named = %v, want the error of its callback", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := Named(ctx, dir, "", func(capture.Stored) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("Named for one who left = %v", err)
	}
	if err := Named(t.Context(), dir+"/none", "", nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Named of no directory = %v", err)
	}
}
