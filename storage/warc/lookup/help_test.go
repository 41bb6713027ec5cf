package lookup

import (
	"testing"
	"time"

	"github.com/forage-net/forage/storage/warc"
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
	t.Cleanup(func() { warctest.Close(t, a) })
	return a
}
