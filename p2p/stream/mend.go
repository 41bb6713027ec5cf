package stream

// Damage counts what Mend found.
type Damage struct {
	Items   int // that cannot be read
	Domains int // whose latest stamps cannot be read
	Marks   int // of shards that cannot be read
}

// Mend drops items that cannot be read, in a store that nothing else uses: those of another form, and those
// that valid refuses. If any are lost, the store forgets its marks, so that other members send all that it
// lacks. Where only the latest stamps of a domain are lost, every pull looks at each of its items. With dryRun
// nothing is written.
func Mend(tx Tx, dryRun bool, valid func(Item) bool) (Damage, error) {
	m := mender{store: store{tx: tx}, dry: dryRun}
	m.items(valid)
	m.came()
	m.marks()
	return m.found, m.err
}

type mender struct {
	store
	dry   bool
	found Damage
}

// sweep drops the entries of a bucket that keep refuses, and returns how many.
func (m *mender) sweep(bucket string, keep func(k, v []byte) bool) (dropped int) {
	var keys [][]byte
	m.fail(m.tx.Scan(bucket, nil, func(k, v []byte) bool {
		if !keep(k, v) {
			keys = append(keys, append([]byte(nil), k...))
		}
		return true
	}))
	if !m.dry {
		for _, k := range keys {
			m.delete(bucket, k)
		}
	}
	return len(keys)
}

func (m *mender) items(valid func(Item) bool) {
	m.found.Items = m.sweep(bucketItems, func(k, b []byte) bool {
		d, key, ok := splitItemKey(k)
		v, _, err := parseStored(b)
		return ok && err == nil && valid(Item{Domain: d, Key: key, Value: v})
	})
}

func (m *mender) came() {
	var blind [][]byte
	lost := m.sweep(bucketCame, func(k, v []byte) bool {
		if _, ok := cutCameKey(k); !ok {
			return false
		}
		if _, err := parseMarks(v); err != nil {
			blind = append(blind, append([]byte(nil), k...))
		}
		return true
	})
	m.found.Domains = lost + len(blind)
	if !m.dry {
		for _, k := range blind {
			m.put(bucketCame, k, Marks{0: lookAlways}.encode())
		}
	}
}

func (m *mender) marks() {
	m.found.Marks = m.sweep(bucketMarks, func(k, v []byte) bool {
		_, err := parseMarks(v)
		return Shard(k).valid() && err == nil
	})
	if m.found.Items > 0 {
		m.sweep(bucketMarks, func(_, _ []byte) bool { return false })
	}
}

// cutCameKey returns the domain that a key of cameKey ends with.
func cutCameKey(k []byte) (domain []byte, ok bool) {
	if len(k) == 0 || len(k) <= 1+int(k[0]) || !Shard(k[1:1+int(k[0])]).valid() {
		return nil, false
	}
	return k[1+int(k[0]):], true
}
