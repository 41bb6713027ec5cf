package dictionary

import (
	"bytes"
	"container/heap"
	"errors"
	"fmt"

	"github.com/blevesearch/vellum"
)

// Part is the value of a key in one of the dictionaries that are merged: From is its number among them.
type Part struct {
	From  int
	Value []byte
}

// Join appends to b one value for those of a key, or nothing if the key is to go.
type Join func(b, key []byte, values []Part) []byte

// keysPerPace is how many keys are merged between two calls of pace.
const keysPerPace = 1024

// Merge calls add for each key of several dictionaries, in ascending order, with what join makes of its values.
// What add gets is good until it returns. pace is called between pieces of the work; an error of it ends the
// merge.
func Merge(all []Dictionary, pace func() error, join Join, add func(key, value []byte) error) (err error) {
	left := new(iterators)
	for i, d := range all {
		if err := left.open(i, d); err != nil {
			return err
		}
	}
	var buf, key []byte
	var parts []Part
	for n := 1; left.Len() > 0; n++ {
		if n%keysPerPace == 0 {
			if err := pace(); err != nil {
				return err
			}
		}
		key = append(key[:0], (*left)[0].key...)
		if parts, err = left.take(key, parts[:0]); err != nil {
			return err
		}
		if buf = join(buf[:0], key, parts); len(buf) == 0 {
			continue
		}
		if err := add(key, buf); err != nil {
			return err
		}
	}
	return nil
}

// iterators are those of the dictionaries that are merged, the least key first.
type iterators []*iterator

type iterator struct {
	from   int
	it     *vellum.FSTIterator
	key    []byte
	values []byte
	at     uint64
}

func (all *iterators) open(from int, d Dictionary) error {
	if d.fst == nil {
		return nil
	}
	it, err := d.fst.Iterator(nil, nil)
	if err != nil {
		return unlessDone(err)
	}
	i := &iterator{from: from, it: it, values: d.values}
	i.key, i.at = it.Current()
	heap.Push(all, i)
	return nil
}

// take appends the values of a key, which is the least, and passes it.
func (all *iterators) take(key []byte, parts []Part) ([]Part, error) {
	for all.Len() > 0 && bytes.Equal((*all)[0].key, key) {
		i := (*all)[0]
		if i.at > uint64(len(i.values)) {
			return nil, errBeyond
		}
		parts = append(parts, Part{i.from, i.values[i.at:]})
		switch err := i.it.Next(); {
		case err == nil:
			i.key, i.at = i.it.Current()
			heap.Fix(all, 0)
		case errors.Is(err, vellum.ErrIteratorDone):
			heap.Pop(all)
		default:
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	return parts, nil
}

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (all iterators) Len() int { return len(all) }

func (all iterators) Less(i, j int) bool {
	c := bytes.Compare(all[i].key, all[j].key)
	return c < 0 || c == 0 && all[i].from < all[j].from
}

func (all iterators) Swap(i, j int) { all[i], all[j] = all[j], all[i] }

func (all *iterators) Push(x any) { *all = append(*all, x.(*iterator)) }

func (all *iterators) Pop() any {
	n := len(*all) - 1
	x := (*all)[n]
	*all = (*all)[:n]
	return x
}
