package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/app/demo"
)

// sizes are means over the expected pages of a web, in bytes.
type sizes struct {
	wire    float64 // the whole answer to a client that takes compressed pages
	decoded float64 // the document, in its own character encoding
}

// accepted are the codings that forage takes.
const accepted = "gzip, br"

// sizesOf asks for every expected page twice, compressed and not. The bytes
// are those of the connection, heads and chunk framing included.
func sizesOf(ctx context.Context, web *demo.Web) (sizes, error) {
	pages := web.Expected()
	var received atomic.Int64
	client := countingClient(web.Hosts(), &received)
	defer client.CloseIdleConnections()
	var document int64
	for _, u := range pages {
		if _, err := get(ctx, client, u, accepted); err != nil {
			return sizes{}, err
		}
	}
	wire := received.Load()
	for _, u := range pages {
		n, err := get(ctx, client, u, "identity")
		if err != nil {
			return sizes{}, err
		}
		document += n
	}
	n := float64(len(pages))
	return sizes{wire: float64(wire) / n, decoded: float64(document) / n}, nil
}

// get returns the length of a body as it came, unchunked.
func get(ctx context.Context, client *http.Client, url, codings string) (int64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Accept-Encoding", codings)
	resp, err := client.Do(req)
	if err != nil {
		return 0, fmt.Errorf("ask for the size of a page: %w", err)
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", url, err)
	}
	return n, nil
}

// countingClient returns a client that knows the names in hosts, lines of
// "ADDRESS:PORT NAME", and counts what it receives.
func countingClient(hosts string, received *atomic.Int64) *http.Client {
	addresses := make(map[string]string)
	for line := range strings.Lines(hosts) {
		if address, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			addresses[name] = address
		}
	}
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	return &http.Client{
		Timeout: time.Minute,
		Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			host, _, err := net.SplitHostPort(address)
			if err != nil || addresses[host] == "" {
				return nil, fmt.Errorf("%s is not a host of the practice web", address)
			}
			conn, err := dialer.DialContext(ctx, network, addresses[host])
			if err != nil {
				return nil, err
			}
			return &countingConn{Conn: conn, received: received}, nil
		}},
	}
}

// countingConn adds what is read to a counter.
type countingConn struct {
	net.Conn
	received *atomic.Int64
}

// Read implements net.Conn.
func (c *countingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.received.Add(int64(n))
	return n, err
}
