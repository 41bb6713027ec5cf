package worker

import (
	"context"
	"fmt"
	"net"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
)

// deafPort returns a loopback address that takes no connection and refuses none:
// the queue of its listener is full.
func deafPort(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	addr := fmt.Sprintf("127.0.0.1:%d", name.(*syscall.SockaddrInet4).Port)
	for range 10 {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		c, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
		cancel()
		if err != nil {
			return addr
		}
		t.Cleanup(func() { c.Close() })
	}
	t.Skip("the queue of a listener does not fill up here")
	return ""
}

// A host that does not answer is a failure of its task, or it would be tried
// for ever.
func TestPool_ConnectTimeoutCountsAsAFailure(t *testing.T) {
	base := "http://" + deafPort(t)
	r := newRig(t, setup{limits: fetch.Limits{Connect: 100 * time.Millisecond}})
	r.allow(base)
	r.work()
	r.Take(r.lease(base+"/"), time.Now())
	r.await(1)
	if got := results(r.books.outcomes()); !slices.Equal(got, []crawl.Result{crawl.Failed}) {
		t.Errorf("outcomes %v, want one failure", got)
	}
}
