package oldgroup

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

func someParts() []*part {
	head := func(m *pb.Message) *pb.Message {
		m.From, m.To, m.Term = new(uint64(1)), new(uint64(2)), new(uint64(5))
		return m
	}
	return []*part{
		{log: "one", from: 1, to: 2, flags: flagBegin | flagTrim, trim: 99, messages: []*pb.Message{
			head(&pb.Message{Type: pb.MsgApp.Enum(), Index: new(uint64(7)), LogTerm: new(uint64(3)), Commit: new(uint64(6)), Entries: []*pb.Entry{
				{Type: pb.EntryNormal.Enum(), Term: new(uint64(3)), Index: new(uint64(8)), Data: []byte("data")},
				{Type: pb.EntryNormal.Enum(), Term: new(uint64(5)), Index: new(uint64(9))},
				{Type: pb.EntryConfChange.Enum(), Term: new(uint64(5)), Index: new(uint64(10)), Data: []byte("x")},
			}}),
			head(&pb.Message{Type: pb.MsgHeartbeat.Enum(), Commit: new(uint64(6))}),
			head(&pb.Message{Type: pb.MsgHeartbeatResp.Enum()}),
			head(&pb.Message{Type: pb.MsgAppResp.Enum(), Index: new(uint64(9))}),
			head(&pb.Message{Type: pb.MsgAppResp.Enum(), Index: new(uint64(9)), Reject: new(true), RejectHint: new(uint64(4)), LogTerm: new(uint64(2))}),
		}},
		{log: "two", epoch: Epoch{3, "founder"}, from: 1, to: 2, flags: flagQuiet, term: 5, commit: 6, messages: []*pb.Message{
			head(&pb.Message{Type: pb.MsgPreVote.Enum(), Index: new(uint64(9)), LogTerm: new(uint64(4))}),
			head(&pb.Message{Type: pb.MsgPreVoteResp.Enum(), Reject: new(true)}),
			head(&pb.Message{Type: pb.MsgVote.Enum(), Index: new(uint64(9)), LogTerm: new(uint64(4)), Context: []byte(forced)}),
			head(&pb.Message{Type: pb.MsgVoteResp.Enum()}),
			head(&pb.Message{Type: pb.MsgTimeoutNow.Enum()}),
			head(&pb.Message{Type: pb.MsgSnap.Enum(), Snapshot: &pb.Snapshot{Metadata: &pb.SnapshotMetadata{
				ConfState: &pb.ConfState{AutoLeave: new(false)}, Index: new(uint64(50)), Term: new(uint64(4)),
			}}}),
		}},
		{log: "three", from: 4, to: 2, flags: flagHello},
	}
}

func sameParts(a, b []*part) error {
	if len(a) != len(b) {
		return fmt.Errorf("%d parts and %d", len(a), len(b))
	}
	for i := range a {
		x, y := *a[i], *b[i]
		if len(x.messages) != len(y.messages) {
			return fmt.Errorf("part %d: %d messages and %d", i, len(x.messages), len(y.messages))
		}
		for k := range x.messages {
			if !proto.Equal(x.messages[k], y.messages[k]) {
				return fmt.Errorf("part %d: %v and %v", i, x.messages[k], y.messages[k])
			}
		}
		x.messages, y.messages = nil, nil
		if fmt.Sprint(x) != fmt.Sprint(y) {
			return fmt.Errorf("part %d: %+v and %+v", i, x, y)
		}
	}
	return nil
}

