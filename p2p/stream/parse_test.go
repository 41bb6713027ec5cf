package stream

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/forage-net/forage/p2p/ring"
)

// messages is one of each kind, and some of their corners.
func messages() []message {
	s := ShardOf("home", 3)
	zero, one := ring.Prefix{}.Halves()
	items := []Item{
		{Domain: "a.example", Key: "k", Value: []byte("v")}, {Domain: "a.example", Key: "l", Value: []byte{}},
		{Domain: "b.example", Key: "k", Value: []byte{0}},
	}
	var named []stamped
	for i, it := range items {
		named = append(named, stamped{it, Stamp{Run(7 + i/2), uint64(i)}})
	}
	marks := Marks{NewRun(1, 2): 3, NewRun(2, 9): maxNumber}
	return []message{
		&commit{s, Term{1, 2}, NewRun(3, 4), 5, 6, nil},
		&commit{s, Term{1, 1<<64 - 1}, NewRun(3, 4), 5, 0, items},
		&ack{s, NewRun(3, 4), 1, 99},
		&ack{s, NewRun(3, 4), 0, 99},
		&ask{s, 1, 2, Term{}, 1 << 16, itemKey("a.example", "k"), []ring.Prefix{zero, one}, marks},
		&ask{s, 1, 0, Term{3, 4}, 0, []byte{}, nil, Marks{}},
		&answer{s, 1, 0, 3, marks, named, itemKey("b.example", "l"), []byte{}},
		&answer{s, 1, 1, 3, Marks{}, nil, []byte{}, []byte("extra")},
		&spare{s, Marks{}},
		&spare{s, marks},
	}
}

func TestParse(t *testing.T) {
	for _, m := range messages() {
		b := encode(m)
		got, err := parse(b)
		if err != nil {
			t.Errorf("parse %T: %v", m, err)
			continue
		}
		if !reflect.DeepEqual(got, m) {
			t.Errorf("parse %T = %v, want %v", m, got, m)
		}
		for n := range b {
			if _, err := parse(b[:n]); err == nil {
				t.Errorf("%T of %d bytes parses without its end, at %d", m, len(b), n)
			}
		}
		if _, err := parse(append(b, 0)); err == nil {
			t.Errorf("%T parses with a byte more", m)
		}
	}
}

func TestParse_Malformed(t *testing.T) {
	s := ShardOf("h", 0)
	for name, b := range map[string][]byte{
		"empty":        {},
		"kind":         {9, 2, 'h', 0},
		"no shard":     []byte{5, 0},
		"long":         make([]byte, maxMessage+1),
		"marks twice":  append([]byte{5, 2, 'h', 0, 2}, bytes.Repeat([]byte{5}, 18)...),
		"many marks":   {5, 2, 'h', 0, 0xff, 0xff, 0xff, 0xff, 1},
		"long uvarint": {1, 2, 'h', 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		"no domain":    encode(&commit{shard: s, run: 1, n: 1, items: []Item{{Domain: "", Key: "k"}}}),
		"no key":       encode(&commit{shard: s, run: 1, n: 1, items: []Item{{Domain: "d", Key: ""}}}),
		"zero domain":  encode(&commit{shard: s, run: 1, n: 1, items: []Item{{Domain: "d\x00", Key: "k"}}}),
		"huge number":  encode(&commit{shard: s, n: maxNumber + 1}),
		"cursor":       encode(&ask{shard: s, cursor: []byte("nowhere")}),
	} {
		if m, err := parse(b); err == nil {
			t.Errorf("%s: parse = %v", name, m)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, m := range messages() {
		f.Add(encode(m))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := parse(b)
		if err != nil {
			return
		}
		again, err := parse(encode(m))
		if err != nil || !reflect.DeepEqual(m, again) {
			t.Errorf("%v parses again as %v, %v", m, again, err)
		}
	})
}

func FuzzStored(f *testing.F) {
	f.Add(storedItem(Stamp{1, 2}, []byte("v")), []byte("key"))
	f.Add(Marks{0: lookAlways}.encode(), itemKey("d", ""))
	f.Add(Marks{1: 2, 3: 4}.encode(), itemKey("d", "k"))
	f.Fuzz(func(t *testing.T, value, key []byte) {
		if v, st, err := parseStored(value); err == nil && !bytes.Equal(storedItem(st, v), value) {
			t.Errorf("stored item %x becomes %x", value, storedItem(st, v))
		}
		if m, err := parseMarks(value); err == nil && !bytes.Equal(m.encode(), value) {
			t.Errorf("marks %x become %x", value, m.encode())
		}
		if d, k, ok := splitItemKey(key); ok && !bytes.Equal(itemKey(d, k), key) {
			t.Errorf("key %x becomes %q, %q", key, d, k)
		}
	})
}
