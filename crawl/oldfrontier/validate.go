package frontier

import (
	"errors"
	"fmt"

	"github.com/forage-net/forage/crawl"
)

// validator is a kind of entry.
type validator interface{ validate() error }

// kinds returns the fields of an entry that are set.
func (e *Entry) kinds() []validator {
	set := make([]validator, 0, 1)
	add := func(is bool, v validator) {
		if is {
			set = append(set, v)
		}
	}
	add(e.Enqueue != nil, e.Enqueue)
	add(e.Grant != nil, e.Grant)
	add(e.Settle != nil, e.Settle)
	add(e.Release != nil, e.Release)
	add(e.Recall != nil, e.Recall)
	add(e.Revive != nil, e.Revive)
	add(e.Renew != nil, e.Renew)
	add(e.Sent != nil, e.Sent)
	add(e.Confirm != nil, e.Confirm)
	add(e.Close != nil, e.Close)
	add(e.Freeze != nil, e.Freeze)
	add(e.Gone != nil, e.Gone)
	add(e.Reopen != nil, e.Reopen)
	add(e.Chunk != nil, e.Chunk)
	add(e.Opened != nil, e.Opened)
	add(e.Abort != nil, e.Abort)
	add(e.Forget != nil, e.Forget)
	add(e.Slot != nil, e.Slot)
	add(e.Unslot != nil, e.Unslot)
	add(e.Anew != nil, e.Anew)
	return set
}

func (e *Entry) validate() error {
	set := e.kinds()
	if len(set) != 1 {
		return fmt.Errorf("%w: %d kinds in one", ErrEntry, len(set))
	}
	return set[0].validate()
}

func checkDomain(d crawl.Domain) error {
	if !validDomain(d) {
		return fmt.Errorf("%w: domain %.100q", ErrEntry, d)
	}
	return nil
}

func checkDomains(list []crawl.Domain) error {
	for _, d := range list {
		if err := checkDomain(d); err != nil {
			return err
		}
	}
	return nil
}

func checkPeer(p string) error {
	if len(p) > MaxPeer {
		return fmt.Errorf("%w: name of a peer of %d bytes", ErrEntry, len(p))
	}
	return nil
}

// checkOther is checkPeer for one that is not this node.
func checkOther(p string) error {
	if p == "" {
		return fmt.Errorf("%w: no peer", ErrEntry)
	}
	return checkPeer(p)
}

func (e *Enqueue) validate() error {
	if e.From == "" {
		return nil
	}
	return checkDomain(e.From)
}

func (r *Release) validate() error { return errors.Join(checkDomain(r.Domain), checkPeer(r.By)) }
func (r *Revive) validate() error  { return checkDomain(r.Domain) }
func (c *Confirm) validate() error { return checkDomains(c.Domains) }
func (c *Close) validate() error   { return errors.Join(checkDomains(c.Domains), checkOther(c.To)) }
func (f *Freeze) validate() error  { return checkDomains(f.Domains) }
func (g *Gone) validate() error    { return errors.Join(checkDomains(g.Domains), checkOther(g.To)) }
func (r *Reopen) validate() error  { return checkDomains(r.Domains) }
func (o *Opened) validate() error  { return checkOther(o.From) }
func (a *Abort) validate() error   { return checkOther(a.From) }
func (f *Forget) validate() error  { return checkDomains(f.Domains) }

func (r *Renew) validate() error {
	if r.For <= 0 {
		return fmt.Errorf("%w: lease for %v", ErrEntry, r.For)
	}
	return errors.Join(checkDomain(r.Domain), checkPeer(r.By))
}

func (s *Sent) validate() error {
	for _, key := range s.Keys {
		if len(key) > maxOutKey {
			return fmt.Errorf("%w: link under a key of %d bytes", ErrEntry, len(key))
		}
	}
	return nil
}

func (c *Chunk) validate() error {
	if len(c.Mark) > maxMark || c.Seq == 0 {
		return fmt.Errorf("%w: chunk %d with a mark of %d bytes", ErrEntry, c.Seq, len(c.Mark))
	}
	if err := checkOther(c.From); err != nil {
		return err
	}
	_, err := CheckItems(c.Items)
	return err
}

func (r *Recall) validate() error {
	for _, p := range r.Pages {
		if len(p) != pageHash {
			return fmt.Errorf("%w: page of %d bytes", ErrEntry, len(p))
		}
	}
	return checkDomain(r.Domain)
}

func (g *Grant) validate() error {
	if !validDomain(g.Domain) || len(g.Tasks) == 0 || len(g.Tasks) > MaxLeaseTasks {
		return fmt.Errorf("%w: lease of %d tasks of %.100q", ErrEntry, len(g.Tasks), g.Domain)
	}
	for _, t := range g.Tasks {
		if len(t) != tailSize {
			return fmt.Errorf("%w: task of %d bytes", ErrEntry, len(t))
		}
	}
	return checkPeer(g.Holder)
}

func (s *Settle) validate() error {
	if !validDomain(s.Domain) || len(s.Task) < tailSize || len(s.Task) > maxKey || len(s.Reason) > maxReason || len(s.Title) > maxTitle ||
		len(s.ETag) > crawl.MaxValidator || len(s.LastModified) > crawl.MaxValidator {
		return fmt.Errorf("%w: outcome for %.100q", ErrEntry, s.Domain)
	}
	if s.Result < crawl.Fetched || s.Result > crawl.Declined {
		return fmt.Errorf("%w: result %d", ErrEntry, s.Result)
	}
	return checkPeer(s.By)
}

// validDomain reports whether d can be part of a key.
func validDomain(d crawl.Domain) bool {
	if d == "" || len(d) > 255 {
		return false
	}
	for i := range len(d) {
		if d[i] <= ' ' || d[i] > '~' {
			return false
		}
	}
	return true
}
