package bandwidth

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// wire is a loopback connection: one end under a budget, the other free.
func wire(t testing.TB, b *Budget) (paced *Conn, other *net.TCPConn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	d := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error { b.Sites().Prepare(c); return nil }}
	c, err := d.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	o, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	paced, other = b.Sites().Wrap(c).(*Conn), o.(*net.TCPConn)
	t.Cleanup(func() { paced.Close(); other.Close() })
	return paced, other
}

// Several connections and what peers move keep to the rates together, on both
// sides of the sockets. A busy machine may be slower, never faster.
func TestConn_KeepsTheRates(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, kbit := range []int{1000, 10_000} {
		b := New()
		b.Set(kbit, kbit/4)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		var wg sync.WaitGroup
		var read, written, peersIn, farSent, farGot atomic.Int64
		begin := time.Now()
		for range 4 {
			c, o := wire(t, b)
			context.AfterFunc(ctx, func() { c.Close(); o.Close() })
			wg.Go(func() { n, _ := io.Copy(io.Discard, struct{ io.Reader }{c}); read.Add(n) })
			wg.Go(func() { n, _ := io.Copy(struct{ io.Writer }{c}, zeros{}); written.Add(n) })
			wg.Go(func() { n, _ := io.Copy(struct{ io.Writer }{o}, zeros{}); farSent.Add(n) })
			wg.Go(func() { n, _ := io.Copy(io.Discard, struct{ io.Reader }{o}); farGot.Add(n) })
		}
		wg.Go(func() {
			p := b.Peers()
			for p.Received(ctx, Work, 1000) == nil && ctx.Err() == nil {
				p.Socket(false, 1100)
				peersIn.Add(1100)
			}
		})
		wg.Wait()
		took := time.Since(begin).Seconds()
		cancel()
		down, up := float64(kbit)*1000/8*took, float64(kbit/4)*1000/8*took
		if got := float64(read.Load() + peersIn.Load()); got > down*1.05+burstLeast {
			t.Errorf("%d kbit/s: %.0f bytes came in %.2f s, want at most %.0f", kbit, got, took, down)
		} else if got < down*0.8 {
			t.Logf("%d kbit/s: only %.0f bytes of %.0f came: a slow machine?", kbit, got, down)
		}
		if got := float64(written.Load()); got > up*1.05+burstLeast || float64(farGot.Load()) > up*1.05+burstLeast {
			t.Errorf("%d kbit/s: %.0f bytes were sent in %.2f s and %d got, want at most %.0f", kbit/4, got, took, farGot.Load(), up)
		}
		if read.Load() == 0 || peersIn.Load() == 0 || written.Load() == 0 {
			t.Errorf("pages read %d bytes and wrote %d, peers %d: one starved", read.Load(), written.Load(), peersIn.Load())
		}
		if u := b.Totals(); u.Received.Class[Pages] != read.Load() || u.Sent.Class[Pages] < written.Load() {
			t.Errorf("totals %+v, want %d read and %d written", u, read.Load(), written.Load())
		}
	}
}

// zeros reads as zeros without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestConn_DeadlineEndsAWait(t *testing.T) {
	b := New()
	b.Set(0, 0)
	c, o := wire(t, b)
	if _, err := o.Write([]byte("words")); err != nil {
		t.Fatal(err)
	}
	for name, op := range map[string]func() (int, error){
		"read":  func() (int, error) { return c.Read(make([]byte, 10)) },
		"write": func() (int, error) { return c.Write(make([]byte, 10)) },
	} {
		for _, how := range []string{"before", "during"} {
			c.SetDeadline(time.Time{})
			if how == "before" {
				c.SetDeadline(time.Now().Add(5 * time.Millisecond))
			} else {
				time.AfterFunc(5*time.Millisecond, func() { c.SetDeadline(time.Unix(1, 0)) })
			}
			n, err := op()
			var e net.Error
			if n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &e) || !e.Timeout() {
				t.Errorf("%s with a deadline set %s = %d, %v, want deadline exceeded", name, how, n, err)
			}
		}
	}
	if c.Held() == 0 {
		t.Error("Held = 0 after waits for the budget")
	}
	c.SetDeadline(time.Time{})
	if got := b.Totals(); got != (Usage{}) {
		t.Errorf("counted %+v though nothing moved", got)
	}
}

