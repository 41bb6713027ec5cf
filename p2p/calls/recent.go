package calls

import "container/list"

// recent is a map of at most limit entries: the least recently used go first.
// It is not safe for concurrent use.
type recent[K comparable, V any] struct {
	limit int
	// keep, if set, says which entries must not go.
	keep  func(V) bool
	order *list.List // of *recentItem[K, V], last used first
	items map[K]*list.Element
}

type recentItem[K comparable, V any] struct {
	key   K
	value V
}

func newRecent[K comparable, V any](limit int, keep func(V) bool) *recent[K, V] {
	return &recent[K, V]{limit: limit, keep: keep, order: list.New(), items: make(map[K]*list.Element)}
}

// get returns the value of k and marks it as used.
func (r *recent[K, V]) get(k K) (V, bool) {
	e, ok := r.items[k]
	if !ok {
		var none V
		return none, false
	}
	r.order.MoveToFront(e)
	return e.Value.(*recentItem[K, V]).value, true
}

// add adds k, which must not be there, and reports whether there was room.
func (r *recent[K, V]) add(k K, v V) bool {
	if r.order.Len() >= r.limit && !r.makeRoom() {
		return false
	}
	r.items[k] = r.order.PushFront(&recentItem[K, V]{key: k, value: v})
	return true
}

// makeRoom drops the least recently used entry that may go.
func (r *recent[K, V]) makeRoom() bool {
	for e := r.order.Back(); e != nil; e = e.Prev() {
		item := e.Value.(*recentItem[K, V])
		if r.keep != nil && r.keep(item.value) {
			continue
		}
		r.order.Remove(e)
		delete(r.items, item.key)
		return true
	}
	return false
}
