package warc

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// segment is the file being written and its index. The archive's mutex guards
// it, except for the two files, which may be synced without.
type segment struct {
	warcfile.File
	fs              durable.FS
	base            string // its String, which index lines and positions repeat
	warc, index     durable.File
	size, indexed   int64 // bytes of each that count; anything beyond is cut
	captures        bool  // holds at least one
	synced          int64 // bytes known to survive a power loss
	failed          error // why nothing more may be written to it
	syncs           sync.WaitGroup
	directorySynced bool
}

// createSegment makes a new file and writes its warcinfo record.
func createSegment(fs durable.FS, f warcfile.File, warcinfo []byte) (*segment, error) {
	s := &segment{File: f, fs: fs, base: f.String()}
	var err error
	if s.warc, err = fs.OpenFile(f.Path(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return nil, err
	}
	if s.index, err = fs.OpenFile(f.IndexPath(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		_, err = s.warc.WriteAt(warcinfo, 0)
	}
	if err != nil {
		s.remove()
		return nil, err
	}
	s.size = int64(len(warcinfo))
	return s, nil
}

// openSegment opens a file that has been recovered.
func openSegment(fs durable.FS, f warcfile.File) (*segment, error) {
	s := &segment{File: f, fs: fs, base: f.String(), captures: true}
	var err error
	if s.warc, err = fs.OpenFile(f.Path(), os.O_RDWR, 0o600); err != nil {
		return nil, err
	}
	if s.index, err = fs.OpenFile(f.IndexPath(), os.O_RDWR, 0o600); err != nil {
		s.close()
		return nil, err
	}
	if s.size, err = durable.Size(s.warc); err == nil {
		s.indexed, err = durable.Size(s.index)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// write appends a capture and its index line, both or neither.
func (s *segment) write(records, line []byte) error {
	if _, err := s.warc.WriteAt(records, s.size); err != nil {
		s.cut()
		return err
	}
	if _, err := s.index.WriteAt(line, s.indexed); err != nil {
		s.cut()
		return err
	}
	s.size += int64(len(records))
	s.indexed += int64(len(line))
	s.captures = true
	return nil
}

// cut removes what a failed write has left.
func (s *segment) cut() {
	err := errors.Join(s.warc.Truncate(s.size), s.index.Truncate(s.indexed))
	if err != nil {
		s.failed = fmt.Errorf("cut %s: %w", s.Path(), err)
	}
}

// sync flushes the records to the disk. It is called without the archive's
// mutex, counted in syncs. The index is left out: recovery makes it again.
func (s *segment) sync(directory bool) error {
	if err := s.warc.Sync(); err != nil {
		return err
	}
	if directory {
		return s.fs.SyncDir(s.Dir)
	}
	return nil
}

// finish flushes and closes the file; one without captures is removed. The
// segment cannot be used afterwards, whatever is returned.
func (s *segment) finish(sync bool) error {
	s.syncs.Wait()
	if !s.captures {
		return s.remove()
	}
	err := s.failed
	if err == nil && sync {
		err = errors.Join(s.warc.Sync(), s.index.Sync())
	}
	err = errors.Join(err, s.close())
	if err != nil {
		return fmt.Errorf("finish %s: %w", s.Path(), err) // the next Open recovers it
	}
	return nil
}

func (s *segment) close() error {
	var err error
	if s.index != nil {
		err = s.index.Close()
	}
	return errors.Join(s.warc.Close(), err)
}

func (s *segment) remove() error {
	s.close()
	return errors.Join(s.fs.Remove(s.Path()), durable.RemoveIfThere(s.fs, s.IndexPath()))
}
