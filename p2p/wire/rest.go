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
