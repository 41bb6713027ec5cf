package server

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
)

// follower is a window of a test.
type follower struct {
	shown chan string
	ended chan error
	stop  context.CancelFunc
}

// followWindow opens a window, which has its place when this returns.
func followWindow(t *testing.T, r *running) *follower {
	t.Helper()
	c, err := client.Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	f := &follower{shown: make(chan string, 8), ended: make(chan error, 1), stop: cancel}
	following := make(chan struct{}, 1)
	r.node.publish(1)
	go func() {
		f.ended <- c.FollowWindow(ctx, "", 0, func(api.EventPage) error {
			select {
			case following <- struct{}{}:
			default:
			}
			return nil
		}, func(page string) { f.shown <- page })
	}()
	<-following
	return f
}

func TestWindow_IsRaised(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	c, err := client.Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	if raised, err := c.ShowWindow(t.Context(), "settings"); raised || err != nil {
		t.Errorf("without a window: %v, %v", raised, err)
	}
	w := followWindow(t, r)
	for _, page := range append([]string{""}, api.WindowPages...) {
		if raised, err := c.ShowWindow(t.Context(), page); !raised || err != nil {
			t.Errorf("show %q: %v, %v", page, raised, err)
		}
		if got := <-w.shown; got != page {
			t.Errorf("the window was asked for %q, want %q", got, page)
		}
	}
	if _, err := c.ShowWindow(t.Context(), "../secret"); err == nil || !strings.Contains(err.Error(), "overview") {
		t.Errorf("a page that there is not: %v", err)
	}
	w.stop()
	if err := <-w.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the window ended with %v", err)
	}
	for raised := true; raised; { // until the node has noticed
		if raised, err = c.ShowWindow(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
	}
	next := followWindow(t, r)
	if raised, err := c.ShowWindow(t.Context(), "about"); !raised || err != nil || <-next.shown != "about" {
		t.Errorf("the next window: %v, %v", raised, err)
	}
}

func TestWindow_IsAlone(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	first := followWindow(t, r)
	c, err := client.Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	never := func(api.EventPage) error { return errors.New("it was let in") }
	if err := c.FollowWindow(t.Context(), "", 0, never, func(string) {}); !errors.Is(err, api.ErrOtherWindow) {
		t.Errorf("a second window: %v, want %v", err, api.ErrOtherWindow)
	}
	if raised, err := c.ShowWindow(t.Context(), ""); !raised || err != nil || <-first.shown != "" {
		t.Errorf("the first window: %v, %v", raised, err)
	}
}

// A window that had its place asks again when it seems to be taken: the other may be its own broken stream.
func TestWindow_ComesBack(t *testing.T) {
	for _, free := range []bool{true, false} {
		dir := t.TempDir()
		r := start(t, dir, nil)
		c, err := client.Dial(dir)
		if err != nil {
			t.Fatal(err)
		}
		c.Retries = slices.Repeat([]time.Duration{time.Millisecond}, 20)
		if free {
			c.Retries = slices.Repeat([]time.Duration{time.Millisecond}, 100_000)
		}
		boots, ended := make(chan string, 16), make(chan error, 1)
		ctx, cancel := context.WithCancel(t.Context())
		r.node.publish(1)
		go func() {
			ended <- c.FollowWindow(ctx, "", 0, func(p api.EventPage) error { boots <- p.BootID; return nil },
				func(string) {})
		}()
		if got := <-boots; got != r.desc.BootID {
			t.Fatalf("the window follows %s", got)
		}
		again := start(t, dir, nil)
		taken := again.server.window.Open()
		r.stop()
		if !free {
			if err := <-ended; !errors.Is(err, api.ErrOtherWindow) {
				t.Errorf("FollowWindow = %v, want %v", err, api.ErrOtherWindow)
			}
			cancel()
			continue
		}
		again.server.window.Close(taken)
		if got := <-boots; got != again.desc.BootID {
			t.Errorf("the window follows %s, want the new node", got)
		}
		cancel()
		<-ended
	}
}

// Readers that are no window are not told.
func TestWindow_LeavesOthersAlone(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	w := followWindow(t, r)
	lines, _ := r.open(t, "", "")
	ids(t, lines, 1)
	c, err := client.Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	if raised, err := c.ShowWindow(t.Context(), "about"); !raised || err != nil {
		t.Fatal(raised, err)
	}
	<-w.shown
	r.node.publish(1)
	if got := ids(t, lines, 1); strings.Contains(got[0], "window") {
		t.Errorf("a reader was told %q", got)
	}
}

// A browser that was let in is no window, but may raise one.
func TestWindow_NoBrowser(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	b := r.enter(t)
	if resp, body := r.ask(t, http.MethodGet, "/api/events?window=1", b.headers()+"Accept: text/event-stream\n",
		""); resp.StatusCode != 400 {
		t.Errorf("a browser as window: %d %s", resp.StatusCode, body)
	}
	if resp, body := r.ask(t, http.MethodPost, "/api/window", b.headers(), "{}"); resp.StatusCode != 200 ||
		body != `{"raised":false}`+"\n" {
		t.Errorf("a browser raises: %d %s", resp.StatusCode, body)
	}
}
