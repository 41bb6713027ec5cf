package server

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/app/api/events"
)

// writes counts how often a stream writes.
type writes struct {
	*httptest.ResponseRecorder
	n int
}

func (w *writes) Write(b []byte) (int, error) {
	w.n++
	return w.ResponseRecorder.Write(b)
}

// However often something happens, a stream that keeps up writes five times a second
// at most, nothing is left out, and the first of them does not wait.
func TestStream_GathersEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const count, every = 400, 5 * time.Millisecond // two seconds
		node := newTestNode("ab")
		s := New(Config{Node: node, BootID: "ab"})
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "/api/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		w := &writes{ResponseRecorder: httptest.NewRecorder()}
		done := make(chan error, 1)
		go func() { done <- s.flow().stream(w, r, events.Cursor{Boot: "ab"}, "en", false) }()
		time.Sleep(time.Second)
		node.publish(1)
		synctest.Wait()
		if got := strings.Count(w.Body.String(), "\nid: "); got != 1 || w.n != 2 {
			t.Errorf("%d events in %d writes after the first, want 1 in 2", got, w.n)
		}
		for range count - 1 {
			time.Sleep(every)
			node.publish(1)
		}
		time.Sleep(streamPause)
		synctest.Wait()
		if got := strings.Count(w.Body.String(), "\nid: "); got != count {
			t.Errorf("%d events, want %d", got, count)
		}
		if most := 2 + int(count*every/streamPause) + 1; w.n > most || w.n < most/2 {
			t.Errorf("%d writes, want %d at most", w.n, most)
		}
		cancel()
		if err := <-done; err != nil {
			t.Errorf("stream: %v", err)
		}
	})
}
