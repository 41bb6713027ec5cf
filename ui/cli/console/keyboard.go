package console

import (
	"os"
	"sync"

	"golang.org/x/term"

	"github.com/forage-net/forage/assets/words"
)

// Keys that a terminal in raw mode no longer turns into signals.
const (
	KeyInterrupt = 0x03 // Ctrl-C
	KeyEnd       = 0x04 // Ctrl-D
)

// Keyboard reads single keys from a terminal.
type Keyboard struct {
	Pressed chan byte
	done    chan struct{}
	Restore func()
}

// OpenKeyboard makes a terminal hand over each key at once. restore undoes it,
// and must be called on every way out.
func OpenKeyboard(in *os.File) (*Keyboard, error) {
	fd := int(in.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return nil, words.New("said.cli.read-keys", words.Args{"error": err})
	}
	k := &Keyboard{Pressed: make(chan byte), done: make(chan struct{})}
	k.Restore = sync.OnceFunc(func() {
		close(k.done)
		// There is nothing to be done about a terminal that is gone.
		_ = term.Restore(fd, before)
	})
	// Reading from a terminal cannot be broken off: nobody waits for this, and
	// it holds nothing.
	go k.read(in)
	return k, nil
}

func (k *Keyboard) read(in *os.File) {
	var key [1]byte
	for {
		n, err := in.Read(key[:])
		if n == 0 || err != nil {
			return
		}
		select {
		case k.Pressed <- key[0]:
		case <-k.done:
			return
		}
	}
}
