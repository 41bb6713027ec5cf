package app

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/host"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/app/bandwidth"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/near"
	"github.com/forage-net/forage/p2p"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/peerhost"
	"github.com/forage-net/forage/p2p/roster"
)

const (
	// leaveFor is how long an orderly end hands domains over to others.
	leaveFor = 20 * time.Second
	// returnFor is how long it waits for outcomes to get home before that.
	returnFor = 10 * time.Second
	// peerSockets is how many connections to other nodes there may be.
	peerSockets = 80
)

// member is this node as a part of its network.
type member struct {
	host   host.Host
	gater  *peerhost.Gater
	finder *peerhost.Finder
	node   *p2p.Node
	swarm  memberSwarm
	meter  *calls.Meter
	// streams counts all of the host's, meter the calls among them.
	streams streamMeter
	port    peerhost.Port
	known   bool // its key is not of this start: others may know it
	place   place
}

// KeyPath returns where the identity of a node is.
func KeyPath(stateDir string) string { return filepath.Join(stateDir, "identity.key") }

// makeMember makes this node a member of its network. Nothing is sent before
// Serve.
func (n *Node) makeMember() (err error) {
	m := &member{meter: new(calls.Meter)}
	n.member = m
	world := peerhost.Public
	if n.opts.Lab != nil {
		world = peerhost.Lab
	}
	role := peerhost.Member
	if n.isBootstrap() && world == peerhost.Public {
		role = peerhost.Bootstrap
	}
	key, gater, err := n.openHost(m, world, role)
	if err != nil {
		return err
	}
	m.gater, n.foot = gater, newFooting(n, m.meter)
	doors, err := peerhost.ParseBootstrap(n.opts.Config.Net.Bootstrap)
	if err != nil {
		return err
	}
	mdns := n.opts.Config.Peer.MDNS && n.opts.Sim == nil
	if n.opts.Lab != nil {
		mdns = n.opts.Lab.MDNS
	}
	if m.finder, err = peerhost.NewFinder(peerhost.FinderConfig{
		Host: m.host, Gater: gater, World: world, Role: role, Mode: tableModes[n.opts.Config.DHT.Mode], Network: n.opts.network(), Bootstrap: doors, Book: memberStore{n.db},
		MDNS: mdns, Log: n.log, Spent: n.spent, Resolver: n.bandwidth.Names(bandwidth.Control, nil),
	}); err != nil {
		return err
	}
	if n.units, err = n.openUnits(); err != nil {
		return err
	}
	m.place.tells, m.place.here = n.opts.Config.Peer.Place, near.New(string(m.host.ID()))
	cfg := p2p.Config{
		Places: &m.place,
		Host:   m.host, Key: key, Network: n.opts.network(), Lab: n.opts.Lab != nil, Capacity: n.units.now, Takes: n.foot.takes,
		Expects: len(doors.Known)+len(doors.Names) > 0 || mdns, Finder: m.finder, Store: memberStore{n.db}, Counter: n.foot.admission, Gate: n.foot,
		Version: crawl.Version, Times: n.times(), Log: n.log, MayDial: gater.InterceptAddrDial,
	}
	for _, d := range doors.Known {
		cfg.Founders = append(cfg.Founders, d.ID)
	}
	if n.opts.Sim == nil { // hosts of a simulation have no sockets to be counted at
		cfg.Limiter = peerBytes{n.bandwidth.Peers()}
	}
	if n.opts.Lab == nil {
		cfg.Reach, cfg.Addrs = n.reach, n.addrs
	}
	if m.node, err = p2p.New(cfg); err != nil {
		return err
	}
	gater.SetBanned(m.node.Banned)
	return nil
}

// tableModes are the values of the setting dht.mode.
var tableModes = map[string]peerhost.TableMode{"auto": peerhost.TableAuto, "client": peerhost.TableClient, "server": peerhost.TableServer}

// times returns how long members of this network wait for each other.
func (n *Node) times() p2p.Times {
	if n.opts.Lab != nil && !n.opts.Lab.RealTimes {
		return p2p.LabTimes()
	}
	t := p2p.PublicTimes()
	if n.opts.Sim != nil && n.opts.Sim.OwnAtOnce {
		t.Ownership = 0
	}
	return t
}

