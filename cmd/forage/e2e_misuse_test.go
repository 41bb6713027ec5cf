//go:build unix

package main

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/app/demo"
	"github.com/forage-net/forage/storage"
)

// What a node cannot work with it says, in terms of what the user can change.
func TestMisuse(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	config := filepath.Join(v.home, "config.toml")
	for _, c := range []struct {
		name   string
		damage func(v victim)
		code   int
		says   []string
	}{
		{"a newer store", func(v victim) { v.setSchema(1000) }, 1, []string{
			"forage: open store " + v.storePath() + ": the store was written by a newer version of Forage; install that version or a later one",
		}},
		{"a file for the archive", func(v victim) { replaceByFile(v.t, v.warcDir()) }, 1, []string{"forage: ", v.warcDir(), "not a directory"}},
		{"a directory for the store", func(v victim) {
			remove(v.t, v.storePath())
			mkdir(v.t, v.storePath())
		}, 1, []string{"forage: open store " + v.storePath() + ": the store is damaged: it is not a file"}},
		{"a directory for the settings", func(v victim) {
			remove(v.t, config)
			mkdir(v.t, config)
		}, 6, []string{"forage: ", config, "is not a file"}},
		{"a file for the home", func(v victim) { replaceByFile(v.t, v.home) }, 6, []string{"forage: ", v.home, "not a directory"}},
		{"a setting out of range", func(v victim) {
			writeFile(v.t, config, "[budget.full]\n\nfetchers = 0\n")
		}, 6, []string{config + ":3:", "budget.full.fetchers", "cannot have this value", "a whole number from 1 to 16"}},
		{"a setting of another kind", func(v victim) {
			writeFile(v.t, config, "[disk]\nmax = true\n")
		}, 6, []string{config + ":2:", "disk.max"}},
		{"settings that are no text", func(v victim) {
			writeFile(v.t, config, "\x00\xff\xfe")
		}, 6, []string{config + ":1:"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v.t = t
			v.restore()
			c.damage(v)
			v.refuses(c.code, c.says, v.runArgs(fullSpeed...)...)
		})
	}
}

// setSchema makes the store one of another version.
func (v victim) setSchema(version uint32) {
	v.t.Helper()
	db, err := storage.Open(v.storePath(), storage.Options{})
	if err != nil {
		v.t.Fatal(err)
	}
	defer db.Close()
	err = db.Update(func(tx *storage.Tx) error {
		return tx.Bucket(storage.BucketMeta).Put([]byte("schema"), binary.BigEndian.AppendUint32(nil, version))
	})
	if err != nil {
		v.t.Fatal(err)
	}
}

func mkdir(t *testing.T, name string) {
	t.Helper()
	if err := os.MkdirAll(name, 0o700); err != nil {
		t.Fatal(err)
	}
}

// replaceByFile puts a file in the place of a directory.
func replaceByFile(t *testing.T, dir string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	writeFile(t, dir, "in the way")
}

// A user who may not write, or not read, is told which file it is about.
func TestMisuse_NoPermission(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	nobody := unprivileged(t, v.lab)
	for _, c := range []struct {
		name string
		mode map[string]fs.FileMode // below the home
		code int
		says []string
	}{
		{"a home to read only", map[string]fs.FileMode{
			"": 0o500, "state": 0o500, "data": 0o500, "data/warc": 0o500, "state/forage.db": 0o400, "config.toml": 0o400,
		}, 1, []string{"forage: ", "permission denied"}},
		{"a store to read only", map[string]fs.FileMode{"state/forage.db": 0o400}, 1, []string{v.storePath(), "permission denied"}},
		{"a store that cannot be read", map[string]fs.FileMode{"state/forage.db": 0}, 1, []string{v.storePath(), "permission denied"}},
		{"settings that cannot be read", map[string]fs.FileMode{"config.toml": 0}, 6, []string{filepath.Join(v.home, "config.toml"), "permission denied"}},
		{"a home that is closed", map[string]fs.FileMode{"": 0}, 6, []string{v.home, "permission denied"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v.t = t
			v.restore()
			nobody.own(t, v.home)
			for _, name := range slices.Backward(slices.Sorted(maps.Keys(c.mode))) {
				if err := os.Chmod(filepath.Join(v.home, name), c.mode[name]); err != nil {
					t.Fatal(err)
				}
			}
			p := nobody.start(t, v.runArgs(append(slices.Clone(fullSpeed), "--depth", "1")...)...)
			if code := p.wait(); code != c.code {
				t.Errorf("ended with %d, want %d", code, c.code)
			}
			v.complains(p, c.says)
			for name := range c.mode {
				os.Chmod(filepath.Join(v.home, name), 0o700)
			}
		})
	}
}