func TestConn_CloseEndsAWait(t *testing.T) {
	b := New()
	b.Set(0, 0)
	c, o := wire(t, b)
	if _, err := o.Write([]byte("words")); err != nil {
		t.Fatal(err)
	}
	errs := make(chan error, 2)
	go func() { _, err := c.Read(make([]byte, 10)); errs <- err }()
	go func() { _, err := c.Write(make([]byte, 10)); errs <- err }()
	time.AfterFunc(5*time.Millisecond, func() { c.Close() })
	for range 2 {
		if err := <-errs; !errors.Is(err, net.ErrClosed) {
			t.Errorf("after Close: %v, want %v", err, net.ErrClosed)
		}
	}
}

// What waits at rate 0 goes on when there is a rate, and a quiet connection costs
// the others nothing.
func TestConn_GoesOnWhenRaised(t *testing.T) {
	b := New()
	b.Set(0, 0)
	quiet, _ := wire(t, b)
	go quiet.Read(make([]byte, 1<<20))
	c, o := wire(t, b)
	if _, err := o.Write([]byte("words")); err != nil {
		t.Fatal(err)
	}
	o.CloseWrite()
	time.AfterFunc(5*time.Millisecond, func() { b.Set(1000, 1000) })
	if text, err := io.ReadAll(c); string(text) != "words" || err != nil {
		t.Errorf("read %q, %v", text, err)
	}
	if n, err := c.Write([]byte("answer")); n != 6 || err != nil {
		t.Errorf("wrote %d bytes, %v", n, err)
	}
	if got, err := io.ReadAll(io.LimitReader(o, 6)); string(got) != "answer" || err != nil {
		t.Errorf("the other side read %q, %v", got, err)
	}
	if got := b.Totals(); got.Received.Class[Pages] != 5 || got.Sent.Class[Pages] != 6 {
		t.Errorf("counted %+v, want 5 received and 6 sent", got)
	}
}

func TestBucket_ReceiveBufferFollowsTheRate(t *testing.T) {
	for _, x := range []struct {
		kbit    int
		readers int64
		want    int
	}{{-1, 1, 0}, {0, 1, 4 << 10}, {256, 1, 8 << 10}, {256, 8, 4 << 10}, {1000, 1, 32 << 10}, {1000, 6, 8 << 10}, {10_000, 6, 64 << 10}, {50_000, 6, 64 << 10}} {
		b := New()
		b.Set(x.kbit, -1)
		if got := b.down.receiveBuffer(x.readers); got != x.want {
			t.Errorf("receiveBuffer(%d readers) at %d kbit/s = %d, want %d", x.readers, x.kbit, got, x.want)
		}
	}
}

// pipe is a connection that costs nothing.
type pipe struct{ net.Conn }

func (pipe) Read(p []byte) (int, error)  { return len(p), nil }
func (pipe) Write(p []byte) (int, error) { return len(p), nil }

func BenchmarkReadWithoutLimit(b *testing.B) {
	c := New().Sites().Wrap(pipe{})
	p := make([]byte, 16<<10)
	b.ReportAllocs()
	for b.Loop() {
		c.Read(p)
	}
}

func BenchmarkReadBelowLimit(b *testing.B) {
	budget := New()
	budget.Set(1<<40, 1<<40)
	c := budget.Sites().Wrap(pipe{})
	p := make([]byte, 16<<10)
	b.ReportAllocs()
	for b.Loop() {
		c.Read(p)
	}
}

func BenchmarkSocketWithoutLimit(b *testing.B) {
	p := New().Peers()
	b.ReportAllocs()
	for b.Loop() {
		p.Socket(true, 1400)
	}
}

func BenchmarkFrameWithoutLimit(b *testing.B) {
	p := New().Peers()
	frame := make([]byte, 8<<10)
	write := func(piece []byte) (int, error) { p.Socket(true, len(piece)); return len(piece), nil }
	b.ReportAllocs()
	for b.Loop() {
		p.Send(b.Context(), Work, frame, write)
		p.Socket(false, len(frame))
		p.Received(b.Context(), Work, len(frame))
	}
}
