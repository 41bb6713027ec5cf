package calls

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
)

// noiseBytes returns n bytes that do not compress.
func noiseBytes(n int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func TestCall_ReturnsWhatTheHandlerReturns(t *testing.T) {
	urls := strings.Repeat("https://www.example.com/products/item?id=17\n", 400)
	for _, dict := range []string{"", "https://www.example.com/products/"} {
		caller, server := newPair(t, echo(), func(c *Config) { c.Dictionary = []byte(dict) })
		for _, body := range [][]byte{nil, []byte("x"), []byte(urls[:64]), []byte(urls[:65]), []byte(urls), noiseBytes(100), noiseBytes(300 << 10), bytes.Repeat([]byte(urls), 60)[:MaxBody], noiseBytes(MaxBody)} {
			got, err := caller.Call(t.Context(), server.id(), 1, body)
			if err != nil || !bytes.Equal(got, body) {
				t.Errorf("Call(%d bytes) with a dictionary of %d = %d bytes, %v; want the same", len(body), len(dict), len(got), err)
			}
			server.clock.advance(time.Minute)
		}
	}
}

func TestCall_ReusesStreams(t *testing.T) {
	caller, server := newPair(t, echo())
	for range 20 {
		if _, err := caller.Call(t.Context(), server.id(), 1, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if got := caller.host.opened.Load(); got != 1 {
		t.Errorf("20 calls opened %d streams, want 1", got)
	}
}

func TestCall_OpensNoMoreStreamsThanThePeerTakes(t *testing.T) {
	var now, most atomic.Int64
	spec := echo()
	spec.Handle = func(ctx context.Context, _ peer.ID, body []byte) ([]byte, error) {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		now.Add(-1)
		return body, nil
	}
	caller, server := newPair(t, spec)
	for range 5 {
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				body := fmt.Appendf(nil, "%d", i)
				if got, err := caller.Call(t.Context(), server.id(), 1, body); err != nil || !bytes.Equal(got, body) {
					t.Errorf("Call(%s) = %s, %v", body, got, err)
				}
			})
		}
		wg.Wait()
		server.clock.advance(time.Minute)
	}
	if got := most.Load(); got > maxStreams {
		t.Errorf("%d requests were in flight, want at most %d", got, maxStreams)
	}
	if n := len(caller.pool.lanes); n != 1 {
		t.Errorf("%d lanes left, want 1", n)
	}
	if n := caller.pool.kept; n > keptStreams {
		t.Errorf("%d streams kept, want at most %d", n, keptStreams)
	}
}

func TestCall_WaitsForAPlaceNoLongerThanItsContext(t *testing.T) {
	release, started := make(chan struct{}), make(chan struct{})
	spec := echo()
	spec.Class = Bulk
	spec.Handle = func(context.Context, peer.ID, []byte) ([]byte, error) {
		started <- struct{}{}
		<-release
		return nil, nil
	}
	caller, server := newPair(t, spec)
	first := make(chan error, 1)
	go func() {
		_, err := caller.Call(t.Context(), server.id(), 1, nil)
		first <- err
	}()
	<-started
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := caller.Call(ctx, server.id(), 1, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("second Call() = %v, want %v", err, context.DeadlineExceeded)
	}
	close(release)
	if err := <-first; err != nil {
		t.Errorf("first Call() = %v", err)
	}
}

