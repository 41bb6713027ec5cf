package peerhost

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/p2p/peerhost/identity"
)

const (
	inviteScheme = "forage:"
	// maxInvite is the longest invite line that is read, in bytes.
	maxInvite = 4096
	// maxInviteAddrs keeps the line short enough to paste into a chat.
	maxInviteAddrs = 8
	// maxInvitePeerAddrs leaves room for more than one peer.
	maxInvitePeerAddrs = 4
	// maxNetwork is the longest network name, in bytes.
	maxNetwork = 64
	// inviteSum is the length of the checksum in bytes: a line that got mangled
	// passes once in 2^32.
	inviteSum = 4
)

// ErrInvite is in every error of ParseInvite.
var ErrInvite error = words.New("said.cli.not-a-valid-invite", nil)

// Invite is what brings another node to a network.
type Invite struct {
	// Network is its name, without what Secret.Network adds.
	Network string
	// Secret is that of a private network, zero for a public one.
	Secret identity.Secret
	// Addrs lead to members.
	Addrs []ma.Multiaddr
}

// MakeInvite returns one line that lets another node join the network by way
// of peers, which begins with "forage:" and goes through mail and chat as it is:
//
//	forage:NETWORK?s=SECRET&a=/ip4/…/tcp/…/p2p/…&a=…&c=CHECKSUM
//
// A public network has no secret. The line takes the first few addresses of each peer that others can use at
// all, the fewer the more peers there are; without any, it names the network alone.
func MakeInvite(network string, secret identity.Secret, peers []peer.AddrInfo) string {
	var b strings.Builder
	b.WriteString(inviteScheme + url.PathEscape(network))
	sep, left := "?", maxInviteAddrs
	if !secret.IsZero() {
		b.WriteString(sep + "s=" + secret.Text())
		sep = "&"
	}
	each := min(maxInvitePeerAddrs, max(1, maxInviteAddrs/max(1, len(peers))))
	for _, p := range peers {
		addrs, err := peer.AddrInfoToP2pAddrs(&p)
		if err != nil {
			continue
		}
		mine := each
		for _, a := range addrs {
			text := a.String()
			if left == 0 || mine == 0 || !plain(text) {
				break
			}
			if _, err := parsePeerAddress(text); err != nil {
				continue
			}
			b.WriteString(sep + "a=" + text)
			sep, left, mine = "&", left-1, mine-1
		}
	}
	return b.String() + sumOf(b.String())
}

// ParseInvite reads a line of MakeInvite. White space in it is dropped, as mail
// programs break long lines. The error says what is wrong, in words for the
// user, and errors.Is ErrInvite.
func ParseInvite(line string) (Invite, error) {
	if len(line) > maxInvite {
		return Invite{}, fmt.Errorf("%w: %w", ErrInvite,
			words.New("said.cli.longer-than-characters", words.Args{"most": maxInvite}))
	}
	line = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, line)
	rest, ok := strings.CutPrefix(line, inviteScheme)
	if !ok {
		return Invite{}, fmt.Errorf("%w: %w", ErrInvite,
			words.New("said.cli.it-does-not-begin-with", words.Args{"text": strconv.Quote(inviteScheme)}))
	}
	at := len(line) - len("?c=") - 2*inviteSum
	if at < len(inviteScheme) || line[at:] != sumOf(line[:at]) {
		return Invite{}, fmt.Errorf("%w: %w", ErrInvite, words.New("said.cli.part-of-it-got-lost", nil))
	}
	name, query, _ := strings.Cut(rest[:at-len(inviteScheme)], "?")
	network, err := url.PathUnescape(name)
	if err != nil || network == "" || len(network) > maxNetwork || url.PathEscape(network) != name {
		return Invite{}, fmt.Errorf("%w: %w", ErrInvite, words.New("said.cli.it-names-no-network", nil))
	}
	in := Invite{Network: network}
	if err := in.parse(query); err != nil {
		return Invite{}, fmt.Errorf("%w: %w", ErrInvite, err)
	}
	return in, nil
}

// parse reads "s=SECRET&a=ADDRESS&a=ADDRESS". Other parameters are left to
// later versions.
func (in *Invite) parse(query string) (err error) {
	for part := range strings.SplitSeq(query, "&") {
		kind, text, _ := strings.Cut(part, "=")
		switch {
		case kind == "s" && !in.Secret.IsZero():
			return words.New("said.cli.more-than-one-secret", nil)
		case kind == "s":
			if in.Secret, err = identity.ParseSecret(text); err != nil {
				return err
			}
		case kind == "a" && len(in.Addrs) == maxInviteAddrs:
			return words.New("said.cli.more-than-addresses", words.Args{"most": maxInviteAddrs})
		case kind == "a":
			a, err := parsePeerAddress(text)
			if err != nil {
				return fmt.Errorf("address %.100q: %w", text, err)
			}
			in.Addrs = append(in.Addrs, a)
		}
	}
	return nil
}

// sumOf returns the last parameter, the checksum of all that stands before it.
// It is short: it finds accidents, not forgery.
func sumOf(line string) string {
	sep := "?"
	if strings.Contains(line, sep) {
		sep = "&"
	}
	sum := sha256.Sum256([]byte(line))
	return sep + "c=" + hex.EncodeToString(sum[:inviteSum])
}

// plain reports whether text can stand in a URL's query as it is.
func plain(text string) bool {
	for _, c := range []byte(text) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("/:._-", c) >= 0:
		default:
			return false
		}
	}
	return true
}
