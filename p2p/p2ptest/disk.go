package p2ptest

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/forage-net/forage/p2p/stream"
)

// errReadOnly is the answer to a write in a View.
var errReadOnly = errors.New("transaction only reads")

// Disk is a stream.Disk in memory, for simulations. The zero Disk is empty. Its methods may be called from any
// goroutine, but not from within a transaction.
type Disk struct {
	mu      sync.Mutex
	buckets map[string]bucket
	// Broken, if set, is called at the end of every Update with what it would make durable. An error rolls it back, as
	// a crash does.
	Broken func() error
}

// bucket is one state of a bucket, in ascending order of keys. Once a transaction has ended it is never changed, so
// that clones share it.
type bucket []entry

type entry struct {
	key   string
	value []byte
}

// find returns the place of a key, or of the first behind it.
func (b bucket) find(key []byte) (at int, found bool) {
	return slices.BinarySearchFunc(b, key, func(e entry, key []byte) int { return strings.Compare(e.key, string(key)) })
}

// Clone returns a copy, which shares what neither changes: a backup of this moment.
func (d *Disk) Clone() *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	return &Disk{buckets: maps.Clone(d.buckets)}
}

// Restore makes the disk what from is now.
func (d *Disk) Restore(from *Disk) {
	c := from.Clone()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.buckets = c.buckets
}

// Len returns the number of keys in a bucket.
func (d *Disk) Len(name string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.buckets[name])
}

// View implements stream.Disk.
func (d *Disk) View(fn func(stream.Tx) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return fn(&diskTx{buckets: d.buckets})
}

// Update implements stream.Disk.
func (d *Disk) Update(fn func(stream.Tx) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	tx := &diskTx{buckets: d.buckets, changed: make(map[string]bucket)}
	if err := fn(tx); err != nil {
		return err
	}
	if d.Broken != nil {
		if err := d.Broken(); err != nil {
			return err
		}
	}
	if len(tx.changed) > 0 {
		d.buckets = maps.Clone(d.buckets)
		if d.buckets == nil {
			d.buckets = make(map[string]bucket)
		}
		maps.Copy(d.buckets, tx.changed)
	}
	return nil
}

// diskTx is a transaction: the buckets before it, and copies of those that it changed.
type diskTx struct {
	buckets map[string]bucket
	changed map[string]bucket // nil: it only reads
}

func (t *diskTx) bucket(name string) bucket {
	if b, ok := t.changed[name]; ok {
		return b
	}
	return t.buckets[name]
}

// change returns a bucket to be changed.
func (t *diskTx) change(name string) bucket {
	if b, ok := t.changed[name]; ok {
		return b
	}
	return slices.Clone(t.buckets[name])
}

// Get implements stream.Tx.
func (t *diskTx) Get(name string, key []byte) []byte {
	b := t.bucket(name)
	if at, ok := b.find(key); ok {
		return b[at].value
	}
	return nil
}

// Put implements stream.Tx.
func (t *diskTx) Put(name string, key, value []byte) error {
	if t.changed == nil {
		return errReadOnly
	}
	b := t.change(name)
	at, ok := b.find(key)
	if !ok {
		b = slices.Insert(b, at, entry{key: string(key)})
	}
	b[at].value = append([]byte{}, value...)
	t.changed[name] = b
	return nil
}

// Delete implements stream.Tx.
func (t *diskTx) Delete(name string, key []byte) error {
	if t.changed == nil {
		return errReadOnly
	}
	b := t.change(name)
	if at, ok := b.find(key); ok {
		t.changed[name] = slices.Delete(b, at, at+1)
	}
	return nil
}

// Scan implements stream.Tx.
func (t *diskTx) Scan(name string, from []byte, visit func(key, value []byte) bool) error {
	b := t.bucket(name)
	at, _ := b.find(from)
	for _, e := range b[at:] {
		if !visit([]byte(e.key), e.value) {
			return nil
		}
	}
	return nil
}
