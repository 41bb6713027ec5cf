package warc

import (
	"fmt"

	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/warc/repair"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// recoverAll recovers the unfinished files. The newest is written to again if
// there is room in it; the others are finished.
func (a *Archive) recoverAll(files []warcfile.File) {
	for i, f := range files {
		if !f.Unfinished {
			continue
		}
		r := repair.Recovery{File: f.String()}
		s, err := recoverFile(a.config.fs, f, &r)
		if a.current = s; s != nil && (i < len(files)-1 || s.size >= a.config.MaxSize) {
			err = a.finish()
		}
		if err != nil {
			r.Err = fmt.Errorf("recover %s: %w", f.Path(), err)
		}
		a.recovered = append(a.recovered, r)
	}
}

// recoverFile opens a file that was brought back to its last complete capture. It returns nil if there was none.
func recoverFile(fs durable.FS, f warcfile.File, r *repair.Recovery) (*segment, error) {
	kept, err := repair.Recover(fs, f, r)
	if err != nil || !kept {
		return nil, err
	}
	return openSegment(fs, f)
}
