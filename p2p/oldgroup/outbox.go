package oldgroup

import (
	"time"

	pb "go.etcd.io/raft/v3/raftpb"
)

const (
	// holdCommit is how long word of what is committed waits for an entry to go with, or for the group to fall
	// quiet. Longer, members apply later what they have; shorter, there are more packets, and transactions.
	holdCommit = 7 * time.Second
	// maxOutbox bounds what waits to be sent to a peer, in bytes. What is over it is
	// dropped, as if it were lost on the way.
	maxOutbox = 4 << 20
	// maxTaken is how many parts or messages are sent at once.
	maxTaken = 1000
)

// outbox collects what is to be sent to one peer, in order.
type outbox struct {
	parts []*part
	size  int
}

// part returns the last part of a log, one more if there is none from and to the same
// members.
func (o *outbox) part(h part) *part {
	for i := len(o.parts) - 1; i >= 0; i-- {
		p := o.parts[i]
		if p.log != h.log {
			continue
		}
		if p.epoch == h.epoch && p.from == h.from && p.to == h.to {
			return p
		}
		break
	}
	p := &part{log: h.log, epoch: h.epoch, from: h.from, to: h.to}
	o.parts = append(o.parts, p)
	o.size += headSize(p)
	return p
}

// put adds a part, behind what there is of its log. It reports false if it is dropped.
func (o *outbox) put(h part) bool {
	size := 0
	for _, m := range h.messages {
		size += messageSize(m)
	}
	if o.size+size > maxOutbox {
		return false
	}
	p := o.part(h)
	p.flags |= h.flags
	if h.flags&flagTrim != 0 {
		p.trim = h.trim
	}
	if h.flags&flagQuiet != 0 {
		p.term, p.commit = h.term, h.commit
	}
	for _, m := range h.messages {
		if !p.renew(m) {
			p.messages = append(p.messages, m)
			o.size += messageSize(m)
		}
	}
	return true
}

// renew puts a message in the place of one that says no more.
func (p *part) renew(m *pb.Message) bool {
	switch m.GetType() {
	case pb.MsgHeartbeat, pb.MsgHeartbeatResp, pb.MsgVote, pb.MsgPreVote, pb.MsgSnap:
	default:
		return false
	}
	for i, o := range p.messages {
		if o.GetType() == m.GetType() {
			p.messages[i] = m
			return true
		}
	}
	return false
}

// take takes what goes into one packet of so many bytes out of the box. The packet is larger only if one message is.
func (o *outbox) take(full int) (parts []*part) {
	size, count := 1, 0
	for len(o.parts) > 0 && len(parts) < maxTaken && count < maxTaken {
		p := o.parts[0]
		n := 0
		bytes := headSize(p)
		for n < len(p.messages) && count < maxTaken {
			m := messageSize(p.messages[n])
			if len(parts)+n > 0 && size+bytes+m > full {
				break
			}
			bytes, n, count = bytes+m, n+1, count+1
		}
		if n == 0 && len(p.messages) > 0 {
			break
		}
		size += bytes
		if n == len(p.messages) {
			parts = append(parts, p)
			o.parts = o.parts[1:]
			o.size -= bytes
			continue
		}
		head := *p
		head.messages = p.messages[:n:n]
		parts = append(parts, &head)
		p.messages = p.messages[n:]
		o.size -= bytes - headSize(p)
		break
	}
	if len(o.parts) == 0 {
		*o = outbox{}
	}
	return parts
}

// headSize is at most what a part takes without messages.
func headSize(p *part) int { return len(p.log) + len(p.epoch.Founder) + 48 }
