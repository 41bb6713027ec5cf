package app

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/forage-net/forage/storage"
)

// crash takes the power from a node. What is on its disk at this moment is what
// its next run will find.
func (s *simSwarm) crash(x *simNode) {
	s.t.Helper()
	s.net.Cut(x.host, true)
	x.plug.pull()
	x.crashed, s.changed = true, time.Now()
	s.copyHome(x, x.home+"+")
	x.cancel() // what is left of the run reaches nobody
}

// revive starts a crashed node again, with what was on its disk.
func (s *simSwarm) revive(x *simNode, know ...*simNode) *simNode {
	s.t.Helper()
	host, err := s.net.Again(x.host)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.startAt(host, x.name+"+", x.home+"+", know)
}

// copyHome copies what a node has on its disk.
func (s *simSwarm) copyHome(x *simNode, to string) {
	s.t.Helper()
	err := filepath.WalkDir(x.home, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(to, strings.TrimPrefix(path, x.home))
		switch {
		case e.IsDir():
			return os.MkdirAll(target, 0o700)
		case e.Name() == "forage.db":
			return x.node.db.View(func(tx *storage.Tx) error { return tx.CopyFile(target, 0o600) })
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o600)
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// isolated reports whether a node may not know what the others do.
func (s *simSwarm) isolated(x *simNode) bool { return s.apart }
