package warc

import (
	"context"
	"fmt"
	"io"

	"github.com/forage-net/forage/storage/warc/record"
)

// Original returns the capture whose payload a revisit stands for: the one that
// its record names, found in the indexes. The error is ErrNoCapture if that is
// not in the archive any more.
func Original(ctx context.Context, dir string, revisit Found) (Found, error) {
	refers, err := refersAt(dir, revisit.Position)
	if err != nil {
		return Found{}, fmt.Errorf("read revisit %s: %w", revisit.ID, err)
	}
	for before := revisit.ID; ; {
		found, err := Lookup(ctx, dir, refers.URL, Bounds{Before: before, Limit: MaxFound})
		if err != nil {
			return Found{}, err
		}
		for _, c := range found.Captures {
			if !c.Revisit && c.URL == refers.URL && c.Date.Unix() == refers.Date.Unix() && c.Digest == revisit.Digest {
				return c, nil
			}
		}
		if before = found.Next; before == "" {
			return Found{}, ErrNoCapture
		}
		if err := ctx.Err(); err != nil {
			return Found{}, err
		}
	}
}

// refersAt reads what the revisit record at p names.
func refersAt(dir string, p Position) (Refers, error) {
	n, _ := parseName(p.File)
	src, err := file{name: n, dir: dir, open: true}.openFile()
	if err != nil {
		return Refers{}, err
	}
	defer src.Close()
	if _, err := src.Seek(p.RecordOffset, io.SeekStart); err != nil {
		return Refers{}, err
	}
	rec, err := record.NewReaderAt(src, p.RecordOffset).Next()
	if err != nil {
		return Refers{}, err
	}
	c := StoredCapture{}
	c.describe(rec)
	if c.Revisit == nil {
		return Refers{}, fmt.Errorf("%w: a %s record where a revisit should be", record.ErrFormat, rec.Type)
	}
	return *c.Revisit, nil
}
