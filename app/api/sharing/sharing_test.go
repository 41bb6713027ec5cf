package sharing

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"
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
	w.Header().Set("Content-Type", "text/plain")
	w.Write([]byte(text))
	return nil
}

func call(t *testing.T, handler handler, path string, header http.Header) string {
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
		s := New(time.Now)
		handler := s.Serves(c.serve)
		check := func(when, path string, header http.Header, want string) {
			t.Helper()
			if got := call(t, handler, path, header); got != want {
				t.Errorf("%s: %q, want %q", when, got, want)
			}
		}
		check("the first", "/a?x=1", nil, "/a?x=1 1")
		time.Sleep(life - 1)
		check("soon after", "/a?x=1", nil, "/a?x=1 1")
		check("other parameters", "/a?x=2", nil, "/a?x=2 2")
		check("a program with the token", "/a?x=1", http.Header{"Authorization": {"Bearer x"}}, "/a?x=1 3")
		time.Sleep(time.Nanosecond)
		check("later", "/a?x=1", nil, "/a?x=1 4")
		s.Forget()
		check("after a command", "/a?x=1", nil, "/a?x=1 5")
		s.Forget()
		c.err = errors.New("no")
		check("an error", "/a?x=1", nil, "no")
		c.err = nil
		check("after an error", "/a?x=1", nil, "/a?x=1 7")
	})
}

func TestSharing_ManyWaitForOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counted{takes: time.Second}
		handler := New(time.Now).Serves(c.serve)
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
		c := &counted{takes: life / 2}
		s := New(time.Now)
		handler := s.Serves(c.serve)
		var before sync.WaitGroup
		before.Go(func() { call(t, handler, "/a", nil) })
		synctest.Wait()
		s.Forget()
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
		s := New(time.Now)
		handler := s.Serves(new(counted).serve)
		for i := range 3 * most {
			call(t, handler, fmt.Sprint("/", i), nil)
		}
		if n := len(s.kept); n != most {
			t.Errorf("%d answers are kept, want %d", n, most)
		}
		time.Sleep(life)
		call(t, handler, "/new", nil)
		if n := len(s.kept); n != 1 {
			t.Errorf("%d answers are kept when all are old, want 1", n)
		}
	})
}
