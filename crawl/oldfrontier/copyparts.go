package frontier

import (
	"encoding/binary"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/bloom"
)

// copyPart is a part of what is known of a domain, or a list of all domains. The
// numbers are on the wire; parts are copied in their order.
type copyPart uint8

const (
	partShapes copyPart = iota
	partFilters
	partPages
	partQueue
	partHolds  // milliseconds that are left of the holds of hosts, by origin
	partRecord // recordKey, and waitKey: milliseconds until the domain may be visited
	domainParts
)

const (
	partAside copyPart = iota + domainParts
	partLeases
	partUnasked
	partClosing
	partGone
	partArriving
	partOutbox
	partSlots
	copyParts
)

// The keys of partRecord.
const (
	recordKey = "r"
	waitKey   = "w"
)

// bucket returns where a part is, nil for partRecord.
func (p copyPart) bucket(b *buckets) *storage.Bucket {
	return [copyParts]*storage.Bucket{
		partShapes: b.shapes, partFilters: b.filters, partPages: b.pages, partQueue: b.queue, partHolds: b.clocks,
		partAside: b.aside, partLeases: b.leases, partUnasked: b.unasked, partClosing: b.closing, partGone: b.gone,
		partArriving: b.arriving, partOutbox: b.outbox, partSlots: b.slots,
	}[p]
}

// ranged reports whether a part is compared by ranges. The others change as time goes by.
func (p copyPart) ranged() bool { return p != partHolds && p != partRecord }

// prefix returns what the keys of a want begin with.
func (w *copyWant) prefix() []byte {
	if w.Name == "" {
		return nil
	}
	return hostKey(w.Name, "")
}

// behind returns the part behind the last of a want.
func (w *copyWant) behind() copyPart {
	if w.Name == "" {
		return copyParts
	}
	return domainParts
}

// valid reports whether a pair may stand where it shall: Check, and what applies
// entries, can read it. The key is whole.
func (p copyPart) valid(key, value []byte) bool {
	if len(key) == 0 || len(key) >= copyKeyBytes || value == nil || len(key)+len(value) > copyItemBytes {
		return false
	}
	d, rest := splitHostKey(key)
	switch p {
	case partShapes:
		return len(rest) == pageHash && len(value) == 2*len(shapeLimits)
	case partFilters:
		return bloom.CheckBlock([]byte(rest), value) == nil
	case partPages:
		return validPage(key, value)
	case partQueue:
		_, ok := readWhole(key, value)
		return ok && value[0] < maxRefusals
	case partHolds:
		return len(value) == 8 && validHost(key)
	case partAside:
		return validAside(d, rest, value)
	case partLeases:
		return len(key) == 8 && validDomain(crawl.Domain(value))
	case partUnasked, partClosing:
		return validDomain(crawl.Domain(key)) && len(value) == 0
	case partGone:
		return validGone(key, value)
	case partArriving:
		return validArriving(key, value)
	case partOutbox:
		_, err := readOut(key, value)
		return err == nil && len(key) <= maxOutKey
	case partSlots:
		return validSlot(key, value)
	}
	return false
}

// validPage reports whether a record of a visit is one of its key. Its URL may be spelt in
// an old way.
func validPage(key, value []byte) bool {
	d, _ := splitHostKey(key)
	rec, err := unpackPage(d, value)
	if err != nil {
		return false
	}
	u, err := crawl.ParseURL(rec.URL)
	return err == nil && u.Domain() == d && string(pageKey(d, rec.URL)) == string(key)
}

// validAside leaves tasks and pages unread, as they are when they are put back.
func validAside(d crawl.Domain, rest string, value []byte) bool {
	if !validDomain(d) || rest == "" {
		return false
	}
	switch rest[0] {
	case asideRecord:
		var r domainRecord
		return len(rest) == 1 && decode.Unmarshal(value, &r) == nil && !r.isAbsurd()
	case asidePage, asideTask:
		return true
	}
	return false
}

func validGone(key, value []byte) bool {
	switch {
	case key[0] == goneRest:
		return validDomain(crawl.Domain(key[1:])) && len(value) == 0
	case key[0] == goneOrder:
		at, name := splitDueKey(key[1:])
		return at >= 0 && validDomain(crawl.Domain(name)) && len(value) == 0
	}
	var r goneRecord
	return validDomain(crawl.Domain(key)) && decode.Unmarshal(value, &r) == nil && r.At >= 0 && r.To != "" && len(r.To) <= MaxPeer
}

func validArriving(key, value []byte) bool {
	kind, move := key[0], key[1:]
	if kind == moveOver {
		var at int64
		if at, move = splitDueKey(move); at < 0 {
			return false
		}
	}
	from, _, rest, ok := splitMoveKey(move)
	if !ok || from == "" || (kind == moveDomain) != (len(rest) > 0) {
		return false
	}
	switch kind {
	case moveState:
		var mv moveRecord
		return decode.Unmarshal(value, &mv) == nil && mv.State >= MoveArriving && mv.State <= MoveDeclined && len(mv.Mark) <= maxMark
	case moveDomain:
		return validDomain(crawl.Domain(rest)) && len(value) == 0
	case moveLive, moveOver:
		return len(value) == 0
	}
	return false
}

func validSlot(key, value []byte) bool {
	switch {
	case string(key) == string(keySlots):
		var h slotHead
		return decode.Unmarshal(value, &h) == nil && h.Number < maxNumber
	case key[0] == slotOf:
		var r slotRecord
		return ValidAddress(string(key[1:])) && decode.Unmarshal(value, &r) == nil && r.valid()
	case key[0] == slotIdle:
		at, name := splitDueKey(key[1:])
		return at >= 0 && ValidAddress(string(name)) && len(value) == 0
	}
	return false
}

// readCopied reads the record of a domain that a copy brings; ok is false if it cannot
// be one.
func readCopied(raw []byte) (r domainRecord, ok bool) {
	if len(raw) > copyItemBytes || decode.Unmarshal(raw, &r) != nil || r.isAbsurd() || r.Lease.ID >= maxNumber ||
		len(r.Lease.Tasks) > MaxLeaseTasks || len(r.Over.Tasks) > MaxLeaseTasks || len(r.Former) > maxFormer {
		return r, false
	}
	for i := range r.Former {
		if len(r.Former[i].Tasks) > MaxLeaseTasks {
			return r, false
		}
	}
	if a := r.Arriving; a != nil && (!a.valid() || r.Closing != nil) {
		return r, false
	}
	return r, r.Closing == nil || r.Closing.To != "" && len(r.Closing.To) <= MaxPeer
}

// encodeWait returns what is left of a time, as long as it may be.
func encodeWait(at, now int64) []byte {
	left := time.Duration(max(at-now, 0))
	return binary.BigEndian.AppendUint64(nil, uint64((left+time.Millisecond-1)/time.Millisecond))
}

// decodeWait is the reverse of encodeWait for 8 bytes from anywhere.
func decodeWait(raw []byte, most time.Duration) time.Duration {
	return time.Duration(min(binary.BigEndian.Uint64(raw), uint64(most/time.Millisecond))) * time.Millisecond
}
