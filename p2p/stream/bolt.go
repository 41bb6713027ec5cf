package stream

import "github.com/forage-net/forage/storage"

// Bolt is a database of bbolt: a *storage.DB is one.
type Bolt interface {
	View(func(*storage.Tx) error) error
	Update(func(*storage.Tx) error) error
}

// OnBolt returns a Disk that keeps its buckets as top-level buckets of db. They are made when something is put there.
func OnBolt(db Bolt) Disk { return boltDisk{db} }

// Storage returns the transaction of a Disk that OnBolt made, nil for another.
func Storage(tx Tx) *storage.Tx {
	if t, ok := tx.(boltTx); ok {
		return t.tx
	}
	return nil
}

// FromStorage is the reverse of Storage.
func FromStorage(tx *storage.Tx) Tx { return boltTx{tx} }

type boltDisk struct{ db Bolt }

func (d boltDisk) View(fn func(Tx) error) error {
	return d.db.View(func(tx *storage.Tx) error { return fn(boltTx{tx}) })
}

func (d boltDisk) Update(fn func(Tx) error) error {
	return d.db.Update(func(tx *storage.Tx) error { return fn(boltTx{tx}) })
}

type boltTx struct{ tx *storage.Tx }

func (t boltTx) Get(bucket string, key []byte) []byte {
	b := t.tx.Bucket([]byte(bucket))
	if b == nil {
		return nil
	}
	return b.Get(key)
}

func (t boltTx) Put(bucket string, key, value []byte) error {
	b, err := t.tx.CreateBucketIfNotExists([]byte(bucket))
	if err != nil {
		return err
	}
	if value == nil {
		value = []byte{} // bbolt answers nil for a nil value until it is written out
	}
	return b.Put(key, value)
}

func (t boltTx) Delete(bucket string, key []byte) error {
	b := t.tx.Bucket([]byte(bucket))
	if b == nil {
		return nil
	}
	return b.Delete(key)
}

func (t boltTx) Scan(bucket string, from []byte, visit func(key, value []byte) bool) error {
	b := t.tx.Bucket([]byte(bucket))
	if b == nil {
		return nil
	}
	c := b.Cursor()
	for k, v := c.Seek(from); k != nil; k, v = c.Next() {
		if !visit(k, v) {
			return nil
		}
	}
	return nil
}
