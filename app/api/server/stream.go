package server

import (
	"context"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/events"
	"github.com/forage-net/forage/assets/words"
)

// streamBatch is how many events are written at a time: enough to catch up
// quickly, few enough for a reader to take within streamTimeout.
const streamBatch = 512

// streams shows what happens, page by page or as it happens, and brings orders to the window.
type streams struct {
	node   api.Node
	boot   string
	log    *slog.Logger
	open   chan struct{}             // one element for each that is open
	frames map[string]*events.Frames // by language
	window *events.Window
	knows  func(r *http.Request) bool // whether the caller has the token
	// Constants except for tests.
	heartbeat, pause, timeout time.Duration
}

// stream writes events as they happen, as server-sent events (WHATWG HTML §9.2). Each has the id BOOT-SEQUENCE, from
// which a reader can go on by way of Last-Event-ID. What cannot be resumed begins with an event "reset". Once it has
// caught up it writes at most once every streamPause. It ends when the reader leaves or takes too long, or the server
// stops.
func (s *streams) stream(w http.ResponseWriter, r *http.Request, from events.Cursor, lang string, isWindow bool) error {
	select {
	case s.open <- struct{}{}:
		defer func() { <-s.open }()
	default:
		return refuse(http.StatusServiceUnavailable, "said.api.event-streams-are-open-already",
			words.Args{"count": cap(s.open)})
	}
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		c, ok := events.ParseCursor(id)
		if !ok {
			return refuse(http.StatusBadRequest, "said.api.last-event-id-is-not-the", nil)
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
			return &api.CallError{Status: http.StatusConflict, Err: api.ErrOtherWindow}
		}
		defer s.window.Close(win)
	}
	out := events.NewWriter(w, s.frames[lang], s.timeout)
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
func (s *streams) wait(ctx context.Context, win *events.OpenWindow, since uint64) bool {
	ctx, cancel := context.WithTimeout(ctx, s.heartbeat)
	defer cancel()
	woken, free := win.Woken(ctx)
	defer free()
	s.node.Wait(woken, since)
	return ctx.Err() == nil
}

// gather waits for events to come together.
func (s *streams) gather(ctx context.Context) {
	timer := time.NewTimer(s.pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// broken ends a stream that cannot go on. Nobody is left to tell.
func (s *streams) broken(r *http.Request, err error) error {
	s.log.Debug("Event stream broke", "caller", r.RemoteAddr, "cause", err)
	return nil
}

func (s *streams) events(w http.ResponseWriter, r *http.Request) error {
	p := query(r, "boot", "since", "limit", "window", "lang")
	window, from, limit := s.isWindow(p), p.cursor(), p.limit()
	if p.err != nil {
		return p.err
	}
	lang := api.Lang(r.Context())
	if wantsStream(r) {
		return s.stream(w, r, from, lang, window)
	}
	page, err := s.page(r, from, limit)
	if err != nil {
		return err
	}
	body, err := s.frames[lang].Page(page) // streams share what is encoded
	if err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	writeBody(w, http.StatusOK, "application/json", append(body, '\n'))
	return nil
}

// page returns the events after a place. For a place in another boot there
// are none: the page is empty and says where the present one is.
func (s *streams) page(r *http.Request, from events.Cursor, limit int) (api.EventPage, error) {
	if from.Boot == "" || from.Boot == s.boot {
		return s.pageSince(from.Since, limit), nil
	}
	st, err := ask(r, s.node.Status)
	return api.EventPage{BootID: s.boot, Events: []api.Event{}, Next: st.Seq, Dropped: true}, err
}

func (s *streams) pageSince(since uint64, limit int) api.EventPage {
	events, next, dropped := s.node.Events(since, limit)
	return api.EventPage{BootID: s.boot, Events: filled(events), Next: next, Dropped: dropped}
}

// wantsStream reports whether the caller accepts an event stream by name.
func wantsStream(r *http.Request) bool {
	for _, header := range r.Header.Values("Accept") {
		for kind := range strings.SplitSeq(header, ",") {
			if name, _, err := mime.ParseMediaType(kind); err == nil && name == "text/event-stream" {
				return true
			}
		}
	}
	return false
}

// isWindow reads whether the caller is a window. A page in a browser cannot be: what is meant for the
// window would be lost on it.
func (s *streams) isWindow(p *params) bool {
	switch text := p.of["window"]; {
	case text == "":
		return false
	case text != "1":
		p.refuse("said.api.window-must-be-1", nil)
	case !s.knows(p.r):
		p.refuse("said.api.a-window-is-a-program-that", nil)
	}
	return true
}

// showWindow serves POST /api/window.
func (s *streams) showWindow(w http.ResponseWriter, r *http.Request) error {
	var body api.WindowRequest
	if err := readBody(w, r, &body); err != nil {
		return err
	}
	if body.Page != "" && !api.IsWindowPage(body.Page) {
		return refuse(http.StatusBadRequest, "said.api.page-must-be-one-of",
			words.Args{"names": strings.Join(api.WindowPages, ", ")})
	}
	ctx, cancel := context.WithTimeout(r.Context(), nodeTimeout)
	defer cancel()
	return writeJSON(w, api.Raised{Raised: s.window.Show(ctx, body.Page)})
}
