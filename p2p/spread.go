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

	"github.com/forage-net/forage/p2p/pulse"
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

// subscribe takes part in the gossip about members.
func (n *Node) subscribe(ctx context.Context) error {
	params := pubsub.DefaultGossipSubParams()
	params.HeartbeatInterval = gossipBeat
	params.HeartbeatInitialDelay = pulse.Until(gossipBeat)
	// Items are signed by whom they are about, whoever passes them on.
	ps, err := pubsub.NewGossipSub(ctx, n.cfg.Host, pubsub.WithGossipSubParams(params),
		pubsub.WithMessageSignaturePolicy(pubsub.StrictNoSign), pubsub.WithNoAuthor(),
		pubsub.WithMaxMessageSize(maxGossip), pubsub.WithValidateQueueSize(gossipQueue),
		pubsub.WithMessageIdFn(func(m *pb.Message) string {
			sum := sha256.Sum256(m.Data)
			return string(sum[:16])
		}),
		// Members pass news on to members alone. One that speaks the oldest protocol would get them unasked.
		pubsub.WithGossipSubProtocols(
			[]protocol.ID{pubsub.GossipSubID_v12, pubsub.GossipSubID_v11}, pubsub.GossipSubDefaultFeatures),
		pubsub.WithPeerFilter(func(p peer.ID, _ string) bool { return n.Members.Roster.Admitted(p) }),
		pubsub.WithSubscriptionFilter(pubsub.NewAllowlistSubscriptionFilter(n.topicName())),
	)
	if err != nil {
		return fmt.Errorf("start gossip: %w", err)
	}
	if err := ps.RegisterTopicValidator(n.topicName(), n.judge,
		pubsub.WithValidatorTimeout(5*time.Second)); err != nil {
		return fmt.Errorf("start gossip: %w", err)
	}
	if n.topic, err = ps.Join(n.topicName()); err != nil {
		return fmt.Errorf("join gossip: %w", err)
	}
	sub, err := n.topic.Subscribe()
	if err != nil {
		return fmt.Errorf("join gossip: %w", err)
	}
	n.wg.Go(func() { // what the validator let through is in the roster already
		for {
			if _, err := sub.Next(ctx); err != nil {
				return
			}
		}
	})
	return nil
}

func (n *Node) topicName() string { return "/forage/" + n.cfg.Network + "/roster/1" }

// judge takes an item that came by gossip into the roster, and says whether
// it is worth passing on.
func (n *Node) judge(_ context.Context, from peer.ID, m *pubsub.Message) pubsub.ValidationResult {
	if from == n.self {
		return pubsub.ValidationAccept
	}
	if len(m.Data) > wire.MaxItemBytes {
		n.Requests.Offend(from, "gossip", 20)
		return pubsub.ValidationReject
	}
	if n.news.Floods(from) {
		n.Requests.Offend(from, "gossip flood", 5)
		return pubsub.ValidationIgnore
	}
	changed, err := n.Members.Roster.Add(from, m.Data)
	switch {
	case errors.Is(err, roster.ErrInvalid), errors.Is(err, roster.ErrForeign):
		n.Requests.Offend(from, "forged member", 20)
		return pubsub.ValidationReject
	case err != nil || !changed:
		return pubsub.ValidationIgnore
	}
	n.Members.Refresh()
	return pubsub.ValidationAccept
}

func (n *Node) publish(ctx context.Context, item []byte) error {
	if n.topic == nil {
		return nil
	}
	if err := n.topic.Publish(ctx, item); err != nil && ctx.Err() == nil {
		return fmt.Errorf("publish: %w", err)
	}
	return nil
}

// saveSoon is the least time between two saves while members are few. Then each one counts: who does not
// remember the only other one takes everything for its own after a crash, and visits sites that the other
// visits.
const saveSoon = time.Second

// watchRoster follows the roster until ctx is done.
func (n *Node) watchRoster(ctx context.Context) {
	changed, cancel := n.Members.Roster.Subscribe()
	defer cancel()
	minute := time.NewTicker(time.Minute)
	defer minute.Stop()
	save := time.NewTimer(n.cfg.Times.Save)
	defer save.Stop()
	var saved time.Time
	owners := n.Members.Owners()
	for {
		select {
		case <-ctx.Done():
			n.remember()
			return
		case <-save.C:
			saved, owners = time.Now(), n.Members.Owners()
			n.remember()
			save.Reset(n.cfg.Times.Save)
			continue
		case <-changed:
		case <-minute.C:
			n.Members.Roster.Expire(n.cfg.Now())
		}
		n.Members.Refresh()
		if n.Members.Owners() != owners && n.Members.Count() < fewMembers {
			save.Reset(time.Until(saved.Add(saveSoon)))
		}
	}
}

// remember saves the roster.
func (n *Node) remember() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.save(); err != nil {
		n.log.Warn("Members not remembered", "error", err)
	}
}
