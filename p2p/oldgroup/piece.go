package oldgroup

import "fmt"

const (
	// MaxPiece bounds what Machine.Piece answers, in bytes.
	MaxPiece = MaxPacket - 8<<10
	// MaxRequest bounds what Machine.Install asks for, in bytes.
	MaxRequest = 64 << 10

	// pieceVersion is 2 since records of visits are packed: who knows only 1 could not read them.
	pieceVersion = 2
)

// pieceRequest asks for a piece of a log's state.
type pieceRequest struct {
	log     string
	epoch   Epoch
	member  uint64 // that copies
	session uint64 // 0 begins a copy
	request []byte
}

// pieceAnswer is the answer. The first of a copy says what is copied: meta.
type pieceAnswer struct {
	status  byte
	session uint64
	meta    *meta
	answer  []byte
}

// Statuses of answers. They travel on the wire.
const (
	pieceGiven  = 1
	pieceBusy   = 2 // too many copies; try later
	pieceNot    = 3 // this member does not lead, or there is no such session any more
	pieceFailed = 4 // what Machine.Piece returned
)

// meta says which state it is that is copied.
type meta struct {
	index, term uint64 // the last entry that is applied in it
	members     []member
	next        uint64
	former      []string
}

func (q *pieceRequest) encode() []byte {
	var w writer
	w.byte(pieceVersion)
	w.text(q.log)
	w.epoch(q.epoch)
	w.uint(q.member)
	w.uint(q.session)
	w.bytes(q.request)
	return w.b
}

func decodePieceRequest(b []byte) (q pieceRequest, err error) {
	r := reader{b: b}
	if v := r.byte(); v != pieceVersion {
		return q, malformed("request for a piece of version %d", v)
	}
	q = pieceRequest{log: r.name(MaxName), epoch: r.epoch(), member: r.uint(), session: r.uint(), request: r.bytes(MaxRequest)}
	if !r.done() || q.member == 0 {
		return pieceRequest{}, malformed("request for a piece")
	}
	return q, nil
}

func (a *pieceAnswer) encode() []byte {
	w := writer{b: make([]byte, 0, len(a.answer)+64)}
	w.byte(pieceVersion)
	w.byte(a.status)
	if a.status != pieceGiven {
		return w.b
	}
	w.uint(a.session)
	if a.meta == nil {
		w.byte(0)
	} else {
		kind := byte(1)
		if len(a.meta.former) > 0 {
			kind = 2
		}
		w.byte(kind)
		w.uint(a.meta.index)
		w.uint(a.meta.term)
		encodeMembers(&w, a.meta.members, a.meta.next)
		if kind == 2 {
			encodeFormer(&w, a.meta.former)
		}
	}
	w.bytes(a.answer)
	return w.b
}

func decodePieceAnswer(b []byte) (a pieceAnswer, err error) {
	r := reader{b: b}
	if v := r.byte(); v != pieceVersion {
		return a, malformed("piece of version %d", v)
	}
	if a.status = r.byte(); a.status != pieceGiven {
		return a, nil
	}
	a.session = r.uint()
	switch kind := r.byte(); kind {
	case 0:
	case 1, 2:
		a.meta = &meta{index: r.uint(), term: r.uint()}
		a.meta.members, a.meta.next = decodeMembers(&r)
		if kind == 2 { // with former members
			if a.meta.former = decodeFormer(&r); len(a.meta.former) == 0 {
				r.fail()
			}
		}
		if a.meta.index == 0 || a.meta.term == 0 || len(a.meta.members) == 0 {
			r.fail()
		}
	default:
		r.fail()
	}
	a.answer = r.bytes(MaxPiece)
	if !r.done() || a.session == 0 {
		return pieceAnswer{}, malformed("piece")
	}
	return a, nil
}

// refusal is why a piece was not given.
type refusal byte

func (r refusal) Error() string {
	switch r {
	case pieceBusy:
		return "the member gives copies to others"
	case pieceNot:
		return "the member does not lead, or has forgotten the copy"
	case pieceFailed:
		return "the member could not read the piece"
	}
	return fmt.Sprintf("refused with %d", byte(r))
}
