package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// errTakenAway ends a node whose files were removed or replaced while it ran:
// what it writes from then on is lost, and another node could be started in its home.
var errTakenAway = errors.New("was removed or replaced while the node ran; what was fetched since is lost")

// missFiles returns an error if the store or the archive file written last is no
// longer where it was.
func (n *Node) missFiles() error {
	path := StorePath(n.opts.Paths.State)
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(info, n.storeFile) {
		return fmt.Errorf("the store %s %w", path, errTakenAway)
	}
	name := n.archivist.lastFile()
	if name == "" {
		return nil
	}
	dir := n.opts.Paths.WARC()
	for _, name := range []string{name, name + ".open", name} { // it may be given its final name meanwhile
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
			return nil
		}
	}
	return fmt.Errorf("the archive file %s in %s %w", name, dir, errTakenAway)
}

// lastFile returns the name of the file that the last capture of this run is in, "" if there is
// none.
func (a *archivist) lastFile() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.end.File
}
