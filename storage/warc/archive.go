package warc

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/cdxj"
	"github.com/forage-net/forage/storage/warc/repair"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// DefaultMaxSize is the size in bytes at which a new file is begun. Halved,
// there are twice the files to list; doubled, a start after a crash reads up to
// twice as much.
const DefaultMaxSize = 256 << 20

// ErrClosed is returned by an Archive after Close.
var ErrClosed = words.New("said.doctor.the-archive-is-closed", nil)

// Config says where and how an archive is kept.
type Config struct {
	// Dir is made if it is not there.
	Dir string
	// MaxSize is the size in bytes a file does not exceed, unless it holds a
	// single capture; 0 means DefaultMaxSize.
	MaxSize int64
	// Info are names and values of the warcinfo record that opens each file:
	// software, http-header-user-agent and so on, each once. The format is added.
	Info [][2]string
	// NoSync leaves syncing to the operating system: for simulations only,
	// since a power loss may then cost captures.
	NoSync bool
	// Now is the clock that names files; nil means time.Now.
	Now func() time.Time

	fs durable.FS // nil means disk
}

// Archive is an archive open for writing. All methods may be called from many
// goroutines at a time. Its memory does not depend on what the archive holds.
type Archive struct {
	config    Config
	recovered []repair.Recovery
	encoders  sync.Pool // of *encoder
	total     atomic.Int64

	mu          sync.Mutex
	closed      bool
	last        warcfile.Name   // of the newest file
	current     *segment        // nil until the first Append
	closedFiles []warcfile.File // complete, but still to be renamed
	lost        error           // a file could not be finished; told by the next Sync
}

// Open opens the archive in cfg.Dir and brings files that were left unfinished
// back to their last complete capture. A file that cannot be recovered, say
// because the disk is full, is left for the next time and told by Recovered;
// it does not make Open fail.
func Open(cfg Config) (*Archive, error) {
	if cfg.MaxSize <= 0 {
		cfg.MaxSize = DefaultMaxSize
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.fs == nil {
		cfg.fs = durable.Disk{}
	}
	if err := cfg.fs.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, words.New("said.doctor.open-archive", words.Args{"error": err})
	}
	files, err := warcfile.List(cfg.Dir)
	if err != nil {
		return nil, words.New("said.doctor.open-archive", words.Args{"error": err})
	}
	a := &Archive{config: cfg, last: warcfile.Name{Tag: newTag()}}
	a.encoders.New = func() any { return new(encoder) }
	if len(files) > 0 {
		a.last = files[len(files)-1].Name
	}
	a.recoverAll(files)
	if err := a.measure(); err != nil {
		return nil, words.New("said.doctor.open-archive", words.Args{"error": err})
	}
	return a, nil
}

func newTag() string {
	var raw [4]byte
	rand.Read(raw[:]) // never fails
	return hex.EncodeToString(raw[:])
}

// measure adds up the sizes of all files.
func (a *Archive) measure() error {
	files, err := warcfile.List(a.config.Dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		for _, path := range []string{f.Path(), f.IndexPath()} {
			info, err := os.Stat(path)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			a.total.Add(info.Size())
		}
	}
	return nil
}

// Append writes a capture and returns where it is. When it returns, the
// capture survives the death of the process, but a power loss only after the
// next Sync. On an error nothing of it is in the archive; the error wraps its
// cause, syscall.ENOSPC for instance, or capture.ErrRefused or ErrClosed. Append works
// again once the cause is gone.
func (a *Archive) Append(c capture.Capture) (capture.Position, error) {
	if err := c.Check(); err != nil {
		return capture.Position{}, err
	}
	e := a.encoders.Get().(*encoder)
	defer a.encoders.Put(e)
	e.Encode(&c)
	e.index = cdxj.AppendHead(e.index[:0], &c)
	p, err := a.write(e)
	if err != nil {
		return capture.Position{}, words.New("said.trouble.archive", words.Args{"url": c.URL, "error": err})
	}
	return p, nil
}

// encoder makes records and index line of a capture, outside the archive's mutex.
type encoder struct {
	capture.Encoder
	index []byte // the line up to the place
}

