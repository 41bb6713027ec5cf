package sense

import (
	"context"
	"errors"
	"time"

	"github.com/forage-net/forage/app/sense/local"
)

// diskEvery is how often free space is asked for: file systems answer from memory.
const diskEvery = 30 * time.Second

// readDisk asks the file system. One that hangs, as of a server that is gone, cannot be left:
// its goroutine stays until the system lets go, and there is never a second one.
func (h *Hub) readDisk(ctx context.Context, report func(Space)) error {
	hint, stop := h.asked.listen()
	defer stop()
	read := func(ctx context.Context) (Space, error) {
		dir := h.wanted.Load().Dir
		if dir == "" {
			return Space{}, errors.New("no directory is named yet")
		}
		return h.space(ctx, dir)
	}
	return poll(ctx, read, report, hint, each[Space](diskEvery))
}

func (h *Hub) space(ctx context.Context, dir string) (Space, error) {
	select {
	case h.diskBusy <- struct{}{}:
	default:
		return Space{}, local.ErrNoAnswer
	}
	type answer struct {
		space Space
		err   error
	}
	ch := make(chan answer, 1)
	go func() {
		s, err := h.opts.Space(dir)
		<-h.diskBusy
		ch <- answer{s, err}
	}()
	t := time.NewTimer(local.Timeout)
	defer t.Stop()
	select {
	case a := <-ch:
		if a.err == nil && (a.space.Free < 0 || a.space.Total <= 0 || a.space.Free > a.space.Total) {
			a.err = local.ErrAbsurd
		}
		return a.space, a.err
	case <-t.C:
		return Space{}, local.ErrNoAnswer
	case <-ctx.Done():
		return Space{}, ctx.Err()
	}
}
