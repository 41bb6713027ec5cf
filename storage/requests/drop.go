package requests

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/forage-net/forage/storage/durable"
)

// Drop takes records out for good. Others keep their places. No Log may be open; each file is replaced in one step.
func (d Dir) Drop(ctx context.Context, drop func(*Record) bool) error {
	days, err := d.days()
	if err != nil {
		return err
	}
	for _, day := range days {
		if err := dropFrom(ctx, d.path(day), drop); err != nil {
			return fmt.Errorf("drop records of requests from %s: %w", d.path(day), err)
		}
	}
	return nil
}

func dropFrom(ctx context.Context, path string, drop func(*Record) bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	end, _, err := endOf(f)
	if err != nil {
		return err
	}
	return rewrite(ctx, f, end, drop)
}

// rewrite writes the file of a day again, which it closes, without some records.
func rewrite(ctx context.Context, f *os.File, end int64, drop func(*Record) bool) error {
	out, err := os.OpenFile(f.Name()+temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = repack(ctx, f, end, out, drop)
	f.Close() // Windows renames over no open file
	if err != nil {
		return errors.Join(err, out.Close(), os.Remove(out.Name()))
	}
	return durable.Rename(durable.Disk{}, out, f.Name())
}
