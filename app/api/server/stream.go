package server

import (
	"context"
	"net/http"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/events"
)

// streamBatch is how many events are written at a time: enough to catch up
// quickly, few enough for a reader to take within streamTimeout.
const streamBatch = 512

// stream writes events as they happen, as server-sent events (WHATWG HTML §9.2). Each has the id BOOT-SEQUENCE, from
// which a reader can go on by way of Last-Event-ID. What cannot be resumed begins with an event "reset". Once it has
// caught up it writes at most once every streamPause. It ends when the reader leaves or takes too long, or the server
// stops.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, from events.Cursor, lang string, isWindow bool) error {
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		return refuse(http.StatusServiceUnavailable, "%d event streams are open already", cap(s.streams))
	}
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		c, ok := events.ParseCursor(id)
		if !ok {
			return refuse(http.StatusBadRequest, "Last-Event-ID is not the id of an event of ours")
		}
		from = c
	}
	page, err := s.page(r, from, streamBatch)
	if err != nil {
		return err
	}
	var win *events.OpenWindow // nil for other readers
	if isWindow {
		if win = s.window.Open(); win == nil {
			return refuse(http.StatusConflict, "%v", api.ErrOtherWindow)
		}
		defer s.window.Close(win)
	}
	out := events.NewWriter(w, s.frames[lang], s.streamTimeout)
	out.Begin()
	for {
		if err := out.Send(page, win); err != nil {
			return s.broken(r, err)
		}
		switch n := len(page.Events); {
		case n == 0 && !s.wait(r.Context(), win, page.Next):
			out.Beat()
		case n > 0 && n < streamBatch:
			s.gather(r.Context())
		}
		page = s.pageSince(page.Next, streamBatch)
		if r.Context().Err() != nil {
			if err := out.Send(page, nil); err != nil { // that the node ends, say
				return s.broken(r, err)
			}
			return nil
		}
	}
}

// wait waits for events, or an order to the window, for the time of a heartbeat, and reports whether there may be some.
func (s *Server) wait(ctx context.Context, win *events.OpenWindow, since uint64) bool {
	ctx, cancel := context.WithTimeout(ctx, s.heartbeat)
	defer cancel()
	woken, free := win.Woken(ctx)
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
