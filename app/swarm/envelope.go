package swarm

import "errors"

// An envelope says which log a request is for, and in whose name it comes:
// <flags> [<length> <to>] [<length> <as>] <body>. Neither is said where it goes without
// saying: the log of the node it is sent to, the name of the node that sends it. A reply is <here> <body>,
// or <elsewhere> <peer that leads the log, if it is known>.
type envelope struct {
	to, as string
}

const (
	envelopeTo = 1
	envelopeAs = 2

	replyHere      = 0
	replyElsewhere = 1

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

// openReply returns the answer, or nil and who leads the log, "" if the peer does
// not know.
func openReply(raw []byte) (answer []byte, leader string, err error) {
	switch {
	case len(raw) > 0 && raw[0] == replyHere:
		return raw[1:len(raw):len(raw)], "", nil
	case len(raw) > 0 && raw[0] == replyElsewhere && len(raw) <= 1+maxName:
		return nil, string(raw[1:]), nil
	}
	return nil, "", errEnvelope
}