func TestPacket_RoundTrip(t *testing.T) {
	raw := encodePacket(someParts())
	got, err := decodePacket(raw, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := sameParts(got, someParts()); err != nil {
		t.Error(err)
	}
	for i := range raw {
		if parts, err := decodePacket(raw[:i], nil); err == nil && len(parts) == len(got) {
			t.Errorf("%d of %d bytes are enough", i, len(raw))
		}
	}
}

// readPacket reads the parts of a request; what goes without names has made-up ones.
func readPacket(raw []byte) []*part {
	parts, _ := decodePacket(raw, new(Groups).fromRequest)
	return parts
}

// Between members that know each other a log is not called by its whole name.
func TestPacket_LeavesNamesOut(t *testing.T) {
	long := strings.Repeat("long ", 8)
	asked := someParts()
	for i, p := range asked {
		p.log = fmt.Sprint(long, i)
	}
	asked[1].flags = 0
	s := &Groups{groups: map[string]*Group{asked[1].log: {short: shorten(asked[1].log)}}}
	raw := encodeRequest(asked)
	if n := bytes.Count(raw, []byte(long)); n != 2 {
		t.Errorf("%d names are written, want those with flags", n)
	}
	got, err := decodePacket(raw, s.fromRequest)
	if err != nil {
		t.Fatal(err)
	}
	asked[1].term, asked[1].commit = 0, 0 // they go with a flag
	if err := sameParts(got, asked); err != nil {
		t.Error(err)
	}
	delete(s.groups, asked[1].log)
	got, err = decodePacket(raw, s.fromRequest)
	if err != nil || got[1].log == asked[1].log || got[1].log == "" {
		t.Errorf("an unknown log is called %q, %v", got[1].log, err)
	}
	// Parts of answers are named by those that they answer, in whatever order.
	var answers []*part
	for _, i := range []int{2, 0} {
		q := asked[i]
		answers = append(answers, &part{log: q.log, epoch: q.epoch, from: q.to, to: q.from, flags: flagLost})
	}
	answers = append(answers, &part{log: "another", from: 7, to: 8})
	raw = encodeAnswer(answers, asked)
	if bytes.Contains(raw, []byte(long)) {
		t.Errorf("names are written: %q", raw)
	}
	got, err = decodePacket(raw, fromAnswer(asked))
	if err != nil {
		t.Fatal(err)
	}
	if err := sameParts(got, answers); err != nil {
		t.Error(err)
	}
	if _, err := decodePacket(raw, fromAnswer(asked[:2])); !errors.Is(err, errPacket) {
		t.Errorf("an answer to a part that was not sent: %v", err)
	}
	begin := encodeRequest([]*part{{log: asked[1].log, from: 1, to: 2}})
	begin[len(begin)-2] = flagBegin
	if _, err := decodePacket(begin, s.fromRequest); !errors.Is(err, errPacket) {
		t.Errorf("a log without a name is begun: %v", err)
	}
}

func TestPacket_Bounds(t *testing.T) {
	message := func(m *pb.Message) []byte {
		m.From, m.To = new(uint64(1)), new(uint64(2))
		return encodePacket([]*part{{log: "x", from: 1, to: 2, messages: []*pb.Message{m}}})
	}
	var heads writer
	heads.byte(packetVersion)
	for range maxParts + 1 {
		(&part{log: "x", from: 1, to: 2}).encode(&heads)
	}
	many := writer{b: []byte{packetVersion}}
	(&part{log: "x", from: 1, to: 2}).encode(&many)
	many.b = many.b[:len(many.b)-1]
	many.uint(maxMessages + 1)
	for range maxMessages + 1 {
		encodeMessage(&many, &pb.Message{Type: pb.MsgHeartbeatResp.Enum(), Term: new(uint64(1))})
	}
	for name, raw := range map[string][]byte{
		"nothing":            nil,
		"version":            {1},
		"no log":             encodePacket([]*part{{from: 1, to: 2}}),
		"long log":           encodePacket([]*part{{log: string(make([]byte, MaxName+1)), from: 1, to: 2}}),
		"long founder":       encodePacket([]*part{{log: "x", epoch: Epoch{1, string(make([]byte, MaxPeer+1))}, from: 1, to: 2}}),
		"flags":              encodePacket([]*part{{log: "x", from: 1, to: 2, flags: 1 << 7}}),
		"parts":              heads.b,
		"messages":           many.b,
		"bytes":              append(encodePacket(nil), make([]byte, MaxPacket)...),
		"term":               message(&pb.Message{Type: pb.MsgHeartbeat.Enum(), Term: new(uint64(maxNumber)), Commit: new(uint64(1))}),
		"no term":            message(&pb.Message{Type: pb.MsgHeartbeat.Enum(), Term: new(uint64(0)), Commit: new(uint64(1))}),
		"proposal":           message(&pb.Message{Type: pb.MsgProp.Enum(), Term: new(uint64(1))}),
		"Raft's own message": message(&pb.Message{Type: pb.MsgHup.Enum(), Term: new(uint64(1))}),
		"forced heartbeat":   message(&pb.Message{Type: pb.MsgHeartbeat.Enum(), Term: new(uint64(1)), Commit: new(uint64(1)), Context: []byte(forced)}),
		"entry of a later term": message(&pb.Message{Type: pb.MsgApp.Enum(), Term: new(uint64(1)), Index: new(uint64(1)), LogTerm: new(uint64(1)), Commit: new(uint64(1)),
			Entries: []*pb.Entry{{Term: new(uint64(2)), Index: new(uint64(2))}}}),
	} {
		if _, err := decodePacket(raw, nil); !errors.Is(err, errPacket) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzPacket(f *testing.F) {
	f.Add(encodePacket(someParts()))
	f.Add(encodePacket([]*part{{log: "x", from: 1, to: 2, flags: flagLost}}))
	f.Add(encodeRequest([]*part{{log: "long enough", from: 1, to: 2}}))
	f.Fuzz(func(t *testing.T, raw []byte) {
		parts, err := decodePacket(raw, new(Groups).fromRequest)
		if err != nil {
			return
		}
		again, err := decodePacket(encodePacket(parts), nil)
		if err != nil {
			t.Fatalf("written again: %v", err)
		}
		if err := sameParts(parts, again); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzFetchRequest(f *testing.F) {
	f.Add((&pieceRequest{log: "x", member: 2, session: 5, request: []byte("from here")}).encode())
	f.Add((&pieceRequest{log: "x", epoch: Epoch{1, "a"}, member: 2}).encode())
	f.Fuzz(func(t *testing.T, raw []byte) {
		q, err := decodePieceRequest(raw)
		if err == nil && !bytes.Equal(q.encode(), raw) {
			t.Fatalf("%x becomes %x", raw, q.encode())
		}
	})
}

func FuzzFetchAnswer(f *testing.F) {
	f.Add((&pieceAnswer{status: pieceGiven, session: 5, meta: &meta{index: 3, term: 2, members: firstState().members, next: 3}, answer: []byte("piece")}).encode())
	f.Add((&pieceAnswer{status: pieceGiven, session: 5, meta: &meta{index: 3, term: 2, members: firstState().members, next: 3, former: []string{"b", "c"}}, answer: []byte("piece")}).encode())
	f.Add((&pieceAnswer{status: pieceBusy}).encode())
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, err := decodePieceAnswer(raw)
		if err == nil && a.status == pieceGiven && !bytes.Equal(a.encode(), raw) {
			t.Fatalf("%x becomes %x", raw, a.encode())
		}
	})
}

// FuzzChange applies whatever an entry says to the members.
func FuzzChange(f *testing.F) {
	for _, c := range []change{{pb.ConfChangeAddLearnerNode, 3, "c"}, {pb.ConfChangeAddNode, 2, ""}, {pb.ConfChangeRemoveNode, 1, ""}} {
		raw, err := c.encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := decodeChange(&pb.Entry{Type: pb.EntryConfChange.Enum(), Data: raw})
		if err != nil {
			return
		}
		s := firstState()
		if s.members, s.next, err = s.with(c); err != nil {
			return
		}
		if s.voters() == 0 {
			t.Fatal("nobody votes")
		}
		if _, err := decodeState(s.encode()); err != nil {
			t.Fatalf("members %+v, next %d: %v", s.members, s.next, err)
		}
	})
}

func TestOutbox_CutsIntoPackets(t *testing.T) {
	var box outbox
	app := func(index uint64, size int) *pb.Message {
		return &pb.Message{Type: pb.MsgApp.Enum(), Term: new(uint64(1)), Index: new(index), LogTerm: new(uint64(1)), Commit: new(uint64(1)),
			Entries: []*pb.Entry{{Term: new(uint64(1)), Index: new(index + 1), Data: make([]byte, size)}}}
	}
	sizes := []int{10, 100_000, 200_000, 10, 10, MaxData, 10, 250_000}
	for i, size := range sizes {
		box.put(part{log: fmt.Sprint("log", i%2), from: 1, to: 2, messages: []*pb.Message{app(uint64(i), size)}})
	}
	var got []uint64
	for box.parts != nil {
		parts := box.take(fullPacket)
		raw := encodePacket(parts)
		count := 0
		for _, p := range parts {
			for _, m := range p.messages {
				got = append(got, m.GetIndex())
				count++
			}
		}
		if count == 0 || len(raw) > fullPacket && count > 1 {
			t.Errorf("packet of %d messages has %d bytes", count, len(raw))
		}
		if _, err := decodePacket(raw, nil); err != nil {
			t.Errorf("packet of %d bytes: %v", len(raw), err)
		}
	}
	if len(got) != len(sizes) || box.size != 0 {
		t.Errorf("%d messages, want %d; %d bytes are left", len(got), len(sizes), box.size)
	}
}

func TestOutbox_IsBounded(t *testing.T) {
	var box outbox
	beat := &pb.Message{Type: pb.MsgHeartbeat.Enum(), Term: new(uint64(1)), Commit: new(uint64(1))}
	for range 1000 {
		box.put(part{log: "x", from: 1, to: 2, messages: []*pb.Message{beat}})
	}
	if len(box.parts) != 1 || len(box.parts[0].messages) != 1 {
		t.Errorf("%d heartbeats are kept", len(box.parts[0].messages))
	}
	entry := &pb.Message{Type: pb.MsgApp.Enum(), Entries: []*pb.Entry{{Data: make([]byte, 100_000)}}}
	dropped := false
	for range 100 {
		dropped = !box.put(part{log: "x", from: 1, to: 2, messages: []*pb.Message{entry}}) || dropped
	}
	if !dropped || box.size > maxOutbox+1000 {
		t.Errorf("%d bytes wait", box.size)
	}
}
