package lookup

import (
	"testing"
	"time"

	"github.com/forage-net/forage/storage/warc"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/warctest"
)

// mustOpen opens an archive that is closed with the test.
func mustOpen(t testing.TB, cfg warc.Config) *warc.Archive {
	t.Helper()
	if cfg.Now == nil {
		cfg.Now = func() time.Time { return warctest.Date }
	}
	a, err := warc.Open(cfg)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { mustClose(t, a) })
	return a
}

func mustAppend(t testing.TB, a *warc.Archive, c capture.Capture) capture.Position {
	t.Helper()
	p, err := a.Append(c)
	if err != nil {
		t.Fatalf("Append(%s): %v", c.URL, err)
	}
	return p
}

func mustClose(t testing.TB, a *warc.Archive) {
	t.Helper()
	if err := a.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
}
