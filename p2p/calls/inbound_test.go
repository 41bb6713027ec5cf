package calls

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
)

// bombOf returns a zstd frame of n zeros that does not say so in its header.
func bombOf(t testing.TB, n int) []byte {
	t.Helper()
	var buf bytes.Buffer
	w, err := zstd.NewWriter(&buf, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(64<<10))
	if err != nil {
		t.Fatal(err)
	}
	for chunk := make([]byte, 64<<10); n > 0; n -= len(chunk) {
		if _, err := w.Write(chunk); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestServe_RejectsMalformedRequests(t *testing.T) {
	bomb := bombOf(t, 8<<20)
	for _, test := range []struct {
		name    string
		request []byte
		offence string
	}{
		{"oversized", rawFrame(100_001, 1, 0, nil), offenceOversized},
		{"oversized and unknown", rawFrame(MaxBody+1, 7, 0, nil), offenceOversized},
		{"bomb", rawFrame(len(bomb), 1, flagCompressed, bomb), offenceUndecodable},
		{"not compressed", rawFrame(4, 1, flagCompressed, []byte("text")), offenceUndecodable},
		{"size without end", []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0, 0}, offenceUndecodable},
		{"unknown flags", rawFrame(1, 1, 4, []byte("x")), offenceUndecodable},
	} {
		t.Run(test.name, func(t *testing.T) {
			var handled atomic.Int64
			spec := echo()
			spec.MaxRequest = 100_000
			spec.Handle = func(context.Context, peer.ID, []byte) ([]byte, error) {
				handled.Add(1)
				return nil, nil
			}
			_, server := newPair(t, spec)
			stranger := newHost(t)
			meet(stranger, server.host)
			s := rawStream(t, stranger, server.id(), Control)
			if _, err := s.Write(test.request); err != nil {
				t.Fatal(err)
			}
			if status, err := readStatus(s); err == nil {
				t.Errorf("reply with status %d, want a reset", status)
			}
			if got := server.Counts()[test.offence]; got != 1 || handled.Load() != 0 {
				t.Errorf("%d offences %q, %d requests handled; want 1 and 0", got, test.offence, handled.Load())
			}
		})
	}
}

func TestServe_OtherClassIsUnknown(t *testing.T) {
	_, server := newPair(t, echo())
	stranger := newHost(t)
	meet(stranger, server.host)
	s := rawStream(t, stranger, server.id(), Bulk) // the kind is Control
	if _, err := s.Write(rawFrame(0, 1, 0, nil)); err != nil {
		t.Fatal(err)
	}
	if status, err := readStatus(s); err != nil || status != statusUnknown {
		t.Errorf("status %d, %v; want %d", status, err, statusUnknown)
	}
}

func TestServe_PanicCostsTheRequestOnly(t *testing.T) {
	spec := echo()
	spec.Handle = func(_ context.Context, _ peer.ID, body []byte) ([]byte, error) {
		return []byte{body[3]}, nil
	}
	caller, server := newPair(t, spec)
	if _, err := caller.Call(t.Context(), server.id(), 1, nil); !errors.Is(err, ErrUnreachable) {
		t.Errorf("Call() = %v, want %v", err, ErrUnreachable)
	}
	if got, err := caller.Call(t.Context(), server.id(), 1, []byte("good")); err != nil || string(got) != "d" {
		t.Errorf("Call after a panic = %q, %v", got, err)
	}
	if got := server.Counts()[offencePanic]; got != 1 {
		t.Errorf("counted %d panics, want 1", got)
	}
}

// blocking is a Spec whose handler waits until the test ends.
func blocking(t *testing.T, class Class) (spec Spec, started chan struct{}, release func()) {
	started, gate := make(chan struct{}, 1000), make(chan struct{})
	spec = echo()
	spec.Class = class
	spec.Handle = func(context.Context, peer.ID, []byte) ([]byte, error) {
		started <- struct{}{}
		<-gate
		return nil, nil
	}
	var once atomic.Bool
	release = func() {
		if once.CompareAndSwap(false, true) {
			close(gate)
		}
	}
	t.Cleanup(release)
	return spec, started, release
}

func TestServe_BusyBeyondThePeersHandlers(t *testing.T) {
	spec, started, release := blocking(t, Bulk)
	_, server := newPair(t, spec)
	stranger := newHost(t)
	meet(stranger, server.host)
	first, second := rawStream(t, stranger, server.id(), Bulk), rawStream(t, stranger, server.id(), Bulk)
	if _, err := first.Write(rawFrame(0, 1, 0, nil)); err != nil {
		t.Fatal(err)
	}
	<-started
	if _, err := second.Write(rawFrame(5000, 1, 0, noiseBytes(5000))); err != nil {
		t.Fatal(err)
	}
	if status, err := readStatus(second); err != nil || status != statusBusy {
		t.Errorf("status of the second = %d, %v; want %d", status, err, statusBusy)
	}
	release()
	if status, err := readStatus(first); err != nil || status != statusOK {
		t.Errorf("status of the first = %d, %v; want %d", status, err, statusOK)
	}
}

func TestServe_ResetsStreamsBeyondThePeersShare(t *testing.T) {
	spec, started, release := blocking(t, Control)
	caller, server := newPair(t, spec)
	stranger := newHost(t)
	meet(stranger, server.host)
	var busy []network.Stream
	for range maxStreams {
		s := rawStream(t, stranger, server.id(), Control)
		if _, err := s.Write(rawFrame(0, 1, 0, nil)); err != nil {
			t.Fatal(err)
		}
		<-started
		busy = append(busy, s)
	}
	extra := rawStream(t, stranger, server.id(), Control)
	_, _ = extra.Write(rawFrame(0, 1, 0, nil))
	_, err := readStatus(extra)
	if got := unreachable(t.Context(), err); !isBusy(got) {
		t.Errorf("stream %d ended with %v, want one that means busy", maxStreams+1, err)
	}
	release()
	for i, s := range busy {
		if status, err := readStatus(s); err != nil || status != statusOK {
			t.Errorf("stream %d: status %d, %v; want %d", i, status, err, statusOK)
		}
	}
	if _, err := caller.Call(t.Context(), server.id(), 1, nil); err != nil {
		t.Errorf("Call of another peer = %v", err)
	}
}

func isBusy(err error) bool {
	_, ok := errors.AsType[*Busy](err)
	return ok
}

func TestServe_LimitsHowOftenStreamsAreOpened(t *testing.T) {
	_, server := newPair(t, echo())
	stranger := newHost(t)
	meet(stranger, server.host)
	open := func() error {
		s := rawStream(t, stranger, server.id(), Control)
		defer s.Close()
		if _, err := s.Write(rawFrame(0, 1, 0, nil)); err != nil {
			return err
		}
		_, err := readStatus(s)
		return err
	}
	burst := boundsOf(Control).openBurst
	for i := range burst {
		if err := open(); err != nil {
			t.Fatalf("stream %d: %v", i, err)
		}
	}
	if err := open(); err == nil {
		t.Errorf("stream %d was served", burst+1)
	}
	server.clock.advance(time.Second)
	if err := open(); err != nil {
		t.Errorf("stream after a second: %v", err)
	}
}

func TestServe_FloodIsBusyThenAnOffenceThenABan(t *testing.T) {
	spec := echo()
	spec.Rate, spec.Burst = 1, 3
	caller, server := newNode(t, newHost(t)), newNode(t, newHost(t))
	caller.Register(1, echo()) // it keeps to no limit
	server.Register(1, spec)
	meet(caller.host, server.host)
	server.serve(t)
	var ok, busy int
	for !server.Banned(caller.id()) {
		_, err := caller.Call(t.Context(), server.id(), 1, nil)
		if err == nil {
			ok++
		} else if isBusy(err) {
			busy++
		} else if !server.Banned(caller.id()) {
			t.Fatal(err)
		}
		if busy == 3 && server.Counts()[offenceFlood+spec.Name] != 0 {
			t.Error("the first requests beyond the rate were offences")
		}
		if ok+busy > 1000 {
			t.Fatal("no ban after 1000 requests")
		}
	}
	if ok != 3 {
		t.Errorf("%d requests were handled, want 3", ok)
	}
	if want := banScore/weightFlood + 1; server.Counts()[offenceFlood+spec.Name] != uint64(want) {
		t.Errorf("banned after %d offences, want %d", server.Counts()[offenceFlood+spec.Name], want)
	}
	if _, err := caller.Call(t.Context(), server.id(), 1, nil); err == nil {
		t.Error("a banned peer was answered")
	}
	server.clock.advance(firstBan)
	if _, err := caller.Call(t.Context(), server.id(), 1, nil); err != nil {
		t.Errorf("Call after the ban = %v", err)
	}
}

func TestServe_BusyBeyondThePeersBytes(t *testing.T) {
	caller, server := newPair(t, echo(), func(c *Config) { c.Bandwidth = [classes]int{Control: 1 << 20} })
	body := noiseBytes(MaxBody)
	if _, err := caller.Call(t.Context(), server.id(), 1, body); err != nil {
		t.Fatal(err)
	}
	// Request and reply together took the burst of 2 MiB and a little more.
	_, err := caller.Call(t.Context(), server.id(), 1, body)
	busy, ok := errors.AsType[*Busy](err)
	if !ok || busy.After < time.Second || busy.After > 1100*time.Millisecond {
		t.Fatalf("Call beyond the bytes = %v, want busy for a second", err)
	}
	// The request that was declined is charged too.
	server.clock.advance(2*time.Second + 200*time.Millisecond)
	if _, err := caller.Call(t.Context(), server.id(), 1, body); err != nil {
		t.Errorf("Call when told to = %v", err)
	}
	for range 100 {
		if _, err = caller.Call(t.Context(), server.id(), 1, body); !isBusy(err) {
			break
		}
	}
	if !server.Banned(caller.id()) {
		t.Errorf("a peer deep in debt goes on unpunished: %v", err)
	}
}

func TestServe_BannedPeerIsCutOff(t *testing.T) {
	caller, server := newPair(t, echo())
	if _, err := caller.Call(t.Context(), server.id(), 1, nil); err != nil {
		t.Fatal(err)
	}
	server.Offend(caller.id(), "test", banScore)
	if server.Banned(caller.id()) {
		t.Fatal("banned at the score that is still allowed")
	}
	server.Offend(caller.id(), "test", 1)
	if !server.Banned(caller.id()) {
		t.Fatal("not banned")
	}
	if got := server.host.Network().Connectedness(caller.id()); got == network.Connected {
		t.Error("the connection of the banned peer is open")
	}
	// Without a gater it may connect again, but nothing is answered.
	if _, err := caller.Call(t.Context(), server.id(), 1, nil); !errors.Is(err, ErrUnreachable) {
		t.Errorf("Call of a banned peer = %v, want %v", err, ErrUnreachable)
	}
	server.Register(2, echo())
	if _, err := server.Call(t.Context(), caller.id(), 2, nil); !errors.Is(err, ErrUnreachable) {
		t.Errorf("Call to a banned peer = %v, want %v", err, ErrUnreachable)
	}
	if got := server.host.opened.Load(); got != 0 {
		t.Errorf("opened %d streams to a banned peer, want 0", got)
	}
}

func TestServe_WaitsForHandlers(t *testing.T) {
	started := make(chan struct{})
	var ended atomic.Bool
	spec := echo()
	spec.Handle = func(ctx context.Context, _ peer.ID, _ []byte) ([]byte, error) {
		close(started)
		<-ctx.Done()
		runtime.Gosched()
		ended.Store(true)
		return []byte("last words"), nil
	}
	caller, server := newNode(t, newHost(t)), newNode(t, newHost(t))
	caller.Register(1, spec)
	server.Register(1, spec)
	meet(caller.host, server.host)
	stop := server.serve(t)
	type result struct {
		reply []byte
		err   error
	}
	got := make(chan result, 1)
	go func() {
		reply, err := caller.Call(t.Context(), server.id(), 1, nil)
		got <- result{reply, err}
	}()
	<-started
	stop()
	if !ended.Load() {
		t.Error("Serve ended before a handler")
	}
	if r := <-got; r.err != nil || string(r.reply) != "last words" {
		t.Errorf("Call() = %q, %v; want the last words", r.reply, r.err)
	}
	if _, err := caller.Call(t.Context(), server.id(), 1, nil); !errors.Is(err, ErrUnreachable) {
		t.Errorf("Call after Serve = %v, want %v", err, ErrUnreachable)
	}
}

func TestServe_MayBeStartedAgain(t *testing.T) {
	caller, server := newNode(t, newHost(t)), newNode(t, newHost(t))
	caller.Register(1, echo())
	server.Register(1, echo())
	meet(caller.host, server.host)
	for range 3 {
		stop := server.serve(t)
		if _, err := caller.Call(t.Context(), server.id(), 1, nil); err != nil {
			t.Error(err)
		}
		stop()
	}
}

func TestReadBody_TakesMemoryAsItComes(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := readBody(newReader(make([]byte, 100)), 200<<20); err == nil {
		t.Error("a short body was read")
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 10<<20 {
		t.Errorf("reading 100 of 200 MiB took %d bytes of memory", got)
	}
}

func TestCodec_BombTakesLittleMemory(t *testing.T) {
	c, err := newCodec(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.allow(100_000); err != nil {
		t.Fatal(err)
	}
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	const size = 256 << 20
	for name, bomb := range map[string][]byte{"silent": bombOf(t, size), "open": enc.EncodeAll(make([]byte, size), nil)} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := c.open(head{size: len(bomb), flags: flagCompressed}, bomb, 100_000)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, errFrame) || got > 8<<20 {
			t.Errorf("open(%s bomb of 256 MiB) = %v with %d bytes of memory", name, err, got)
		}
	}
}

func TestCodec_LimitsAreExact(t *testing.T) {
	for _, dict := range []string{"", "https://www.example.com/"} {
		testLimits(t, []byte(dict))
	}
}

func testLimits(t *testing.T, dict []byte) {
	c, err := newCodec(dict)
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int{0, 1, 100, 1023, 1024, 1025, 64 << 10, window, window + 1, MaxBody} {
		if err := c.allow(limit); err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{limit, limit + 1} {
			packed := c.enc.EncodeAll(make([]byte, n), nil)
			got, err := c.open(head{size: len(packed), flags: flagCompressed}, packed, limit)
			if (err == nil) != (n == limit) || err == nil && len(got) != n {
				t.Errorf("open(%d bytes) with limit %d = %d bytes, %v", n, limit, len(got), err)
			}
		}
	}
}
