package api

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/forage-net/forage/app/api/descriptor"
)

const (
	// streamSilence is three heartbeats: a stream silent for longer is dead.
	streamSilence = 3 * heartbeat
	// maxMessage is the longest message of a stream, in bytes.
	maxMessage = 256 << 10
)

// streamRetries are the waits before a broken stream is opened again. Their sum
// is time enough for a node to start again.
func streamRetries() []time.Duration {
	return []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second,
		4 * time.Second}
}

// Follow calls fn, in the same goroutine, with the events after the one with
// the ID since of a boot, as they happen and in order; both are those of a
// Status, or "" and 0 for all that are kept. A page with Dropped set and no events says that there is a
// gap before Next, or, if its boot ID is new, that the node was started again.
// Broken streams are opened again where they ended, on a node started again
// too. Follow returns fn's error, ctx.Err() when ctx is done, or ErrNotRunning
// when the node is gone.
func (c *Client) Follow(ctx context.Context, boot string, since uint64, fn func(EventPage) error) error {
	return c.follow(ctx, boot, since, fn, nil)
}

// follow is Follow, for a window if show is not nil.
func (c *Client) follow(
	ctx context.Context, boot string, since uint64, fn func(EventPage) error, show func(string),
) error {
	at, followed := cursor{boot, since}, false
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
		if errors.Is(err, ErrOtherWindow) && !followed {
			return err
		}
		if failures >= len(c.retries) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(c.retries[failures]):
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
	ctx context.Context, at *cursor, alive func(), fn func(EventPage) error, show func(string),
) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watchdog := time.AfterFunc(c.silence, cancel)
	defer watchdog.Stop()
	header := http.Header{"Accept": {"text/event-stream"}}
	path := eventsPath(*at, 1)
	if show != nil {
		path += "&window=1"
	}
	resp, err := c.send(ctx, c.descriptor(), http.MethodGet, path, nil, header)
	var refused *callError
	if errors.As(err, &refused) && refused.status == http.StatusConflict {
		return ErrOtherWindow
	}
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return readStream(resp.Body, func(m message) error {
		watchdog.Reset(c.silence)
		alive()
		if m.data == "" {
			return nil
		}
		if m.event == "window" && show != nil {
			page, err := m.shown()
			if err != nil {
				return fmt.Errorf("read event stream: %w", err)
			}
			show(page)
			return nil
		}
		page, err := m.page()
		if err != nil {
			return fmt.Errorf("read event stream: %w", err)
		}
		*at = cursor{page.BootID, page.Next}
		if err := fn(page); err != nil {
			return &stopError{err}
		}
		return nil
	})
}

// message is one server-sent event, or a comment, which is a heartbeat.
type message struct {
	event, id, data string
	heartbeat       bool
}

// readStream calls fn with the messages of a stream until it ends or fn fails.
func readStream(r io.Reader, fn func(message) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxMessage)
	var m message
	for lines.Scan() {
		line := strings.TrimSuffix(lines.Text(), "\r")
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if m.heartbeat || m.data != "" {
				if err := fn(m); err != nil {
					return err
				}
			}
			m = message{}
		case field == "":
			m.heartbeat = true
		case field == "event":
			m.event = value
		case field == "id":
			m.id = value
		case field == "data" && m.data != "":
			return errors.New("read event stream: a message of several lines")
		case field == "data":
			m.data = value
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read event stream: %w", err)
	}
	return fmt.Errorf("read event stream: %w", io.ErrUnexpectedEOF)
}

// page returns what a message with data says.
func (m message) page() (EventPage, error) {
	switch m.event {
	case "reset":
		var notice resetNotice
		if err := json.Unmarshal([]byte(m.data), &notice); err != nil {
			return EventPage{}, err
		}
		if !descriptor.IsBootID(notice.BootID) {
			return EventPage{}, errors.New("a boot ID that is none")
		}
		return EventPage{BootID: notice.BootID, Next: notice.Next, Dropped: true}, nil
	case "":
		at, ok := parseCursor(m.id)
		if !ok {
			return EventPage{}, errors.New("an event without its place")
		}
		var e Event
		if err := json.Unmarshal([]byte(m.data), &e); err != nil {
			return EventPage{}, err
		}
		return EventPage{BootID: at.boot, Events: []Event{e}, Next: at.since}, nil
	}
	return EventPage{}, fmt.Errorf("an unknown event %.40q", m.event)
}
