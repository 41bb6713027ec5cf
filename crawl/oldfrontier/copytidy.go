package frontier

import (
	"bytes"
	"encoding/binary"
	"time"

	"github.com/forage-net/forage/crawl"
)

// tidyPart is a bucket of this member's own that is gone through when all else is there.
// The numbers are in requests.
type tidyPart uint8

const (
	tidyDue       tidyPart = iota // times that no clock shows
	tidyLater                     // visits of what is not to be visited
	tidySlotTimes                 // clocks of nobody
	tidySlots                     // clocks that are missing
	tidyParts
)

// tidy makes what is this member's own agree with what has come, as far as there is room.
// What was planned for pages and domains as they were before the copy, for one, is not found by
// their names.
func (in *installer) tidy(q copyRequest, a *copyAnswer) (copyRequest, error) {
	asked := q.Tidy == tidySlots
	if asked {
		if err := in.takeSlotTimes(q.From, a); err != nil {
			return q, err
		}
	}
	for ; q.Tidy < tidyParts; q.Tidy, q.From = q.Tidy+1, nil {
		if q.Tidy == tidySlots && !asked && in.hasSlots() {
			return copyRequest{Stage: stageTidy, Tidy: tidySlots}, nil // the answer says what is left of them
		}
		from, done, err := in.tidyPart(q.Tidy, q.From)
		if err != nil {
			return q, err
		}
		if !done {
			return copyRequest{Stage: stageTidy, Tidy: q.Tidy, From: from}, nil
		}
	}
	return copyRequest{Stage: stageHead}, nil
}

// tidyPart goes through a bucket, from a key on, and returns where it is to go on.
func (in *installer) tidyPart(part tidyPart, from []byte) (next []byte, done bool, err error) {
	b, fix := in.b.due, in.fixDue
	switch part {
	case tidyLater:
		b, fix = in.b.later, in.fixLater
	case tidySlotTimes:
		b, fix = in.b.slotTimes, in.fixSlotTime
	case tidySlots:
		b, fix = in.b.slots, in.countSlots
	}
	var changes []func() error
	drop := func(key []byte) {
		key = bytes.Clone(key)
		changes = append(changes, func() error { return dropKey(b, key) })
	}
	c := b.Cursor()
	key, value := c.Seek(from)
	next = from
	for ; key != nil && in.room > 0; key, value = c.Next() {
		if part == tidySlots && len(in.slotsEnd) > 0 && bytes.Compare(key, in.slotsEnd) >= 0 {
			next = in.slotsEnd // what is left of those behind it comes with the next answer
			break
		}
		in.room--
		also, ok := (func() error)(nil), false
		if value != nil { // else it is a bucket
			also, ok = fix(key, value)
		}
		if also != nil {
			changes = append(changes, also)
		}
		if !ok {
			drop(key)
		} else if len(key) < copyKeyBytes {
			next = append(bytes.Clone(key), 0)
		}
	}
	done = key == nil
	for _, change := range changes {
		if err := change(); err != nil {
			return nil, false, err
		}
	}
	return next, done, nil
}

// fixDue reports whether a place in the order of due times is right.
func (in *installer) fixDue(key, _ []byte) (also func() error, ok bool) {
	at, name := splitDueKey(key)
	clock, ok := in.b.clock(name)
	return nil, ok && clock == at
}

// fixLater reports whether a place in the order of visits that are days away is right.
func (in *installer) fixLater(key, _ []byte) (also func() error, ok bool) {
	at, _ := splitDueKey(key)
	page, name, ok := splitLaterKey(key)
	if !ok {
		return nil, false
	}
	if page != nil {
		raw := in.b.pages.Get(page)
		if raw == nil {
			d, hash, _ := bytes.Cut(page, []byte{0})
			raw = in.b.aside.Get(asideKey(crawl.Domain(d), asidePage, hash))
		}
		rec, err := unpackPage(domainOf(page), raw)
		if err != nil || rec.Every <= 0 || rec.Queued {
			return nil, false
		}
		// A page that was put here by a copy has the place it should have; others are of before.
		should := in.visitAt(&rec)
		return nil, at == should || in.b.later.Get(dueKey(should, page)) == nil
	}
	d, ok, err := in.b.readDomain(name)
	if err != nil || !ok || !d.Parked || d.Arriving != nil {
		return nil, false
	}
	left := time.Duration(-1)
	if clock, ok := in.b.clock([]byte(name)); ok {
		left = time.Duration(max(clock-in.now, 0))
	}
	should := in.today + int64(retired(&d, left))
	if max(at-should, should-at) <= int64(laterSlack) {
		return nil, true
	}
	return in.putLater(dueKey(should, []byte(name))), false
}

func (in *installer) putLater(key []byte) func() error {
	return func() error { return putPair(in.b.later, key, []byte{}) }
}

// fixSlotTime reports whether a clock, or its place in the order of times, is of somebody who has
// a slot.
func (in *installer) fixSlotTime(key, value []byte) (also func() error, ok bool) {
	if len(key) < 1+8 {
		return nil, false
	}
	address, number := "", uint64(0)
	if key[0] == slotOrder {
		var at int64
		at, address, number = splitSlotOrder(key)
		if clock, ok := in.b.slotTime(address, number); !ok || clock != at {
			return nil, false
		}
	} else if n := len(key) - 8; key[0] == slotClock && len(value) == 8 {
		address, number = string(key[1:n]), binary.BigEndian.Uint64(key[n:])
		if at := int64(binary.BigEndian.Uint64(value)); in.b.slotTimes.Get(slotOrderKey(at, address, number)) == nil {
			return nil, false // it begins anew
		}
	}
	r, ok, err := in.b.readSlots(address)
	return nil, ok && err == nil && r.numbered(number) >= 0
}

// countSlots begins the clocks of those who have slots and are not counted yet, with what is left at the source.
func (in *installer) countSlots(key, value []byte) (also func() error, ok bool) {
	var r slotRecord
	if key[0] != slotOf || decode.Unmarshal(value, &r) != nil {
		return nil, true
	}
	address := string(key[1:])
	return func() error {
		for i := range r.Holders {
			h := &r.Holders[i]
			if _, ok := in.b.slotTime(address, h.Number); ok {
				continue
			}
			if err := in.b.setSlotTime(address, h.Number, in.now+int64(in.slotLeft(address, h))); err != nil {
				return err
			}
		}
		return nil
	}, true
}
