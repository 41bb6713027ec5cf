package membership

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/storage"
)

const (
	// unitsEvery is how often the number of units may change: each change moves
	// domains.
	unitsEvery = 24 * time.Hour
	// What one unit stands for: the smallest budget decides.
	unitFetchers    = 6
	unitPagesPerMin = 60
	unitDisk        = 2_000_000_000
	maxUnits        = 8
)

// keyUnits is where the store keeps how many units this node owns, and since
// when: <units ‖ Unix seconds>.
var keyUnits = []byte("units")

// units is how much of the ring this node takes: one unit at first, then at most
// a step a day towards what its budgets are good for.
type units struct {
	goal uint8
	db   *storage.DB
	wall func() time.Time

	mu    sync.Mutex
	n     uint8
	since time.Time
}

// openUnits goes on from what the store says.
func openUnits(db *storage.DB, goal uint8) (*units, error) {
	u := &units{goal: goal, db: db, wall: time.Now, n: 1}
	err := db.View(func(tx *storage.Tx) error {
		if raw := tx.Bucket(storage.BucketMeta).Get(keyUnits); len(raw) == 9 && raw[0] >= 1 && raw[0] <= maxUnits {
			u.n, u.since = raw[0], time.Unix(int64(binary.BigEndian.Uint64(raw[1:])), 0)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read units: %w", err)
	}
	if u.since.IsZero() || u.since.After(u.wall()) {
		u.since = u.wall()
		return u, u.save(u.n, u.since)
	}
	return u, nil
}

// IsBootstrap reports whether a node of these settings only helps others to find each other.
func IsBootstrap(c config.Config) bool { return c.Role == "bootstrap" }

// unitsGoal returns how many units the budgets are good for. A node whose user
// confines the crawl would refuse what belongs to it, so it owns nothing.
func unitsGoal(c config.Config, lab bool) uint8 {
	if IsBootstrap(c) || !lab && len(c.Crawl.Scope) > 0 {
		return 0
	}
	full, disk := c.Limits.Budget.Full, c.Limits.Disk.Max
	if disk < 0 { // no limit
		disk = math.MaxInt64
	}
	most := min(int64(full.Fetchers/unitFetchers), int64(full.PagesPerMin/unitPagesPerMin), disk/unitDisk, maxUnits)
	goal := uint8(1)
	for int64(goal)*2 <= most {
		goal *= 2
	}
	return goal
}

// now returns how many units this node owns now.
func (u *units) now() uint8 {
	u.mu.Lock()
	defer u.mu.Unlock()
	at := u.wall()
	if u.goal == 0 || u.n == u.goal || at.Sub(u.since) < unitsEvery {
		return min(u.n, u.goal)
	}
	next := u.n / 2
	if u.n < u.goal {
		next = u.n * 2
	}
	if err := u.save(next, at); err == nil { // else another time
		u.n, u.since = next, at
	}
	return u.n
}

func (u *units) save(n uint8, since time.Time) error {
	raw := binary.BigEndian.AppendUint64([]byte{n}, uint64(since.Unix()))
	return u.db.Update(func(tx *storage.Tx) error { return tx.Bucket(storage.BucketMeta).Put(keyUnits, raw) })
}
