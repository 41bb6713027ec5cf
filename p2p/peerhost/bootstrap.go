package peerhost

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/p2p/peerhost/address"
)

const (
	// maxBootstrap is the most entries a bootstrap list may have.
	maxBootstrap = 64
	// maxAddress is the longest address that is read, in bytes; a circuit
	// address with two peer IDs and a long name has about 350.
	maxAddress = 512
	// maxPeerAddrs is the most addresses of one peer we try.
	maxPeerAddrs = 16
)

// Peers is a list of peers to begin with.
type Peers struct {
	// Known have IP addresses; those of one peer stand together.
	Known []peer.AddrInfo
	// Names are to be looked up when they are needed: /dnsaddr/NAME with or
	// without /p2p/ID, and /dns4/NAME/tcp/PORT/p2p/ID and the like.
	Names []ma.Multiaddr
}

// ParseBootstrap reads a bootstrap list. Entries are IP addresses with TCP or
// QUIC and /p2p/ID, or names as in Peers.Names; empty ones are skipped. The
// error names every wrong entry and why; Peers then holds the right ones.
func ParseBootstrap(list []string) (Peers, error) {
	var out Peers
	var errs []error
	if len(list) > maxBootstrap {
		errs = append(errs, fmt.Errorf("bootstrap list has %d entries; the first %d count", len(list), maxBootstrap))
		list = list[:maxBootstrap]
	}
	for i, text := range list {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		if err := out.add(text); err != nil {
			errs = append(errs, words.New("said.cli.bootstrap-address",
				words.Args{"number": i + 1, "address": fmt.Sprintf("%.100q", text), "error": err}))
		}
	}
	return out, errors.Join(errs...)
}

// add reads one entry.
func (p *Peers) add(text string) error {
	a, err := parsePeerAddress(text)
	if err != nil {
		return err
	}
	if isName(a) {
		if !slices.ContainsFunc(p.Names, a.Equal) {
			p.Names = append(p.Names, a)
		}
		return nil
	}
	info, err := peer.AddrInfoFromP2pAddr(a)
	if err != nil {
		return err
	}
	p.Known = mergePeers(p.Known, []peer.AddrInfo{*info})
	return nil
}

// parsePeerAddress reads an address that leads to a peer: it says where and,
// except for /dnsaddr, whom to expect there.
func parsePeerAddress(text string) (ma.Multiaddr, error) {
	if len(text) > maxAddress {
		return nil, words.New("said.cli.longer-than-characters", words.Args{"most": maxAddress})
	}
	a, err := ma.NewMultiaddr(text)
	if err != nil {
		return nil, words.New("said.cli.not-a-multiaddress", nil)
	}
	if isName(a) {
		return a, checkName(a)
	}
	e, ok := address.Parse(a)
	_, id := peer.SplitAddr(a)
	switch {
	case !ok:
		return nil, errors.New("only IP addresses and names with /tcp/PORT or /udp/PORT/quic-v1 are understood")
	case !e.IP.IsValid() || e.Port == 0:
		return nil, errors.New("has no IP address and port")
	case id == "":
		return nil, errors.New("does not end in /p2p/ and a peer ID, so whoever answers there could be anybody")
	}
	return a, nil
}

// isName reports whether a begins with a name.
func isName(a ma.Multiaddr) bool {
	if len(a) == 0 {
		return false
	}
	switch a[0].Code() {
	case ma.P_DNS, ma.P_DNS4, ma.P_DNS6, ma.P_DNSADDR:
		return true
	}
	return false
}

// checkName checks what follows a name as parsePeerAddress does what follows
// an IP address.
func checkName(a ma.Multiaddr) error {
	_, id := peer.SplitAddr(a)
	if a[0].Code() == ma.P_DNSADDR {
		if len(a) > 2 || len(a) == 2 && id == "" {
			return errors.New("/dnsaddr/NAME may be followed by /p2p/ID only")
		}
		return nil
	}
	port, rest, ok := address.Port(a[1:])
	switch {
	case !ok || port == 0:
		return errors.New("name is not followed by /tcp/PORT or /udp/PORT/quic-v1")
	case id == "":
		return errors.New("does not end in /p2p/ and a peer ID, so whoever answers there could be anybody")
	case len(rest) != 1:
		return errors.New("something stands between port and peer ID")
	}
	return nil
}

// mergePeers returns a with b appended, the addresses of one peer together,
// each once, maxPeerAddrs of them at most.
func mergePeers(a, b []peer.AddrInfo) []peer.AddrInfo {
	at := make(map[peer.ID]int, len(a)+len(b))
	out := make([]peer.AddrInfo, 0, len(a)+len(b))
	for _, list := range [2][]peer.AddrInfo{a, b} {
		for _, p := range list {
			i, known := at[p.ID]
			if !known {
				i = len(out)
				at[p.ID] = i
				out = append(out, peer.AddrInfo{ID: p.ID})
			}
			for _, x := range p.Addrs {
				if len(out[i].Addrs) < maxPeerAddrs && !slices.ContainsFunc(out[i].Addrs, x.Equal) {
					out[i].Addrs = append(out[i].Addrs, x)
				}
			}
		}
	}
	return out
}
