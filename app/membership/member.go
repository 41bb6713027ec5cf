// Package membership makes a node a member of its network: its sockets and identity, the way in and those found
// there, the roster (p2p.Node), how much of the ring it takes, who keeps which shard (Layout), and whether it founds
// the network. It decides nothing about the crawl. What the user's limits allow comes in as Config.Gate and
// Config.Takes.
package membership

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/host"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/app/bandwidth"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/near"
	"github.com/forage-net/forage/p2p"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/layout"
	"github.com/forage-net/forage/p2p/peerhost"
	"github.com/forage-net/forage/p2p/peerhost/identity"
	"github.com/forage-net/forage/p2p/requests"
	"github.com/forage-net/forage/p2p/roster"
	"github.com/forage-net/forage/storage"
)

// peerSockets is how many connections to other nodes there may be.
const peerSockets = 80

// Config says what a member is, and what it needs of its node.
type Config struct {
	Paths    config.Paths
	Settings config.Config
	// Network is its name, Public the name as invites have it, and Secret that of a private network.
	Network, Public string
	Secret          identity.Secret
	// Lab says that it is a closed test network, LocalOnly that it keeps to this computer, and ShortTimes that
	// members of it wait for each other as in labs.
	Lab, LocalOnly, ShortTimes bool
	// MDNS looks for other nodes on the local network.
	MDNS bool
	// OwnAtOnce spares newcomers the hour that they must have been up to own domains.
	OwnAtOnce bool
	// Given, if not nil, takes the place of sockets, in a simulation.
	Given *Given

	DB        *storage.DB
	Bandwidth *bandwidth.Budget
	// Meter counts calls; Counter, by which they are counted, hands on to it.
	Meter   *calls.Meter
	Counter calls.Counter
	Gate    requests.Gate
	// Takes reports whether this node takes domains.
	Takes func() bool
	Log   *slog.Logger
}

// Given is a place in a simulated network.
type Given struct {
	Host  host.Host
	Key   crypto.PrivKey
	Gater *peerhost.Gater
}

// Member is this node as a part of its network.
type Member struct {
	cfg    Config
	Host   host.Host
	Gater  *peerhost.Gater
	Finder *peerhost.Finder
	Node   *p2p.Node
	Place  *Place
	// Layout knows whose a domain is.
	Layout *layout.Directory

	streams streamMeter // of the host; Config.Meter counts the calls among them
	units   *units
	doubled atomic.Bool
}

// KeyPath returns where the identity of a node is.
func KeyPath(stateDir string) string { return filepath.Join(stateDir, "identity.key") }

// New makes this node a member of its network. Nothing is sent before Node.Serve. Close must be called in the end,
// after an error, too, if there is a member.
func New(cfg Config) (m *Member, err error) {
	m = &Member{cfg: cfg}
	world := peerhost.Public
	if cfg.Lab {
		world = peerhost.Lab
	}
	role := peerhost.Member
	if IsBootstrap(cfg.Settings) && world == peerhost.Public {
		role = peerhost.Bootstrap
	}
	key, err := m.openHost(world, role)
	if err != nil {
		return m, err
	}
	doors, err := peerhost.ParseBootstrap(cfg.Settings.Net.Bootstrap)
	if err != nil {
		return m, err
	}
	if m.Finder, err = peerhost.NewFinder(peerhost.FinderConfig{
		Host: m.Host, Gater: m.Gater, World: world, Role: role, Mode: tableModes[cfg.Settings.DHT.Mode],
		Network: cfg.Network, Bootstrap: doors, Book: memberStore{cfg.DB}, MDNS: cfg.MDNS, Log: cfg.Log, Spent: m.spent,
		Resolver: cfg.Bandwidth.Names(bandwidth.Control, nil),
	}); err != nil {
		return m, err
	}
	if m.units, err = openUnits(cfg.DB, unitsGoal(cfg.Settings, cfg.Lab)); err != nil {
		return m, err
	}
	m.Place = &Place{tells: cfg.Settings.Peer.Place, here: near.New(string(m.Host.ID()))}
	node := p2p.Config{
		Places: m.Place, Host: m.Host, Key: key, Network: cfg.Network, Lab: cfg.Lab, Capacity: m.units.now,
		Takes: cfg.Takes, Expects: len(doors.Known)+len(doors.Names) > 0 || cfg.MDNS, Finder: m.Finder,
		Store: memberStore{cfg.DB}, Counter: cfg.Counter, Gate: cfg.Gate, Version: crawl.Version, Times: m.Times(),
		Log: cfg.Log, MayDial: m.Gater.InterceptAddrDial,
	}
	for _, d := range doors.Known {
		node.Founders = append(node.Founders, d.ID)
	}
	if cfg.Given == nil { // hosts of a simulation have no sockets to be counted at
		node.Limiter = peerBytes{cfg.Bandwidth.Peers()}
	}
	if !cfg.Lab {
		node.Reach, node.Addrs = m.reach, m.addrs
	}
	if m.Node, err = p2p.New(node); err != nil {
		return m, err
	}
	m.Gater.SetBanned(m.Node.Requests.Banned)
	m.Layout = layout.NewDirectory(crawl.PeerID(m.Node.Self()))
	return m, nil
}

