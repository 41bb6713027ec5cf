package p2p

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	pubsub "github.com/libp2p/go-libp2p-pubsub"
	pb "github.com/libp2p/go-libp2p-pubsub/pb"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"

	"github.com/forage-net/forage/p2p/flood"
	"github.com/forage-net/forage/p2p/members"
	"github.com/forage-net/forage/p2p/pulse"
	"github.com/forage-net/forage/p2p/requests"
	"github.com/forage-net/forage/p2p/roster"
	"github.com/forage-net/forage/p2p/wire"
)

const (
	// maxGossip is the largest message of the gossip protocol, several items
	// and its own words together, in bytes.
	maxGossip = 64 << 10
	// gossipQueue is how many items wait to be checked; more are dropped, and
	// come by comparison.
	gossipQueue = 256
	// gossipBeat is how often what was heard is told again to some who may have missed it: half as often as the
	// library would, since what gossip loses comes by comparison of rosters.
	gossipBeat = 2 * time.Second
)

// gossip spreads news of members: signed items that go from member to member.
type gossip struct {
	cfg      Config
	self     peer.ID
	members  *members.Members
	requests *requests.Requests
	news     *flood.Bounds
	topic    *pubsub.Topic // nil before join
}

// join takes part in the gossip until ctx is done.
func (g *gossip) join(ctx context.Context) (*pubsub.Subscription, error) {
	params := pubsub.DefaultGossipSubParams()
	params.HeartbeatInterval = gossipBeat
	params.HeartbeatInitialDelay = pulse.Until(gossipBeat)
	// Items are signed by whom they are about, whoever passes them on.
	ps, err := pubsub.NewGossipSub(ctx, g.cfg.Host, pubsub.WithGossipSubParams(params),
		pubsub.WithMessageSignaturePolicy(pubsub.StrictNoSign), pubsub.WithNoAuthor(),
		pubsub.WithMaxMessageSize(maxGossip), pubsub.WithValidateQueueSize(gossipQueue),
		pubsub.WithMessageIdFn(func(m *pb.Message) string {
			sum := sha256.Sum256(m.Data)
			return string(sum[:16])
		}),
		// Members pass news on to members alone. One that speaks the oldest protocol would get them unasked.
		pubsub.WithGossipSubProtocols(
			[]protocol.ID{pubsub.GossipSubID_v12, pubsub.GossipSubID_v11}, pubsub.GossipSubDefaultFeatures),
		pubsub.WithPeerFilter(func(p peer.ID, _ string) bool { return g.members.Roster.Admitted(p) }),
		pubsub.WithSubscriptionFilter(pubsub.NewAllowlistSubscriptionFilter(topicName(g.cfg.Network))),
	)
	if err != nil {
		return nil, fmt.Errorf("start gossip: %w", err)
	}
	if err := ps.RegisterTopicValidator(topicName(g.cfg.Network), g.judge,
		pubsub.WithValidatorTimeout(5*time.Second)); err != nil {
		return nil, fmt.Errorf("start gossip: %w", err)
	}
	if g.topic, err = ps.Join(topicName(g.cfg.Network)); err != nil {
		return nil, fmt.Errorf("join gossip: %w", err)
	}
	sub, err := g.topic.Subscribe()
	if err != nil {
		return nil, fmt.Errorf("join gossip: %w", err)
	}
	return sub, nil
}

func topicName(network string) string { return "/forage/" + network + "/roster/1" }

// judge takes an item that came by gossip into the roster, and says whether
// it is worth passing on.
func (g *gossip) judge(_ context.Context, from peer.ID, m *pubsub.Message) pubsub.ValidationResult {
	if from == g.self {
		return pubsub.ValidationAccept
	}
	if len(m.Data) > wire.MaxItemBytes {
		g.requests.Offend(from, "gossip", 20)
		return pubsub.ValidationReject
	}
	if g.news.Floods(from) {
		g.requests.Offend(from, "gossip flood", 5)
		return pubsub.ValidationIgnore
	}
	changed, err := g.members.Roster.Add(from, m.Data)
	switch {
	case errors.Is(err, roster.ErrInvalid), errors.Is(err, roster.ErrForeign):
		g.requests.Offend(from, "forged member", 20)
		return pubsub.ValidationReject
	case err != nil || !changed:
		return pubsub.ValidationIgnore
	}
	g.members.Refresh()
	return pubsub.ValidationAccept
}

func (g *gossip) publish(ctx context.Context, item []byte) error {
	if g.topic == nil {
		return nil
	}
	if err := g.topic.Publish(ctx, item); err != nil && ctx.Err() == nil {
		return fmt.Errorf("publish: %w", err)
	}
	return nil
}
