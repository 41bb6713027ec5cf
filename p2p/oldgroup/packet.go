package oldgroup

import (
	"crypto/sha256"
	"slices"

	pb "go.etcd.io/raft/v3/raftpb"
)

const (
	// MaxPacket bounds what Config.Call brings to a peer and what it answers, in bytes.
	MaxPacket = 1 << 20
	// MaxData bounds an entry of a log with several members, in bytes.
	MaxData = MaxPacket - 8<<10

	// fullPacket is when a packet takes no further message.
	fullPacket = 256 << 10

	packetVersion = 2

	// Bounds of what a packet that comes in may hold; an entry takes more memory than
	// bytes of a packet.
	maxParts    = 1024
	maxMessages = 4096
	maxEntries  = 1 << 16
)

// part is what a packet has of one log, from one member to another.
type part struct {
	log      string
	epoch    Epoch
	from, to uint64 // IDs of the members
	flags    byte
	trim     uint64 // with flagTrim: the leader has dropped the entries up to here
	term     uint64 // with flagQuiet: there is nothing after commit, in this term
	commit   uint64
	messages []*pb.Message
}

// Flags of a part. They travel on the wire.
const (
	// flagBegin lets who does not hold the log begin as the member that is addressed: it
	// never was more than a learner, or the leader has heard nothing from it yet.
	flagBegin = 1 << 0
	// flagHello asks for a word of the leader: the sender has just started.
	flagHello = 1 << 1
	// flagLost says that the sender does not hold what the member it is addressed as
	// must hold. It has to be removed, and added again.
	flagLost = 1 << 2
	// flagGone says that the member that is addressed is none any more.
	flagGone = 1 << 3
	// flagQuiet says that nothing is left to say: clocks stop. A follower answers with
	// the same once it has stopped its own.
	flagQuiet = 1 << 4
	// flagCopying says that the sender copies the state and takes no entries.
	flagCopying = 1 << 5
	// flagTrim says that trim follows.
	flagTrim = 1 << 6

	knownFlags = 1<<7 - 1
)

// Bits of the first byte of a message, beside its type.
const (
	messageReject = 1 << 7
	messageForce  = 1 << 6
	messageType   = messageForce - 1
)

// forced is the context of votes that a leader has asked for to hand over.
const forced = "CampaignTransfer"

// encodePacket returns the bytes of a packet.
func encodePacket(parts []*part) []byte {
	w := writer{b: make([]byte, 0, 256)}
	w.byte(packetVersion)
	for _, p := range parts {
		p.encode(&w)
	}
	return w.b
}

// encodeRequest is encodePacket for a peer that knows most of the logs.
func encodeRequest(parts []*part) []byte {
	w := writer{b: make([]byte, 0, 256)}
	w.byte(packetVersion)
	for _, p := range parts {
		if len(p.log) <= shortName || p.flags&^flagTrim != 0 {
			p.encode(&w)
			continue
		}
		short := shorten(p.log)
		w.byte(0)
		w.b = append(w.b, short[:]...)
		p.encodeMembers(&w)
		p.encodeBody(&w)
	}
	return w.b
}

// encodeAnswer is encodePacket for the peer that sent a packet with some parts.
func encodeAnswer(parts, asked []*part) []byte {
	w := writer{b: make([]byte, 0, 64)}
	w.byte(packetVersion)
	for _, p := range parts {
		if i := slices.IndexFunc(asked, p.answers); i >= 0 {
			w.byte(0)
			w.uint(uint64(i))
			p.encodeBody(&w)
		} else {
			p.encode(&w)
		}
	}
	return w.b
}

// answers reports whether a part goes back to where another came from.
func (p *part) answers(q *part) bool {
	return p.log == q.log && p.epoch == q.epoch && p.from == q.to && p.to == q.from
}

// shortName is the size of what stands for the name of a log that both sides know.
const shortName = 8

func shorten(log string) (short [shortName]byte) {
	sum := sha256.Sum256([]byte(log))
	copy(short[:], sum[:])
	return short
}

func (p *part) encode(w *writer) {
	w.text(p.log)
	p.encodeMembers(w)
	p.encodeBody(w)
}