func (a *Archive) write(e *encoder) (capture.Position, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s, err := a.segment(int64(len(e.Out)))
	if err != nil {
		return capture.Position{}, err
	}
	p := e.Position(s.base, s.size)
	e.index = cdxj.AppendPlace(e.index, p)
	if err := s.write(e.Out, e.index); err != nil {
		return capture.Position{}, err
	}
	a.total.Add(int64(len(e.Out) + len(e.index)))
	return p, nil
}

// segment returns the file that takes n more bytes.
func (a *Archive) segment(n int64) (*segment, error) {
	if a.closed {
		return nil, ErrClosed
	}
	if s := a.current; s != nil && (s.failed != nil || s.captures && s.size+n > a.config.MaxSize) {
		if err := a.finish(); err != nil {
			a.lost = errors.Join(a.lost, err)
		}
	}
	if a.current == nil {
		f := warcfile.File{Name: a.last.Following(a.config.Now()), Dir: a.config.Dir, Unfinished: true}
		s, err := createSegment(a.config.fs, f, capture.Warcinfo(f.String(), a.config.Now(), a.config.Info))
		a.last = f.Name // after a failure too: the name may be taken
		if err != nil {
			return nil, err
		}
		a.current = s
		a.total.Add(s.size)
	}
	return a.current, nil
}

// finish finishes the current file, if there is one. After an error its
// captures may not survive a power loss.
func (a *Archive) finish() error {
	s := a.current
	if s == nil {
		return nil
	}
	a.current = nil
	if !s.captures {
		a.total.Add(-s.size - s.indexed)
	}
	err := s.finish(!a.config.NoSync)
	if err == nil && s.captures {
		a.closedFiles = append(a.closedFiles, s.File)
		a.rename() // what fails is tried again with the next file, and told by Close
	}
	if !a.config.NoSync {
		err = errors.Join(err, a.config.fs.SyncDir(a.config.Dir))
	}
	return err
}

// rename gives complete files their final names. On Windows that fails while
// somebody reads the file.
func (a *Archive) rename() error {
	var failed []error
	a.closedFiles = slices.DeleteFunc(a.closedFiles, func(f warcfile.File) bool {
		err := a.config.fs.Rename(f.Path(), f.Finished())
		if err != nil {
			failed = append(failed, err)
		}
		return err == nil
	})
	return errors.Join(failed...)
}

// Sync returns when all captures whose Append has returned survive a power
// loss. Without any since the last call it costs nothing. Appends go on
// meanwhile. After an error captures since the last successful call may be lost
// in a power loss; those appended from now on are not concerned.
func (a *Archive) Sync() error {
	if a.config.NoSync {
		return nil
	}
	a.mu.Lock()
	lost, s := a.lost, a.current
	a.lost = nil
	if s == nil || s.failed != nil || s.synced == s.size {
		if s != nil && s.failed != nil {
			lost = errors.Join(lost, a.finish()) // told once more; the next Append begins a new file
		}
		a.mu.Unlock()
		return lost
	}
	end, directory := s.size, !s.directorySynced
	s.syncs.Add(1)
	a.mu.Unlock()

	err := s.sync(directory)
	s.syncs.Done()

	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		// The kernel may have dropped what it could not write, so that trying
		// again would succeed without having saved anything.
		s.failed = words.New("said.doctor.sync-archive", words.Args{"error": err})
		return errors.Join(lost, s.failed)
	}
	s.synced = max(s.synced, end)
	s.directorySynced = true
	return lost
}

// Close finishes the file being written. Later calls do nothing.
func (a *Archive) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil
	}
	a.closed = true
	if err := errors.Join(a.lost, a.finish(), a.rename()); err != nil {
		return words.New("said.doctor.close-archive", words.Args{"error": err})
	}
	return nil
}

// Size returns the size of all archive and index files in bytes. It does not
// notice files that somebody else removes.
func (a *Archive) Size() int64 { return a.total.Load() }

// Head returns what the record of a response says of it. One that was just appended is there.
func (a *Archive) Head(p capture.Position) (capture.Stored, error) {
	return warcfile.Head(a.config.Dir, p)
}

// Recovered returns what Open has done to files left unfinished, in the order
// of writing. The slice must not be changed.
func (a *Archive) Recovered() []repair.Recovery { return a.recovered }
