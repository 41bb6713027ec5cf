//go:build unix

package open

import (
	"context"
	"os"
	"testing"
)

func TestLock(t *testing.T) {
	dir := t.TempDir()
	unlock := lock(t.Context(), dir)
	second := make(chan func())
	go func() { second <- lock(t.Context(), dir) }()
	brief, cancel := context.WithTimeout(t.Context(), 3*lockLook)
	defer cancel()
	lock(brief, dir)() // goes on without, when its time is over
	select {
	case <-second:
		t.Fatal("two have it")
	default:
	}
	unlock()
	(<-second)()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left behind are %v, %v", entries, err)
	}
}
