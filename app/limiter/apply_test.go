package limiter

import (
	"testing"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/crawl/fetch"
)

func TestSocketsForSites_LeavesRoomForPeers(t *testing.T) {
	for _, c := range []struct{ all, peers, want int }{
		{60, 0, 60}, {60, 20, 40}, {60, 50, 15}, {60, 80, 15}, {8, 40, 2}, {2, 9, 1}, {0, 0, 1}, {limits.NoLimit, 30, fetch.DefaultMaxConns},
	} {
		if got := socketsForSites(c.all, c.peers); got != c.want {
			t.Errorf("of %d, with %d peers: %d, want %d", c.all, c.peers, got, c.want)
		}
	}
}

func TestSocketsForPeers_LeavesRoomForSites(t *testing.T) {
	for _, c := range []struct{ all, sites, want int }{{60, 0, 54}, {60, 10, 44}, {60, 15, 39}, {60, 50, 39}, {30, 9, 20}, {8, 0, 8}, {8, 2, 6}, {400, 150, 260}, {limits.NoLimit, 3, limits.NoLimit}} {
		if got := socketsForPeers(c.all, c.sites); got != c.want {
			t.Errorf("of %d, with %d to sites: %d, want %d", c.all, c.sites, got, c.want)
		}
	}
	for all := 8; all <= 400; all++ {
		peers := socketsForPeers(all, all)
		if sites := socketsForSites(all, peers); peers+sites > all {
			t.Errorf("of %d, %d for peers and %d for sites", all, peers, sites)
		}
	}
}

func TestNearQuota_SlowsTheLastBytesDown(t *testing.T) {
	for _, c := range []struct {
		kbit int
		left int64
		want int
	}{
		{50_000, limits.NoLimit, 50_000},
		{limits.NoLimit, limits.NoLimit, limits.NoLimit},
		{50_000, hasteLeft, 50_000},
		{50_000, 1_000_000, 8000},
		{limits.NoLimit, 1_000_000, 8000},
		{256, 1_000_000, 256},
		{50_000, 10, leastRate * 8 / 1000},
		{0, 10, 0},
	} {
		if got := nearQuota(c.kbit, c.left); got != c.want {
			t.Errorf("%d kbit/s with %d bytes left: %d, want %d", c.kbit, c.left, got, c.want)
		}
		// Both ways together, a tenth of a second uses up a fifth of what is left at most, or a small page.
		if c.left >= 0 && c.left < hasteLeft && c.kbit != 0 {
			if moved := 2 * int64(nearQuota(c.kbit, c.left)) * 1000 / 8 / 10; moved > max(c.left/5, leastRate/5) {
				t.Errorf("%d kbit/s with %d bytes left: %d move between two looks", c.kbit, c.left, moved)
			}
		}
	}
}
