package repair

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"

	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/cdxj"
	"github.com/forage-net/forage/storage/warc/collate"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// indexRepair makes the index of a file agree with its captures. Lines that
// are right are kept as they are. The lines go to a new file from the first
// that is missing or wrong on, so that the index is there in full, as it was or
// as it should be, whenever power is lost.
type indexRepair struct {
	fs   durable.FS
	file warcfile.File

	good    int64 // bytes of the index up to the first line that is not right
	missing int   // captures without line, or with a wrong one
	lost    bool  // the index tells of captures that cannot be read
	temp    durable.File
	out     *bufio.Writer // over temp
}

// collate reads the file and its index. finish or discard must be called after
// it.
func (x *indexRepair) collate(ctx context.Context, pass bool) (collate.Extent, error) {
	src, err := os.Open(x.file.Path())
	if err != nil {
		return collate.Extent{}, err
	}
	defer src.Close()
	c := collate.Reader{File: x.file, Src: src, Keep: capture.MaxHead, Pass: pass, Capture: x.capture, Stray: x.stray}
	index, err := os.Open(x.file.IndexPath())
	if err == nil {
		defer index.Close()
		c.Index = cdxj.NewCursor(index)
	} else if !errors.Is(err, os.ErrNotExist) {
		return collate.Extent{}, err
	}
	return c.Run(ctx)
}

func (x *indexRepair) capture(c *capture.Stored, l *cdxj.Line) error {
	right := l != nil && l.Tells(c)
	if right && x.temp == nil && l.At == x.good {
		x.good += int64(len(l.Text))
		return nil
	}
	if err := x.begin(); err != nil {
		return err
	}
	if right {
		_, err := x.out.Write(l.Text)
		return err
	}
	x.missing++
	_, err := x.out.Write(cdxj.LineOf(c))
	return err
}

func (x *indexRepair) stray(l *cdxj.Line) error {
	x.lost = x.lost || l.OK
	return x.begin()
}

// begin begins the new index with the lines that were right so far.
func (x *indexRepair) begin() (err error) {
	if x.temp != nil {
		return nil
	}
	x.temp, err = x.fs.OpenFile(x.file.IndexPath()+warcfile.TempSuffix, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	x.out = bufio.NewWriter(x.temp)
	if x.good == 0 {
		return nil
	}
	old, err := os.Open(x.file.IndexPath())
	if err != nil {
		return err
	}
	defer old.Close()
	_, err = io.CopyN(x.out, old, x.good)
	return err
}

// changed reports whether the index has to be replaced.
func (x *indexRepair) changed() bool { return x.temp != nil }

// finish puts the new index in place of the old one, if they differ.
func (x *indexRepair) finish() error {
	if x.temp == nil {
		return nil
	}
	if err := x.out.Flush(); err != nil {
		x.discard()
		return err
	}
	temp := x.temp
	x.temp = nil
	return durable.Rename(x.fs, temp, x.file.IndexPath())
}

// discard leaves the index as it is.
func (x *indexRepair) discard() {
	if x.temp != nil {
		x.temp.Close() // it goes
		x.fs.Remove(x.temp.Name())
		x.temp = nil
	}
}
