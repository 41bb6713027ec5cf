package portmap

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestMapping_SpendsEvenly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent, received int
		m := Mapping{Spent: func(out bool, n int) {
			if out {
				sent += n
			} else {
				received += n
			}
		}}
		m.spend()
		if sent != 0 {
			t.Errorf("%d bytes spent before any time has passed", sent)
		}
		for range 30 * 60 { // half an hour, looked at in uneven steps
			time.Sleep(400 * time.Millisecond)
			m.spend()
			time.Sleep(600 * time.Millisecond)
			m.spend()
		}
		if want := 30 * mapSent; sent < want*98/100 || sent > want {
			t.Errorf("%d bytes sent in half an hour, want %d", sent, want)
		}
		if want := 30 * mapReceived; received < want*98/100 || received > want {
			t.Errorf("%d bytes received in half an hour, want %d", received, want)
		}
		was := sent
		time.Sleep(24 * time.Hour) // silence
		m.spend()
		if sent != was {
			t.Errorf("%d bytes spent in silence", sent-was)
		}
	})
}
