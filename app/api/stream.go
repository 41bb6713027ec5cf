package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// streamBatch is how many events are written at a time: enough to catch up
// quickly, few enough for a reader to take within streamTimeout.
const streamBatch = 512

// stream writes events as they happen, as server-sent events (WHATWG HTML §9.2). Each has the id BOOT-SEQUENCE, from
// which a reader can go on by way of Last-Event-ID. What cannot be resumed begins with an event "reset". Once it has
// caught up it writes at most once every streamPause. It ends when the reader leaves or takes too long, or the server
// stops.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, from cursor, lang string, isWindow bool) error {
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		return refuse(http.StatusServiceUnavailable, "%d event streams are open already", cap(s.streams))
	}
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		c, ok := parseCursor(id)
		if !ok {
			return refuse(http.StatusBadRequest, "Last-Event-ID is not the id of an event of ours")
		}
		from = c
	}
	page, err := s.page(r, from, streamBatch)
	if err != nil {
		return err
	}
	var win *openWindow // nil for other readers
	if isWindow {
		if win = s.window.open(); win == nil {
			return refuse(http.StatusConflict, "%v", ErrOtherWindow)
		}
		defer s.window.close(win)
	}
	out := &streamWriter{w: w, rc: http.NewResponseController(w), frames: s.frames[lang], timeout: s.streamTimeout}
	out.rc.SetReadDeadline(time.Time{}) // the reader has nothing more to say; recorders have no deadlines
	w.Header().Set("Content-Type", "text/event-stream")
	out.buf.WriteString("retry: 2000\n\n")
	for {
		if err := out.send(page, win); err != nil {
			return s.broken(r, err)
		}
		switch n := len(page.Events); {
		case n == 0 && !s.wait(r.Context(), win, page.Next):
			out.buf.WriteString(":\n\n")
		case n > 0 && n < streamBatch:
			s.gather(r.Context())
		}
		page = s.pageSince(page.Next, streamBatch)
		if r.Context().Err() != nil {
			if err := out.send(page, nil); err != nil { // that the node ends, say
				return s.broken(r, err)
			}
			return nil
		}
	}
}

// wait waits for events, or an order to the window, for the time of a heartbeat, and reports whether there may be some.
func (s *Server) wait(ctx context.Context, win *openWindow, since uint64) bool {
	ctx, cancel := context.WithTimeout(ctx, s.heartbeat)
	defer cancel()
	woken, free := win.woken(ctx)
	defer free()
	s.node.Wait(woken, since)
	return ctx.Err() == nil
}

// gather waits for events to come together.
func (s *Server) gather(ctx context.Context) {
	timer := time.NewTimer(s.streamPause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// broken ends a stream that cannot go on. Nobody is left to tell.
func (s *Server) broken(r *http.Request, err error) error {
	s.log.Debug("Event stream broke", "caller", r.RemoteAddr, "cause", err)
	return nil
}

// streamWriter writes one stream.
type streamWriter struct {
	w       http.ResponseWriter
	rc      *http.ResponseController
	frames  *frames
	timeout time.Duration
	buf     bytes.Buffer
}

// resetNotice is the data of an event "reset": where the stream goes on.
type resetNotice struct {
	BootID string `json:"boot_id"`
	Next   uint64 `json:"next"`
}

// page puts events into the buffer.
func (o *streamWriter) page(p EventPage) error {
	if p.Dropped {
		notice := resetNotice{BootID: p.BootID, Next: p.Next}
		if len(p.Events) > 0 {
			notice.Next = p.Events[0].ID - 1
		}
		if err := o.message("reset", cursor{p.BootID, notice.Next}, notice); err != nil {
			return err
		}
	}
	return o.frames.write(&o.buf, p.Events)
}

func (o *streamWriter) message(event string, id cursor, data any) error {
	text, err := json.Marshal(data) // one line, whatever is in it
	if err != nil {
		return err
	}
	fmt.Fprintf(&o.buf, "event: %s\nid: %s\ndata: %s\n\n", event, id, text)
	return nil
}

// send sends events, and to a window what it is to show.
func (o *streamWriter) send(p EventPage, win *openWindow) error {
	if err := o.page(p); err != nil {
		return err
	}
	order := win.take()
	if order != nil {
		if err := o.window(order.page); err != nil {
			return err
		}
	}
	if err := o.flush(); err != nil {
		return err
	}
	if order != nil {
		close(order.sent)
	}
	return nil
}

// flush sends the buffer, and waits for the reader no longer than timeout.
func (o *streamWriter) flush() error {
	if o.buf.Len() == 0 {
		return nil
	}
	o.rc.SetWriteDeadline(time.Now().Add(o.timeout))
	if _, err := o.w.Write(o.buf.Bytes()); err != nil {
		return err
	}
	o.buf.Reset()
	return o.rc.Flush()
}
