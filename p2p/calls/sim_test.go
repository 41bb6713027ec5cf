package calls

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/x/simlibp2p"
	"github.com/marcopolo/simnet"
)

// simulate runs test in virtual time, with a caller, a server that serves spec
// and a stranger, over QUIC with 50 ms from one to another.
func simulate(t *testing.T, spec Spec, test func(t *testing.T, caller, server *node, stranger host.Host)) {
	synctest.Test(t, func(t *testing.T) {
		link := simnet.LinkSettings{BitsPerSecond: 20 * simlibp2p.OneMbps}
		net, meta, err := simlibp2p.SimpleLibp2pNetwork([]simlibp2p.NodeLinkSettingsAndCount{{
			LinkSettings: simnet.NodeBiDiLinkSettings{Downlink: link, Uplink: link}, Count: 3,
		}}, simnet.StaticLatency(50*time.Millisecond), simlibp2p.NetworkSettings{})
		if err != nil {
			t.Fatal(err)
		}
		net.Start()
		defer net.Close()
		for _, h := range meta.Nodes {
			defer h.Close()
		}
		virtual := func(c *Config) { c.Now = time.Now }
		caller, server := newNode(t, meta.Nodes[0], virtual), newNode(t, meta.Nodes[1], virtual)
		caller.Register(1, spec)
		server.Register(1, spec)
		meet(caller.host, server.host)
		meet(meta.Nodes[2], server.host)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 2)
		for _, n := range []*node{caller, server} {
			go func() { ended <- n.Serve(ctx) }()
		}
		synctest.Wait()
		test(t, caller, server, meta.Nodes[2])
		cancel()
		for range 2 {
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("Serve() = %v, want %v", err, context.Canceled)
			}
		}
	})
}

// forageStreams returns how many streams of ours h has.
func forageStreams(h host.Host) int {
	n := 0
	for _, conn := range h.Network().Conns() {
		for _, s := range conn.GetStreams() {
			if strings.HasPrefix(string(s.Protocol()), "/forage/") {
				n++
			}
		}
	}
	return n
}

