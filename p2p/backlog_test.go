package p2p

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/p2p/roster"
)

func TestBacklog_IsHeardByAll(t *testing.T) {
	a := start(t, quickTimes())
	b := start(t, quickTimes(), a)
	c := start(t, quickTimes(), a)
	nodes := []*runningNode{a, b, c}
	until(t, "all know each other", func() bool { return agree(nodes) })
	until(t, "the others hear that domains of one wait", func() bool {
		a.backlogs.said = time.Time{} // what is lost while gossip finds its ways is said again
		if err := a.Announce(t.Context(), 7); err != nil {
			t.Fatal(err)
		}
		for _, n := range nodes[1:] {
			if list := n.Announced(4); len(list) != 1 || list[0] != a.Self() {
				return false
			}
		}
		return true
	})
	if list := a.Announced(4); len(list) != 0 {
		t.Errorf("it hears itself: %q", list)
	}
	for _, n := range nodes {
		if said := n.Offences(); len(said) > 0 {
			t.Errorf("offences: %v", said)
		}
	}
}

// What is said of a member's domains must be signed by it, of this network, new and not said too often.
func TestBacklog_WhatIsTaken(t *testing.T) {
	n := aloneNode(t)
	member := newKey(t)
	if _, err := n.roster.Add(recordOf(t, n.cfg.Network, member, nil)); err != nil {
		t.Fatal(err)
	}
	said := func(network string, key crypto.PrivKey, domains uint32, ago time.Duration) []byte {
		raw, err := roster.SealBacklog(network, key, domains, time.Now().Add(-ago))
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	good := said(n.cfg.Network, member, 3, time.Minute)
	forged := append([]byte(nil), good...)
	forged[50] ^= 1
	for i, c := range []struct {
		what string
		raw  []byte
		want pubsub.ValidationResult
	}{
		{"forged", forged, pubsub.ValidationReject},
		{"cut off", good[:len(good)-1], pubsub.ValidationReject},
		{"too long", append(append([]byte(nil), good...), 0), pubsub.ValidationReject},
		{"of another network", said("lab-other", member, 3, 0), pubsub.ValidationReject},
		{"of no domains", said(n.cfg.Network, member, 0, 0), pubsub.ValidationReject},
		{"of no member", said(n.cfg.Network, newKey(t), 3, 0), pubsub.ValidationIgnore},
		{"old", said(n.cfg.Network, member, 3, roster.MaxSkew+time.Minute), pubsub.ValidationIgnore},
		{"of the future", said(n.cfg.Network, member, 3, -roster.MaxSkew-time.Minute), pubsub.ValidationIgnore},
		{"good", good, pubsub.ValidationAccept},
		{"the same again", good, pubsub.ValidationIgnore},
		{"older", said(n.cfg.Network, member, 9, 2*time.Minute), pubsub.ValidationIgnore},
		{"too soon", said(n.cfg.Network, member, 9, time.Minute-backlogEvery/3), pubsub.ValidationIgnore},
		{"newer", said(n.cfg.Network, member, 9, 0), pubsub.ValidationAccept},
	} {
		from := peer.ID(fmt.Sprint("a peer that passes it on ", i))
		before := n.Offences()["forged backlog"]
		if got := n.judge(t.Context(), from, gossip(from, c.raw)); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
		if counted := n.Offences()["forged backlog"] > before; counted != (c.want == pubsub.ValidationReject) {
			t.Errorf("%s: counted as an offence: %t", c.what, counted)
		}
	}
}

// All together say so a few times a minute, however many they are.
func TestBacklog_ManyAreSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBacklogs()
		if !b.mayTell(time.Now()) || b.mayTell(time.Now()) {
			t.Error("it does not tell once")
		}
		time.Sleep(backlogEvery)
		for i := range enoughBacklogs {
			if !b.take(roster.Backlog{Peer: peer.ID(fmt.Sprint(i)), Domains: 1, Issued: time.Now()}, time.Now()) {
				t.Fatal("not taken")
			}
		}
		if b.mayTell(time.Now()) {
			t.Error("it tells after enough others")
		}
		time.Sleep(backlogEvery)
		if !b.mayTell(time.Now()) {
			t.Error("it does not tell when the others are silent")
		}
		if got := len(b.fresh(time.Now())); got != enoughBacklogs {
			t.Errorf("%d are believed", got)
		}
		time.Sleep(backlogFor)
		if got := len(b.fresh(time.Now())); got != 0 {
			t.Errorf("%d are believed for long", got)
		}
		for i := range 2 * maxBacklogs {
			b.take(roster.Backlog{Peer: peer.ID(fmt.Sprint("liar ", i)), Domains: 1, Issued: time.Now()}, time.Now())
		}
		if len(b.heard) > maxBacklogs {
			t.Errorf("%d are remembered", len(b.heard))
		}
		time.Sleep(3 * roster.MaxSkew)
		if !b.take(roster.Backlog{Peer: "honest", Domains: 1, Issued: time.Now()}, time.Now()) {
			t.Error("those that were there keep all others out")
		}
	})
}
