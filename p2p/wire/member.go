package wire

const (
	// MaxItems is the most signed items of one message, MaxItemBytes the largest.
	MaxItems     = 256
	MaxItemBytes = 2 << 10
	// MaxSummary is the largest summary of a roster.
	MaxSummary = 32 << 10
)

// Sync compares rosters: the sender's digest, a part of its summary, and what
// it believes the receiver lacks. The answer has the same form.
type Sync struct {
	_       struct{} `cbor:",toarray"`
	Digest  []byte   // 16 bytes
	Summary []byte
	Items   [][]byte // signed
	Place   string   // where the sender is, as far as it tells
	Few     bool     // the receiver is no member here, and told of few: there is no summary
}

func (s *Sync) validate() error {
	if len(s.Digest) != 16 || len(s.Summary) > MaxSummary || len(s.Items) > MaxItems || len(s.Place) > MaxPlace {
		return invalid("digest of %d bytes, summary of %d, %d items", len(s.Digest), len(s.Summary), len(s.Items))
	}
	for _, item := range s.Items {
		if len(item) > MaxItemBytes {
			return invalid("signed item of %d bytes", len(item))
		}
	}
	return nil
}

// Ping asks for a sign of life.
type Ping struct {
	_      struct{} `cbor:",toarray"`
	Digest []byte   // of the sender's roster, 16 bytes
	Place  string   // where the sender is, as far as it tells
}

func (p *Ping) validate() error {
	if len(p.Digest) != 16 || len(p.Place) > MaxPlace {
		return invalid("digest of %d bytes, place of %d", len(p.Digest), len(p.Place))
	}
	return nil
}

// Probe asks whether the receiver can reach another member.
type Probe struct {
	_    struct{} `cbor:",toarray"`
	Peer string
}

func (p *Probe) validate() error { return checkPeer(p.Peer) }

// Probed is the answer to Probe.
type Probed struct {
	_     struct{} `cbor:",toarray"`
	Alive bool
}

func (p *Probed) validate() error { return nil }

// Sign asks for a countersignature under an out note.
type Sign struct {
	_    struct{} `cbor:",toarray"`
	Note []byte
}

func (s *Sign) validate() error {
	if len(s.Note) > MaxItemBytes {
		return invalid("note of %d bytes", len(s.Note))
	}
	return nil
}

// Vouch asks the receiver to dial the sender where its record says it is, and to vouch for it.
type Vouch struct {
	_      struct{} `cbor:",toarray"`
	Record []byte   // signed
}

func (v *Vouch) validate() error {
	if len(v.Record) > MaxItemBytes {
		return invalid("signed item of %d bytes", len(v.Record))
	}
	return nil
}

// Refusal says why a member does not vouch for another. The values are part of the protocol.
type Refusal uint8

const (
	// RefusedSilence means that there was no answer, or that the member is busy.
	RefusedSilence Refusal = 1
	// RefusedUnmet means that nobody answered where the record says, or somebody else did.
	RefusedUnmet Refusal = 2
	// RefusedCrowded means that the network of the address has as many owners as it may have.
	RefusedCrowded Refusal = 3
	// RefusedEnough means that the member has vouched for enough newcomers today.
	RefusedEnough Refusal = 4
	// RefusedJoined means that the member does not remember the other since the hour that its record names.
	RefusedJoined Refusal = 5
)

// Vouched is the answer to Vouch: a vouch, or why there is none.
type Vouched struct {
	_     struct{} `cbor:",toarray"`
	Vouch []byte
	Why   Refusal
}

func (v *Vouched) validate() error {
	if len(v.Vouch) > 256 || v.Why > RefusedJoined || (len(v.Vouch) == 0) != (v.Why != 0) {
		return invalid("vouch of %d bytes, refusal %d", len(v.Vouch), v.Why)
	}
	return nil
}
