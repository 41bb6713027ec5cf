package bloom

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
)

func TestCheckBlock_PassesWhatWasWritten(t *testing.T) {
	for _, members := range []int{1, 8, 9, 500, 5000, 60_000} {
		store := memory{}
		b := NewBatch(store)
		for i := range members {
			if _, err := b.Add(nil, HashOf(fmt.Sprint(i))); err != nil {
				t.Fatal(err)
			}
		}
		b.Flush()
		for path, block := range store {
			if err := CheckBlock([]byte(path), block); err != nil {
				t.Errorf("%d members: block % x: %v", members, path, err)
			}
		}
	}
}

func TestCheckBlock_FindsDamage(t *testing.T) {
	b := NewBatch(memory{})
	b.Add(nil, HashOf("x"))
	block := b.blocks[""]
	with := func(at int, value byte) []byte {
		b := bytes.Clone(block)
		b[at] = value
		return b
	}
	for _, c := range []struct {
		name        string
		path, block []byte
	}{
		{"nothing", nil, nil},
		{"cut", nil, block[:len(block)-1]},
		{"longer", nil, append(bytes.Clone(block), 0)},
		{"another format", nil, with(3, 9)},
		{"more parts than there are", nil, with(2, 2)},
		{"no parts", nil, with(2, 0)},
		{"no members", nil, with(1, 0)},
		{"more members than fit", nil, with(0, 1)},
		{"more bits than members", nil, append(bytes.Clone(block[:headerSize]), bytes.Repeat([]byte{0xff}, firstPart)...)},
		{"no such child", []byte{fanOut}, block},
		{"too deep", make([]byte, maxDepth), block},
	} {
		if err := CheckBlock(c.path, c.block); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: CheckBlock = %v, want ErrDamaged", c.name, err)
		}
	}
	if err := CheckBlock([]byte{fanOut - 1}, block); err != nil {
		t.Errorf("CheckBlock = %v", err)
	}
}
