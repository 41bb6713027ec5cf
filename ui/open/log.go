package open

import (
	"errors"
	"io"
	"os"
	"sync"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/durable"
)

const (
	// NodeLog and WindowLog are the files in the state directory where programs without a terminal write.
	NodeLog   = "forage.log"
	WindowLog = "forage-window.log"

	// maxLog is how large such a file becomes, in bytes; one before it is kept beside it. Some thousand lines.
	maxLog = 1 << 20
	oldLog = ".1"
)

// Log is a log file of bounded size. What it holds is copied away before it is emptied, and the file
// stays the same one: who has it as standard error, where the text of a crash goes, writes to it for ever.
//
// It is safe for concurrent use.
type Log struct {
	max int64

	mu sync.Mutex
	f  *os.File
}

// OpenLog opens a log file, which only the user can read, and makes room in it. It follows no link: one that somebody
// else has put there would have the log written to another file of the user's.
func OpenLog(path string) (*Log, error) { return openLog(path, maxLog) }

func openLog(path string, most int64) (*Log, error) {
	if err := noLink(path, nil); err != nil {
		return nil, words.New("said.open.log", words.Args{"error": err})
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, words.New("said.open.log", words.Args{"error": err})
	}
	if err := noLink(path, f); err != nil { // it came in between
		f.Close()
		return nil, words.New("said.open.log", words.Args{"error": err})
	}
	l := &Log{max: most, f: f}
	if err := l.makeRoom(0); err != nil {
		f.Close()
		return nil, words.New("said.open.log-at", words.Args{"path": path, "error": err})
	}
	return l, nil
}

// noLink returns an error if a path is a link, or not that of an open file.
func noLink(path string, f *os.File) error {
	is, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) && f == nil {
		return nil
	}
	if err != nil {
		return err
	}
	if is.Mode()&os.ModeSymlink != 0 {
		return words.New("said.cli.is-a-link", words.Args{"path": path})
	}
	if f == nil {
		return nil
	}
	opened, err := f.Stat()
	if err == nil && !os.SameFile(is, opened) {
		err = words.New("said.cli.is-another-file-now", words.Args{"path": path})
	}
	return err
}

// File returns the file, to be the standard error of a program.
func (l *Log) File() *os.File { return l.f }

// IsStderr reports whether standard error goes to this file too.
func (l *Log) IsStderr() bool {
	a, err := os.Stderr.Stat()
	if err != nil {
		return false
	}
	b, err := l.f.Stat()
	return err == nil && os.SameFile(a, b)
}

// Write appends to the log. If no room can be made, for a full disk say, nothing is written.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.makeRoom(int64(len(p))); err != nil {
		return 0, err
	}
	return l.f.Write(p)
}

// makeRoom empties the file if so many bytes more were too many. l.mu is held.
func (l *Log) makeRoom(n int64) error {
	info, err := l.f.Stat() // others write to it too
	if err != nil || info.Size()+n <= l.max {
		return err
	}
	if err := l.copyAway(info.Size()); err != nil {
		return err
	}
	return l.f.Truncate(0)
}

// copyAway copies the end of what there is, no more than the file may hold.
func (l *Log) copyAway(size int64) error {
	from := max(0, size-l.max)
	text := make([]byte, size-from)
	n, err := l.f.ReadAt(text, from)
	if err != nil && err != io.EOF {
		return err
	}
	return durable.Change{Fleeting: true}.Write(l.f.Name()+oldLog, text[:n])
}

// Close closes the file.
func (l *Log) Close() error { return l.f.Close() }
