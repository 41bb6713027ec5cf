package membership

import (
	"errors"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"strings"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/p2p/peerhost"
	"github.com/forage-net/forage/p2p/peerhost/identity"
	"github.com/forage-net/forage/p2p/roster"
)

// SecretPath returns where the secret of a private network is.
func SecretPath(stateDir string) string { return filepath.Join(stateDir, "network.key") }

// LoadSecret reads the secret of the private network that a node is of, and draws one for the first of its nodes.
func LoadSecret(log *slog.Logger, stateDir string) (identity.Secret, error) {
	return keepPrivate(log, SecretPath(stateDir), identity.LoadOrCreateSecret)
}

// LabPrefix begins the names of all labs.
const LabPrefix = "lab-"

// Invite is what a line for "forage join" says.
type Invite struct {
	// Network is its name, without the prefix of labs; Lab says that it is one.
	Network string
	Lab     bool
	// Private says that it has a secret.
	Private bool
	// Doors are addresses to begin with.
	Doors []string

	secret identity.Secret
}

// ParseInvite reads such a line.
func ParseInvite(line string) (Invite, error) {
	in, err := peerhost.ParseInvite(line)
	if err != nil {
		return Invite{}, err
	}
	out := Invite{Private: !in.Secret.IsZero(), secret: in.Secret}
	for _, a := range in.Addrs {
		out.Doors = append(out.Doors, a.String())
	}
	out.Network, out.Lab = strings.CutPrefix(in.Network, LabPrefix)
	return out, nil
}

// KeepSecret writes the invite's secret, if it has one, into its file, for the next start. It replaces no other:
// nobody else may have that.
func (in Invite) KeepSecret(paths config.Paths) error {
	if !in.Private {
		return nil
	}
	path := SecretPath(paths.State)
	switch was, err := identity.LoadSecret(path); {
	case err == nil && was != in.secret:
		return words.New("said.cli.another-private-network", words.Args{"path": path})
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, identity.ErrSecret) &&
		!errors.Is(err, identity.ErrKeyExposed):
		return err
	}
	return in.secret.Save(path)
}

// maxNamed is how many members an invite names: one that ends need not end the way in.
const maxNamed = 4

// Invite returns a line that others can give to "forage join". That of a private network holds the secret.
func (m *Member) Invite() string {
	h := m.Host
	named := []peer.AddrInfo{{ID: h.ID(), Addrs: h.Addrs()}}
	others := m.Node.Peers()
	rand.Shuffle(len(others), func(i, k int) { others[i], others[k] = others[k], others[i] })
	for _, p := range others {
		if len(named) == maxNamed {
			break
		}
		// Whoever is reached from everywhere has said so in its record, with the addresses. A newcomer believes those
		// that its invite names.
		if p.Vouches && p.Connected && !p.Relayed && p.Reach == roster.ReachPublic && p.State == roster.StateActive {
			named = append(named, peer.AddrInfo{ID: p.ID, Addrs: m.Gater.Announce(p.Addrs)})
		}
	}
	return peerhost.MakeInvite(m.cfg.Public, m.cfg.Secret, named)
}
