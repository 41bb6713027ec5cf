package events

import (
	"context"
	"sync"
)

// Window is the place of the one window that may be open. The node starts none: no page in a browser is to
// start programs.
type Window struct {
	mu sync.Mutex
	is *OpenWindow // nil if none is open
}

// Open takes the place; it is nil if another window has it.
func (w *Window) Open() *OpenWindow {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.is != nil {
		return nil
	}
	w.is = &OpenWindow{wake: make(chan struct{}, 1), ended: make(chan struct{})}
	return w.is
}

// Close leaves the place.
func (w *Window) Close(o *OpenWindow) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.is = nil
	close(o.ended)
}

// Show has the open window come to the front, and reports whether it was told before ctx is done.
func (w *Window) Show(ctx context.Context, page string) bool {
	w.mu.Lock()
	is := w.is
	w.mu.Unlock()
	if is == nil {
		return false
	}
	select {
	case <-is.ask(page):
		return true
	case <-is.ended:
	case <-ctx.Done():
	}
	return false
}

// OpenWindow is a window, which follows the events.
type OpenWindow struct {
	wake  chan struct{} // of capacity 1: there is an order
	ended chan struct{} // closed when it is gone

	mu    sync.Mutex
	order *order // nil for none; one that is not sent yet is replaced
}

// order is a page to be shown by a window.
type order struct {
	page string
	sent chan struct{} // closed when the window has it
}

// ask leaves an order, and returns what is closed when the window has it.
func (o *OpenWindow) ask(page string) <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.order == nil {
		o.order = &order{sent: make(chan struct{})}
	}
	o.order.page = page
	select {
	case o.wake <- struct{}{}:
	default: // it will look anyway
	}
	return o.order.sent
}

// take returns the order, nil for none.
func (o *OpenWindow) take() *order {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.order
	o.order = nil
	return s
}

// Woken returns a context that ends when there is an order. The function frees it.
func (o *OpenWindow) Woken(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	if o == nil {
		return ctx, cancel
	}
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-o.wake:
			cancel()
		case <-ctx.Done():
		}
	})
	return ctx, func() {
		cancel()
		watch.Wait()
	}
}