func TestCall_TellsWhatTheHandlerSaid(t *testing.T) {
	for _, test := range []struct {
		name    string
		handler error
		check   func(error) bool
	}{
		{"busy", &Busy{After: 1500 * time.Millisecond}, func(err error) bool {
			b, ok := errors.AsType[*Busy](err)
			return ok && b.After == 1500*time.Millisecond
		}},
		{"busy for ever", fmt.Errorf("wrapped: %w", &Busy{After: 100 * time.Hour}), func(err error) bool {
			b, ok := errors.AsType[*Busy](err)
			return ok && b.After == 10*time.Minute
		}},
		{"refused", &Refused{Text: "not\x1b[31m mine\u202e\n" + strings.Repeat("é", 200)}, func(err error) bool {
			r, ok := errors.AsType[*Refused](err)
			return ok && strings.HasPrefix(r.Text, "not[31m mineé") && len(r.Text) <= maxText
		}},
		{"lie", &Lie{What: "forged", Weight: 1}, func(err error) bool {
			r, ok := errors.AsType[*Refused](err)
			return ok && r.Text == "forged"
		}},
		{"other", errors.New("secret path"), func(err error) bool {
			return errors.Is(err, ErrFailed) && !strings.Contains(err.Error(), "secret")
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			caller, server := newPair(t, answerWith([]byte("ignored"), test.handler))
			for range 2 {
				if _, err := caller.Call(t.Context(), server.id(), 1, nil); !test.check(err) {
					t.Errorf("Call() = %v", err)
				}
			}
			if got := caller.host.opened.Load(); got != 1 {
				t.Errorf("opened %d streams, want 1", got)
			}
			if got := server.Counts()["forged"]; got > 0 != (test.name == "lie") {
				t.Errorf("lies counted: %d", got)
			}
		})
	}
}

func TestCall_KeepsToItsOwnLimits(t *testing.T) {
	spec := answerWith(make([]byte, 101), nil)
	spec.MaxRequest, spec.MaxReply = 10, 100
	caller, server := newPair(t, spec)
	if _, err := caller.Call(t.Context(), server.id(), 1, make([]byte, 11)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("Call of 11 bytes = %v, want %v", err, ErrTooLarge)
	}
	if _, err := caller.Call(t.Context(), server.id(), 1, make([]byte, 10)); !errors.Is(err, ErrFailed) {
		t.Errorf("Call with a reply over the limit = %v, want %v", err, ErrFailed)
	}
	if _, err := caller.Call(t.Context(), server.id(), 9, nil); !errors.Is(err, ErrUnknownKind) {
		t.Errorf("Call of an unregistered kind = %v, want %v", err, ErrUnknownKind)
	}
}

func TestCall_UnknownKindKeepsTheStream(t *testing.T) {
	caller, server := newPair(t, echo())
	asks := echo()
	asks.Handle = nil
	caller.Register(2, asks) // unknown there
	server.Register(3, asks) // without a handler
	caller.Register(3, asks)
	for _, kind := range []Kind{2, 3} {
		if _, err := caller.Call(t.Context(), server.id(), kind, noiseBytes(5000)); !errors.Is(err, ErrUnknownKind) {
			t.Errorf("Call(kind %d) = %v, want %v", kind, err, ErrUnknownKind)
		}
	}
	if _, err := caller.Call(t.Context(), server.id(), 1, nil); err != nil {
		t.Error(err)
	}
	if got := caller.host.opened.Load(); got != 1 {
		t.Errorf("opened %d streams, want 1", got)
	}
	if got := server.Counts()[offenceUnknown]; got != 2 {
		t.Errorf("counted %d unknown kinds, want 2", got)
	}
}

func TestCall_UnreachablePeer(t *testing.T) {
	caller, other := newNode(t, newHost(t)), newHost(t)
	caller.Register(1, echo())
	if _, err := caller.Call(t.Context(), other.ID(), 1, nil); !errors.Is(err, ErrUnreachable) {
		t.Errorf("Call without an address = %v, want %v", err, ErrUnreachable)
	}
	meet(caller.host, other)
	if _, err := caller.Call(t.Context(), other.ID(), 1, nil); !errors.Is(err, ErrUnreachable) {
		t.Errorf("Call of a peer without the protocol = %v, want %v", err, ErrUnreachable)
	}
}

// resetAll resets the streams of the test's protocols at h.
func resetAll(h *countedHost) {
	for _, conn := range h.Network().Conns() {
		for _, s := range conn.GetStreams() {
			if strings.HasPrefix(string(s.Protocol()), "/forage/") {
				_ = s.Reset()
			}
		}
	}
}

