package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/events"
)

// streamSilence is three heartbeats: a stream silent for longer is dead.
const streamSilence = 3 * events.Heartbeat

// Follow calls fn, in the same goroutine, with the events after the one with
// the ID since of a boot, as they happen and in order; both are those of a
// Status, or "" and 0 for all that are kept. A page with Dropped set and no events says that there is a
// gap before Next, or, if its boot ID is new, that the node was started again.
// Broken streams are opened again where they ended, on a node started again
// too. Follow returns fn's error, ctx.Err() when ctx is done, or api.ErrNotRunning
// when the node is gone.
func (c *Client) Follow(ctx context.Context, boot string, since uint64, fn func(api.EventPage) error) error {
	return c.follow(ctx, boot, since, fn, nil)
}

// follow is Follow, for a window if show is not nil.
func (c *Client) follow(
	ctx context.Context, boot string, since uint64, fn func(api.EventPage) error, show func(string),
) error {
	at, followed := events.Cursor{Boot: boot, Since: since}, false
	for failures := 0; ; failures++ {
		var stopped *stopError
		err := c.followOnce(ctx, &at, func() { failures, followed = 0, true }, fn, show)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.As(err, &stopped) {
			return stopped.err
		}
		// The other window may be this one, whose broken stream the node has not noticed yet.
		if errors.Is(err, api.ErrOtherWindow) && !followed {
			return err
		}
		if failures >= len(c.Retries) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(c.Retries[failures]):
		}
		// Its error would come up again with the stream's.
		_ = c.reconnect(ctx)
	}
}

func (c *Client) reconnect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	return c.connect(ctx)
}

// stopError carries the error of a callback through the reader of a stream.
type stopError struct{ err error }

func (e *stopError) Error() string { return e.err.Error() }

// followOnce reads one stream to its end, which is always an error. alive is called
// for each message.
func (c *Client) followOnce(
	ctx context.Context, at *events.Cursor, alive func(), fn func(api.EventPage) error, show func(string),
) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watchdog := time.AfterFunc(c.Silence, cancel)
	defer watchdog.Stop()
	header := http.Header{"Accept": {"text/event-stream"}}
	path := eventsPath(*at, 1)
	if show != nil {
		path += "&window=1"
	}
	resp, err := c.send(ctx, c.descriptor(), http.MethodGet, path, nil, header)
	if refused, ok := errors.AsType[*api.CallError](err); ok && refused.Status == http.StatusConflict {
		return api.ErrOtherWindow
	}
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return events.Read(resp.Body, func(m events.Message) error {
		watchdog.Reset(c.Silence)
		alive()
		if m.Data == "" {
			return nil
		}
		if m.Event == "window" && show != nil {
			page, err := m.Shown()
			if err != nil {
				return fmt.Errorf("read event stream: %w", err)
			}
			show(page)
			return nil
		}
		page, err := m.Page()
		if err != nil {
			return fmt.Errorf("read event stream: %w", err)
		}
		*at = events.Cursor{Boot: page.BootID, Since: page.Next}
		if err := fn(page); err != nil {
			return &stopError{err}
		}
		return nil
	})
}

// FollowWindow is Follow for a window: while it lasts, show is called, in the same goroutine as fn, with the page
// that it is asked to come to the front with, "" for the one it shows. There is one window of a node: the error
// is ErrOtherWindow if there is another.
func (c *Client) FollowWindow(
	ctx context.Context, boot string, since uint64, fn func(api.EventPage) error, show func(page string),
) error {
	return c.follow(ctx, boot, since, fn, show)
}
