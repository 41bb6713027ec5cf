package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

// A frame is the size of its body as a uvarint, a kind, flags, and the body (p2p/calls).
func frame(kind wire.Kind, flags byte, body []byte) []byte {
	return append(append(binary.AppendUvarint(nil, uint64(len(body))), byte(kind), flags), body...)
}

// broken are frames that are none, or promise what does not come.
var broken = map[string][]byte{
	"size without end":  bytes.Repeat([]byte{0xff}, 6),
	"256 MiB announced": {0xff, 0xff, 0xff, 0x7f, byte(wire.KindSync), 0},
	"unknown kind":      frame(99, 0, nil),
	"unknown flags":     frame(wire.KindPing, 0xff, nil),
	"zstd of 2 GiB":     frame(wire.KindSync, 1, []byte{0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0xff, 0xff, 0xff, 0x7f}),
	"no zstd":           frame(wire.KindBeat, 1, bytes.Repeat([]byte{0x28, 0xb5}, 500)),
	"nested lists":      frame(wire.KindSync, 0, bytes.Repeat([]byte{0x81}, 500)),
	"endless lists":     frame(wire.KindSync, 0, bytes.Repeat([]byte{0x9f}, 1000)),
	"list of 2^63": frame(wire.KindSync, 0,
		append(append([]byte{0x84, 0x50}, make([]byte, 16)...), 0, 0x9b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
			0xff)),
	"packet of zeros":     frame(wire.KindBeat, 0, make([]byte, 1<<16)),
	"message of 600 KiB":  frame(wire.KindBeat, 0, append(append([]byte{1}, make([]byte, 16)...), 0xff, 0xff, 0x24)),
	"largest frame":       frame(wire.KindSync, 0, make([]byte, 1<<20)),
	"ten MiB, and a size": frame(wire.KindSync, 0, make([]byte, 10<<20)),
}

// abuse leaves requests half sent, then sends each broken frame as somebody new.
func abuse(ctx context.Context, o *options) error {
	s, err := newStranger(ctx, o)
	if err != nil {
		return err
	}
	var open []network.Stream
	for range o.n {
		stream, err := s.host.NewStream(ctx, s.to, calls.Protocol(o.network, calls.Control))
		if err == nil {
			_, err = stream.Write([]byte{0xff, 0xff, 0x3f}) // 1 MiB announced, never sent
		}
		if err != nil {
			o.did.add("half requests refused", 1)
			continue
		}
		open = append(open, stream)
		o.did.add("half requests", 1)
	}
	for _, b := range broken {
		if err := o.sendBroken(ctx, b); err != nil {
			o.did.add("connections refused", 1)
		}
	}
	for _, stream := range open {
		_ = stream.Reset()
	}
	s.close()
	return ctx.Err()
}

// sendBroken sends bytes as a new identity in each class.
func (o *options) sendBroken(ctx context.Context, b []byte) error {
	s, err := newStranger(ctx, o)
	if err != nil {
		return err
	}
	defer s.close()
	for _, class := range []calls.Class{calls.Control, calls.Work, calls.Bulk} {
		stream, err := s.host.NewStream(ctx, s.to, calls.Protocol(o.network, class))
		if err != nil {
			o.did.add("streams refused", 1)
			continue
		}
		_ = stream.SetDeadline(time.Now().Add(2 * time.Second))
		_, err = stream.Write(b)
		_ = stream.CloseWrite()
		answer, _ := io.ReadAll(io.LimitReader(stream, 1<<10))
		if o.did.add("broken frames", 1); err == nil && len(answer) > 0 {
			o.did.add("answers to broken frames", 1)
		}
		_ = stream.Reset()
	}
	return nil
}

// flood asks the question that costs most, as many identities.
func flood(ctx context.Context, o *options) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var all sync.WaitGroup
	for range o.n {
		all.Go(func() {
			s, err := newStranger(ctx, o)
			if err != nil {
				o.did.add("connections refused", 1)
				return
			}
			defer s.close()
			o.did.add("connections", 1)
			for ctx.Err() == nil {
				if err := s.sync(ctx); err != nil {
					o.did.add("refused", 1)
					wait(ctx, 10*time.Millisecond)
					continue
				}
				o.did.add("answered", 1)
			}
		})
	}
	all.Wait()
	return nil
}

// conns counts how many identities one address may have connected.
func conns(ctx context.Context, o *options) error {
	for range o.n {
		s, err := newStranger(ctx, o)
		if err != nil {
			o.did.add("connections refused", 1)
			continue
		}
		defer s.close()
		o.did.add("connections", 1)
		defer func() {
			if s.host.Network().Connectedness(s.to) == network.Connected {
				o.did.add("connections in the end", 1)
			}
		}()
	}
	wait(ctx, 7*time.Second)
	return nil
}