func TestCall_ReplacesADeadStream(t *testing.T) {
	for _, die := range []struct {
		name string
		f    func(caller, server *node)
	}{
		{"reset by the server", func(_, server *node) { resetAll(server.host) }},
		{"connection closed", func(_, server *node) {
			for _, c := range server.host.Network().Conns() {
				_ = c.Close()
			}
		}},
		{"connection closed here", func(caller, server *node) { _ = caller.host.Network().ClosePeer(server.id()) }},
	} {
		t.Run(die.name, func(t *testing.T) {
			caller, server := newPair(t, echo())
			for range 3 {
				if got, err := caller.Call(t.Context(), server.id(), 1, []byte("x")); err != nil || string(got) != "x" {
					t.Fatalf("Call() = %q, %v", got, err)
				}
				die.f(caller, server)
			}
			if got := caller.host.opened.Load(); got != 3 {
				t.Errorf("opened %d streams, want 3", got)
			}
		})
	}
}

func TestCall_SendsOnceMoreAtMost(t *testing.T) {
	for _, test := range []struct {
		name   string
		second func(network.Stream)
		want   int64
	}{
		{"dead without a reply", func(s network.Stream) { _ = s.Reset() }, 3},
		{"dead within the reply", func(s network.Stream) {
			_, _ = s.Write(rawFrame(10, statusOK, 0, []byte("half")))
			_ = s.CloseWrite()
		}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			caller, other := newNode(t, newHost(t)), newHost(t)
			caller.Register(1, echo())
			meet(caller.host, other)
			var requests atomic.Int64
			rawServer(other, Control, func(s network.Stream, _ int) {
				if requests.Add(1) == 1 {
					_, _ = s.Write(rawFrame(0, statusOK, 0, nil))
					return
				}
				test.second(s)
			})
			if _, err := caller.Call(t.Context(), other.ID(), 1, nil); err != nil {
				t.Fatal(err)
			}
			if _, err := caller.Call(t.Context(), other.ID(), 1, nil); !errors.Is(err, ErrUnreachable) {
				t.Errorf("Call() = %v, want %v", err, ErrUnreachable)
			}
			if got := requests.Load(); got != test.want {
				t.Errorf("%d requests were sent, want %d", got, test.want)
			}
		})
	}
}

func TestCall_CancelEndsIt(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	spec := echo()
	spec.Handle = func(context.Context, peer.ID, []byte) ([]byte, error) {
		started <- struct{}{}
		<-release
		return nil, nil
	}
	caller, server := newPair(t, spec)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := caller.Call(ctx, server.id(), 1, nil)
		ended <- err
	}()
	<-started
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Call() = %v, want %v", err, context.Canceled)
	}
	if caller.pool.kept != 0 {
		t.Error("the stream of a cancelled call was kept")
	}
	close(release)
}

func TestCall_RejectsMalformedReplies(t *testing.T) {
	bomb := bombOf(t, 8<<20)
	for _, test := range []struct {
		name  string
		reply []byte
	}{
		{"oversized", rawFrame(1001, statusOK, 0, nil)},
		{"oversized refusal", rawFrame(maxDeclined+1, statusRefused, 0, nil)},
		{"bomb", rawFrame(len(bomb), statusOK, flagCompressed, bomb)},
		{"not compressed", rawFrame(4, statusOK, flagCompressed, []byte("text"))},
		{"size without end", []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0, 0}},
		{"unknown status", rawFrame(0, 99, 0, nil)},
		{"unknown flags", rawFrame(1, statusOK, 2, []byte("x"))},
		{"busy without a time", rawFrame(0, statusBusy, 0, nil)},
	} {
		t.Run(test.name, func(t *testing.T) {
			caller, other := newNode(t, newHost(t)), newHost(t)
			spec := echo()
			spec.MaxReply = 1000
			caller.Register(1, spec)
			meet(caller.host, other)
			rawServer(other, Control, func(s network.Stream, _ int) { _, _ = s.Write(test.reply) })
			if _, err := caller.Call(t.Context(), other.ID(), 1, nil); !errors.Is(err, ErrReply) {
				t.Errorf("Call() = %v, want %v", err, ErrReply)
			}
			if got := caller.Counts()[offenceReply]; got != 1 {
				t.Errorf("counted %d malformed replies, want 1", got)
			}
			if caller.pool.kept != 0 {
				t.Error("the stream was kept")
			}
		})
	}
}

