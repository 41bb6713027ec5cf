package frontier

import (
	"bytes"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// isPassing reports whether a key is of a domain of which things are being
// deleted or put elsewhere, so that nothing need agree.
func (c *checker) isPassing(key []byte) bool {
	d, _ := splitHostKey(key)
	return c.passing[d]
}

// moves checks what is listed of domains that move, and finds those of which
// nothing need agree.
func (c *checker) moves() {
	c.gone()
	c.arriving()
	c.b.domains.ForEach(func(key, _ []byte) error {
		r, _, err := c.b.readDomain(crawl.Domain(key))
		if err == nil {
			c.lists(key, &r)
		}
		return nil
	})
	c.listed(c.b.unasked, "unasked", func(r *domainRecord) bool { return r.Unasked && r.Arriving == nil })
	c.listed(c.b.closing, "closing", func(r *domainRecord) bool { return r.Closing != nil })
	c.b.aside.ForEach(func(key, _ []byte) error {
		d, _ := splitHostKey(key)
		if r, _, err := c.b.readDomain(d); err != nil || r.Arriving == nil || !r.Arriving.Aside {
			c.fault("domain %s: something of it is aside, but it does not arrive", d)
		}
		return nil
	})
}

// lists checks that a domain is in the lists it must be in.
func (c *checker) lists(key []byte, r *domainRecord) {
	if r.Unasked && r.Arriving == nil && c.b.unasked.Get(key) == nil {
		c.fault("domain %s: is not in the list of those to be asked about", key)
	}
	if r.Closing != nil && c.b.closing.Get(key) == nil {
		c.fault("domain %s: is not in the list of those that move away", key)
	}
	if a := r.Arriving; a != nil {
		mv, err := c.b.readMove(a.From, a.N)
		if err != nil || mv.State == MoveNone || mv.State.over() || c.b.arriving.Get(moveDomainKey(a.From, a.N, crawl.Domain(key))) == nil {
			c.fault("domain %s: arrives by a move that does not know it", key)
		}
		c.passing[crawl.Domain(key)] = a.Putting || a.Restoring || mv.State == MoveAborting
	}
}

// listed checks that the domains in a list belong there.
func (c *checker) listed(b *storage.Bucket, name string, is func(*domainRecord) bool) {
	b.ForEach(func(key, _ []byte) error {
		if r, ok, err := c.b.readDomain(crawl.Domain(key)); err != nil || !ok || !is(&r) {
			c.fault("domain %s: is wrongly listed as %s", key, name)
		}
		return nil
	})
}

func (c *checker) gone() {
	c.b.gone.ForEach(func(key, _ []byte) error {
		switch {
		case len(key) > 1 && key[0] == goneRest:
			c.passing[crawl.Domain(key[1:])] = true
		case len(key) > 9 && key[0] == goneOrder:
			at, name := splitDueKey(key[1:])
			if r, ok, err := c.b.readGone(crawl.Domain(name)); err != nil || !ok || r.At != at {
				c.fault("domain %s: stands in the order of those gone at %d", name, at)
			}
		default:
			c.meta.Gone++
			r, _, err := c.b.readGone(crawl.Domain(key))
			if err != nil || c.b.gone.Get(goneOrderKey(r.At, crawl.Domain(key))) == nil {
				c.fault("domain %s: is gone, but not in their order", key)
			}
		}
		return nil
	})
}

func (c *checker) arriving() {
	c.b.arriving.ForEach(func(key, _ []byte) error {
		move := key[1:]
		if key[0] == moveOver {
			c.meta.MovesOver++
			_, move = splitDueKey(move)
		}
		from, n, rest, ok := splitMoveKey(move)
		mv, err := c.b.readMove(from, n)
		if !ok || err != nil || mv.State == MoveNone {
			c.fault("move % x: has no state", key)
			return nil
		}
		switch key[0] {
		case moveOver, moveLive:
			if mv.State.over() != (key[0] == moveOver) {
				c.fault("move %d of %x: is listed as %c", n, from, key[0])
			}
			if key[0] == moveLive {
				c.meta.Moves++
			}
		case moveState:
			if !mv.State.over() && c.b.arriving.Get(append([]byte{moveLive}, move...)) == nil {
				c.fault("move %d of %x: is not in the list of those not over", n, from)
			}
		case moveDomain:
			r, _, err := c.b.readDomain(crawl.Domain(rest))
			if a := r.Arriving; err != nil || a == nil || a.N != n || a.From != from {
				c.fault("domain %s: does not arrive by move %d", rest, n)
			}
		default:
			c.fault("move % x: is unknown", key)
		}
		return nil
	})
}

func (c *checker) outbox() {
	c.b.outbox.ForEach(func(key, value []byte) error {
		c.sum.Outbox++
		c.sum.OutboxBytes += uint64(len(key) + len(value))
		if l, err := readOut(key, value); err != nil || !bytes.Equal(l.Key, key) {
			c.fault("outbox: %v", err)
		}
		return nil
	})
}
