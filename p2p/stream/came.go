package stream

import (
	"bytes"
	"fmt"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
)

const (
	bucketItems = "items"
	bucketCame  = "came"
	bucketMarks = "marks"

	// maxSummary is how many runs the summary of a domain names. With more, every pull looks at each of its items.
	maxSummary = 8
	// lookAlways is the stored form of a summary of more runs.
	lookAlways = 255
)

// summary is what a shard knows of the stamps of a domain's items: the latest number of each run.
type summary struct {
	existed bool  // the shard carried the domain before this transaction
	changed bool  // what is stored is not this
	always  bool  // more runs than a summary names
	latest  Marks // nil if always
}

// add notes that an item of the domain has this stamp.
func (s *summary) add(st Stamp) {
	if s.always || s.latest.Has(st) {
		return
	}
	s.latest[st.Run] = st.N
	s.changed = true
	if len(s.latest) > maxSummary {
		s.always, s.latest = true, nil
	}
}

// coveredBy reports that marks have every item of the domain. If it returns false, they may still.
func (s *summary) coveredBy(m Marks) bool { return !s.always && m.Covers(s.latest) }

func (s *summary) encode() []byte {
	if s.always {
		return []byte{lookAlways}
	}
	w := &codec.Writer{}
	s.latest.Write(w)
	return w.B
}

func parseSummary(b []byte) (*summary, error) {
	if len(b) == 1 && b[0] == lookAlways {
		return &summary{existed: true, always: true}, nil
	}
	r := &codec.Reader{B: b}
	s := &summary{existed: true, latest: ReadMarks(r)}
	if !r.Done() {
		return nil, fmt.Errorf("summary of a domain: %w", errStored)
	}
	return s, nil
}

// shardKey is where a shard's records begin in "came" and "marks".
func shardKey(s Shard) []byte {
	k := make([]byte, 0, 1+len(s)+MaxDomain)
	return append(append(k, byte(len(s))), s...)
}

// splitShardKey is the reverse: it returns the shard and what follows.
func splitShardKey(k []byte) (s Shard, rest []byte, err error) {
	if len(k) > 0 && len(k) > int(k[0]) {
		s, rest = Shard(k[1:1+k[0]]), k[1+k[0]:]
	}
	if !s.valid() {
		return "", nil, fmt.Errorf("key that begins with a shard: %w", errStored)
	}
	return s, rest, nil
}

func cameKey(s Shard, d crawl.Domain) []byte { return append(shardKey(s), d...) }

// scanCame visits the domains that a shard carried, from the first that is not before from.
func scanCame(tx Tx, s Shard, from crawl.Domain, visit func(crawl.Domain, *summary) (more bool, err error)) error {
	prefix := shardKey(s)
	var fault error
	err := tx.Scan(bucketCame, cameKey(s, from), func(k, v []byte) bool {
		d, ok := bytes.CutPrefix(k, prefix)
		if !ok {
			return false
		}
		sum, err := parseSummary(v)
		if err != nil {
			fault = err
			return false
		}
		more, err := visit(crawl.Domain(d), sum)
		fault = err
		return more && err == nil
	})
	if fault != nil {
		return fault
	}
	return err
}

// scanItems visits the stored items of a domain, from the first whose key is not before from. The value is valid until
// the transaction ends.
func scanItems(tx Tx, d crawl.Domain, from string, visit func(stamped) (more bool)) error {
	prefix := itemKey(d, "")
	var fault error
	err := tx.Scan(bucketItems, itemKey(d, from), func(k, v []byte) bool {
		key, ok := bytes.CutPrefix(k, prefix)
		if !ok {
			return false
		}
		st, value, err := parseStored(v)
		if err != nil {
			fault = err
			return false
		}
		return visit(stamped{Item{d, string(key), value}, st})
	})
	if fault != nil {
		return fault
	}
	return err
}

// carriers returns the shards that carried any domain, in ascending order of their keys. It steps from shard to shard.
func carriers(tx Tx) ([]Shard, error) {
	var shards []Shard
	from := []byte{}
	for from != nil {
		var found []byte
		err := tx.Scan(bucketCame, from, func(k, _ []byte) bool { found = bytes.Clone(k); return false })
		if err != nil || found == nil {
			return shards, err
		}
		s, _, err := splitShardKey(found)
		if err != nil {
			return nil, err
		}
		shards = append(shards, s)
		from = after(shardKey(s))
	}
	return shards, nil
}

// after returns the first key behind all that begin with prefix, nil if there is none.
func after(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 255 {
			next := bytes.Clone(prefix[:i+1])
			next[i]++
			return next
		}
	}
	return nil
}
