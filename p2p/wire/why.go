package wire

import "github.com/forage-net/forage/crawl"

// WhyAsk asks the leader of a domain how one of its URLs stands. A person waits for the answer; nothing is done
// with it but to show it.
type WhyAsk struct {
	_   struct{} `cbor:",toarray"`
	URL string
}

func (a *WhyAsk) validate() error {
	if a.URL == "" || len(a.URL) > crawl.MaxURL {
		return invalid("URL of %d bytes", len(a.URL))
	}
	return nil
}

// WhyAnswer says how a URL stands.
type WhyAnswer struct {
	_ struct{} `cbor:",toarray"`
	// Leads says that the sender leads the domain. If it does not, Hint is the peer of whom it believes that,
	// "" for none, and all else is empty.
	Leads bool
	Hint  string
	// Known says that the URL is known, Waits that it waits for a visit. Result, Status and Date (Unix seconds,
	// 0 for none) are of the last visit, and Next is when the next one is due, likewise.
	Known, Waits bool
	Result       crawl.Result
	Status       uint16
	Date, Next   int64
	Depth        uint8
	// Dropped says that it was kept out of the queue, By is the number of the limit that would do so now.
	Dropped bool
	By      uint8
	// Leased, Retired and Troubled are of the domain, DueIn is in how many seconds it may be visited again;
	// Queued and All are its URLs, Budget is how many it may have.
	Leased, Retired, Troubled bool
	DueIn                     uint32
	Queued, All, Budget       uint64
	// Reason is of the last trouble.
	Reason string
}

// Short returns a text as WhyAnswer.Reason has it.
func Short(reason string) string { return cut(clean(reason), maxReason) }

func (a *WhyAnswer) validate() error {
	const most = 1 << 40
	switch {
	case a.Result > crawl.Declined, a.Status > 999, a.Date < 0, a.Date > maxModified, a.Next < 0, a.Next > maxModified:
		return invalid("visit")
	case a.DueIn > 400*24*3600, a.Queued > most, a.All > most, a.Budget > most:
		return invalid("counts")
	case a.Hint != "" && checkPeer(a.Hint) != nil:
		return invalid("hint")
	case len(a.Reason) > maxReason:
		return invalid("reason of %d bytes", len(a.Reason))
	}
	if a.Reason != clean(a.Reason) {
		return invalid("reason %.100q", a.Reason)
	}
	return nil
}
