package wacz

import (
	"bufio"
	"io"
	"os"
)

// spool holds a file of the package that grows while another is written: a ZIP
// takes one at a time.
type spool struct {
	*bufio.Writer
	file *os.File
}

func newSpool(dir string) (*spool, error) {
	f, err := os.CreateTemp(dir, ".forage-wacz-")
	if err != nil {
		return nil, err
	}
	return &spool{bufio.NewWriterSize(f, 64<<10), f}, nil
}

// copyTo writes to w what has been written to the spool.
func (s *spool) copyTo(w io.Writer) error {
	if err := s.Flush(); err != nil {
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(w, s.file)
	return err
}

func (s *spool) close() {
	s.file.Close()
	os.Remove(s.file.Name())
}
