package lookup

import (
	"context"
	"fmt"

	"github.com/forage-net/forage/storage/warc/record"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// Original returns the capture whose payload a revisit stands for: the one that
// its record names, found in the indexes. The error is ErrNoCapture if that is
// not in the archive any more.
func Original(ctx context.Context, dir string, revisit Found) (Found, error) {
	read, err := warcfile.Read(dir, revisit.Position)
	if err == nil && read.Revisit == nil {
		err = fmt.Errorf("%w: a response record where a revisit should be", record.ErrFormat)
	}
	if err != nil {
		return Found{}, fmt.Errorf("read revisit %s: %w", revisit.ID, err)
	}
	refers := read.Revisit
	for before := revisit.ID; ; {
		found, err := URL(ctx, dir, refers.URL, Bounds{Before: before, Limit: MaxFound})
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
