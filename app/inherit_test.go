//go:build !items

package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"
)

// A node whose key was deleted, as after somebody may have copied it, is a new member. What the former one had queued
// is not lost, and what it has fetched is not fetched again.
func TestNode_AnotherKeyGoesOnWithTheLog(t *testing.T) {
	var mu sync.Mutex
	requests := make(map[string]int)
	ctx, stop := context.WithCancel(t.Context())
	s := newTestSite(t, "a.test", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if requests[r.URL.Path]++; len(requests) == 8 {
			stop()
		}
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/" {
			for i := range 20 {
				fmt.Fprintf(w, `<a href="/%d">page</a> `, i)
			}
		}
	})
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/")
	o.ExitWhenIdle = 0
	n := newNode(t, o)
	if err := n.Serve(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	first := len(requests)
	former := n.member.node.Self()
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(KeyPath(o.Paths.State)); err != nil {
		t.Fatal(err)
	}
	o.ExitWhenIdle, o.Seeds = 300*time.Millisecond, nil
	n = newNode(t, o)
	defer n.Close()
	serveUntilIdle(t, n)
	if n.member.node.Self() == former {
		t.Error("it has the same identity")
	}
	repeated := 0
	for _, times := range requests {
		if times != 1 {
			repeated++
		}
	}
	if first >= 21 || len(requests) != 21 || repeated > 1 { // one request may have been under way
		t.Errorf("%d URLs were requested before, %d in all, %d of them again; want 21", first, len(requests), repeated)
	}
}
