package lookup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/cdxj"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// Named calls fn for the captures whose URL ends with a suffix, in the order
// of writing. It looks for them in the indexes and reads no other records. The
// position of a capture is that of its response record alone. Captures in
// damaged files may be missing. An error is one of ctx, of fn or of reading dir.
func Named(ctx context.Context, dir, suffix string, fn func(capture.Stored) error) error {
	files, err := warcfile.List(dir)
	if err != nil {
		return words.New("said.doctor.look-up", words.Args{"url": suffix, "error": err})
	}
	for _, f := range files {
		if err := scanNamed(ctx, f, suffix, fn); err != nil {
			return fmt.Errorf("look up %s in %s: %w", suffix, f.Path(), err)
		}
	}
	return nil
}

func scanNamed(ctx context.Context, f warcfile.File, suffix string, fn func(capture.Stored) error) error {
	var places []int64
	err := cdxj.Each(f, func(line []byte, said cdxj.Said) error {
		if bytes.HasSuffix(cdxj.Value(&line, `{"url":"`), []byte(suffix)) {
			places = append(places, said.Offset)
		}
		return ctx.Err()
	})
	named := func(c capture.Stored) error {
		if err := ctx.Err(); err != nil || !strings.HasSuffix(c.URL, suffix) {
			return err
		}
		return fn(c)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil: // the file says the same as its index
		_, err := f.Scan(0, named)
		return err
	}
	for _, offset := range places {
		_, err := f.Scan(offset, func(c capture.Stored) error {
			if err := named(c); err != nil {
				return err
			}
			return errSeen
		})
		if err != nil && err != errSeen {
			return err
		}
	}
	return nil
}

// errSeen ends a scan that has come to the end of what it was for.
var errSeen = errors.New("the capture was seen")
