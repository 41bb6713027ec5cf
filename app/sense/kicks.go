package sense

import "sync"

// kicks tells any number of listeners that something changed.
type kicks struct {
	mu   sync.Mutex
	list map[chan struct{}]bool
}

func (k *kicks) add(ch chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.list == nil {
		k.list = make(map[chan struct{}]bool)
	}
	k.list[ch] = true
}

func (k *kicks) remove(ch chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.list, ch)
}

func (k *kicks) listen() (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	k.add(ch)
	return ch, func() { k.remove(ch) }
}

func (k *kicks) kick() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for ch := range k.list {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}
