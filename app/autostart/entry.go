package autostart

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/durable"
)

// entry is a file by which a system starts something.
type entry struct {
	path   string
	marker string // a line that says that it is ours
	kinds  []Kind
	link   *link // that makes it count, if one is needed

	text     func(kind Kind, command []string, o Options) (string, error)
	kindOf   func(text string) Kind
	command  func(text string) []string
	disabled func(path, text string) bool
}

// link is a symbolic link to an entry.
type link struct{ path, target string }

func (e *entry) has(kind Kind) bool {
	return slices.Contains(e.kinds, kind)
}

// owner is whose a file is.
type owner uint8

const (
	absent owner = iota
	ours
	foreign
)

// maxFile is more than any file of ours has.
const maxFile = maxWord*maxWords*4 + 64<<10

// read returns an entry's text if it is ours. What is no ordinary file is foreign: a link to /dev/null is how users
// of systemd forbid a unit.
func (e *entry) read() (text string, whose owner, err error) {
	info, err := os.Lstat(e.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", absent, nil
	case err != nil:
		return "", absent, err
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		return "", foreign, nil
	}
	f, err := os.Open(e.path)
	if err != nil {
		return "", absent, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return "", absent, err
	}
	for line := range strings.Lines(string(data)) {
		if strings.TrimSpace(line) == e.marker {
			return string(data), ours, nil
		}
	}
	return "", foreign, nil
}

// write puts a text in the place of ours, or of nothing.
func (e *entry) write(text string) error {
	_, whose, err := e.read()
	if err != nil {
		return err
	}
	if whose == foreign {
		return fmt.Errorf("%s %w", e.path, ErrForeign)
	}
	if err := os.MkdirAll(filepath.Dir(e.path), 0o755); err != nil {
		return err
	}
	if err := (durable.Change{Mode: 0o644}).Write(e.path, []byte(text)); err != nil {
		return words.New("said.trouble.write", words.Args{"path": e.path, "error": err})
	}
	if e.link == nil {
		return nil
	}
	return e.link.make(e.path)
}

// remove removes what is ours. The link goes first: without its file it would be an
// error of the system's at each login.
func (e *entry) remove() error {
	_, whose, err := e.read()
	if err != nil {
		return err
	}
	switch whose {
	case foreign:
		return fmt.Errorf("%s %w", e.path, ErrForeign)
	case absent:
		return nil
	}
	if e.link != nil && e.link.leadsTo(e.path) {
		if err := os.Remove(e.link.path); err != nil {
			return err
		}
	}
	if err := os.Remove(e.path); err != nil {
		return err
	}
	return durable.SyncDir(filepath.Dir(e.path))
}

// make makes the link to a file. One that leads elsewhere stays.
func (l *link) make(to string) error {
	if l.leadsTo(to) {
		return nil
	}
	if _, err := os.Lstat(l.path); err == nil {
		return fmt.Errorf("%s %w", l.path, ErrForeign)
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o755); err != nil {
		return err
	}
	if err := os.Symlink(l.target, l.path); err != nil {
		return err
	}
	return durable.SyncDir(filepath.Dir(l.path))
}

// leadsTo reports whether the link is there and names a file, by whatever path.
func (l *link) leadsTo(file string) bool {
	target, err := os.Readlink(l.path)
	if err != nil {
		return false
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(l.path), target)
	}
	return filepath.Clean(target) == filepath.Clean(file)
}
