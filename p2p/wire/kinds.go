package wire

// Kind says what a message is about. The numbers are part of the protocol; those that are missing were used.
type Kind uint8

const (
	// KindSync compares rosters.
	KindSync Kind = 8
	// KindPing asks for a sign of life.
	KindPing Kind = 9
	// KindProbe asks a third member whether it can reach another.
	KindProbe Kind = 10
	// KindSign asks for a countersignature under an out note.
	KindSign Kind = 11
	// KindVouch asks a member to dial the sender and to vouch for it.
	KindVouch Kind = 12
	// KindKeeps asks a member whether it keeps a shard.
	KindKeeps Kind = 14
	// KindWhy asks the leader of a domain how one of its URLs stands.
	KindWhy Kind = 15
	// KindBeat, KindAct, KindStream and KindPull bring packets of members to each other, by lane (p2p/driver).
	KindBeat   Kind = 23
	KindAct    Kind = 24
	KindStream Kind = 25
	KindPull   Kind = 26
	// KindRecall exchanges the notes of the release keys (app/recall).
	KindRecall Kind = 27
)

// names are the kinds' names, for people.
var names = [...]string{
	KindSync: "roster", KindPing: "ping", KindProbe: "probe", KindSign: "out note", KindVouch: "vouch",
	KindKeeps: "keeps", KindWhy: "why",
	KindBeat: "beat", KindAct: "act", KindStream: "stream", KindPull: "pull", KindRecall: "pause note",
}

// String returns the kind's name.
func (k Kind) String() string {
	if int(k) < len(names) && names[k] != "" {
		return names[k]
	}
	return "unknown"
}
