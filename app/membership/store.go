package membership

import (
	"encoding/binary"

	"github.com/fxamacker/cbor/v2"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage"
)

// memberStore keeps what a member of a network remembers between runs: who the
// others were (p2p.Store), and where peers were found (peerhost.Book).
type memberStore struct{ db *storage.DB }

// keyRosterSeq is where the sequence number of this node's last record is,
// among what a store says of itself.
var keyRosterSeq = []byte("roster seq")

// LoadRoster implements p2p.Store.
func (s memberStore) LoadRoster() (items [][]byte, seq uint64, err error) {
	err = s.db.View(func(tx *storage.Tx) error {
		if raw := tx.Bucket(storage.BucketMeta).Get(keyRosterSeq); len(raw) == 8 {
			seq = binary.BigEndian.Uint64(raw)
		}
		return tx.Bucket(storage.BucketRoster).ForEach(func(_, raw []byte) error {
			items = append(items, append([]byte(nil), raw...))
			return nil
		})
	})
	return items, seq, err
}

// SaveRoster implements p2p.Store.
func (s memberStore) SaveRoster(items [][]byte, seq uint64) error {
	return s.db.Update(func(tx *storage.Tx) error {
		if err := tx.Bucket(storage.BucketMeta).Put(keyRosterSeq, binary.BigEndian.AppendUint64(nil, seq)); err != nil {
			return err
		}
		return replaceAll(tx.Bucket(storage.BucketRoster), items)
	})
}

// replaceAll makes a bucket hold these values alone, by number.
func replaceAll(b *storage.Bucket, values [][]byte) error {
	for i, v := range values {
		if err := b.Put(binary.BigEndian.AppendUint32(nil, uint32(i)), v); err != nil {
			return err
		}
	}
	c := b.Cursor()
	for key, _ := c.Seek(binary.BigEndian.AppendUint32(nil, uint32(len(values)))); key != nil; key, _ = c.Next() {
		if err := c.Delete(); err != nil {
			return err
		}
	}
	return nil
}

// rememberedPeer is a peer as the store keeps it.
type rememberedPeer struct {
	_     struct{} `cbor:",toarray"`
	ID    []byte
	Addrs [][]byte
}

// Load implements peerhost.Book.
func (s memberStore) Load() (list []peer.AddrInfo, err error) {
	err = s.db.View(func(tx *storage.Tx) error {
		return tx.Bucket(storage.BucketPeers).ForEach(func(_, raw []byte) error {
			var r rememberedPeer
			if err := cbor.Unmarshal(raw, &r); err != nil {
				return nil // damaged: others are remembered
			}
			p := peer.AddrInfo{ID: peer.ID(r.ID)}
			for _, b := range r.Addrs {
				if a, err := ma.NewMultiaddrBytes(b); err == nil {
					p.Addrs = append(p.Addrs, a)
				}
			}
			if p.ID.Validate() == nil && len(p.Addrs) > 0 {
				list = append(list, p)
			}
			return nil
		})
	})
	return list, err
}

// Save implements peerhost.Book.
func (s memberStore) Save(list []peer.AddrInfo) error {
	values := make([][]byte, len(list))
	for i, p := range list {
		r := rememberedPeer{ID: []byte(p.ID)}
		for _, a := range p.Addrs {
			r.Addrs = append(r.Addrs, a.Bytes())
		}
		raw, err := cbor.Marshal(r)
		if err != nil {
			return words.New("said.trouble.remember-peers", words.Args{"error": err})
		}
		values[i] = raw
	}
	return s.db.Update(func(tx *storage.Tx) error { return replaceAll(tx.Bucket(storage.BucketPeers), values) })
}
