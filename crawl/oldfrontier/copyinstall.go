package frontier

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// installer is one call of Install.
type installer struct {
	b          *buckets
	cfg        *Config
	now, today int64
	room       int // keys that may still be looked at: some ten milliseconds' worth to begin with
	// slotsLeft is what is left of slots at the source, of addresses up to the key slotsEnd; nil if it does not say.
	slotsLeft map[string]time.Duration
	slotsEnd  []byte
}

// compare finds the domains that are to be copied, and deletes those that the source does not
// have.
func (in *installer) compare(q copyRequest, a *copyAnswer) (next copyRequest, err error) {
	if err := a.checkNames(q.After); err != nil {
		return next, err
	}
	// The names of both are gone through side by side. What is done up to settled stays done.
	settled, cut := q.After, false
	var wants []copyWant
	theirs := a.Names
	own := walkNames(string(q.After), in.b.sorted())
	name, ok := own.next()
	for (ok || len(theirs) > 0) && !cut {
		if len(theirs) == 0 && a.More {
			break
		}
		if ok && (len(theirs) == 0 || name < string(theirs[0].Name)) {
			gone, err := in.dropDomain(name)
			if err != nil {
				return next, err
			}
			cut = !gone
			own = walkNames(name, in.b.sorted())
			name, ok = own.next()
			continue
		}
		t := &theirs[0]
		here := ok && name == string(t.Name)
		if !here || !in.hasSame(t) {
			if cut = len(wants) == copyWants; cut {
				break
			}
			wants = append(wants, copyWant{Name: t.Name, Short: true})
		}
		if theirs, settled = theirs[1:], t.Name; here {
			name, ok = own.next()
		}
	}
	next = copyRequest{Stage: stageNames, After: settled, Limit: nextLimit(q.limit(), len(a.Names)-len(theirs), !cut), None: !cut && !a.More}
	if len(wants) == 0 {
		return in.behindWants(next), nil
	}
	next.Stage, next.Wants = stageWants, wants
	in.describe(next.Wants)
	return next, nil
}

// checkNames reports whether names are possible and come behind one in their order.
func (a *copyAnswer) checkNames(after crawl.Domain) error {
	for _, n := range a.Names {
		if !validDomain(n.Name) || n.Name <= after || len(n.Sum) != 0 && len(n.Sum) != nameSum {
			return fmt.Errorf("%w: domain %.100q behind %.100q", ErrCopy, n.Name, after)
		}
		after = n.Name
	}
	if a.More && len(a.Names) == 0 || len(a.Names) > copyNames {
		return fmt.Errorf("%w: %d domains, more %v", ErrCopy, len(a.Names), a.More)
	}
	return nil
}

// hasSame reports whether a domain is here as it is there. One without a record is looked
// at in any case: something of it is being deleted.
func (in *installer) hasSame(t *copyName) bool {
	return len(t.Sum) > 0 && in.b.domains.Get([]byte(t.Name)) != nil && bytes.Equal(in.b.sumOf(t.Name), t.Sum)
}

// nextLimit returns how many names to ask for when some of them were of use.
func nextLimit(last, used int, all bool) uint16 {
	if all {
		return uint16(min(2*last, copyNames))
	}
	return uint16(max(used, copyNamesLeast))
}

// behindWants returns the request that follows one for domains.
func (in *installer) behindWants(q copyRequest) copyRequest {
	if !q.None {
		return copyRequest{Stage: stageNames, After: q.After, Limit: q.Limit}
	}
	next := copyRequest{Stage: stageLists, Wants: []copyWant{{Part: domainParts, Short: true}}}
	in.describe(next.Wants)
	return next
}

// take takes what is given of the wants.
func (in *installer) take(q copyRequest, a *copyAnswer) (copyRequest, error) {
	done := 0
	for i := range a.Given {
		n := &a.Given[i]
		if done == len(q.Wants) || int(n.Want) != done || n.Part != q.Wants[done].Part {
			return q, fmt.Errorf("%w: part %d of want %d is out of order", ErrCopy, n.Part, n.Want)
		}
		w := &q.Wants[done]
		if in.room <= 0 {
			break
		}
		all, err := in.takePart(w, n)
		if err != nil {
			return q, err
		}
		if w.Part == w.behind() {
			done++
		}
		if !all {
			break
		}
	}
	if len(a.Given) == 0 {
		return q, fmt.Errorf("%w: nothing is given", ErrCopy)
	}
	if q.Wants = q.Wants[done:]; len(q.Wants) > 0 {
		in.describe(q.Wants)
		return q, nil
	}
	if q.Stage == stageLists {
		return copyRequest{Stage: stageTidy}, nil
	}
	return in.behindWants(q), nil
}

// takePart takes what is given of a part, and reports whether there was room for all of it. As
// long as a domain is not whole it has no record, so that who begins again does not take it for whole.
func (in *installer) takePart(w *copyWant, n *copyGiven) (all bool, err error) {
	if w.Name != "" {
		if err := dropKey(in.b.domains, []byte(w.Name)); err != nil {
			return false, err
		}
	}
	if n.Part == partRecord {
		if all, err = in.takeRecord(w, n); err == nil && all {
			w.advance(domainParts, nil)
		}
		return all, err
	}
	if len(n.End) > copyKeyBytes || len(n.End) > 0 && bytes.Compare(n.End, w.From) <= 0 {
		return false, fmt.Errorf("%w: part %d ends where it begins", ErrCopy, n.Part)
	}
	upto := n.End
	if n.Same {
		if !w.described(n.Part, n.End) {
			return false, fmt.Errorf("%w: a range of part %d that nobody asked for", ErrCopy, n.Part)
		}
		all = true
	} else if upto, all, err = in.replace(w, n); err != nil {
		return false, err
	}
	if all && len(n.End) == 0 {
		w.advance(n.Part+1, nil)
	} else {
		w.advance(n.Part, upto)
	}
	return all, nil
}

