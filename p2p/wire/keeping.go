package wire

// Keeping says whether the sender keeps a shard.
type Keeping struct {
	_     struct{} `cbor:",toarray"`
	Keeps bool
}

func (k *Keeping) validate() error { return nil }
