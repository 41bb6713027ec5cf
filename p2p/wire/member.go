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
	From    uint64   // where the summary begins
	Summary []byte
	Items   [][]byte // signed
}

func (s *Sync) validate() error {
	if len(s.Digest) != 16 || len(s.Summary) > MaxSummary || len(s.Items) > MaxItems {
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
}

func (p *Ping) validate() error {
	if len(p.Digest) != 16 {
		return invalid("digest of %d bytes", len(p.Digest))
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
