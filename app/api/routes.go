package api

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"
)

// routes is the table of the API.
func (s *Server) routes() map[string]route {
	return map[string]route{
		"/healthz":             {get: healthz, open: true},
		"/metrics":             {get: s.shared.serves(s.metrics)},
		"/api/openapi.json":    {get: s.describe},
		"/api/link":            {post: s.link},
		"/api/session":         {get: s.howToEnter, post: s.beginSession, open: true},
		"/api/session/end":     {post: s.endSession},
		"/api/status":          {get: s.shared.serves(answers(statusIn(s.node), "lang"))},
		"/api/domains":         {get: s.domains},
		"/api/stats":           {get: s.stats},
		"/api/stats/series":    {get: s.shared.serves(s.statsSeries)},
		"/api/stats/best":      {get: inZone(s.node.Best)},
		"/api/events":          {get: s.events},
		"/api/peers":           {get: s.shared.serves(answers(s.node.Peers, "lang"))},
		"/api/invite":          {get: answers(s.node.Invitation)},
		"/api/helping":         {get: answers(s.helping)},
		"/api/away":            {get: answers(s.node.Away), post: s.lookAway},
		"/api/visits":          {get: s.shared.serves(s.visits)},
		"/api/ring":            {get: s.shared.serves(answers(s.node.Ring))},
		"/api/why":             {get: s.why},
		"/api/requests":        {get: s.requests},
		"/api/requests/report": {get: s.requestReport},
		"/api/never":           {get: answers(s.node.NeverList, "lang"), post: s.never},
		"/api/settings":        {get: answers(inLang(s.node.Settings), "lang"), post: s.changeSettings},
		"/api/setup":           {get: setupFor(s.node), post: s.agree},
		"/api/startup":         {post: setStartup(s.node)},
		"/api/limits":          {get: s.shared.serves(answers(inLang(s.node.Limits), "lang"))},
		"/api/limits/history":  {get: s.shared.serves(s.limitHistory)},
		"/api/archive":         {get: s.captures},
		"/api/archive/search":  {get: s.searchArchive},
		"/api/archive/links":   {get: s.linksTo},
		"/api/archive/site":    {get: s.site},
		"/api/archive/finds":   {get: s.finds},
		"/api/archive/page":    {get: s.readCapture},
		"/api/archive/view":    {get: s.whatIsShown, post: s.beginView},
		"/api/export":          {post: s.export},
		"/api/doctor":          {get: s.doctor},
		"/api/erase":           {post: s.erase},
		downloadPath:           {get: s.download, open: true},
		archivePath:            {get: s.archived, open: true, deep: true, named: s.hasView},
		"/api/work":            {post: s.timed(s.node.Work)},
		"/api/finish":          {post: s.command(s.node.Finish)},
		"/api/pause":           {post: s.timed(s.node.Pause)},
		"/api/run":             {post: s.setRun},
		"/api/resume":          {post: s.command(s.node.Resume)},
		"/api/stop":            {post: s.command(s.node.Stop)},
		"/api/window":          {post: s.showWindow},
	}
}

func healthz(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Connection", "close")
	writeBody(w, http.StatusOK, "text/plain; charset=utf-8", []byte("ok\n"))
	return nil
}

// ask calls the node, which has nodeTimeout to answer.
func ask[T any](r *http.Request, call func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(r.Context(), nodeTimeout)
	defer cancel()
	v, err := call(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = refuse(http.StatusGatewayTimeout, "the node did not answer within %v", nodeTimeout)
	} else if errors.Is(err, context.Canceled) {
		err = refuse(http.StatusServiceUnavailable, "the node is stopping")
	}
	return v, err
}

// reply asks the node, and writes what it says as JSON.
func reply[T any](w http.ResponseWriter, r *http.Request, call func(context.Context) (T, error)) error {
	v, err := ask(r, call)
	if err != nil {
		return err
	}
	return writeJSON(w, v)
}

