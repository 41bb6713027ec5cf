package peerhost

import (
	"context"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/transport"
	"github.com/libp2p/go-libp2p/p2p/transport/tcp"
	"github.com/libp2p/go-libp2p/p2p/transport/tcpreuse"
	manet "github.com/multiformats/go-multiaddr/net"
)

// SocketCount is told how many bytes a socket has sent or received.
type SocketCount func(sent bool, n int)

func (f SocketCount) add(sent bool, n int) {
	if f != nil && n > 0 {
		f(sent, n)
	}
}

// tcpTransport is libp2p's, with its sockets counted. All connections, dialled and
// taken, pass its upgrader.
func tcpTransport(count SocketCount) libp2p.Option {
	if count == nil {
		return libp2p.Transport(tcp.NewTCPTransport, tcp.WithConnectionTimeout(dialTimeout))
	}
	return libp2p.Transport(
		func(u transport.Upgrader, limits network.ResourceManager, shared *tcpreuse.ConnMgr) (*tcp.TcpTransport, error) {
			return tcp.NewTCPTransport(countedUpgrader{u, count}, limits, shared, tcp.WithConnectionTimeout(dialTimeout))
		})
}

// countedUpgrader makes connections of sockets that it counts.
type countedUpgrader struct {
	transport.Upgrader
	count SocketCount
}

// Upgrade implements transport.Upgrader.
func (u countedUpgrader) Upgrade(ctx context.Context, t transport.Transport, c manet.Conn, dir network.Direction, p peer.ID,
	scope network.ConnManagementScope) (transport.CapableConn, error) {
	return u.Upgrader.Upgrade(ctx, t, countedConn{c, u.count}, dir, p, scope)
}

// UpgradeGatedMaListener implements transport.Upgrader.
func (u countedUpgrader) UpgradeGatedMaListener(t transport.Transport, l transport.GatedMaListener) transport.Listener {
	return u.Upgrader.UpgradeGatedMaListener(t, countedListener{l, u.count})
}

type countedListener struct {
	transport.GatedMaListener
	count SocketCount
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
	count SocketCount
}

// Read implements net.Conn.
func (c countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.count.add(false, n)
	return n, err
}

// Write implements net.Conn.
func (c countedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.count.add(true, n)
	return n, err
}
