// Package dhtrpc carries the messages of the DHT. The DHT's own sender is too patient for a network of home computers.
package dhtrpc

import (
	"context"
	"fmt"
	"time"

	pb "github.com/libp2p/go-libp2p-kad-dht/pb"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"
	"github.com/libp2p/go-msgio/pbio"
)

const (
	// rpcTimeout is how long one question of the DHT may take. With the stock
	// sender's 10 s and a retry, every search after a power cut takes half a
	// minute, and it takes an hour until the dead are forgotten; with this, 4 s
	// and 20 s.
	rpcTimeout = 2 * time.Second
	// maxReply is the longest answer that is read, in bytes: 20 peers with 16
	// addresses each are a fifth of it.
	maxReply = 64 << 10
)

// sender carries the DHT's messages, each on a stream of its own, within
// rpcTimeout. It also uses relayed connections that are limited in time and
// bytes, for which DHT messages are small enough. The DHT's own sender has neither
// property and lives in an internal package.
type sender struct {
	host      host.Host
	protocols []protocol.ID
}

// NewSender returns what asks other peers for a host.
func NewSender(h host.Host, protocols []protocol.ID) pb.MessageSenderWithDisconnect {
	return &sender{host: h, protocols: protocols}
}

// OnDisconnect does nothing: no stream outlives its question.
func (s *sender) OnDisconnect(context.Context, peer.ID) {}

// SendRequest asks p and returns its answer.
func (s *sender) SendRequest(ctx context.Context, p peer.ID, m *pb.Message) (*pb.Message, error) {
	reply := new(pb.Message)
	begun := time.Now()
	if err := s.exchange(ctx, p, m, reply); err != nil {
		return nil, fmt.Errorf("ask peer %s: %w", p, err)
	}
	s.host.Peerstore().RecordLatency(p, time.Since(begun))
	return reply, nil
}

// SendMessage tells p and waits for no answer.
func (s *sender) SendMessage(ctx context.Context, p peer.ID, m *pb.Message) error {
	if err := s.exchange(ctx, p, m, nil); err != nil {
		return fmt.Errorf("tell peer %s: %w", p, err)
	}
	return nil
}

// exchange sends m and, if reply is not nil, reads the answer into it.
func (s *sender) exchange(ctx context.Context, p peer.ID, m, reply *pb.Message) (err error) {
	ctx, cancel := context.WithTimeout(network.WithAllowLimitedConn(ctx, "dht"), rpcTimeout)
	defer cancel()
	stream, err := s.host.NewStream(ctx, p, s.protocols...)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = stream.Reset() })
	defer stop()
	defer func() {
		if err != nil {
			_ = stream.Reset()
		}
	}()
	if err := pbio.NewDelimitedWriter(stream).WriteMsg(m); err != nil {
		return err
	}
	if reply == nil {
		return stream.Close()
	}
	if err := stream.CloseWrite(); err != nil {
		return err
	}
	if err := pbio.NewDelimitedReader(stream, maxReply).ReadMsg(reply); err != nil {
		return err
	}
	return stream.Close()
}
