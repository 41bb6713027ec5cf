package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// ErrOtherWindow is returned to a window that another one is open beside.
var ErrOtherWindow = errors.New("another window is open")

// windowPages are the pages that a window can be asked to show.
var windowPages = []string{"overview", "search", "domains", "statistics", "settings", "about", "setup"}

// IsWindowPage reports whether a window has a page of that name.
func IsWindowPage(name string) bool { return slices.Contains(windowPages, name) }

// windowRequest is the body of /api/window.
type windowRequest struct {
	// Page is what it is to show; without it, what it shows already.
	Page string `json:"page"`
}

// Raised is the answer of /api/window.
type Raised struct {
	// Raised is false if no window is open.
	Raised bool `json:"raised"`
}

// windowNotice is the data of an event "window": come to the front, and show a page.
type windowNotice struct {
	// Page is "" for the one that is shown.
	Page string `json:"page"`
}

// window is the place of the one window that may be open. The node starts none: no page in a browser is to
// start programs.
type window struct {
	mu sync.Mutex
	is *openWindow // nil if none is open
}

// openWindow is a window, which follows the events.
type openWindow struct {
	wake  chan struct{} // of capacity 1: there is an order
	ended chan struct{} // closed when it is gone

	mu    sync.Mutex
	order *showing // nil for none; one that is not sent yet is replaced
}

// showing is a page to be shown by a window.
type showing struct {
	page string
	sent chan struct{} // closed when the window has it
}

// open takes the place; it is nil if another window has it.
func (w *window) open() *openWindow {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.is != nil {
		return nil
	}
	w.is = &openWindow{wake: make(chan struct{}, 1), ended: make(chan struct{})}
	return w.is
}

func (w *window) close(o *openWindow) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.is = nil
	close(o.ended)
}

// show has the open window come to the front, and reports whether it was told before ctx is done.
func (w *window) show(ctx context.Context, page string) bool {
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

// ask leaves an order, and returns what is closed when the window has it.
func (o *openWindow) ask(page string) <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.order == nil {
		o.order = &showing{sent: make(chan struct{})}
	}
	o.order.page = page
	select {
	case o.wake <- struct{}{}:
	default: // it will look anyway
	}
	return o.order.sent
}

// take returns the order, nil for none.
func (o *openWindow) take() *showing {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.order
	o.order = nil
	return s
}

// woken returns a context that ends when there is an order. The function frees it.
func (o *openWindow) woken(ctx context.Context) (context.Context, func()) {
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

// window writes an order as an event, which has no place among those of the node and therefore no ID.
func (o *streamWriter) window(page string) error {
	text, err := json.Marshal(windowNotice{page})
	if err != nil {
		return err
	}
	fmt.Fprintf(&o.buf, "event: window\ndata: %s\n\n", text)
	return nil
}

// windowParam reads whether the caller is a window. A page in a browser cannot be: what is meant for the
// window would be lost on it.
func (s *Server) windowParam(r *http.Request, text string) (bool, error) {
	switch {
	case text == "":
		return false, nil
	case text != "1":
		return false, refuse(http.StatusBadRequest, "window must be 1")
	case !s.knows(r):
		return false, refuse(http.StatusBadRequest, "a window is a program that has the token")
	}
	return true, nil
}

// showWindow serves POST /api/window.
func (s *Server) showWindow(w http.ResponseWriter, r *http.Request) error {
	var body windowRequest
	if err := readBody(w, r, &body); err != nil {
		return err
	}
	if body.Page != "" && !IsWindowPage(body.Page) {
		return refuse(http.StatusBadRequest, "page must be one of %s", strings.Join(windowPages, ", "))
	}
	ctx, cancel := context.WithTimeout(r.Context(), nodeTimeout)
	defer cancel()
	return writeJSON(w, Raised{s.window.show(ctx, body.Page)})
}

// ShowWindow has the window that is open come to the front and show a page (IsWindowPage), "" for the one
// it shows. It reports false if none is open.
func (c *Client) ShowWindow(ctx context.Context, page string) (raised bool, err error) {
	answer, err := postAs[Raised](ctx, c, "/api/window", windowRequest{page})
	return answer.Raised, err
}

// FollowWindow is Follow for a window: while it lasts, show is called, in the same goroutine as fn, with the page
// that it is asked to come to the front with, "" for the one it shows. There is one window of a node: the error
// is ErrOtherWindow if there is another.
func (c *Client) FollowWindow(
	ctx context.Context, boot string, since uint64, fn func(EventPage) error, show func(page string),
) error {
	return c.follow(ctx, boot, since, fn, show)
}

// shown reads the data of an event "window".
func (m message) shown() (page string, err error) {
	var notice windowNotice
	if err := json.Unmarshal([]byte(m.data), &notice); err != nil {
		return "", err
	}
	if notice.Page != "" && !IsWindowPage(notice.Page) {
		return "", nil // of a later version: to the front at least
	}
	return notice.Page, nil
}
