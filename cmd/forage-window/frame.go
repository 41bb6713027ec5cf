package main

import (
	"context"
	"sync"
	"time"
)

// firstFrameWithin is how long the first frame may take. Fyne does not tell that there is no OpenGL: it goes on
// without a window. A cold start on a busy computer takes ten seconds.
const firstFrameWithin = 15 * time.Second

const errNoFrame = noWindowError("nothing was drawn within 15 seconds; OpenGL may be missing")

// firstFrame waits for something to be seen.
type firstFrame struct {
	once  sync.Once
	has   chan struct{} // closed when it is there
	timer *time.Timer
}

// newFirstFrame calls late if there is no frame in time.
func newFirstFrame(late func()) *firstFrame {
	f := &firstFrame{has: make(chan struct{})}
	f.timer = time.AfterFunc(firstFrameWithin, func() {
		if !f.seen() {
			late()
		}
	})
	return f
}

// drawn is called when something was drawn.
func (f *firstFrame) drawn() {
	f.timer.Stop()
	f.once.Do(func() { close(f.has) })
}

// stop waits for nothing any more.
func (f *firstFrame) stop() { f.timer.Stop() }

func (f *firstFrame) seen() bool {
	select {
	case <-f.has:
		return true
	default:
		return false
	}
}

// wait waits for the frame, and reports whether it came before ctx was done.
func (f *firstFrame) wait(ctx context.Context) bool {
	select {
	case <-f.has:
		return true
	case <-ctx.Done():
		return false
	}
}