func (p *part) encodeMembers(w *writer) {
	w.epoch(p.epoch)
	w.uint(p.from)
	w.uint(p.to)
}

func (p *part) encodeBody(w *writer) {
	w.byte(p.flags)
	if p.flags&flagTrim != 0 {
		w.uint(p.trim)
	}
	if p.flags&flagQuiet != 0 {
		w.uint(p.term)
		w.uint(p.commit)
	}
	w.uint(uint64(len(p.messages)))
	for _, m := range p.messages {
		encodeMessage(w, m)
	}
}

// decodePacket reads a packet of a peer. The data of entries is part of b. Where a part
// leaves out the name of its log, named reads what stands for it and the members, and returns the flags
// that it may have; without it such a part is malformed.
func decodePacket(b []byte, named func(r *reader, p *part) (flags byte)) ([]*part, error) {
	if len(b) > MaxPacket {
		return nil, malformed("%d bytes", len(b))
	}
	r := reader{b: b}
	if v := r.byte(); v != packetVersion {
		return nil, malformed("version %d", v)
	}
	var parts []*part
	left := room{maxMessages, maxEntries}
	for len(r.b) > 0 {
		if len(parts) == maxParts {
			return nil, malformed("more than %d parts", maxParts)
		}
		p := decodePart(&r, &left, named)
		if r.failed {
			return nil, malformed("part %d", len(parts))
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// room is what a packet may still hold.
type room struct{ messages, entries int }

// fromAnswer reads what encodeAnswer writes in the place of a name.
func fromAnswer(asked []*part) func(r *reader, p *part) byte {
	return func(r *reader, p *part) byte {
		i := r.uint()
		if i >= uint64(len(asked)) {
			r.fail()
			return 0
		}
		q := asked[i]
		p.log, p.epoch, p.from, p.to = q.log, q.epoch, q.to, q.from
		return knownFlags
	}
}

// fromRequest reads what encodeRequest writes in the place of a name. A log that this node
// does not hold gets a name that none has.
func (s *Groups) fromRequest(r *reader, p *part) (flags byte) {
	if len(r.b) < shortName {
		r.fail()
		return 0
	}
	p.log = s.named([shortName]byte(r.b[:shortName]))
	r.b = r.b[shortName:]
	p.epoch, p.from, p.to = r.epoch(), r.uint(), r.uint()
	return flagTrim
}

// named returns the log whose name is shortened so.
func (s *Groups) named(short [shortName]byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for log, g := range s.groups {
		if g.short == short {
			return log
		}
	}
	return "unknown " + string(short[:])
}

func decodePart(r *reader, left *room, named func(r *reader, p *part) byte) *part {
	p, may := new(part), byte(knownFlags)
	if named != nil && len(r.b) > 0 && r.b[0] == 0 {
		r.byte()
		may = named(r, p)
	} else {
		p.log, p.epoch, p.from, p.to = r.name(MaxName), r.epoch(), r.uint(), r.uint()
	}
	p.flags = r.byte()
	if p.flags&^may != 0 {
		r.fail()
	}
	if p.flags&flagTrim != 0 {
		p.trim = r.uint()
	}
	if p.flags&flagQuiet != 0 {
		p.term, p.commit = r.uint(), r.uint()
	}
	for range r.count(left.messages) {
		left.messages--
		m := decodeMessage(r, p, left)
		if r.failed {
			return nil
		}
		p.messages = append(p.messages, m)
	}
	return p
}

func encodeMessage(w *writer, m *pb.Message) {
	kind := byte(m.GetType())
	if m.GetReject() {
		kind |= messageReject
	}
	if string(m.GetContext()) == forced {
		kind |= messageForce
	}
	w.byte(kind)
	w.uint(m.GetTerm())
	switch m.GetType() {
	case pb.MsgApp:
		w.uint(m.GetIndex())
		w.uint(m.GetLogTerm())
		w.uint(m.GetCommit())
		encodeEntries(w, m)
	case pb.MsgAppResp:
		w.uint(m.GetIndex())
		if m.GetReject() {
			w.uint(m.GetRejectHint())
			w.uint(m.GetLogTerm())
		}
	case pb.MsgVote, pb.MsgPreVote:
		w.uint(m.GetIndex())
		w.uint(m.GetLogTerm())
	case pb.MsgHeartbeat:
		w.uint(m.GetCommit())
	case pb.MsgSnap:
		w.uint(m.GetSnapshot().GetMetadata().GetIndex())
		w.uint(m.GetSnapshot().GetMetadata().GetTerm())
	}
}

// encodeEntries writes the entries of a MsgApp: their indexes follow the message's,
// terms are written as what they are more than the one before.
func encodeEntries(w *writer, m *pb.Message) {
	w.uint(uint64(len(m.GetEntries())))
	term := m.GetLogTerm()
	for _, e := range m.GetEntries() {
		w.byte(byte(e.GetType()))
		w.uint(e.GetTerm() - term)
		w.bytes(e.GetData())
		term = e.GetTerm()
	}
}

// messageSize is about how many bytes a message takes in a packet.
func messageSize(m *pb.Message) int {
	size := 24
	for _, e := range m.GetEntries() {
		size += int(entrySize(e))
	}
	return size
}

// carried are the messages that members may send each other.
func carried(t pb.MessageType) bool {
	switch t {
	case pb.MsgApp, pb.MsgAppResp, pb.MsgVote, pb.MsgVoteResp, pb.MsgPreVote, pb.MsgPreVoteResp,
		pb.MsgHeartbeat, pb.MsgHeartbeatResp, pb.MsgSnap, pb.MsgTimeoutNow:
		return true
	}
	return false
}

// leads reports whether only a leader sends such a message.
func leads(t pb.MessageType) bool {
	return t == pb.MsgApp || t == pb.MsgHeartbeat || t == pb.MsgSnap || t == pb.MsgTimeoutNow
}

func decodeMessage(r *reader, p *part, left *room) *pb.Message {
	kind := r.byte()
	t := pb.MessageType(kind & messageType)
	if !carried(t) {
		r.fail()
	}
	m := &pb.Message{Type: t.Enum(), From: new(p.from), To: new(p.to), Term: new(r.uint())}
	if m.GetTerm() == 0 {
		r.fail()
	}
	reject := kind&messageReject != 0
	if reject {
		m.Reject = new(true)
	}
	switch vote := t == pb.MsgVote || t == pb.MsgPreVote; {
	case kind&messageForce == 0:
	case vote:
		m.Context = []byte(forced)
	default:
		r.fail()
	}
	switch t {
	case pb.MsgApp:
		m.Index, m.LogTerm, m.Commit = new(r.uint()), new(r.uint()), new(r.uint())
		decodeEntries(r, m, left)
	case pb.MsgAppResp:
		m.Index = new(r.uint())
		if reject {
			m.RejectHint, m.LogTerm = new(r.uint()), new(r.uint())
		}
	case pb.MsgVote, pb.MsgPreVote:
		m.Index, m.LogTerm = new(r.uint()), new(r.uint())
	case pb.MsgHeartbeat:
		m.Commit = new(r.uint())
	case pb.MsgSnap:
		m.Snapshot = &pb.Snapshot{Metadata: &pb.SnapshotMetadata{
			ConfState: &pb.ConfState{AutoLeave: new(false)}, Index: new(r.uint()), Term: new(r.uint()),
		}}
	}
	return m
}

func decodeEntries(r *reader, m *pb.Message, left *room) {
	index, term := m.GetIndex(), m.GetLogTerm()
	for range r.count(left.entries) {
		left.entries--
		kind := pb.EntryType(r.byte())
		index, term = index+1, term+r.uint()
		data := r.bytes(MaxPacket)
		if r.failed || kind > pb.EntryConfChangeV2 || term == 0 || term > m.GetTerm() || index >= maxNumber {
			r.fail()
			return
		}
		e := &pb.Entry{Type: kind.Enum(), Term: new(term), Index: new(index)}
		if len(data) > 0 {
			e.Data = data
		}
		m.Entries = append(m.Entries, e)
	}
}
