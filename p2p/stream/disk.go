package stream

// Tx is a transaction of the store. Slices that it hands out are valid until the transaction ends and must not be
// changed.
type Tx interface {
	// Get returns the value of a key, nil if there is none.
	Get(bucket string, key []byte) []byte
	// Put stores a value, which must not be changed until the transaction ends. A nil value is stored as an
	// empty one. It is an error in a transaction that only reads.
	Put(bucket string, key, value []byte) error
	// Delete removes a key, which need not be there.
	Delete(bucket string, key []byte) error
	// Scan visits keys in ascending order, beginning with the first that is not before from, while visit returns true.
	// visit must not write.
	Scan(bucket string, from []byte, visit func(key, value []byte) (more bool)) error
}

// Disk is a store with transactions. There is one Update at a time.
type Disk interface {
	View(func(Tx) error) error
	// Update keeps all that fn wrote, durably, when it returns nil, and nothing otherwise. An error of fn is among what
	// errors.Is finds in its result.
	Update(fn func(Tx) error) error
}
