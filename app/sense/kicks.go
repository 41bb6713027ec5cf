package sense

import "sync"

// kicks tells any number of listeners that something changed.
type kicks struct {
	mu   sync.Mutex
	list map[chan struct{}]bool
}

// listen returns a channel that gets something after each kick. The function ends it.
func (k *kicks) listen() (<-chan struct{}, func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.list == nil {
		k.list = make(map[chan struct{}]bool)
	}
	ch := make(chan struct{}, 1)
	k.list[ch] = true
	return ch, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.list, ch)
	}
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
