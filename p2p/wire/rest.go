package wire

// MaxLogs is the most logs of one Rested.
const MaxLogs = 1 << 10

// Rest says that the sender rests or, by its record, that it is back.
type Rest struct {
	_      struct{} `cbor:",toarray"`
	Record []byte   // sealed
}

func (r *Rest) validate() error {
	if len(r.Record) > MaxItemBytes {
		return invalid("record of %d bytes", len(r.Record))
	}
	return nil
}

// Rested is the answer to Rest.
type Rested struct {
	_ struct{} `cbor:",toarray"`
	// Logs are those that the receiver leads and still needs the sender's vote for.
	Logs uint16
}

func (r *Rested) validate() error {
	if r.Logs > MaxLogs {
		return invalid("%d logs", r.Logs)
	}
	return nil
}

// Vouch asks who keeps a log whether another member keeps it too, or has done so.
type Vouch struct {
	_    struct{} `cbor:",toarray"`
	Log  string
	Peer string
}

func (v *Vouch) validate() error {
	if err := checkPeer(v.Log); err != nil {
		return err
	}
	return checkPeer(v.Peer)
}

// Vouched is the answer to Vouch.
type Vouched struct {
	_     struct{} `cbor:",toarray"`
	Keeps bool     // the sender has a copy of the log
	Knows bool     // and knows the other as one that has, or had
}

func (v *Vouched) validate() error { return nil }

// Keeping is the answer to the name of a log: whether the sender keeps it, and how far.
type Keeping struct {
	_     struct{} `cbor:",toarray"`
	Keeps bool
	// Epoch and Founder say in which life of the log it is.
	Epoch   uint64
	Founder string
	// Last is the index of the last entry it has.
	Last uint64
}

func (k *Keeping) validate() error {
	if k.Founder == "" {
		return nil
	}
	return checkPeer(k.Founder)
}
