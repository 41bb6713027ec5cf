// Package sharing lets pages share answers that all of them ask for again and again, so that ten open pages
// cost hardly more than one.
package sharing

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
)

const (
	// life is how old an answer may be that several open pages share. They ask every second or two;
	// beyond a second it would be seen.
	life = 900 * time.Millisecond
	// most bounds the answers that are kept: more than pages of two languages ask for again and again.
	most = 64
)

// Answers makes and keeps answers that all open pages ask for again and again, so that ten of them cost
// hardly more than one. A command makes it forget them all. It is safe for concurrent use.
type Answers struct {
	now func() time.Time

	mu   sync.Mutex
	kept map[string]*answer
}

// handler answers a call or returns an error, before it writes anything.
type handler = func(w http.ResponseWriter, r *http.Request) error

// answer is an answer, or one that is being made. What follows ready is set when that is closed.
type answer struct {
	ready    chan struct{}
	at       time.Time // zero if it was not made to its end
	contents string
	body     []byte
	err      error
}

// New returns one that has made none, with a clock.
func New(now func() time.Time) *Answers {
	return &Answers{now: now, kept: make(map[string]*answer)}
}

// Forget makes all answers from now on new ones, not those either that are being made: something was commanded.
func (s *Answers) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.kept)
}

// Serves returns a handler whose answers are shared by the pages that ask for the same within their life. Callers
// with the token get one of their own: programs may compare what they get with what happened just before.
func (s *Answers) Serves(handler handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if len(r.Header.Values("Authorization")) > 0 {
			return handler(w, r)
		}
		a, mine := s.find(api.Lang(r.Context()) + " " + r.URL.RequestURI())
		if mine {
			s.make(a, handler, r)
		}
		select {
		case <-a.ready:
		case <-r.Context().Done():
			stopping := words.New("said.api.the-node-is-stopping", nil)
			return &api.CallError{Status: http.StatusServiceUnavailable, Err: stopping}
		}
		if a.err != nil {
			return a.err
		}
		w.Header().Set("Content-Type", a.contents)
		w.Write(a.body) // a caller who is gone does not get it
		return nil
	}
}

// find returns the answer to what was asked for, and whether the caller is to make it.
func (s *Answers) find(what string) (a *answer, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.kept[what]; a != nil && !s.isOld(a) {
		return a, false
	}
	if len(s.kept) >= most {
		maps.DeleteFunc(s.kept, func(_ string, a *answer) bool { return s.isOld(a) })
	}
	a = &answer{ready: make(chan struct{})}
	if len(s.kept) < most {
		s.kept[what] = a
	}
	return a, true
}

// isOld reports whether an answer is of no use any more. s.mu is held.
func (s *Answers) isOld(a *answer) bool {
	select {
	case <-a.ready:
		return s.now().Sub(a.at).Abs() >= life
	default:
		return false // it is being made
	}
}

// make makes an answer for all who wait for it, which is why it goes on when the caller is gone.
func (s *Answers) make(a *answer, handler handler, r *http.Request) {
	defer close(a.ready)
	a.err = words.New("said.api.a-bug-in-forage-the-log", nil) // for those who wait, if the handler panics
	at := s.now()
	out := &writer{header: make(http.Header)}
	if a.err = handler(out, r.WithContext(context.WithoutCancel(r.Context()))); a.err == nil {
		a.at, a.contents, a.body = at, out.header.Get("Content-Type"), out.body.Bytes()
	}
}

// writer takes an answer that is no error.
type writer struct {
	header http.Header
	body   bytes.Buffer
}

func (w *writer) Header() http.Header         { return w.header }
func (w *writer) WriteHeader(int)             {}
func (w *writer) Write(p []byte) (int, error) { return w.body.Write(p) }