// Without leave to write to the archive a node fetches nothing more and says
// why; once it may, it goes on by itself.
func TestMisuse_ArchiveToReadOnly(t *testing.T) {
	t.Parallel()
	l := newLab(t, demo.Options{Sites: 2, Pages: 80})
	nobody := unprivileged(t, l)
	mkdir(t, l.warcDir())
	nobody.own(t, l.home)
	if err := os.Chmod(l.warcDir(), 0o500); err != nil {
		t.Fatal(err)
	}
	p := nobody.start(t, l.runArgs(fullSpeed...)...)
	p.awaitUp(l.home)
	node, err := client.Dial(filepath.Join(l.home, "state"))
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the node to say why it does not work", func() bool {
		s, err := node.Status(t.Context())
		return err == nil && s.State == api.StatePaused && len(s.Reasons) == 1 &&
			strings.Contains(s.Reasons[0], "cannot write to its archive") && strings.Contains(s.Reasons[0], "permission denied")
	})
	if err := os.Chmod(l.warcDir(), 0o700); err != nil {
		t.Fatal(err)
	}
	p.succeed()
	l.visits().complete(t, l.web)
	matchVisits(t, readArchive(t, l.warcDir()), l.visits())
	checkArchive(t, l.warcDir())
	checkStore(t, l.home)
}

// user runs the program as somebody whom permissions bind.
type user struct {
	credential *syscall.Credential // nil for the one who runs the test
	dir        string              // accessible to them
}

// unprivileged returns the present user, or for root one who is nobody, and
// lets them reach the files of a lab.
func unprivileged(t *testing.T, l *lab) user {
	t.Helper()
	u := user{dir: filepath.Dir(l.home)}
	if os.Getuid() != 0 {
		return u
	}
	const nobody = 65534
	u.credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	for _, path := range []string{l.home, l.hosts} {
		for dir := filepath.Dir(path); dir != "/"; dir = filepath.Dir(dir) {
			info, err := os.Stat(dir)
			if err == nil && info.Mode()&1 == 0 && strings.HasPrefix(dir, os.TempDir()) {
				err = os.Chmod(dir, info.Mode()|0o711)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	u.own(t, l.hosts)
	if p := u.start(t, "version"); p.wait() != 0 {
		t.Skipf("NOT TESTED: permissions; the program cannot be run as nobody: %s", p.stderr.String())
	}
	return u
}

// own gives files to the user.
func (u user) own(t *testing.T, path string) {
	t.Helper()
	if u.credential == nil {
		return
	}
	err := filepath.WalkDir(path, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, int(u.credential.Uid), int(u.credential.Gid))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (u user) start(t *testing.T, args ...string) *process {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = u.dir
	if u.credential != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: u.credential}
	}
	return startCommand(t, cmd)
}

// A home may have any name.
func TestHome_OfAnyName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"with spaces  and 'quotes'", "Überschall 森 ñ", "-dash", "percent %d %s", "new\nline", strings.Repeat("long", 60)} {
		t.Run(fmt.Sprintf("%.20q", name), func(t *testing.T) {
			t.Parallel()
			l := newLab(t, demo.Options{Sites: 1, Pages: 60})
			l.home = filepath.Join(t.TempDir(), name)
			l.start(fullSpeed...).succeed()
			l.visits().complete(t, l.web)
			matchVisits(t, readArchive(t, l.warcDir()), l.visits())
			if s := l.status(); s.Pages == 0 || s.ArchiveDir != l.warcDir() {
				t.Errorf("status says %+v", s)
			}
			if p := startForage(t, "doctor", "--home", l.home); p.wait() != 0 {
				t.Errorf("doctor says %s%s", p.stdout.String(), p.stderr.String())
			}
			checkStore(t, l.home)
		})
	}
}
