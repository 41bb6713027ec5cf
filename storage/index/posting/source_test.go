package posting

import (
	"slices"
	"testing"
)

func FuzzSources(f *testing.F) {
	f.Add(AppendSources(nil, []Source{{Doc: 1, Since: 9, Label: "text"}, {Doc: 300, Since: 8}}), 400)
	f.Add(AppendDomains(nil, []uint32{7, 3, 3}), 1)
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x0f, 1}, 5)
	f.Fuzz(func(t *testing.T, raw []byte, docs int) {
		docs &= 1<<20 - 1
		list := ReadSources(raw, docs)
		for i, s := range list {
			if s.Doc < 0 || int(s.Doc) >= docs || len(s.Label) > MaxLabel || i >= maxSources {
				t.Errorf("%+v of %d pages", s, docs)
			}
		}
		if again := ReadSources(AppendSources(nil, list), docs); !slices.Equal(again, list) {
			t.Errorf("%v was written and read as %v", list, again)
		}
		domains := ReadDomains(raw)
		if len(domains) > MaxDomains || len(domains) > len(raw)/4 {
			t.Errorf("%d domains in %d bytes", len(domains), len(raw))
		}
		if again := ReadDomains(AppendDomains(nil, slices.Clone(domains))); len(again) > len(domains) {
			t.Errorf("%v was written and read as %v", domains, again)
		}
		n := 0
		for c := Open(raw); c.Next(); n++ {
		}
		if n > len(raw) {
			t.Errorf("%d postings in %d bytes", n, len(raw))
		}
	})
}