// described reports whether a range of a want ends there.
func (w *copyWant) described(part copyPart, end []byte) bool {
	return slices.ContainsFunc(w.Ranges, func(r copyRange) bool { return r.Part == part && bytes.Equal(r.End, end) })
}

// advance puts a want forward, past the ranges that are done.
func (w *copyWant) advance(part copyPart, from []byte) {
	w.Part, w.From = part, from
	for len(w.Ranges) > 0 {
		if r := &w.Ranges[0]; r.Part > part || r.Part == part && bytes.Compare(r.End, from) > 0 {
			return
		}
		w.Ranges = w.Ranges[1:]
	}
}

// replace makes an interval what is given, and reports up to where, and whether that is all
// of it.
func (in *installer) replace(w *copyWant, n *copyGiven) (upto []byte, all bool, err error) {
	prefix := w.prefix()
	var own [][]byte
	all = n.Part.walk(in.b, prefix, w.From, n.End, func(key, _ []byte) bool {
		if len(own) >= in.room {
			return false
		}
		own = append(own, bytes.Clone(key))
		return true
	})
	in.room -= len(own) + len(n.Pairs)
	upto = w.From
	last := []byte(nil)
	for _, p := range n.Pairs {
		key := append(bytes.Clone(prefix), p.Key...)
		if !n.Part.valid(key, p.Value) || bytes.Compare(p.Key, w.From) < 0 || len(n.End) > 0 && bytes.Compare(p.Key, n.End) >= 0 ||
			last != nil && bytes.Compare(key, last) <= 0 {
			return nil, false, fmt.Errorf("%w: %.100q in part %d", ErrCopy, key, n.Part)
		}
		last = key
		for len(own) > 0 && bytes.Compare(own[0], key) < 0 {
			if err := in.drop(n.Part, own[0]); err != nil {
				return nil, false, err
			}
			own = own[1:]
		}
		if !all && len(own) == 0 {
			return upto, false, nil // the next key here may be before this one
		}
		if len(own) > 0 && bytes.Equal(own[0], key) {
			own = own[1:]
		}
		if err := in.put(n.Part, key, p.Value); err != nil {
			return nil, false, err
		}
		upto = append(bytes.Clone(p.Key), 0)
	}
	for _, key := range own {
		if err := in.drop(n.Part, key); err != nil {
			return nil, false, err
		}
	}
	if all {
		upto = n.End
	}
	return upto, all, nil
}

// describe says of wants what is here of them, as far as a request has room for it.
func (in *installer) describe(wants []copyWant) {
	left := copyRanges
	for i := range wants {
		for _, r := range wants[i].Ranges {
			left -= len(r.End) + rangeOverhead
		}
	}
	for i := range wants {
		w := &wants[i]
		if !w.Short {
			continue
		}
		part, from := w.Part, w.From
		if n := len(w.Ranges); n > 0 {
			part, from = w.Ranges[n-1].Part, w.Ranges[n-1].End
		}
		w.Short = false
		for ; part < w.behind() && !w.Short; part++ {
			if part.ranged() {
				w.Short = !in.describePart(w, part, from, &left)
			}
			from = nil
		}
		if w.Short {
			return
		}
	}
}

// describePart adds the ranges of a part, and reports whether there was room for all of
// them. What is behind a key that is none of ours is not described, so it is sent.
func (in *installer) describePart(w *copyWant, part copyPart, from []byte, left *int) bool {
	prefix := w.prefix()
	s, end := newRangeSummer(), []byte(nil)
	finish := func() {
		w.Ranges = append(w.Ranges, copyRange{Part: part, End: end, Sum: s.sum()})
		*left -= len(end) + rangeOverhead
		s, end = newRangeSummer(), nil
	}
	room := true
	part.walk(in.b, prefix, from, nil, func(key, value []byte) bool {
		rest := key[len(prefix):]
		if room = *left > 0; !room || len(rest) >= copyKeyBytes {
			return false
		}
		s.add(key, value)
		if end = append(bytes.Clone(rest), 0); s.keys >= rangeKeys || s.bytes >= rangeBytes {
			finish()
		}
		return true
	})
	if room && end != nil {
		finish()
	}
	return room
}

// putPair writes a value, unless it is there.
func putPair(b *storage.Bucket, key, value []byte) error {
	if old := b.Get(key); old != nil && bytes.Equal(old, value) {
		return nil
	}
	err := b.Put(key, value)
	if err != nil && b.Bucket(key) != nil { // where a value should be
		if err := b.DeleteBucket(key); err != nil {
			return err
		}
		return b.Put(key, value)
	}
	return err
}

// dropKey deletes a key, whatever is there.
func dropKey(b *storage.Bucket, key []byte) error {
	err := b.Delete(key)
	if err != nil && b.Bucket(key) != nil {
		return b.DeleteBucket(key)
	}
	return err
}
