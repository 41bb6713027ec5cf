package sense

import (
	"context"
	"time"

	"github.com/forage-net/forage/app/sense/ladder"
	"github.com/forage-net/forage/app/sense/local"
	"github.com/forage-net/forage/assets/words"
)

// diskEvery is how often free space is asked for: file systems answer from memory.
const diskEvery = 30 * time.Second

// readDisk asks the file system. One that hangs, as of a server that is gone, cannot be left:
// its goroutine stays until the system lets go, and there is never a second one.
func (h *Hub) readDisk(ctx context.Context, report func(Space)) error {
	read := func(ctx context.Context) (Space, error) {
		dir := h.wanted.Load().Dir
		if dir == "" {
			return Space{}, words.New("said.sensor.no-directory-is-named-yet", nil)
		}
		return h.space(ctx, dir)
	}
	return ladder.Poll(ctx, read, report, h.asked.disk, ladder.Each[Space](diskEvery))
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
	ctx, stop := context.WithTimeout(ctx, local.Timeout)
	defer stop()
	select {
	case a := <-ch:
		if a.err == nil && (a.space.Free < 0 || a.space.Total <= 0 || a.space.Free > a.space.Total) {
			a.err = local.ErrAbsurd
		}
		return a.space, a.err
	case <-ctx.Done():
		return Space{}, local.ErrNoAnswer
	}
}
