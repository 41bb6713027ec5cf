package local

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// Neither a program that never reads nor one that never answers holds up whoever speaks to it.
func TestHost_ConnectIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		h := Host{Dial: func(context.Context, string) (net.Conn, error) { return ours, nil }}
		ctx, cancel := context.WithCancel(t.Context())
		c, err := h.Connect(ctx, "/nowhere")
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := c.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != Timeout {
			t.Errorf("Write = %v after %v, want it to end after %v", err, time.Since(began), Timeout)
		}
		time.AfterFunc(time.Hour, cancel)
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("Read = %v, want it to end with the context", err)
		}
		if err := c.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
}
