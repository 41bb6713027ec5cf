package demo

import (
	"slices"
	"strings"

	"github.com/forage-net/forage/app/demo/markup"
	"github.com/forage-net/forage/app/demo/pack"
)

// coding returns what the site's server compresses with: half of them gzip,
// an eighth brotli.
func (s *site) coding() pack.Coding {
	switch {
	case s.index%2 == 0, s.web.options.Manual, s.web.options.Bulky:
		return pack.Gzip
	case s.index%8 == 3:
		return pack.Brotli
	}
	return pack.None
}

// negotiate returns the site's coding if an Accept-Encoding header takes it.
func (s *site) negotiate(accept string) pack.Coding {
	want := s.coding()
	if want == pack.None {
		return pack.None
	}
	for item := range strings.SplitSeq(accept, ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(item), ";")
		if strings.TrimSpace(name) == string(want) && strings.ReplaceAll(weight, " ", "") != "q=0" {
			return want
		}
	}
	return pack.None
}

// maxCached bounds the pages kept encoded, in bytes.
const maxCached = 64 << 20

// maxCached is that of a web: bulky ones have many pages of which little is kept.
func (o *Options) maxCached() int64 {
	if o.Bulky {
		return 4 * maxCached
	}
	return maxCached
}

// body returns a page as it goes over the wire. Writing a page costs less
// than compressing or converting it, so only what had that done is kept.
func (p *page) body(c pack.Coding) []byte {
	web := p.site.web
	keeps := c == p.site.coding() && (c != pack.None || p.site.spec.charset > markup.UTF8Meta)
	if keeps {
		if b := p.cached.Load(); b != nil {
			if at := p.filledAt.Load(); at > 0 {
				return slices.Concat((*b)[:at], p.site.packed, (*b)[at:])
			}
			return *b
		}
	}
	if web.options.Bulky && c == pack.Gzip {
		if w := p.written(); w.filled > 0 {
			return p.bulky(w)
		}
	}
	b := web.encoders.Compress(p.site.spec.charset.Encode(p.document()), c)
	p.keep(b, keeps)
	return b
}

// keep keeps a page encoded, if there is room.
func (p *page) keep(b []byte, keeps bool) {
	if keeps && p.role != roleOther && p.site.web.cached.Add(int64(len(b))) <= p.site.web.options.maxCached() {
		p.cached.Store(&b)
	}
}

// bulky makes a page of a bulky web. What fills it is a gzip member of its own, which is not kept with it.
func (p *page) bulky(w *writer) []byte {
	p.site.filler()
	compress := p.site.web.encoders.Compress
	head, rest := compress(w.B[:w.filled], pack.Gzip), compress(w.B[w.filled:], pack.Gzip)
	p.filledAt.Store(int64(len(head)))
	p.keep(slices.Concat(head, rest), true)
	return slices.Concat(head, p.site.packed, rest)
}
