//go:build unix

package main

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/demo"
	"github.com/forage-net/forage/app/doctor"
	"github.com/forage-net/forage/storage"
)

// patient is a home that a crawl has left, to be damaged.
func patient(t *testing.T) *lab {
	t.Helper()
	l := newLab(t, demo.Options{Sites: 2, Pages: 80})
	l.start(fullSpeed...).succeed()
	return l
}

// doctor runs "forage doctor" and returns its exit code and report.
func (l *lab) doctor(flags ...string) (int, doctor.Report) {
	l.t.Helper()
	p := startForage(l.t, append([]string{"doctor", "--json", "--home", l.home}, flags...)...)
	code := p.wait()
	if text := p.stderr.String(); strings.Contains(text, "goroutine ") || code < 0 {
		l.t.Fatalf("it panicked:\n%s", text)
	}
	return code, parseJSON[doctor.Report](l.t, p.stdout.String())
}

// verdict returns the verdict of an area, and what was found.
func verdict(r doctor.Report, name string) (doctor.Verdict, string) {
	for _, a := range r.Areas {
		if a.Name == name {
			return a.Verdict, fmt.Sprint(a.Findings)
		}
	}
	return "", ""
}

// hashes returns a line for each file of the home.
func (l *lab) hashes() string {
	l.t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(l.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil {
			fmt.Fprintf(&b, "%s %x\n", path, sha256.Sum256(data))
		}
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return b.String()
}

// archived returns the first file of the archive with an ending.
func (l *lab) archived(ending string) string {
	l.t.Helper()
	found, err := filepath.Glob(filepath.Join(l.warcDir(), "*"+ending))
	if err != nil || len(found) == 0 {
		l.t.Fatalf("no file ends with %s: %v", ending, err)
	}
	return found[0]
}

func (l *lab) store() string { return config.Paths{State: filepath.Join(l.home, "state")}.Store() }

// alter changes the bytes of a file.
func (l *lab) alter(path string, change func(b []byte) []byte) {
	l.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(path, change(b), 0o600); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) tear() {
	l.alter(l.archived(".warc.gz"), func(b []byte) []byte { return append(b, b[:500]...) })
}

func TestDoctor_FindsAHealthyHomeHealthy(t *testing.T) {
	t.Parallel()
	l := patient(t)
	before := l.hashes()
	for _, flags := range [][]string{{"--dry-run"}, {}, {"--thorough"}} {
		if code, r := l.doctor(flags...); code != 0 || !r.OK || len(r.Areas) != 9 {
			t.Errorf("%v: exit code %d, %+v", flags, code, r)
		}
	}
	if l.hashes() != before {
		t.Error("a healthy home was changed")
	}
	text := l.forage("doctor")
	for _, area := range []string{"settings", "files", "disk", "sensors", "node", "archive", "search index", "store", "frontier"} {
		if !strings.Contains(text, "ok        "+area) {
			t.Errorf("the list does not say that %s is ok:\n%s", area, text)
		}
	}
}

func TestDoctor_RepairsTheArchive(t *testing.T) {
	t.Parallel()
	l := patient(t)
	l.tear()
	before := l.hashes()
	if code, r := l.doctor("--dry-run"); code != 1 || r.OK {
		t.Errorf("dry run with a torn archive: exit code %d, %+v", code, r)
	}
	if l.hashes() != before {
		t.Error("a dry run has changed something")
	}
	code, r := l.doctor()
	if v, text := verdict(r, "archive"); code != 0 || v != doctor.Repaired || !strings.Contains(text, "500 bytes") {
		t.Errorf("torn archive: exit code %d, %s: %s", code, v, text)
	}
	index := l.archived(".cdxj")
	whole, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(index); err != nil {
		t.Fatal(err)
	}
	code, r = l.doctor()
	if v, text := verdict(r, "archive"); code != 0 || v != doctor.Repaired || !strings.Contains(text, "lines of the index") {
		t.Errorf("archive without index: exit code %d, %s: %s", code, v, text)
	}
	if again, err := os.ReadFile(index); err != nil || string(again) != string(whole) {
		t.Errorf("the index has %d bytes, had %d: %v", len(again), len(whole), err)
	}
}

// Whatever bytes of the store are flipped, doctor ends in order, and what it
// calls well a node can work with.
func TestDoctor_SurvivesFlippedBytesInTheStore(t *testing.T) {
	t.Parallel()
	l := patient(t)
	whole, err := os.ReadFile(l.store())
	if err != nil {
		t.Fatal(err)
	}
	mended, given := 0, 0
	for seed := range uint64(sized(4, 12, 12)) {
		rng := rand.New(rand.NewPCG(seed, 1))
		b := append([]byte(nil), whole...)
		for range 1 + rng.IntN(6) {
			b[rng.IntN(len(b))] ^= byte(1 + rng.IntN(255))
		}
		if err := os.WriteFile(l.store(), b, 0o600); err != nil {
			t.Fatal(err)
		}
		code, r := l.doctor()
		if code == 1 {
			given++
			if _, text := verdict(r, "store"); !strings.Contains(text, "mv ") && !strings.Contains(text, "newer version") {
				t.Errorf("seed %d: it does not say what to do: %s", seed, text)
			}
			if after, err := os.ReadFile(l.store()); err != nil || string(after) != string(b) {
				t.Errorf("seed %d: a store that cannot be repaired has changed: %v", seed, err)
			}
			continue
		}
		mended++
		if code, r := l.doctor(); code != 0 {
			t.Errorf("seed %d: a second run ends with %d: %+v", seed, code, r)
		}
		checkStore(t, l.home)
	}
	t.Logf("%d stores were well or repaired, %d given up", mended, given)
}

func TestDoctor_RefusesANewerStore(t *testing.T) {
	t.Parallel()
	l := patient(t)
	db, err := storage.Open(l.store(), storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *storage.Tx) error {
		return tx.Bucket(storage.BucketMeta).Put([]byte("schema"), binary.BigEndian.AppendUint32(nil, 1<<20))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before := l.hashes()
	code, r := l.doctor()
	if v, text := verdict(r, "store"); code != 1 || v != doctor.Problem || !strings.Contains(text, "newer version") {
		t.Errorf("exit code %d, %s: %s", code, v, text)
	}
	if l.hashes() != before {
		t.Error("something was changed")
	}
}

// A dry run works where nothing can be written. Permissions do not bind root, for
// whom the comparison of all files has to do.
func TestDoctor_DryRunNeedsNoPermissionToWrite(t *testing.T) {
	t.Parallel()
	l := patient(t)
	l.tear()
	setWritable := func(on bool) {
		filepath.WalkDir(l.home, func(path string, d fs.DirEntry, err error) error {
			mode := fs.FileMode(0o400)
			if d.IsDir() {
				mode = 0o500
			}
			if on {
				mode |= 0o200
			}
			return os.Chmod(path, mode)
		})
	}
	setWritable(false)
	defer setWritable(true)
	before := l.hashes()
	code, r := l.doctor("--dry-run")
	if v, text := verdict(r, "archive"); code != 1 || v != doctor.Problem || !strings.Contains(text, "without --dry-run") {
		t.Errorf("exit code %d, %s: %s", code, v, text)
	}
	if v, text := verdict(r, "frontier"); v != doctor.OK {
		t.Errorf("frontier: %s: %s", v, text)
	}
	if l.hashes() != before {
		t.Error("something was changed")
	}
}

func TestDoctor_BesideANode(t *testing.T) {
	t.Parallel()
	l := newLab(t, demo.Options{Sites: 2, Pages: 80})
	node := l.start("--gap", "1m")
	node.awaitUp(l.home)
	code, r := l.doctor()
	if v, text := verdict(r, "node"); code != 0 || !r.Running || v != doctor.OK || !strings.Contains(text, "forage stop") {
		t.Errorf("exit code %d, running %v, %s: %s", code, r.Running, v, text)
	}
	if code, r := l.doctor("--reindex"); code != 1 {
		t.Errorf("--reindex beside it: exit code %d, %+v", code, r)
	}
	if !isUp(l.home) || l.status().PID != node.cmd.Process.Pid {
		t.Error("the node is no longer found")
	}
	l.forage("stop")
	node.wait()
	for _, flags := range [][]string{nil, {"--reindex"}} {
		if code, r := l.doctor(flags...); code != 0 || r.Running {
			t.Errorf("%v after its end: exit code %d, %+v", flags, code, r)
		}
	}
}

// A doctor that is killed while it repairs leaves what the next one repairs.
func TestDoctor_KilledWhileItRepairs(t *testing.T) {
	t.Parallel()
	l := patient(t)
	for range sized(2, 4, 4) {
		l.tear()
		l.alter(l.archived(".cdxj"), func(b []byte) []byte { return b[:len(b)/3] })
		db, err := storage.Open(l.store(), storage.Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = db.Update(func(tx *storage.Tx) error {
			return tx.Bucket(storage.BucketItems).Put([]byte("no page"), []byte("x"))
		})
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		before := len(l.asides())
		p := startForage(t, "doctor", "--home", l.home)
		until(t, "a repair to begin", func() bool { return len(l.asides()) > before })
		p.signal(syscall.SIGKILL)
		p.wait()
		if code, r := l.doctor(); code != 0 {
			t.Fatalf("exit code %d, %+v", code, r)
		}
		if code, r := l.doctor("--dry-run"); code != 0 {
			t.Fatalf("a second run finds more: %+v", r)
		}
		checkStore(t, l.home)
	}
}

// asides are the files that repairs of the archive have made.
func (l *lab) asides() []string {
	found, err := filepath.Glob(filepath.Join(l.warcDir(), "*.cut*"))
	if err != nil {
		l.t.Fatal(err)
	}
	return found
}

func TestDoctor_WhereNoNodeEverRan(t *testing.T) {
	t.Parallel()
	p := startForage(t, "doctor", "--home", filepath.Join(t.TempDir(), "home"))
	if code := p.wait(); code != 1 || !strings.Contains(p.stderr.String(), "Forage has not run here yet") {
		t.Errorf("exit code %d: %s", code, p.stderr.String())
	}
}
