package calls

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/protocol"
)

// Config says how calls are made. Only Network is needed.
type Config struct {
	// Network is the name of the network. It is part of the protocols, so
	// nodes of different networks do not talk.
	Network string
	// Dictionary is raw content that resembles small messages, to compress
	// them better. It must be the same at all nodes of a network.
	Dictionary []byte
	// Bandwidth is how many bytes per second one peer may send and fetch, by
	// class. Zero means 256 KiB, 2 MiB and 8 MiB.
	Bandwidth [classes]int
	// Meter is told of all traffic. Nil counts nothing.
	Meter Counter
	// Limiter holds traffic back. Nil never does.
	Limiter Limiter
	// Now is the clock of rates, scores and bans. Nil means time.Now. Waits
	// and deadlines follow package time.
	Now func() time.Time
	// Log receives bans and bugs. Nil discards.
	Log *slog.Logger
}

// Calls makes and answers calls between peers.
type Calls struct {
	host      host.Host
	log       *slog.Logger
	counter   Counter
	limiter   Limiter
	codec     *codec
	protocols [classes]protocol.ID
	specs     [256]*Spec

	offences *offences
	door     *door
	pool     *pool
	paces    *paces
}

// New returns Calls on a host. Nothing is answered before Serve.
func New(h host.Host, cfg Config) (*Calls, error) {
	if cfg.Network == "" {
		return nil, errors.New("make calls: no name of a network")
	}
	codec, err := newCodec(cfg.Dictionary)
	if err != nil {
		return nil, fmt.Errorf("make calls: %w", err)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Meter == nil {
		cfg.Meter = noCounter{}
	}
	if cfg.Limiter == nil {
		cfg.Limiter = freely{}
	}
	c := &Calls{
		host:     h,
		log:      cfg.Log,
		counter:  cfg.Meter,
		limiter:  cfg.Limiter,
		codec:    codec,
		offences: newOffences(cfg.Now),
		door:     newDoor(cfg.Now, cfg.Bandwidth),
		pool:     newPool(),
		paces:    newPaces(),
	}
	for class := range Class(classes) {
		c.protocols[class] = Protocol(cfg.Network, class)
	}
	return c, nil
}

// noCounter counts nothing.
type noCounter struct{}

func (noCounter) Count(Class, Kind, bool, int) {}

// Register adds a kind of request. It must not be called after Serve or Call.
// It panics if the kind is taken or spec cannot be meant.
func (c *Calls) Register(kind Kind, spec Spec) {
	s, err := spec.withDefaults()
	if err == nil && c.specs[kind] != nil {
		err = fmt.Errorf("%s: kind %d is taken by %s", s.Name, kind, c.specs[kind].Name)
	}
	if err == nil {
		err = errors.Join(c.codec.allow(s.MaxRequest), c.codec.allow(s.MaxReply))
	}
	if err != nil {
		panic(fmt.Errorf("register request: %w", err))
	}
	c.specs[kind] = &s
}

// Serve answers the requests of peers and closes idle streams until ctx ends.
// Then it lets handlers end, waits for them and returns ctx.Err. Calls that
// are under way end with their own contexts.
func (c *Calls) Serve(ctx context.Context) error {
	c.door.start()
	for class := range Class(classes) {
		c.host.SetStreamHandler(c.protocols[class], func(s network.Stream) { c.accept(ctx, class, s) })
	}
	c.pool.serve(ctx)
	for _, id := range c.protocols {
		c.host.RemoveStreamHandler(id)
	}
	c.door.stop()
	c.pool.stop()
	return ctx.Err()
}

// errHeld means that a frame was not sent, or not to its end, because the limiter did
// not let it in time.
var errHeld = errors.New("wait for bandwidth")

// send writes a frame to l as the limiter lets it, and counts it. The error is that of
// the stream, or wraps errHeld.
func (c *Calls) send(ctx context.Context, l *link, class Class, kind Kind, frame []byte) error {
	total := 0
	var failed error
	err := c.limiter.Send(ctx, class, frame, func(piece []byte) (n int, _ error) {
		if failed = l.hurryWrite(ctx); failed == nil {
			n, failed = l.stream.Write(piece)
			total += n
		}
		return n, failed
	})
	c.counter.Count(class, kind, true, total)
	if total == len(frame) {
		return nil // whatever came behind it
	}
	if failed != nil || err == nil {
		return failed
	}
	return fmt.Errorf("%w: %w", errHeld, err)
}

// received tells the limiter of n bytes of a frame and waits for it.
func (c *Calls) received(ctx context.Context, class Class, n int) error {
	if err := c.limiter.Received(ctx, class, n); err != nil {
		return fmt.Errorf("%w: %w", errHeld, err)
	}
	return nil
}