func TestSim_CallerClosesIdleStreams(t *testing.T) {
	simulate(t, echo(), func(t *testing.T, caller, server *node, _ host.Host) {
		for range 3 {
			if _, err := caller.Call(t.Context(), server.id(), 1, nil); err != nil {
				t.Fatal(err)
			}
			time.Sleep(callerIdle - time.Second)
		}
		if got := forageStreams(caller.host); got != 1 {
			t.Errorf("%d streams after %v, want 1", got, callerIdle-time.Second)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if here, there := forageStreams(caller.host), forageStreams(server.host); here != 0 || there != 0 {
			t.Errorf("%d and %d streams after %v, want none", here, there, callerIdle+time.Second)
		}
		if len(caller.pool.lanes) != 0 {
			t.Errorf("%d lanes left", len(caller.pool.lanes))
		}
	})
}

func TestSim_ServerClosesIdleStreams(t *testing.T) {
	simulate(t, echo(), func(t *testing.T, _, server *node, stranger host.Host) {
		s := rawStream(t, stranger, server.id(), Control)
		if _, err := s.Write(rawFrame(0, 1, 0, nil)); err != nil {
			t.Fatal(err)
		}
		if status, err := readStatus(s); err != nil || status != statusOK {
			t.Fatal(status, err)
		}
		began := time.Now()
		if status, err := readStatus(s); err == nil {
			t.Errorf("status %d of no request", status)
		}
		if got := time.Since(began); got < serverIdle-time.Second || got > serverIdle+time.Second {
			t.Errorf("idle stream ended after %v, want %v", got, serverIdle)
		}
		if got := server.Counts(); len(got) != 0 {
			t.Errorf("offences %v, want none", got)
		}
	})
}

func TestSim_DribblingOffends(t *testing.T) {
	simulate(t, echo(), func(t *testing.T, _, server *node, stranger host.Host) {
		for i, frame := range [][]byte{
			rawFrame(200, 1, 0, make([]byte, 100)), // half a body
			{0x80},                                 // half a header
			rawFrame(100, 77, 0, nil),              // no body of an unknown kind
		} {
			s := rawStream(t, stranger, server.id(), Control)
			began := time.Now()
			ended := make(chan error, 1)
			go func() {
				_, err := readStatus(s)
				ended <- err
			}()
			for _, b := range frame {
				_, _ = s.Write([]byte{b})
				time.Sleep(10 * time.Millisecond)
			}
			if err := <-ended; err == nil {
				t.Errorf("frame %d was answered", i)
			}
			if got := time.Since(began); got > arrival+3*time.Second {
				t.Errorf("frame %d was read for %v, want about %v", i, got, arrival)
			}
			if got := server.Counts()[offenceSlow]; got != uint64(i+1) {
				t.Errorf("frame %d: %d offences, want %d", i, got, i+1)
			}
		}
		if got := server.door.active[Control]; got != 0 {
			t.Errorf("%d requests in flight, want 0", got)
		}
	})
}

func TestSim_PeerThatDoesNotReadOffends(t *testing.T) {
	spec := answerWith(noiseBytes(MaxBody), nil)
	simulate(t, spec, func(t *testing.T, _, server *node, stranger host.Host) {
		s := rawStream(t, stranger, server.id(), Control)
		if _, err := s.Write(rawFrame(0, 1, 0, nil)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(arrivalTime(MaxBody) + time.Second)
		synctest.Wait()
		if got := server.Counts()[offenceSlow]; got != 1 || server.door.active[Control] != 0 {
			t.Errorf("%d offences and %d in flight, want 1 and 0", got, server.door.active[Control])
		}
	})
}

func TestSim_CallHasTheTimeOfItsClass(t *testing.T) {
	for class := range Class(classes) {
		want := boundsOf(class).timeout
		spec := echo()
		spec.Class = class
		spec.Handle = func(ctx context.Context, _ peer.ID, _ []byte) ([]byte, error) {
			began := time.Now()
			<-ctx.Done()
			if got := time.Since(began); got != want {
				t.Errorf("%v handler had %v, want %v", class, got, want)
			}
			return nil, ctx.Err()
		}
		simulate(t, spec, func(t *testing.T, caller, server *node, _ host.Host) {
			began := time.Now()
			_, err := caller.Call(t.Context(), server.id(), 1, nil)
			if got := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || got != want {
				t.Errorf("%v call = %v after %v, want %v", class, err, got, want)
			}
			time.Sleep(time.Second)
		})
	}
}

func TestSim_SilentPeerCostsTheDeadline(t *testing.T) {
	simulate(t, echo(), func(t *testing.T, caller, server *node, _ host.Host) {
		if _, err := caller.Call(t.Context(), server.id(), 1, nil); err != nil {
			t.Fatal(err)
		}
		rawServer(server.host.Host, Control, func(network.Stream, int) {}) // takes requests, says nothing
		resetAll(server.host)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		began := time.Now()
		_, err := caller.Call(ctx, server.id(), 1, nil)
		if got := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || got != 3*time.Second {
			t.Errorf("Call() = %v after %v", err, got)
		}
	})
}

func TestSim_IdleStreamsMakeRoom(t *testing.T) {
	simulate(t, echo(), func(t *testing.T, _, server *node, stranger host.Host) {
		ask := func(s network.Stream) error {
			if _, err := s.Write(rawFrame(0, 1, 0, nil)); err != nil {
				return err
			}
			_, err := readStatus(s)
			synctest.Wait()
			return err
		}
		var streams []network.Stream
		for i := range maxStreams + 3 {
			s := rawStream(t, stranger, server.id(), Control)
			if err := ask(s); err != nil {
				t.Fatalf("stream %d: %v", i, err)
			}
			streams = append(streams, s)
		}
		for i, s := range streams {
			if err := ask(s); (err != nil) != (i < 3) {
				t.Errorf("stream %d: %v; want the first 3 reset", i, err)
			}
		}
	})
}

func TestSim_LieThatIsTooMuchBans(t *testing.T) {
	spec := answerWith(nil, &Lie{What: "forged", Weight: 60})
	simulate(t, spec, func(t *testing.T, caller, server *node, _ host.Host) {
		if _, err := caller.Call(t.Context(), server.id(), 1, nil); err == nil || server.Banned(caller.id()) {
			t.Fatal("banned at once, or believed:", err)
		}
		if _, err := caller.Call(t.Context(), server.id(), 1, nil); err == nil || !server.Banned(caller.id()) {
			t.Fatal("not banned, or believed:", err)
		}
		if _, err := caller.Call(t.Context(), server.id(), 1, nil); !errors.Is(err, ErrUnreachable) {
			t.Errorf("Call of a banned peer = %v, want %v", err, ErrUnreachable)
		}
		time.Sleep(firstBan)
		if _, err := caller.Call(t.Context(), server.id(), 1, nil); server.Banned(caller.id()) {
			t.Errorf("still banned after %v: %v", firstBan, err)
		} else if refused, ok := errors.AsType[*Refused](err); !ok || refused.Text != "forged" {
			t.Errorf("Call after the ban = %v, want a refusal", err)
		}
	})
}