func TestCall_DropsAStreamWithBytesNobodyAskedFor(t *testing.T) {
	caller, other := newNode(t, newHost(t)), newHost(t)
	caller.Register(1, echo())
	meet(caller.host, other)
	rawServer(other, Control, func(s network.Stream, _ int) {
		_, _ = s.Write(append(rawFrame(0, statusOK, 0, nil), rawFrame(5, statusOK, 0, []byte("wrong"))...))
	})
	for range 2 {
		if got, err := caller.Call(t.Context(), other.ID(), 1, nil); err != nil || len(got) != 0 {
			t.Errorf("Call() = %q, %v", got, err)
		}
	}
}

func TestCall_CountsEveryByteOnBothSides(t *testing.T) {
	caller, server := newPair(t, echo())
	for _, n := range []int{0, 40, 3000, 200 << 10} {
		if _, err := caller.Call(t.Context(), server.id(), 1, noiseBytes(n)); err != nil {
			t.Fatal(err)
		}
	}
	// The server counts what it sent after it was sent: wait for its end.
	if err := caller.host.Close(); err != nil {
		t.Fatal(err)
	}
	server.door.served.Wait()
	const bodies = 0 + 40 + 3000 + 200<<10
	const heads = 3 + 3 + 4 + 5
	got, want := caller.meter.Snapshot(), Traffic{Kind: 1, Sent: 4, SentBytes: bodies + heads, Received: 4, ReceivedBytes: bodies + heads}
	if len(got) != 1 || got[0] != want {
		t.Errorf("caller's meter = %+v, want %+v", got, want)
	}
	if got := server.meter.Snapshot(); len(got) != 1 || got[0] != want {
		t.Errorf("server's meter = %+v, want %+v", got, want)
	}
}

// gate is a Limiter that notes what it is asked for, sends in small pieces, and
// blocks when shut.
type gate struct {
	mu             sync.Mutex
	sent, received int
	shut           bool
}

// gatePiece is how much it sends at once.
const gatePiece = 1000

func (g *gate) Send(ctx context.Context, _ Class, frame []byte, write func([]byte) (int, error)) error {
	for len(frame) > 0 {
		if err := g.pass(ctx); err != nil {
			return err
		}
		n, err := write(frame[:min(len(frame), gatePiece)])
		g.mu.Lock()
		g.sent += n
		g.mu.Unlock()
		if err != nil {
			return err
		}
		frame = frame[n:]
	}
	return nil
}

func (g *gate) Received(ctx context.Context, _ Class, n int) error {
	g.mu.Lock()
	g.received += n
	g.mu.Unlock()
	return g.pass(ctx)
}

func (g *gate) pass(ctx context.Context) error {
	g.mu.Lock()
	shut := g.shut
	g.mu.Unlock()
	if shut {
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

func TestCall_AsksTheLimiterForEveryByte(t *testing.T) {
	here, there := &gate{}, &gate{}
	limiters := []Limiter{here, there}
	caller, server := newPair(t, echo(), func(c *Config) { c.Limiter, limiters = limiters[0], limiters[1:] })
	if _, err := caller.Call(t.Context(), server.id(), 1, noiseBytes(100_000)); err != nil {
		t.Fatal(err)
	}
	for _, g := range []*gate{here, there} {
		g.mu.Lock()
		if g.sent < 100_000 || g.sent > 100_010 || g.received < 100_000 || g.received > 100_010 {
			t.Errorf("limiter was asked for %d bytes sent and %d received", g.sent, g.received)
		}
		g.shut = true
		g.mu.Unlock()
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := caller.Call(ctx, server.id(), 1, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Call with a shut limiter = %v, want %v", err, context.DeadlineExceeded)
	}
	if got := caller.pool.kept; got != 0 {
		t.Errorf("%d streams kept, want none: a part of a request may be on it", got)
	}
}
