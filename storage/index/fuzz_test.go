package index

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// smallSegment returns the file of a segment of a few pages.
func smallSegment(t testing.TB) []byte {
	t.Helper()
	dir := t.TempDir()
	x := open(t, dir)
	for n := range 3 {
		d := page(n, "apple", "pear")
		d.Links = []Link{{"t.test", "http://t.test/", 5, "text"}}
		add(t, x, d)
	}
	commit(t, x)
	raw, err := os.ReadFile(filepath.Join(dir, x.segments[0].name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// sealed returns a file whose footer has the right checksum: damage that only a program could do.
func sealed(raw []byte) []byte {
	raw = slices.Clone(raw)
	if len(raw) < footerTail {
		return raw
	}
	rest := raw[:len(raw)-footerTail]
	size := binary.LittleEndian.Uint32(raw[len(rest):])
	if uint64(size) <= uint64(len(rest)) {
		binary.LittleEndian.PutUint32(raw[len(rest)+4:], crc32.Checksum(rest[len(rest)-int(size):], castagnoli))
	}
	return raw
}

// Whatever stands in a segment's file: it is not opened, or all that can be asked of it answers.
func FuzzSegment(f *testing.F) {
	good := smallSegment(f)
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add([]byte(segmentMagic))
	f.Add(bytes.Replace(good, []byte(`"docs":3`), []byte(`"docs":9`), 1))
	f.Add(bytes.Replace(good, []byte(`"ends":[1`), []byte(`"ends":[9`), 1))
	f.Fuzz(func(t *testing.T, raw []byte) {
		dir := t.TempDir()
		const name = "00000001" + segmentSuffix
		m, err := json.Marshal(manifest{Version: manifestVersion, Generation: 1,
			Segments: []manifestEntry{{Name: name}}})
		if err != nil {
			t.Fatal(err)
		}
		if os.WriteFile(filepath.Join(dir, name), sealed(raw), 0o644) != nil ||
			os.WriteFile(filepath.Join(dir, manifestName), m, 0o644) != nil {
			t.Fatal("cannot write")
		}
		x, err := Open(dir, false)
		if err != nil {
			return
		}
		defer x.Close()
		askAll(x)
	})
}

func askAll(x *Index) {
	ctx := context.Background()
	apple := []Wanted{{Terms: []string{"apple"}, Prefix: true}}
	x.Search(ctx, Query{All: apple, None: []Wanted{{Terms: []string{"plum"}}}}, 10)
	x.Search(ctx, Query{All: append(apple, Wanted{Terms: []string{"a"}, Prefix: true}), Least: 1}, 10)
	x.Search(ctx, Query{Domains: []uint32{7}, Languages: []string{"en"}, From: day}, 10)
	x.Inlinks(ctx, "t.test", "")
	x.LinkingDomains(5)
	x.Site(7, day)
	x.Recent(day, 10)
	x.Of(2, day)
	x.Has(2, Place{}, day)
	x.RemovePage(1, day)
	x.KeepFiles(func(string) bool { return false })
	x.Check()
	x.Merge(ctx, nil)
	x.Commit(Place{})
}

func FuzzManifest(f *testing.F) {
	for _, raw := range []string{
		`{"version":1,"generation":3,"checkpoint":{"file":"a","offset":7},"segments":[{"name":"00000001.segment","deletions":"00000002.deleted"}]}`,
		`{"version":1,"segments":[{"name":"../x.segment"}]}`, `{"version":2}`, `[]`, ``,
	} {
		f.Add([]byte(raw))
	}
	segment := smallSegment(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		dir := t.TempDir()
		for name, raw := range map[string][]byte{manifestName: raw, "00000001" + segmentSuffix: segment,
			"00000002" + deletionsSuffix: raw} {
			if err := os.WriteFile(filepath.Join(dir, name), raw, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		x, err := Open(dir, false)
		if err != nil {
			return
		}
		defer x.Close()
		for _, s := range x.segments {
			if filepath.Dir(x.path(s.name)) != dir {
				t.Errorf("%q is elsewhere", s.name)
			}
		}
		askAll(x)
	})
}
