package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// gateHost is the host of the only seed of a swarm.
const gateHost = "gate.test"

// gateHolds is how long a visitor of the gate waits at most: less than a node
// waits for an answer.
const gateHolds = 25 * time.Second

// gate is the page where a swarm begins. It is answered when the nodes
// are all there, and leads to the web; until then they have nothing to do.
type gate struct {
	body    string
	server  *http.Server
	host    string // a line for the hosts file
	opened  chan struct{}
	opening sync.Once
	served  sync.WaitGroup
}

// newGate serves a page that leads to a URL, or, if that is "", to nothing.
func newGate(to string) (*gate, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g := &gate{opened: make(chan struct{}), host: fmt.Sprintf("%s %s\n", l.Addr(), gateHost), body: "<title>Gate</title>"}
	if to != "" {
		g.body += `<a href="` + to + `">in</a>`
	}
	g.server = &http.Server{Handler: g, ReadHeaderTimeout: 10 * time.Second}
	g.served.Go(func() { _ = g.server.Serve(l) }) // ends with ErrServerClosed
	return g, nil
}

// open lets the visitors in.
func (g *gate) open() { g.opening.Do(func() { close(g.opened) }) }

// ServeHTTP implements http.Handler.
func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/" {
		http.NotFound(w, r)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), gateHolds)
	defer cancel()
	select {
	case <-g.opened:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, g.body)
	case <-ctx.Done():
		w.Header().Set("Retry-After", "1")
		http.Error(w, "not yet", http.StatusServiceUnavailable)
	}
}

// Close cuts all connections.
func (g *gate) Close() error {
	g.open()
	err := g.server.Close()
	g.served.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
