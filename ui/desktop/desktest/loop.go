package desktest

import (
	"sync"
	"testing"
	"time"
)

// Loop stands in for the driver: what is to run on the UI goroutine waits here, and runs in the goroutine of
// the test when that asks.
type Loop struct {
	mu   sync.Mutex
	todo []func()
}

// Do has a function run when the test asks for it.
func (l *Loop) Do(fn func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.todo = append(l.todo, fn)
}

// Step runs what waits and reports whether anything did.
func (l *Loop) Step() bool {
	l.mu.Lock()
	todo := l.todo
	l.todo = nil
	l.mu.Unlock()
	for _, fn := range todo {
		fn()
	}
	return len(todo) > 0
}

// Until runs what waits until a condition holds.
func (l *Loop) Until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		l.Step()
		if holds() {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s does not come", what)
		}
	}
}

// Await returns when something waits for the UI goroutine.
func (l *Loop) Await(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		l.mu.Lock()
		n := len(l.todo)
		l.mu.Unlock()
		if n > 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatal("nothing comes")
		}
	}
}
