package cli

import (
	"fmt"
	"os"
	"sync"

	"golang.org/x/term"
)

// Keys that a terminal in raw mode no longer turns into signals.
const (
	keyInterrupt = 0x03 // Ctrl-C
	keyEnd       = 0x04 // Ctrl-D
)

// keyboard reads single keys from a terminal.
type keyboard struct {
	pressed chan byte
	done    chan struct{}
	restore func()
}

// openKeyboard makes a terminal hand over each key at once. restore undoes it,
// and must be called on every way out.
func openKeyboard(in *os.File) (*keyboard, error) {
	fd := int(in.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	k := &keyboard{pressed: make(chan byte), done: make(chan struct{})}
	k.restore = sync.OnceFunc(func() {
		close(k.done)
		// There is nothing to be done about a terminal that is gone.
		_ = term.Restore(fd, before)
	})
	// Reading from a terminal cannot be broken off: nobody waits for this, and
	// it holds nothing.
	go k.read(in)
	return k, nil
}

func (k *keyboard) read(in *os.File) {
	var key [1]byte
	for {
		n, err := in.Read(key[:])
		if n == 0 || err != nil {
			return
		}
		select {
		case k.pressed <- key[0]:
		case <-k.done:
			return
		}
	}
}
