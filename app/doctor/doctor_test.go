package doctor

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/app/api/descriptor"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/storage"
)

func look(t testing.TB, o Options) Report {
	t.Helper()
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// area returns what a report says of an area, as JSON shows it.
func area(t testing.TB, r Report, name string) (Verdict, string) {
	t.Helper()
	for _, a := range r.Areas {
		if a.Name == name {
			text, err := json.Marshal(a)
			if err != nil {
				t.Fatal(err)
			}
			return a.Verdict, string(text)
		}
	}
	t.Fatalf("no area %q in %+v", name, r)
	return "", ""
}

func TestRun_LeavesAHealthyHomeAsItIs(t *testing.T) {
	p := copyOf(t, crawled(t))
	before := fingerprint(t, p)
	for _, o := range []Options{{Paths: p, DryRun: true}, {Paths: p, Thorough: true, DryRun: true}} {
		r := look(t, o)
		if !r.OK || r.Running || r.Problems() != 0 {
			t.Errorf("%+v: the report is %+v", o, r)
		}
		if fingerprint(t, p) != before {
			t.Fatal("a dry run has changed something")
		}
	}
	before = contents(t, p)
	r := look(t, Options{Paths: p})
	if contents(t, p) != before {
		t.Error("the files of a healthy home have changed")
	}
	for _, name := range []string{"settings", "files", "disk", "node", "archive", "index", "store", "frontier"} {
		if v, text := area(t, r, name); v != OK {
			t.Errorf("%s", text)
		}
	}
}

// contents is a fingerprint without the times of directories, in which a file
// was made and removed.
func contents(t testing.TB, p config.Paths) string {
	t.Helper()
	var kept []string
	for line := range strings.Lines(fingerprint(t, p)) {
		if !strings.Contains(line, " d") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// damage is one that is done to a healthy home.
type damage struct {
	name    string
	do      func(t *testing.T, p config.Paths)
	area    string
	verdict Verdict  // of a run that may repair
	says    []string // then
}

func storeOf(p config.Paths) string { return p.Store() }

func put(bucket []byte, key string, value []byte) func(*testing.T, config.Paths) {
	return func(t *testing.T, p config.Paths) {
		inStore(t, p, func(tx *storage.Tx) error { return tx.Bucket(bucket).Put([]byte(key), value) })
	}
}

// in changes a bucket.
func in(name []byte, fn func(b *storage.Bucket) error) func(*testing.T, config.Paths) {
	return func(t *testing.T, p config.Paths) {
		inStore(t, p, func(tx *storage.Tx) error { return fn(tx.Bucket(name)) })
	}
}

func write(name string, data []byte) func(*testing.T, config.Paths) {
	return func(t *testing.T, p config.Paths) {
		path := filepath.Join(filepath.Dir(p.Config), name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
}

func settingsDamage() []damage {
	return []damage{
		{"a setting out of range", write("config.toml", []byte("[budget.full]\nfetchers = 40\n")), "settings",
			Problem, []string{"config.toml:2", "1 to 16"}},
		{"two wrong settings", write("config.toml", []byte("[budget.full]\nfetchers = 40\nsockets = 1\n")),
			"settings", Problem, []string{"1 to 16", "8 to 400"}},
		{"an unknown setting", write("config.toml", []byte("[budget.full]\nfetcher = 4\n")), "settings", Problem,
			[]string{"budget.full.fetchers"}},
		{"broken settings", write("config.toml", []byte("[budget\n")), "settings", Problem, []string{"config.toml:1"}},
		{"a scope that is none", write("config.toml", []byte("[crawl]\nscope = [\"*.*.*\"]\n")), "settings",
			Problem, []string{"crawl.scope"}},
		{"a seed file that is not there", write("config.toml", []byte("[crawl]\nseeds = [\"none.txt\"]\n")),
			"settings", Problem, []string{"none.txt"}},
		{"no consent", write("config.toml", nil), "settings", OK, []string{"not agreed yet"}},
		{"no settings", func(t *testing.T, p config.Paths) { os.Remove(p.Config) }, "settings", OK,
			[]string{"the defaults hold"}},
		{"a full disk", write("config.toml", []byte("[disk]\nmax = \"1 kB\"\n")), "disk", OK, []string{"disk.max"}},
	}
}

func fileDamage() []damage {
	return []damage{
		{"a store that others may read", func(t *testing.T, p config.Paths) { os.Chmod(storeOf(p), 0o644) },
			"files", Repaired, []string{"forage.db", "0644", "0600"}},
		{"a state that others may read", func(t *testing.T, p config.Paths) { os.Chmod(p.State, 0o755) }, "files",
			Repaired, []string{"0755", "0700"}},
		{"an archive that others may write", func(t *testing.T, p config.Paths) { os.Chmod(p.WARC(), 0o777) },
			"files", Repaired, []string{"0777", "0755"}},
		{"an archive that others may read", func(t *testing.T, p config.Paths) { os.Chmod(p.WARC(), 0o755) },
			"files", OK, nil},
		{"temporary settings", write(".forage-123.tmp", []byte("x")), "files", Repaired,
			[]string{".forage-123.tmp", "removed"}},
		{"a temporary index", write("data/warc/forage-20260101000000-00001-00000000.cdxj.tmp", nil), "files",
			Repaired, []string{".cdxj.tmp", "removed"}},
		{"what another doctor has left", write("state/.doctor-123.tmp", nil), "files", Repaired,
			[]string{".doctor-123.tmp"}},
		{"a file of somebody else", write("data/warc/notes.tmp", nil), "files", OK, nil},
		{"a descriptor of a dead node", func(t *testing.T, p config.Paths) {
			d := descriptor.Descriptor{Addr: "127.0.0.1:1", Token: descriptor.NewToken(), PID: 4711, BootID: descriptor.NewBootID(),
				Started: time.Now()}
			if err := descriptor.Write(p.State, d); err != nil {
				t.Fatal(err)
			}
		}, "files", Repaired, []string{"4711", "removed"}},
		{"a descriptor that is none", write("state/api.json", []byte("{")), "files", Repaired,
			[]string{"damaged", "removed"}},
	}
}

func archiveDamage() []damage {
	return []damage{
		{"a torn tail", func(t *testing.T, p config.Paths) {
			edit(t, only(t, p, ".warc.gz"), func(b []byte) []byte { return append(b, b[:700]...) })
		}, "archive", Repaired, []string{"cut off", ".cut"}},
		{"a torn tail of a file being written", func(t *testing.T, p config.Paths) {
			file := only(t, p, ".warc.gz")
			edit(t, file, func(b []byte) []byte { return append(b, 0x1f, 0x8b, 8) })
			if err := os.Rename(file, file+".open"); err != nil {
				t.Fatal(err)
			}
		}, "archive", Repaired, []string{"3 bytes", "cut off"}},
		{"no index", func(t *testing.T, p config.Paths) { os.Remove(only(t, p, ".cdxj")) }, "archive", Repaired,
			[]string{"lines of the index"}},
		{"half an index", func(t *testing.T, p config.Paths) {
			edit(t, only(t, p, ".cdxj"), func(b []byte) []byte { return b[:len(b)/2] })
		}, "archive", Repaired, []string{"lines of the index"}},
		{"lost bytes", func(t *testing.T, p config.Paths) {
			edit(t, only(t, p, ".warc.gz"), func(b []byte) []byte { clear(b[len(b)/2:][:200]); return b })
		}, "archive", Problem, []string{"lost", "captures around them"}},
		{"no archive", func(t *testing.T, p config.Paths) { os.RemoveAll(p.WARC()) }, "store", Repaired,
			[]string{"Notes of payloads", "laces in the archive"}},
	}
}

func storeDamage() []damage {
	first := func(b *storage.Bucket) []byte {
		key, _ := b.Cursor().First()
		return bytes.Clone(key)
	}
	way := []string{"mv ", ".damaged", "forage run", "data/warc are safe", "Lost with it"}
	return []damage{
		{"an empty store", func(t *testing.T, p config.Paths) { os.Truncate(storeOf(p), 0) }, "store", Problem,
			append([]string{"the file is empty"}, way...)},
		{"part of a store", func(t *testing.T, p config.Paths) {
			edit(t, storeOf(p), func(b []byte) []byte { return b[:8*os.Getpagesize()] })
		}, "store", Problem, append([]string{"cut off"}, way...)},
		{"garbage", write("state/forage.db", bytes.Repeat([]byte("garbage."), 10_000)), "store", Problem,
			append([]string{"headers"}, way...)},
		{"pages of zeros", func(t *testing.T, p config.Paths) {
			edit(t, storeOf(p), func(b []byte) []byte { clear(b[2*os.Getpagesize():]); return b })
		}, "store", Problem, append([]string{"page"}, way...)},
		{"one header", func(t *testing.T, p config.Paths) {
			edit(t, storeOf(p), func(b []byte) []byte { clear(b[:100]); return b })
		}, "store", OK, []string{"One of its two headers is damaged"}},
		{"no store", func(t *testing.T, p config.Paths) { os.Remove(storeOf(p)) }, "store", OK, []string{"none yet"}},
		{"a newer store", put(storage.BucketMeta, "schema", binary.BigEndian.AppendUint32(nil, 1000)), "store",
			Problem, []string{"newer version", "install"}},
		{"an impossible version", put(storage.BucketMeta, "schema", binary.BigEndian.AppendUint32(nil, 0)), "store",
			Repaired, []string{"schema version"}},
		{"no tag", put(storage.BucketMeta, "node", []byte("x")), "store", Repaired, []string{"tag"}},
		{"a missing part", func(t *testing.T, p config.Paths) {
			inStore(t, p, func(tx *storage.Tx) error { return tx.DeleteBucket(storage.BucketStats) })
		}, "store", Repaired, []string{`\"stats\"`, "rebuilt"}},
		{"a copy of robots.txt", put(storage.BucketRobots, "http://a.test", []byte("x")), "store", Repaired,
			[]string{"copies of robots.txt: 1", "asked for again"}},
		{"a robots.txt of nobody", put(storage.BucketRobots, "nobody", []byte("x")), "store", Repaired,
			[]string{"copies of robots.txt: 1"}},
		{"an hour", put(storage.BucketStats, "12345678", []byte("x")), "store", Repaired,
			[]string{"records of the statistics: 1"}},
		{"a digest", put(storage.BucketDigests, "12345678901234567890", []byte("x")), "store", Repaired,
			[]string{"Notes of payloads", ": 1,"}},
		{"digests of a commit", put(storage.BucketDigests, "\x00\x00\x00\x00\x00\x00\x00\x01", []byte("x")),
			"store", Repaired, []string{"Notes of payloads", ": 1,"}},
		{"the place to recover from", put(storage.BucketArchive, "checkpoint", []byte("x")), "store", Repaired,
			[]string{"laces in the archive to recover from", "moved back"}},
		{"a place behind the archive", put(storage.BucketArchive, "checkpoint",
			[]byte("\xa2\x01\x78\x31forage-29991231235959-00001-00000000.warc.gz.....\x02\x01")), "store", Repaired,
			[]string{"laces in the archive to recover from"}},
		{"no items", func(t *testing.T, p config.Paths) {
			inStore(t, p, func(tx *storage.Tx) error { return tx.DeleteBucket(storage.BucketItems) })
		}, "store", Repaired, []string{`\"items\"`, "rebuilt"}},
		{"an item that is none", in(storage.BucketItems,
			func(b *storage.Bucket) error { return b.Put([]byte("no item"), []byte("x")) }), "frontier", Repaired,
			[]string{"Damaged URLs and records of domains: 1, dropped"}},
		{"a page", in(storage.BucketItems, func(b *storage.Bucket) error {
			return b.Put(first(b),
				bytes.Repeat([]byte("x"), 40))
		}), "frontier", Repaired,
			[]string{"Damaged URLs and records of domains: 1"}},
		{"when a domain changed", in(storage.BucketCame,
			func(b *storage.Bucket) error { return b.Put(first(b), []byte("x")) }), "frontier", Repaired,
			[]string{"when a domain changed: 1"}},
		{"how far a shard is known", in(storage.BucketMarks,
			func(b *storage.Bucket) error { return b.Put(first(b), []byte("x")) }), "frontier", Repaired,
			[]string{"how far shards are known: 1"}},
		{"a record of a shard", in(storage.BucketRaft, func(b *storage.Bucket) error {
			return b.ForEach(func(k, _ []byte) error { return b.Put(bytes.Clone(k), []byte("x")) })
		}), "frontier", Repaired, []string{"records of who keeps what: "}},
		{"a task", func(t *testing.T, p config.Paths) {
			inStore(t, p, func(tx *storage.Tx) error {
				d, _ := tx.Bucket(storage.BucketDomains).Cursor().Seek([]byte{1})
				return tx.Bucket(storage.BucketQueue).Put([]byte(string(d)+"\x00no task"), []byte("x"))
			})
		}, "frontier", Repaired, []string{"Indexes of the frontier"}},
		{"a count", in(storage.BucketDomains, func(b *storage.Bucket) error { return b.Delete(first(b)) }),
			"frontier", Repaired, []string{"Indexes of the frontier"}},
		{"a filter", in(storage.BucketFilters, func(b *storage.Bucket) error { return b.Delete(first(b)) }),
			"frontier", Repaired, []string{"Indexes of the frontier"}},
	}
}

func TestRun_FindsAndRepairsDamage(t *testing.T) {
	home := crawled(t)
	var all []damage
	for _, list := range [][]damage{settingsDamage(), fileDamage(), archiveDamage(), indexDamage(), storeDamage()} {
		all = append(all, list...)
	}
	for i, c := range all {
		t.Run(c.name, func(t *testing.T) {
			p := copyOf(t, home)
			c.do(t, p)
			before := fingerprint(t, p)
			dry := look(t, Options{Paths: p, DryRun: true})
			if fingerprint(t, p) != before {
				t.Error("a dry run has changed something")
			}
			if v, text := area(t, dry, c.area); (v == OK) != (c.verdict == OK) || v == Repaired {
				t.Errorf("a dry run says: %s", text)
			}
			if dry.OK != (c.verdict == OK) {
				t.Errorf("a dry run is ok: %v", dry.OK)
			}
			r := look(t, Options{Paths: p})
			v, text := area(t, r, c.area)
			if v != c.verdict || r.OK != (c.verdict != Problem) {
				t.Errorf("ok %v, verdict %s, want %s: %s", r.OK, v, c.verdict, text)
			}
			for _, want := range c.says {
				if !strings.Contains(text, want) {
					t.Errorf("it does not say %q: %s", want, text)
				}
			}
			if c.verdict != Repaired {
				return
			}
			if again := look(t, Options{Paths: p, Thorough: true}); again.Problems() > 0 || anyRepaired(again) {
				t.Errorf("a second run finds more: %+v", again)
			}
			if !testing.Short() || i%5 == 0 { // it takes a second
				startAgain(t, p)
			}
		})
	}
}

func anyRepaired(r Report) bool {
	for _, a := range r.Areas {
		if a.Verdict == Repaired {
			return true
		}
	}
	return false
}

// startAgain makes sure that a node starts on repaired files.
func startAgain(t *testing.T, p config.Paths) {
	t.Helper()
	o := lab(t, t.TempDir())
	o.Paths = p
	n, err := app.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := n.Serve(ctx); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
}

func TestRun_NeverOverwritesADamagedStore(t *testing.T) {
	p := copyOf(t, crawled(t))
	edit(t, storeOf(p), func(b []byte) []byte { clear(b[3*os.Getpagesize():]); return b })
	before, _ := os.ReadFile(storeOf(p))
	if r := look(t, Options{Paths: p}); r.OK {
		t.Error("all is well")
	}
	if after, _ := os.ReadFile(storeOf(p)); !bytes.Equal(after, before) {
		t.Error("the store has changed")
	}
}

func TestRun_TouchesNothingOfARunningNode(t *testing.T) {
	home := t.TempDir()
	o := lab(t, home)
	o.ExitWhenIdle = 0
	n, err := app.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- n.Serve(ctx) }()
	for {
		if _, err := client.Dial(o.Paths.State); err == nil {
			break
		}
		select {
		case err := <-served:
			t.Fatalf("Serve: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	os.Chmod(o.Paths.State, 0o755)
	write(".forage-1.tmp", nil)(t, o.Paths)
	r := look(t, Options{Paths: o.Paths})
	if _, text := area(t, r, "node"); !r.Running || !strings.Contains(text, "running (process") ||
		!strings.Contains(text, "forage stop") {
		t.Errorf("running %v: %s", r.Running, text)
	}
	if v, text := area(t, r, "files"); v != Problem || !strings.Contains(text, "when the node does not run") {
		t.Errorf("%s", text)
	}
	if v, text := area(t, r, "archive"); v != OK {
		t.Errorf("%s", text)
	}
	if info, err := os.Stat(o.Paths.State); err != nil || info.Mode().Perm() != 0o755 {
		t.Error("the permissions were changed beside a running node")
	}
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

func TestRun_SaysWhenTheStoreIsInUse(t *testing.T) {
	p := copyOf(t, crawled(t))
	db, err := storage.Open(storeOf(p), storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	r := look(t, Options{Paths: p})
	if v, text := area(t, r, "node"); v != Problem || !r.Running || !strings.Contains(text, "try again in a moment") {
		t.Errorf("running %v: %s", r.Running, text)
	}
}

func TestRun_WhereNoNodeHasRun(t *testing.T) {
	if _, err := Run(t.Context(), Options{Paths: pathsOf(t, t.TempDir())}); !errors.Is(err, ErrNothing) {
		t.Errorf("Run = %v, want ErrNothing", err)
	}
}

func TestRun_EndsWithItsContext(t *testing.T) {
	p := copyOf(t, crawled(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, Options{Paths: p}); !errors.Is(err, context.Canceled) {
		t.Errorf("Run = %v, want context.Canceled", err)
	}
}

// What a session asks the doctor for is no way to read the files of the user.
func TestRun_QuotesNoFile(t *testing.T) {
	p := copyOf(t, crawled(t))
	secret := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(secret, []byte("# a key\nghp_16C7e42F292c6912E7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := config.Set(p.Config, "crawl.seeds", secret); err != nil {
		t.Fatal(err)
	}
	v, text := area(t, look(t, Options{Paths: p, DryRun: true}), "settings")
	if v != Problem || !strings.Contains(text, ":2: ") || strings.Contains(text, "ghp_") {
		t.Errorf("the doctor says %s", text)
	}
}
