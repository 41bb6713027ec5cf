package server

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/app/api"
)

// counted is a handler that says how often it was called.
type counted struct {
	calls int
	takes time.Duration
	err   error
}

func (c *counted) serve(w http.ResponseWriter, r *http.Request) error {
	c.calls++
	text := fmt.Sprintf("%s %d", r.URL.RequestURI(), c.calls)
	time.Sleep(c.takes)
	if c.err != nil {
		return c.err
	}
	writeBody(w, http.StatusOK, "text/plain", []byte(text))
	return nil
}

func call(t *testing.T, handler handlerFunc, path string, header http.Header) string {
	t.Helper()
	r, w := httptest.NewRequest(http.MethodGet, path, nil), httptest.NewRecorder()
	if header != nil {
		r.Header = header
	}
	if err := handler(w, r); err != nil {
		return err.Error()
	}
	if got := w.Header().Get("Content-Type"); got != "text/plain" {
		t.Errorf("%s: the type is %q", path, got)
	}
	return w.Body.String()
}

func TestSharing_PagesShareForAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := new(counted)
		s := newSharing(time.Now)
		handler := s.serves(c.serve)
		check := func(when, path string, header http.Header, want string) {
			t.Helper()
			if got := call(t, handler, path, header); got != want {
				t.Errorf("%s: %q, want %q", when, got, want)
			}
		}
		check("the first", "/a?x=1", nil, "/a?x=1 1")
		time.Sleep(sharedLife - 1)
		check("soon after", "/a?x=1", nil, "/a?x=1 1")
		check("other parameters", "/a?x=2", nil, "/a?x=2 2")
		check("a program with the token", "/a?x=1", http.Header{"Authorization": {"Bearer x"}}, "/a?x=1 3")
		time.Sleep(time.Nanosecond)
		check("later", "/a?x=1", nil, "/a?x=1 4")
		s.forget()
		check("after a command", "/a?x=1", nil, "/a?x=1 5")
		s.forget()
		c.err = errors.New("no")
		check("an error", "/a?x=1", nil, "no")
		c.err = nil
		check("after an error", "/a?x=1", nil, "/a?x=1 7")
	})
}

func TestSharing_ManyWaitForOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counted{takes: time.Second}
		handler := newSharing(time.Now).serves(c.serve)
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if got := call(t, handler, "/a", nil); got != "/a 1" {
					t.Errorf("%q, want that of the first", got)
				}
			})
		}
		all.Wait()
	})
}

// What was asked for before a command must not answer who asks after it.
func TestSharing_ACommandOutdatesWhatIsBeingMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counted{takes: sharedLife / 2}
		s := newSharing(time.Now)
		handler := s.serves(c.serve)
		var before sync.WaitGroup
		before.Go(func() { call(t, handler, "/a", nil) })
		synctest.Wait()
		s.forget()
		if got := call(t, handler, "/a", nil); got != "/a 2" {
			t.Errorf("%q, want a new answer", got)
		}
		before.Wait()
		if got := call(t, handler, "/a", nil); got != "/a 2" {
			t.Errorf("%q, want that after the command", got)
		}
	})
}

func TestSharing_IsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSharing(time.Now)
		handler := s.serves(new(counted).serve)
		for i := range 3 * maxShared {
			call(t, handler, fmt.Sprint("/", i), nil)
		}
		if n := len(s.kept); n != maxShared {
			t.Errorf("%d answers are kept, want %d", n, maxShared)
		}
		time.Sleep(sharedLife)
		call(t, handler, "/new", nil)
		if n := len(s.kept); n != 1 {
			t.Errorf("%d answers are kept when all are old, want 1", n)
		}
	})
}

// A page sees at once what a command did, whoever gave it.
func TestServer_CommandsAreSeenAtOnce(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	node := r.node
	b := r.enter(t)
	see := func() string {
		t.Helper()
		_, body := r.ask(t, http.MethodGet, "/api/status", b.headers(), "")
		return body
	}
	set := func(state api.State) {
		node.mu.Lock()
		defer node.mu.Unlock()
		node.status.State = state
	}
	see()
	for _, who := range []string{b.headers(), "Authorization: Bearer TOKEN\n"} {
		for _, state := range []api.State{api.StatePaused, api.StateWorking} {
			set(state)
			if resp, body := r.ask(t, http.MethodPost, "/api/pause", who,
				"{}"); resp.StatusCode != http.StatusNoContent {
				t.Fatal(resp.Status, body)
			}
			if body := see(); !strings.Contains(body, string(state)) {
				t.Errorf("after a command the page sees %s, want %s", body, state)
			}
		}
	}
}
