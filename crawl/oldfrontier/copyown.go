package frontier

import (
	"bytes"
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// put writes a pair that was found valid, with what is this member's own about it.
func (in *installer) put(part copyPart, key, value []byte) error {
	b := part.bucket(in.b)
	switch part {
	case partHolds:
		// Its place in the order of due times comes when the domain is known to have one.
		return in.setClock(key, in.now+int64(decodeWait(value, crawl.MaxWait)), false)
	case partPages:
		if bytes.Equal(b.Get(key), value) {
			return nil
		}
		if err := in.plan(key, value); err != nil {
			return err
		}
	case partAside:
		if page, ok := asidePageOf(key); ok {
			if err := in.plan(page, value); err != nil {
				return err
			}
		}
	case partSlots:
		if err := in.uncountSlots(key, value); err != nil {
			return err
		}
	}
	return putPair(b, key, value)
}

// drop deletes a key that the source does not have.
func (in *installer) drop(part copyPart, key []byte) error {
	if part == partHolds {
		return in.dropClock(key)
	}
	return dropKey(part.bucket(in.b), key)
}

// unnest deletes a bucket where a value should be.
func (in *installer) unnest(b *storage.Bucket, key []byte) error {
	if b.Get(key) == nil && b.Bucket(key) != nil {
		return b.DeleteBucket(key)
	}
	return nil
}

// setClock is as of buckets, whatever is there.
func (in *installer) setClock(name []byte, at int64, work bool) error {
	if err := in.unnest(in.b.clocks, name); err != nil {
		return err
	}
	if old, ok := in.b.clock(name); ok {
		if err := dropKey(in.b.due, dueKey(old, name)); err != nil {
			return err
		}
	}
	if err := in.unnest(in.b.due, dueKey(at, name)); err != nil {
		return err
	}
	return in.b.setClock(name, at, work)
}

func (in *installer) dropClock(name []byte) error {
	if at, ok := in.b.clock(name); ok {
		if err := dropKey(in.b.due, dueKey(at, name)); err != nil {
			return err
		}
	}
	return dropKey(in.b.clocks, name)
}

// asidePageOf returns the key that a page has when it is put back; ok is false if the key
// is not that of a page aside.
func asidePageOf(key []byte) (page []byte, ok bool) {
	d, rest := splitHostKey(key)
	if len(rest) != 1+pageHash || rest[0] != asidePage {
		return nil, false
	}
	return append(hostKey(d, ""), rest[1:]...), true
}

// plan gives a page its next visit, for when it is put back if it is aside. Where it was
// planned before is left to tidy.
func (in *installer) plan(key, value []byte) error {
	rec, err := unpackPage(domainOf(key), value)
	if err != nil || rec.Every <= 0 || rec.Queued {
		return nil
	}
	return putPair(in.b.later, dueKey(in.visitAt(&rec), key), []byte{})
}

// visitAt returns when a page should be visited again, in Unix nanoseconds of the calendar, at
// most the longest wait from now.
func (in *installer) visitAt(rec *pageRecord) int64 {
	most := in.today + int64(in.cfg.Revisit.orDefaults().Most)
	date, every := max(rec.Date, 0), rec.Every/1000
	if date > most/int64(time.Second) || every > most/int64(time.Second) {
		return most
	}
	return min((date+every)*int64(time.Second), most)
}

// uncountSlots drops the clocks of those who have slots of an address by its old record and not by the
// new one. Others that nobody has any more are left to tidy.
func (in *installer) uncountSlots(key, next []byte) error {
	old := in.b.slots.Get(key)
	if len(key) == 0 || key[0] != slotOf || old == nil || bytes.Equal(old, next) {
		return nil
	}
	var was, is slotRecord
	if decode.Unmarshal(old, &was) != nil {
		return nil // tidy finds them
	}
	if err := decode.Unmarshal(next, &is); err != nil {
		return err
	}
	for _, h := range was.Holders {
		if i := is.numbered(h.Number); i >= 0 && is.Holders[i] == h {
			continue
		}
		if err := in.dropSlotTime(string(key[1:]), h.Number); err != nil {
			return err
		}
	}
	return nil
}

func (in *installer) dropSlotTime(address string, number uint64) error {
	if at, ok := in.b.slotTime(address, number); ok {
		if err := dropKey(in.b.slotTimes, slotOrderKey(at, address, number)); err != nil {
			return err
		}
	}
	return dropKey(in.b.slotTimes, slotClockKey(address, number))
}

// takeRecord ends a domain, and reports whether there was room for it: its hosts are
// made ready or held before.
func (in *installer) takeRecord(w *copyWant, n *copyGiven) (all bool, err error) {
	var raw []byte
	var rec domainRecord
	wait := time.Duration(-1)
	for _, p := range n.Pairs {
		ok := false
		switch string(p.Key) {
		case recordKey:
			raw = p.Value
			rec, ok = readCopied(raw)
		case waitKey:
			if ok = len(p.Value) == 8; ok {
				wait = decodeWait(p.Value, retireMost+time.Hour)
			}
		}
		if !ok {
			return false, fmt.Errorf("%w: record of %s", ErrCopy, w.Name)
		}
	}
	if err := in.dropWith(in.b.domains, w.prefix(), dropKey); err != nil { // keys of no domain
		return false, err
	}
	if raw == nil { // something of it is being deleted there
		if err := in.dropWith(in.b.ready, w.prefix(), dropKey); err != nil {
			return false, err
		}
		if err := in.dropClocks(string(w.Name)); err != nil {
			return false, err
		}
		return in.room > 0, nil
	}
	if all, err = in.hosts(w, &rec); err != nil || !all {
		return false, err
	}
	if err := putPair(in.b.domains, []byte(w.Name), raw); err != nil {
		return false, err
	}
	return true, in.time(w.Name, &rec, wait)
}

// time sets the clock of a domain. wait is how long it is left alone at the source, negative
// if it has no clock there.
func (in *installer) time(name crawl.Domain, d *domainRecord, wait time.Duration) error {
	work := d.Lease.ID != 0 || !d.asleep() && in.b.hasReady(name)
	gap := min(max(d.gap(in.cfg.Politeness), 0), crawl.MaxWait)
	asleep := retired(d, wait)
	switch {
	case d.Lease.ID != 0:
		gap = min(max(d.Lease.For, 0), crawl.MaxWait)
		gap += gap / 10
		if wait >= 0 { // what is left at the source, with its tenth
			gap = min(gap, wait)
		}
	case d.Parked:
		gap = max(gap, asleep)
	default:
		gap = max(gap, min(wait, crawl.MaxWait+time.Hour))
	}
	if d.Parked && d.Arriving == nil {
		if err := putPair(in.b.later, dueKey(in.today+int64(asleep), []byte(name)), []byte{}); err != nil {
			return err
		}
	}
	return in.setClock([]byte(name), in.now+int64(gap), work)
}

// retired returns how long a retired domain goes on being so, given what its clock says.
func retired(d *domainRecord, left time.Duration) time.Duration {
	if d.Lease.ID != 0 || left < 0 {
		return d.retiredFor()
	}
	return min(left, retireMost)
}

// hosts makes the hosts of a domain ready that have tasks and no hold, and gives the
// holds of the others their places in the order of due times. It reports whether it is
// done.
func (in *installer) hosts(w *copyWant, d *domainRecord) (bool, error) {
	if len(w.Hosts) == 0 {
		w.Hosts = []byte{hostsHeld}
	}
	for {
		prefix := w.prefix()
		from := append(bytes.Clone(prefix), w.Hosts[1:]...)
		var done bool
		var err error
		switch w.Hosts[0] {
		case hostsHeld:
			done, err = in.eachHost(w, in.b.clocks, from, prefix, func(host []byte) error {
				at, _ := in.b.clock(host)
				return in.setClock(host, at, d.Arriving == nil)
			})
		case hostsReady:
			done, err = in.eachHost(w, in.b.ready, from, prefix, func(host []byte) error {
				if in.isReady(host) {
					return nil
				}
				return dropKey(in.b.ready, host)
			})
		default:
			done, err = in.eachHost(w, in.b.queue, from, prefix, func(host []byte) error {
				if !in.isReady(host) {
					return nil
				}
				return putPair(in.b.ready, host, []byte{})
			})
			if done {
				return true, err
			}
		}
		if err != nil || !done {
			return false, err
		}
		w.Hosts = []byte{w.Hosts[0] + 1}
	}
}

// The first byte of copyWant.Hosts says which bucket is gone through; the rest is where.
const (
	hostsHeld   = 1 // those that are held
	hostsReady  = 2 // those that are listed as ready
	hostsQueued = 3 // those that have tasks
)

func (in *installer) isReady(host []byte) bool {
	_, held := in.b.clock(host)
	return !held && in.b.hasTasks(host)
}

// eachHost calls fn for the hosts of which a bucket has keys, from one key on, as far as there is
// room. fn may change the bucket.
func (in *installer) eachHost(w *copyWant, b *storage.Bucket, from, prefix []byte, fn func(host []byte) error) (done bool, err error) {
	c := b.Cursor()
	for in.room > 0 {
		key, _ := c.Seek(from)
		if !bytes.HasPrefix(key, prefix) {
			return true, nil
		}
		origin, _, _ := bytes.Cut(key[len(prefix):], []byte{0})
		host := append(bytes.Clone(prefix), origin...)
		if !bytes.Equal(key, host) && b != in.b.queue { // no key of a host
			host = bytes.Clone(key)
		}
		in.room--
		if err := fn(host); err != nil {
			return false, err
		}
		from = append(host, 1) // behind the tasks of the host
		if len(from) <= len(prefix)+copyKeyBytes-1 {
			w.Hosts = append(w.Hosts[:1:1], from[len(prefix):]...)
		}
	}
	return false, nil
}

// dropDomain deletes a domain that the source does not have, as far as there is room, and
// reports whether it is done. The name may be that of none.
func (in *installer) dropDomain(name string) (done bool, err error) {
	for _, b := range append(in.b.shared(), in.b.ready) {
		if err := dropOwn(b, name); err != nil {
			return false, err
		}
		if err := in.dropWith(b, hostKey(crawl.Domain(name), ""), dropKey); err != nil {
			return false, err
		}
	}
	if err := in.dropClocks(name); err != nil {
		return false, err
	}
	return in.room > 0, nil
}

// dropOwn deletes a key that is the name of a domain.
func dropOwn(b *storage.Bucket, name string) error {
	if name == "" {
		return nil
	}
	return dropKey(b, []byte(name))
}

// dropClocks deletes the times of a domain and of its hosts.
func (in *installer) dropClocks(name string) error {
	if name != "" {
		if err := in.dropClock([]byte(name)); err != nil {
			return err
		}
	}
	return in.dropWith(in.b.clocks, hostKey(crawl.Domain(name), ""), func(_ *storage.Bucket, key []byte) error { return in.dropClock(key) })
}

// dropWith drops the keys with a prefix, as far as there is room.
func (in *installer) dropWith(b *storage.Bucket, prefix []byte, drop func(b *storage.Bucket, key []byte) error) error {
	for _, key := range keysWith(b, prefix, &in.room) {
		if err := drop(b, key); err != nil {
			return err
		}
	}
	return nil
}
