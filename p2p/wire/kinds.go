package wire

// Kind says what a message is about. The numbers are part of the protocol.
type Kind uint8

const (
	// KindAsk asks an owner for leases, and leaves the wish for more.
	KindAsk Kind = 1
	// KindOffer tells a fetcher that it would be granted leases.
	KindOffer Kind = 2
	// KindReport brings outcomes home, and gives leases back.
	KindReport Kind = 3
	// KindLinks brings links to the owner of their domains.
	KindLinks Kind = 4
	// KindHave asks a former owner whether it has domains.
	KindHave Kind = 5
	// KindMove brings a part of domains to their new owner.
	KindMove Kind = 6
	// KindRecall asks a fetcher to give leases back.
	KindRecall Kind = 7
	// KindSync compares rosters.
	KindSync Kind = 8
	// KindPing asks for a sign of life.
	KindPing Kind = 9
	// KindProbe asks a third member whether it can reach another.
	KindProbe Kind = 10
	// KindSign asks for a countersignature under an out note.
	KindSign Kind = 11
	// KindLog brings entries and votes of logs to another member that keeps them.
	KindLog Kind = 12
	// KindPiece asks for a piece of a log's state.
	KindPiece Kind = 13
	// KindKeeps asks a member whether it keeps a log, and how far.
	KindKeeps Kind = 14
	// KindSlot asks who granted a lease for a slot of an address.
	KindSlot Kind = 15
	// KindTakeSlot asks the log of an address for a slot of it.
	KindTakeSlot Kind = 16
	// KindUnslot gives slots back to the log of their addresses.
	KindUnslot Kind = 17
	// KindHeldSlots asks a former owner of addresses who has slots of them.
	KindHeldSlots Kind = 18
	// KindRest tells a member that the sender rests, or is back: who leads logs that both
	// keep does without its vote, or brings it what it lacks.
	KindRest Kind = 19
	// KindWanted tells who has a slot of an address that others want it.
	KindWanted Kind = 20
	// KindVouch asks who keeps a log whether another member does so too, or did.
	KindVouch Kind = 21
	// KindTellSlots tells the new owner of addresses who has slots of them, before the former one leaves.
	KindTellSlots Kind = 22
	// KindBeat, KindAct, KindStream and KindPull bring packets of members to each other, by lane (p2p/driver).
	KindBeat   Kind = 23
	KindAct    Kind = 24
	KindStream Kind = 25
	KindPull   Kind = 26
)

// names are the kinds' names, for people.
var names = [...]string{
	KindAsk: "ask", KindOffer: "offer", KindReport: "report", KindLinks: "links", KindHave: "have", KindMove: "move",
	KindRecall: "recall", KindSync: "roster", KindPing: "ping", KindProbe: "probe", KindSign: "out note", KindLog: "log", KindPiece: "piece", KindKeeps: "keeps",
	KindSlot: "slot", KindTakeSlot: "take slot", KindUnslot: "unslot", KindHeldSlots: "held slots", KindRest: "rest", KindWanted: "wanted", KindVouch: "vouch",
	KindTellSlots: "tell slots", KindBeat: "beat", KindAct: "act", KindStream: "stream", KindPull: "pull",
}

// String returns the kind's name.
func (k Kind) String() string {
	if int(k) < len(names) && names[k] != "" {
		return names[k]
	}
	return "unknown"
}
