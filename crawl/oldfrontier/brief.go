package frontier

import (
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/bloom"
)

// Brief is the little of a domain that pictures of many show.
type Brief struct {
	Domain  crawl.Domain
	Fetched uint64
}

// Briefs returns domains of which pages were fetched, among the first limit in the order of
// names. It costs a part of what Domains does.
func (f *Frontier) Briefs(limit int) (list []Brief, err error) {
	err = f.view(func(b *buckets) error {
		c := b.domains.Cursor()
		for key, _ := c.First(); key != nil && limit > 0; key, _ = c.Next() {
			limit--
			x, ok, err := b.brief(crawl.Domain(key))
			if err != nil {
				return err
			}
			if ok && x.Fetched > 0 {
				list = append(list, x)
			}
		}
		return nil
	})
	return list, err
}

// BriefsOf returns those of some domains that are here, in the same order.
func (f *Frontier) BriefsOf(domains []crawl.Domain) (list []Brief, err error) {
	err = f.view(func(b *buckets) error {
		for _, d := range domains {
			x, ok, err := b.brief(d)
			if err != nil {
				return err
			}
			if ok {
				list = append(list, x)
			}
		}
		return nil
	})
	return list, err
}

func (b *buckets) brief(d crawl.Domain) (Brief, bool, error) {
	r, ok, err := b.readShown(d)
	if err != nil || !ok || r.Arriving != nil {
		return Brief{}, false, err
	}
	return Brief{d, r.Fetched}, true, nil
}

// FilterFill returns which part of the bits of some domains' Bloom filters is set, 0 to
// 1, as far as their first blocks tell; -1 if there are none.
func (f *Frontier) FilterFill(domains []crawl.Domain) (float64, error) {
	set, all := 0, 0
	err := f.view(func(b *buckets) error {
		for _, d := range domains {
			s, a := bloom.Fill(b.filters.Get(hostKey(d, "")))
			set, all = set+s, all+a
		}
		return nil
	})
	if err != nil || all == 0 {
		return -1, err
	}
	return float64(set) / float64(all), nil
}
