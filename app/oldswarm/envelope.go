package swarm

import "errors"

// An envelope says which log a request is for, and in whose name it comes:
// <flags> [<length> <to>] [<length> <as>] <body>. Neither is said where it goes without
// saying: the log of the node it is sent to, the name of the node that sends it. A reply is <here> <body>,
// <elsewhere> <peer that leads the log, if it is known>, or <kept>: the peer keeps a copy of the log and does not know
// who leads it.
type envelope struct {
	to, as string
}

const (
	envelopeTo = 1
	envelopeAs = 2

	replyHere      = 0
	replyElsewhere = 1
	replyKept      = 2

	// maxName bounds the name of a peer, in bytes.
	maxName = 64
)

var errEnvelope = errors.New("malformed envelope")

func (e envelope) seal(body []byte) []byte {
	raw := make([]byte, 1, 3+len(e.to)+len(e.as)+len(body))
	for _, part := range []struct {
		flag byte
		name string
	}{{envelopeTo, e.to}, {envelopeAs, e.as}} {
		if part.name != "" {
			raw[0] |= part.flag
			raw = append(append(raw, byte(len(part.name))), part.name...)
		}
	}
	return append(raw, body...)
}

// openEnvelope is the reverse of seal for bytes from anywhere.
func openEnvelope(raw []byte) (e envelope, body []byte, err error) {
	if len(raw) == 0 || raw[0]&^(envelopeTo|envelopeAs) != 0 {
		return e, nil, errEnvelope
	}
	flags, rest := raw[0], raw[1:]
	for _, part := range []struct {
		flag byte
		name *string
	}{{envelopeTo, &e.to}, {envelopeAs, &e.as}} {
		if flags&part.flag == 0 {
			continue
		}
		if len(rest) == 0 || rest[0] == 0 || rest[0] > maxName || len(rest) <= int(rest[0]) {
			return e, nil, errEnvelope
		}
		*part.name, rest = string(rest[1:1+rest[0]]), rest[1+rest[0]:]
	}
	return e, rest, nil
}

func here(body []byte) []byte { return append([]byte{replyHere}, body...) }

func elsewhere(leader string) []byte { return append([]byte{replyElsewhere}, leader...) }

func kept() []byte { return []byte{replyKept} }

// reply is what came of a request for a log.
type reply struct {
	answer []byte // nil if the peer does not lead the log
	leader string // who does then, "" if it does not know
	kept   bool   // the peer keeps a copy: else it would not know
}

// openReply reads a reply.
func openReply(raw []byte) (reply, error) {
	switch {
	case len(raw) > 0 && raw[0] == replyHere:
		return reply{answer: raw[1:len(raw):len(raw)]}, nil
	case len(raw) > 0 && raw[0] == replyElsewhere && len(raw) <= 1+maxName:
		return reply{leader: string(raw[1:]), kept: len(raw) > 1}, nil
	case len(raw) == 1 && raw[0] == replyKept:
		return reply{kept: true}, nil
	}
	return reply{}, errEnvelope
}
