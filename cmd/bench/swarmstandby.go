package main

import (
	"context"
	"time"
)

// What a node may use that stands by, and which one of a swarm does.
const (
	maxStandbyRate    = 32_000.0 / 8 // bytes a second each way
	maxStandbyCPU     = 0.003        // of the whole machine
	maxStandbySockets = 30
	standbyNode       = 1
	// standbyLook is how often it is looked at.
	standbyLook = 2 * time.Second
)

// standbyUse is what a node used that stood by while the others crawled.
type standbyUse struct {
	Seconds float64 `json:"seconds"`
	// Domains are those whose books it kept at the end.
	Domains int64 `json:"domains"`
	// CPU is a part of one core; Sent and Received are bytes a second over streams.
	CPU      float64 `json:"cpu"`
	Sent     float64 `json:"bytes_sent_per_second"`
	Received float64 `json:"bytes_received_per_second"`
	// Sockets is the most peers it was connected to, past the first seconds.
	Sockets int `json:"sockets"`
}

// watchStandby looks at the node until the returned function is called, which
// sets use.
func (n *swarmNode) watchStandby(ctx context.Context, use **standbyUse) (end func() error) {
	u := new(standbyUse)
	start, before := time.Now(), readProcess(n.cmd.Process.Pid)
	first, err := n.stream(ctx)
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(standbyLook)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				return
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			p, err := n.client.Peers(ctx)
			if err != nil || time.Since(start) < 5*standbyLook {
				continue
			}
			connected := 0
			for _, x := range p.Peers {
				if x.Connection != "none now" {
					connected++
				}
			}
			u.Sockets = max(u.Sockets, connected)
		}
	}()
	return func() error {
		close(stop)
		<-ended
		if err != nil {
			return err
		}
		last, err := n.stream(ctx)
		if err != nil {
			return err
		}
		s, err := n.client.Status(ctx)
		if err != nil {
			return err
		}
		u.Seconds = time.Since(start).Seconds()
		u.CPU = (readProcess(n.cmd.Process.Pid).cpu - before.cpu).Seconds() / u.Seconds
		u.Sent, u.Received = float64(last.sent-first.sent)/u.Seconds, float64(last.received-first.received)/u.Seconds
		u.Domains = s.Domains
		*use = u
		return nil
	}
}

// streamed is what went over the streams of a node.
type streamed struct{ sent, received int64 }

func (n *swarmNode) stream(ctx context.Context) (s streamed, err error) {
	p, err := n.client.Peers(ctx)
	if err != nil {
		return s, err
	}
	for _, t := range p.Traffic {
		if t.Kind == "" {
			s.sent += t.BytesSent
			s.received += t.BytesReceived
		}
	}
	return s, nil
}
