package frontier

import "github.com/forage-net/forage/crawl"

// shownDomain is the record of a domain without what is long in it and no front end shows: the tasks of its leases,
// payloads that came under several URLs, and its last answers. It is read in a part of the time.
type shownDomain struct {
	domainRecord
	Lease   shownLease `cbor:"14,keyasint"`
	Over    skipped    `cbor:"35,keyasint"`
	Repeats skipped    `cbor:"24,keyasint"`
	Former  skipped    `cbor:"42,keyasint"`
	Answers skipped    `cbor:"44,keyasint"`
}

// shownLease is a leaseRecord of which the tasks were left out.
type shownLease struct {
	ID     crawl.LeaseID `cbor:"1,keyasint"`
	Tasks  skipped       `cbor:"3,keyasint"`
	Done   skipped       `cbor:"5,keyasint"`
	Holder string        `cbor:"6,keyasint"`
}

// skipped takes whatever is there.
type skipped struct{}

// UnmarshalCBOR implements cbor.Unmarshaler.
func (*skipped) UnmarshalCBOR([]byte) error { return nil }

// readShown reads a domain as front ends show it. Lease.ID and Lease.Holder of the record are set, Lease.Tasks,
// Lease.Done, Over, Repeats, Former and Answers are not.
func (b *buckets) readShown(d crawl.Domain) (domainRecord, bool, error) {
	var r shownDomain
	ok, err := getRecord(b.domains, []byte(d), &r)
	r.domainRecord.Lease.ID, r.domainRecord.Lease.Holder = r.Lease.ID, r.Lease.Holder
	return r.domainRecord, ok, err
}
