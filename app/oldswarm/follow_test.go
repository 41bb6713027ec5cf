package swarm

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

// hang makes a node take requests and answer after a while, or never.
func (c *clerk) hang(after time.Duration) {
	for kind, handle := range c.net.handlers {
		c.net.handlers[kind] = func(ctx context.Context, from string, body []byte) ([]byte, error) {
			timer := time.NewTimer(after)
			defer timer.Stop()
			select {
			case <-timer.C:
				return handle(ctx, from, body)
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
}

// asksIn has d ask the log of a, and returns who did it, after how long, and how many requests there were.
func asksIn(t *testing.T, body string, all ...*clerk) (by string, after time.Duration, requests int) {
	t.Helper()
	start := time.Now()
	got, err := all[3].call(t.Context(), "d", "a", wire.KindAsk, []byte(body))
	by = string(got)
	if err != nil {
		by = err.Error()
	}
	for _, c := range all {
		requests += c.asked()
	}
	return by, time.Since(start), requests
}

const never = 1000 * time.Hour

// A member that does not answer keeps nobody waiting for more than 3 s; one that is slow and leads is waited for.
func TestFollow_HopsAreBounded(t *testing.T) {
	for _, c := range []struct {
		name     string
		leader   string // of the log of a, as all but a know
		hang     map[string]time.Duration
		gone     string
		body     string
		by       string
		after    time.Duration
		requests int
	}{
		{"all answer", "a", nil, "", "work", "done by a", 0, 1},
		{"the owner hangs, a partner leads", "b", map[string]time.Duration{"a": never}, "", "work", "done by b", hopFor, 2},
		{"two hang", "c", map[string]time.Duration{"a": never, "b": never}, "", "work", "done by c", 2 * hopFor, 3},
		{"one hangs, one is gone", "c", map[string]time.Duration{"a": never}, "b", "work", "done by c", hopFor, 2},
		{"the owner leads, and is slow", "a", map[string]time.Duration{"a": 8 * time.Second}, "", "work", "done by a", 8 * time.Second, 2},
		{"it was told much", "a", map[string]time.Duration{"a": 8 * time.Second}, "", string(make([]byte, 6*hopRate)), "done by a", 8 * time.Second, 1},
		{"the partner is slow too", "b", map[string]time.Duration{"a": never, "b": 2 * time.Second}, "", "work", "done by b", hopFor + 2*time.Second, 2},
		{"one that hangs for a moment leads, and nobody knows", "", map[string]time.Duration{"a": 10 * time.Second}, "", "work", "done by a", 10 * time.Second, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, a, b, x, d := clerks(t)
				b.seat("a")
				x.seat("a")
				for _, y := range []*clerk{b, x, d} {
					y.leads["a"] = c.leader
				}
				d.leads["a"] = ""
				for _, y := range []*clerk{a, b, x} {
					if wait, hangs := c.hang[y.net.self]; hangs {
						y.hang(wait)
					}
				}
				if c.gone != "" {
					l.mu.Lock()
					delete(l.nodes, c.gone)
					l.mu.Unlock()
				}
				by, after, requests := asksIn(t, c.body, a, b, x, d)
				if by != c.by || after.Round(100*time.Millisecond) != c.after || requests != c.requests {
					t.Errorf("%s after %v with %d requests, want %s after %v with %d", by, after, requests, c.by, c.after, c.requests)
				}
			})
		})
	}
}

// If nobody answers, it ends with the time of who asked, or with that of the requests.
func TestFollow_EndsIfNobodyAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, a, b, c, d := clerks(t)
		for _, x := range []*clerk{a, b, c} {
			x.hang(never)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		start := time.Now()
		if _, err := d.call(ctx, "d", "a", wire.KindAsk, nil); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 20*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		for _, x := range []*clerk{a, b, c} {
			for kind := range x.net.handlers {
				x.net.handlers[kind] = func(context.Context, string, []byte) ([]byte, error) {
					time.Sleep(10 * time.Second)
					return nil, fmt.Errorf("%w: the time of a request is over", calls.ErrUnreachable)
				}
			}
		}
		start = time.Now()
		if _, err := d.call(t.Context(), "d", "a", wire.KindAsk, nil); !errors.Is(err, calls.ErrUnreachable) || time.Since(start) > 20*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// A log of a member that is out is taken for gone only when none of those who would keep it has it: one that nobody leads
// for a moment has the domains still.
func TestFollow_LogThatNobodyLeads(t *testing.T) {
	out := func(l *lab, peer string) {
		delete(l.nodes, peer)
		delete(l.members, peer)
	}
	for _, c := range []struct {
		name string
		so   func(l *lab, b, c *clerk)
		gone bool
	}{
		{"nobody has it", func(*lab, *clerk, *clerk) {}, true},
		{"one keeps it and elects", func(_ *lab, b, _ *clerk) { b.leads["a"] = "" }, false},
		{"one is about to lead it", func(_ *lab, _, c *clerk) { c.leads["a"] = "c" }, false},
		{"one names another that does not know", func(_ *lab, b, _ *clerk) { b.leads["a"] = "c" }, false},
		{"one is down", func(l *lab, _, _ *clerk) { l.down["c"] = true }, false},
		{"one cannot be reached", func(l *lab, _, _ *clerk) { delete(l.nodes, "c") }, false},
		{"one is out, too", func(l *lab, _, _ *clerk) { out(l, "c") }, true},
		{"one is out and down", func(l *lab, _, _ *clerk) { out(l, "c"); l.down["c"] = true }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, _, b, third, d := clerks(t)
			l.mu.Lock()
			out(l, "a")
			c.so(l, b, third)
			l.mu.Unlock()
			_, err := d.call(t.Context(), "d", "a", wire.KindAsk, []byte("work"))
			if gone := errors.Is(err, errNoLog); gone != c.gone {
				t.Errorf("%v; that it is gone: %v, want %v", err, gone, c.gone)
			}
			if err == nil {
				t.Error("somebody answered")
			}
		})
	}
}