// answers serves what the node says, to calls with these parameters at most.
func answers[T any](call func(context.Context) (T, error), known ...string) handlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if _, err := query(r, known...); err != nil {
			return err
		}
		return reply(w, r, call)
	}
}

// inLang has the node say something in the language of the call.
func inLang[T any](say func(context.Context, string) (T, error)) func(context.Context) (T, error) {
	return func(ctx context.Context) (T, error) { return say(ctx, Lang(ctx)) }
}

func statusIn(n Node) func(context.Context) (Status, error) {
	return func(ctx context.Context) (Status, error) {
		if lang := Lang(ctx); lang != "en" {
			return n.StatusIn(ctx, lang)
		}
		return n.Status(ctx)
	}
}

// DomainPage is the answer of /api/domains: at most the number asked for. The
// next page comes after the name of the last one.
type DomainPage struct {
	Domains []Domain `json:"domains"`
}

func (s *Server) domains(w http.ResponseWriter, r *http.Request) error {
	params, err := query(r, "after", "limit", "lang")
	if err != nil {
		return err
	}
	after, err := nameParam(params["after"])
	if err != nil {
		return err
	}
	limit, err := limitParam(params)
	if err != nil {
		return err
	}
	return reply(w, r, func(ctx context.Context) (DomainPage, error) {
		domains, err := s.node.Domains(ctx, after, limit)
		return DomainPage{Domains: domains}, err
	})
}

func (s *Server) events(w http.ResponseWriter, r *http.Request) error {
	params, err := query(r, "boot", "since", "limit", "window", "lang")
	if err != nil {
		return err
	}
	lang := Lang(r.Context())
	window, err := s.windowParam(r, params["window"])
	if err != nil {
		return err
	}
	from, err := cursorParam(params)
	if err != nil {
		return err
	}
	limit, err := limitParam(params)
	if err != nil {
		return err
	}
	if wantsStream(r) {
		return s.stream(w, r, from, lang, window)
	}
	page, err := s.page(r, from, limit)
	if err != nil {
		return err
	}
	body, err := s.frames[lang].page(page) // streams share what is encoded
	if err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	writeBody(w, http.StatusOK, "application/json", append(body, '\n'))
	return nil
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

// page returns the events after a place. For a place in another boot there
// are none: the page is empty and says where the present one is.
func (s *Server) page(r *http.Request, from cursor, limit int) (EventPage, error) {
	if from.boot == "" || from.boot == s.boot {
		return s.pageSince(from.since, limit), nil
	}
	st, err := ask(r, s.node.Status)
	return EventPage{BootID: s.boot, Events: []Event{}, Next: st.Seq, Dropped: true}, err
}

func (s *Server) pageSince(since uint64, limit int) EventPage {
	events, next, dropped := s.node.Events(since, limit)
	return EventPage{BootID: s.boot, Events: filled(events), Next: next, Dropped: dropped}
}

// timed serves a verb that takes a length of time, or none.
func (s *Server) timed(verb func(context.Context, time.Duration) error) handlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		var body pauseRequest
		if err := readBody(w, r, &body); err != nil {
			return err
		}
		d, err := pauseParam(body.For)
		if err != nil {
			return err
		}
		return obey(w, r, http.StatusNoContent, func(ctx context.Context) error { return verb(ctx, d) })
	}
}

// command serves a verb that takes nothing.
func (s *Server) command(verb func(context.Context) error) handlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := readBody(w, r, &struct{}{}); err != nil {
			return err
		}
		return obey(w, r, http.StatusNoContent, verb)
	}
}

// obey calls a verb of the node; success has a status and nothing more to say.
func obey(w http.ResponseWriter, r *http.Request, status int, verb func(context.Context) error) error {
	_, err := ask(r, func(ctx context.Context) (struct{}, error) { return struct{}{}, verb(ctx) })
	if err == nil {
		w.WriteHeader(status)
	}
	return err
}
