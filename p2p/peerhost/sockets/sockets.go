// Package sockets has the sockets of a libp2p host: their bytes are counted, and those of UDP can be made mute (Valve).
package sockets

import (
	"context"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/transport"
	"github.com/libp2p/go-libp2p/p2p/transport/tcp"
	"github.com/libp2p/go-libp2p/p2p/transport/tcpreuse"
	manet "github.com/multiformats/go-multiaddr/net"
)

// Count is told how many bytes a socket has sent or received.
type Count func(sent bool, n int)

// Add tells it of n bytes, if there is one to be told and n is more than 0.
func (f Count) Add(sent bool, n int) {
	if f != nil && n > 0 {
		f(sent, n)
	}
}

// TCP is libp2p's transport, with its sockets counted. A dial takes timeout at most. All connections, dialled and
// taken, pass its upgrader.
func TCP(count Count, timeout time.Duration) libp2p.Option {
	if count == nil {
		return libp2p.Transport(tcp.NewTCPTransport, tcp.WithConnectionTimeout(timeout))
	}
	return libp2p.Transport(func(
		u transport.Upgrader, limits network.ResourceManager, shared *tcpreuse.ConnMgr,
	) (*tcp.TcpTransport, error) {
		return tcp.NewTCPTransport(countedUpgrader{u, count}, limits, shared, tcp.WithConnectionTimeout(timeout))
	})
}

// countedUpgrader makes connections of sockets that it counts.
type countedUpgrader struct {
	transport.Upgrader
	count Count
}

// Upgrade implements transport.Upgrader.
func (u countedUpgrader) Upgrade(ctx context.Context, t transport.Transport, c manet.Conn, dir network.Direction,
	p peer.ID,
	scope network.ConnManagementScope) (transport.CapableConn, error) {
	return u.Upgrader.Upgrade(ctx, t, countedConn{c, u.count}, dir, p, scope)
}

// UpgradeGatedMaListener implements transport.Upgrader.
func (u countedUpgrader) UpgradeGatedMaListener(t transport.Transport, l transport.GatedMaListener) transport.Listener {
	return u.Upgrader.UpgradeGatedMaListener(t, countedListener{l, u.count})
}

type countedListener struct {
	transport.GatedMaListener
	count Count
}

// Accept implements transport.GatedMaListener.
func (l countedListener) Accept() (manet.Conn, network.ConnManagementScope, error) {
	c, scope, err := l.GatedMaListener.Accept()
	if err != nil {
		return nil, nil, err
	}
	return countedConn{c, l.count}, scope, nil
}

type countedConn struct {
	manet.Conn
	count Count
}

// Read implements net.Conn.
func (c countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.count.Add(false, n)
	return n, err
}

// Write implements net.Conn.
func (c countedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.count.Add(true, n)
	return n, err
}
