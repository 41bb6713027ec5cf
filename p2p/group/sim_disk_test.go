package group_test

import (
	"errors"
	"slices"
	"strings"

	"github.com/forage-net/forage/p2p/stream"
)

var errWriteInView = errors.New("write in a reading transaction")

// disk is a store in memory. It remembers what the last updates replaced, so that a crash may lose them.
type disk struct {
	buckets map[string]*bucket
	undo    []change // since keep
	inView  bool
	updates int
}

// change is what one write replaced; a nil value means that the key was absent.
type change struct {
	bucket, key string
	value       []byte
}

// bucket holds its entries in the order of their keys.
type bucket struct{ entries []entry }

type entry struct {
	key   string
	value []byte
}

func newDisk() *disk { return &disk{buckets: make(map[string]*bucket)} }

func (b *bucket) find(key string) (int, bool) {
	return slices.BinarySearchFunc(b.entries, key, func(e entry, k string) int { return strings.Compare(e.key, k) })
}

// set writes a value, or deletes the key if it is nil, and returns the value before.
func (b *bucket) set(key string, value []byte) (old []byte) {
	i, ok := b.find(key)
	switch {
	case ok && value == nil:
		old = b.entries[i].value
		b.entries = slices.Delete(b.entries, i, i+1)
	case ok:
		old, b.entries[i].value = b.entries[i].value, value
	case value != nil:
		b.entries = slices.Insert(b.entries, i, entry{key, value})
	}
	return old
}

func (d *disk) bucket(name string) *bucket {
	b := d.buckets[name]
	if b == nil {
		b = new(bucket)
		d.buckets[name] = b
	}
	return b
}

func (d *disk) View(do func(stream.Tx) error) error {
	was := d.inView
	d.inView = true
	defer func() { d.inView = was }()
	return do(d)
}

func (d *disk) Update(do func(stream.Tx) error) error {
	before := len(d.undo)
	if err := do(d); err != nil {
		d.rollback(before)
		return err
	}
	d.updates++
	return nil
}

// keep makes everything so far safe from a crash; lose takes back what came since.
func (d *disk) keep() { d.undo = d.undo[:0] }
func (d *disk) lose() { d.rollback(0) }

func (d *disk) rollback(to int) {
	for i := len(d.undo) - 1; i >= to; i-- {
		c := d.undo[i]
		d.bucket(c.bucket).set(c.key, c.value)
	}
	d.undo = d.undo[:to]
}

// clone returns a copy for a backup.
func (d *disk) clone() *disk {
	c := newDisk()
	for name, b := range d.buckets {
		c.buckets[name] = &bucket{slices.Clone(b.entries)}
	}
	return c
}

func (d *disk) Get(name string, key []byte) []byte {
	if b := d.buckets[name]; b != nil {
		if i, ok := b.find(string(key)); ok {
			return b.entries[i].value
		}
	}
	return nil
}

func (d *disk) write(name string, key, value []byte) error {
	if d.inView {
		return errWriteInView
	}
	k := string(key)
	d.undo = append(d.undo, change{name, k, d.bucket(name).set(k, value)})
	return nil
}

func (d *disk) Put(name string, key, value []byte) error {
	return d.write(name, key, append(make([]byte, 0, len(value)), value...))
}

func (d *disk) Delete(name string, key []byte) error { return d.write(name, key, nil) }

func (d *disk) Scan(name string, from []byte, visit func(key, value []byte) bool) error {
	b := d.buckets[name]
	if b == nil {
		return nil
	}
	was := d.inView
	d.inView = true
	defer func() { d.inView = was }()
	i, _ := b.find(string(from))
	for ; i < len(b.entries); i++ {
		if !visit([]byte(b.entries[i].key), b.entries[i].value) {
			break
		}
	}
	return nil
}