// openHost opens the sockets of this node.
func (n *Node) openHost(m *member, world peerhost.World, role peerhost.Role) (crypto.PrivKey, *peerhost.Gater, error) {
	if n.opts.Sim != nil {
		m.host, m.known = n.opts.Sim.Host, n.opts.Sim.Known
		return n.opts.Sim.Key, n.opts.Sim.Gater, nil
	}
	_, err := os.Stat(KeyPath(n.opts.Paths.State))
	m.known = err == nil
	key, err := n.identity()
	if err != nil {
		return nil, nil, err
	}
	free := ""
	if n.opts.Lab != nil && !n.opts.Lab.MDNS {
		free = loopback
	}
	if m.port, err = peerhost.LoadOrChoosePort(filepath.Join(n.opts.Paths.State, "port"), free); err != nil {
		return nil, nil, err
	}
	if m.port.Taken() {
		n.log.Warn("The usual port is taken by another program; this run uses another, and some peers may not find this computer",
			"port", m.port.Kept, "now", m.port.Use)
	}
	listen, err := n.listenAddrs(m.port.Use)
	if err != nil {
		return nil, nil, err
	}
	var gater *peerhost.Gater
	m.host, gater, err = peerhost.New(peerhost.Config{
		Key: key, Listen: listen, Port: m.port.Use, World: world, Role: role, MaxSockets: peerSockets, PortMap: n.opts.Config.Peer.PortMap,
		Bandwidth: &m.streams, Sockets: n.bandwidth.Peers().Socket, Spent: n.spent, Secret: n.opts.secret,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("open sockets for peers: %w", err)
	}
	return key, gater, nil
}

// loopback is where a lab listens.
const loopback = "127.0.0.1"

// identity returns the key of this node.
func (n *Node) identity() (crypto.PrivKey, error) {
	return keepPrivate(n.log, KeyPath(n.opts.Paths.State), peerhost.LoadOrCreateKey)
}

// keepPrivate returns what load reads from the file at path. A file that others may read, as after a
// home was copied, is made the user's alone again.
func keepPrivate[T any](log *slog.Logger, path string, load func(string) (T, error)) (T, error) {
	it, err := load(path)
	if !errors.Is(err, peerhost.ErrKeyExposed) {
		return it, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return it, fmt.Errorf("keep %s private: %w", path, err)
	}
	log.Warn("A key could be read by other users of this computer; now it cannot. If somebody may have copied it, delete it while no node runs", "file", path)
	return load(path)
}

// CheckDoors returns what is wrong with the addresses that a configuration names
// of this node and of others.
func CheckDoors(c config.Config) error {
	if _, err := peerhost.ParseBootstrap(c.Net.Bootstrap); err != nil {
		return err
	}
	_, err := parseListen(c.Peer.Listen)
	return err
}

func parseListen(list []string) (addrs []ma.Multiaddr, err error) {
	for _, text := range list {
		if text == config.ListenAuto && len(list) == 1 {
			return nil, nil
		}
		if text == config.ListenAuto {
			return nil, errors.New("\"auto\" in peer.listen stands alone")
		}
		a, err := ma.NewMultiaddr(text)
		if err != nil {
			return nil, fmt.Errorf("listen at %s: %w; write it as /ip4/0.0.0.0/tcp/PORT or /ip4/0.0.0.0/udp/PORT/quic-v1", text, err)
		}
		addrs = append(addrs, a)
	}
	return addrs, nil
}

// listenAddrs returns where peers are listened for; nothing, or "auto", means everywhere. A
// lab keeps to this computer unless told otherwise.
func (n *Node) listenAddrs(port int) ([]ma.Multiaddr, error) {
	list := n.opts.Config.Peer.Listen
	if (len(list) == 0 || slices.Equal(list, []string{config.ListenAuto})) && n.opts.Lab != nil && !n.opts.Lab.MDNS {
		list = []string{fmt.Sprintf("/ip4/%s/tcp/%d", loopback, port), fmt.Sprintf("/ip4/%s/udp/%d/quic-v1", loopback, port)}
	}
	return parseListen(list)
}

func (n *Node) isBootstrap() bool { return n.opts.Config.Role == "bootstrap" }

// reach tells other members from where this node can be reached.
func (n *Node) reach() roster.Reach {
	switch r := n.member.finder.Reachability(); {
	case r.Direct == peerhost.Yes:
		return roster.ReachPublic
	case len(r.Local) > 0 && r.LANPeers > 0:
		return roster.ReachLAN
	case r.Relayed:
		return roster.ReachRelayed
	}
	return roster.ReachUnknown
}

// addrs tells them where.
func (n *Node) addrs() []ma.Multiaddr {
	r := n.member.finder.Reachability()
	switch n.reach() {
	case roster.ReachLAN:
		return append(r.Local, r.Announced...)
	case roster.ReachRelayed:
		return append(r.Circuits, r.Announced...)
	}
	return r.Announced
}

// closeMember closes the sockets of this node.
func (n *Node) closeMember() error {
	if n.member == nil || n.member.host == nil {
		return nil
	}
	return n.member.host.Close()
}
