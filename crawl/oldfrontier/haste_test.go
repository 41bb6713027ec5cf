package frontier

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// commits is a log that others keep too, and notes when there was a commit.
type commits struct {
	alone
	at []time.Time
}

func (c *commits) Propose(ctx context.Context, data []byte, mine any) error {
	c.at = append(c.at, time.Now())
	return c.alone.Propose(ctx, data, mine)
}

func (*commits) Shared() bool { return true }

// serveShared serves a frontier whose log others keep too, until end is called.
func serveShared(t *testing.T, cfg Config) (f *Frontier, log *commits, end func()) {
	t.Helper()
	db, err := storage.Open(filepath.Join(t.TempDir(), "forage.db"), storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	cfg.LogID = "self"
	if f, err = Open(db, cfg); err != nil {
		t.Fatal(err)
	}
	log = &commits{alone: alone{f}}
	f.log = log
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- f.Serve(ctx) }()
	return f, log, func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}
}

// The ends of leases wait for company while the fetcher has others, and not while it is hungry; what somebody waits
// for takes them along at once.
func TestServe_LeasesWaitForCompany(t *testing.T) {
	release := Entry{Release: &Release{Lease: 1, Domain: "a.test"}}
	for name, c := range map[string]struct {
		hungry  bool
		entries []Entry
		haste   haste
		every   time.Duration
		least   time.Duration // between two commits
		most    time.Duration
	}{
		"has leases, short gaps": {false, []Entry{release}, forLease, hurriedCommitEvery, hurriedPatience, hurriedPatience + 100*time.Millisecond},
		"has leases, at home":    {false, []Entry{release}, whenever, DefaultCommitEvery, patience, patience + 100*time.Millisecond},
		"people see it":          {true, []Entry{release}, shown, DefaultCommitEvery, longPatience, longPatience + 100*time.Millisecond},
		"nobody acts on it":      {true, []Entry{release}, sometime, DefaultCommitEvery, longestPatience, longestPatience + 100*time.Millisecond},
		"hungry":                 {true, []Entry{release}, forLease, hurriedCommitEvery, companyFor, companyFor + 100*time.Millisecond},
		"somebody waits":         {false, nil, atOnce, hurriedCommitEvery, companyFor, companyFor + 100*time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, log, end := serveShared(t, Config{commitEvery: c.every, Hungry: func() bool { return c.hungry }})
				for began := time.Now(); time.Since(began) < 80*time.Second; {
					if _, err := f.wait(t.Context(), &proposal{entries: c.entries, haste: c.haste}); err != nil {
						t.Fatal(err)
					}
					time.Sleep(10 * time.Millisecond)
				}
				end()
				if len(log.at) < 5 {
					t.Fatalf("%d commits", len(log.at))
				}
				for i := range log.at[1:] {
					if apart := log.at[i+1].Sub(log.at[i]); apart < c.least || apart > c.most {
						t.Errorf("%v between two commits, want %v to %v", apart, c.least, c.most)
					}
				}
			})
		})
	}
}

// Only where gaps or leases are shorter than on the public web do commits come sooner than there.
func TestConfig_IsHurried(t *testing.T) {
	for name, c := range map[string]struct {
		gap, lease time.Duration // a gap below 0 is none
		want       bool
	}{
		"public":                     {-1, DefaultLeaseFor, false},
		"public, short leases":       {-1, 10 * time.Second, false},
		"no gap":                     {0, DefaultLeaseFor, true},
		"a tenth":                    {100 * time.Millisecond, DefaultLeaseFor, true},
		"as public":                  {time.Second, DefaultLeaseFor, false},
		"long gaps but short leases": {2 * time.Second, 10 * time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := Config{LeaseFor: c.lease}
			if c.gap >= 0 {
				cfg.Politeness.Fixed = &c.gap
			}
			if got := cfg.isHurried(); got != c.want {
				t.Errorf("hurried: %v, want %v", got, c.want)
			}
		})
	}
}

// An outcome waits for company for as long as those may who watch, and the end of its lease takes it along.
func TestSettle_WaitsForCompany(t *testing.T) {
	for name, c := range map[string]struct {
		ends bool // its lease does, at the same time
		want time.Duration
	}{
		"alone":    {false, longPatience},
		"its last": {true, DefaultCommitEvery},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, _, end := serveShared(t, Config{Hungry: func() bool { return true }})
				u, err := crawl.ParseURL("http://a.test/")
				if err != nil {
					t.Fatal(err)
				}
				began, done := time.Now(), make(chan time.Duration, 1)
				o := crawl.Outcome{Lease: 1, Domain: "a.test", Task: crawl.Task{ID: crawl.TaskID(queueKey(hostKey("a.test", "http://a.test"), rank{depth: 0, prio: 2, number: 1})), URL: u}, Result: crawl.Fetched, Status: 200}
				if err := f.Settle(t.Context(), o, func(Applied, error) { done <- time.Since(began) }); err != nil {
					t.Fatal(err)
				}
				if c.ends {
					if err := f.Release(t.Context(), crawl.Lease{ID: 1, Domain: "a.test"}, nil); err != nil {
						t.Fatal(err)
					}
				}
				if got := <-done; got != c.want {
					t.Errorf("committed after %v, want %v", got, c.want)
				}
				end()
			})
		})
	}
}