// Close closes the sockets of this node.
func (m *Member) Close() error {
	if m == nil || m.Host == nil {
		return nil
	}
	return m.Host.Close()
}

// tableModes are the values of the setting dht.mode.
var tableModes = map[string]peerhost.TableMode{
	"auto": peerhost.TableAuto, "client": peerhost.TableClient, "server": peerhost.TableServer,
}

// Times returns how long members of this network wait for each other.
func (m *Member) Times() p2p.Times {
	if m.cfg.ShortTimes {
		return p2p.LabTimes()
	}
	t := p2p.PublicTimes()
	if m.cfg.OwnAtOnce {
		t.Ownership = 0
	}
	return t
}

// openHost opens the sockets of this node.
func (m *Member) openHost(world peerhost.World, role peerhost.Role) (crypto.PrivKey, error) {
	cfg := &m.cfg
	if g := cfg.Given; g != nil {
		m.Host, m.Gater = g.Host, g.Gater
		return g.Key, nil
	}
	key, err := keepPrivate(cfg.Log, KeyPath(cfg.Paths.State), identity.LoadOrCreateKey)
	if err != nil {
		return nil, err
	}
	free := ""
	if cfg.LocalOnly {
		free = loopback
	}
	port, err := identity.LoadOrChoosePort(filepath.Join(cfg.Paths.State, "port"), free)
	if err != nil {
		return nil, err
	}
	if port.Taken() {
		cfg.Log.Warn("The usual port is taken by another program; this run uses another, and some peers may not find "+
			"this computer", "port", port.Kept, "now", port.Use)
	}
	listen, err := listenAddrs(cfg.Settings.Peer.Listen, cfg.LocalOnly, port.Use)
	if err != nil {
		return nil, err
	}
	m.Host, m.Gater, err = peerhost.New(peerhost.Config{
		Key: key, Listen: listen, Port: port.Use, World: world, Role: role, MaxSockets: peerSockets,
		PortMap: cfg.Settings.Peer.PortMap, Bandwidth: &m.streams, Sockets: cfg.Bandwidth.Peers().Socket,
		Spent:  m.spent,
		Secret: cfg.Secret,
	})
	if err != nil {
		return nil, fmt.Errorf("open sockets for peers: %w", err)
	}
	return key, nil
}

// spent counts what is moved besides pages and what nodes say to each other.
func (m *Member) spent(sent bool, bytes int) { m.cfg.Bandwidth.Debit(bandwidth.Control, sent, bytes) }

// loopback is where a lab listens.
const loopback = "127.0.0.1"

// keepPrivate returns what load reads from the file at path. A file that others may read, as after a
// home was copied, is made the user's alone again.
func keepPrivate[T any](log *slog.Logger, path string, load func(string) (T, error)) (T, error) {
	it, err := load(path)
	if !errors.Is(err, identity.ErrKeyExposed) {
		return it, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return it, fmt.Errorf("keep %s private: %w", path, err)
	}
	log.Warn("A key could be read by other users of this computer; now it cannot. If somebody may have copied it, "+
		"delete it while no node runs", "file", path)
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
			return nil, words.New("said.settings.auto-stands-alone", nil)
		}
		a, err := ma.NewMultiaddr(text)
		if err != nil {
			return nil, words.New("said.settings.listen-at-write-it-as-ip4", words.Args{"address": text})
		}
		addrs = append(addrs, a)
	}
	return addrs, nil
}

// listenAddrs returns where peers are listened for, by the setting; nothing, or "auto", means everywhere, or this
// computer where a node keeps to that.
func listenAddrs(list []string, localOnly bool, port int) ([]ma.Multiaddr, error) {
	if (len(list) == 0 || slices.Equal(list, []string{config.ListenAuto})) && localOnly {
		list = []string{
			fmt.Sprintf("/ip4/%s/tcp/%d", loopback, port), fmt.Sprintf("/ip4/%s/udp/%d/quic-v1", loopback, port),
		}
	}
	return parseListen(list)
}

// reach tells other members from where this node can be reached.
func (m *Member) reach() roster.Reach {
	switch r := m.Finder.Reachability(); {
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
func (m *Member) addrs() []ma.Multiaddr {
	r := m.Finder.Reachability()
	switch m.reach() {
	case roster.ReachLAN:
		return append(r.Local, r.Announced...)
	case roster.ReachRelayed:
		return append(r.Circuits, r.Announced...)
	}
	return r.Announced
}
