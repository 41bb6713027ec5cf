package crawl

import "encoding/base64"

// PeerID names a member of the network: the bytes of its libp2p peer ID, which is the
// hash of a public key. It need not be text.
type PeerID string

// String returns an ID that a person can tell from others, not the ID in libp2p's spelling.
func (p PeerID) String() string {
	if len(p) <= 8 {
		return string(p)
	}
	return "…" + base64.RawURLEncoding.EncodeToString([]byte(p[len(p)-6:]))
}
