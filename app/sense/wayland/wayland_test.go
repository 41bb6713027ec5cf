package wayland

import (
	"bytes"
	"testing"
	"time"

	"github.com/forage-net/forage/app/sense/sensetest"
)

func FuzzWayland(f *testing.F) {
	f.Add(append(message(registry, 0, uint32(2), "ext_idle_notifier_v1", uint32(1)),
		append(message(registry, 0, uint32(3), "wl_seat", uint32(9)),
			append(message(callback, 0, uint32(0)), message(9, 0)...)...)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		w := newWatch(sensetest.Conn{R: bytes.NewReader(b)})
		if w.start(time.Second) != nil {
			return
		}
		for {
			if _, err := w.next(); err != nil {
				break
			}
			w.Active()
		}
		if len(w.seats) > maxSeats || len(w.idle) > maxSeats {
			t.Errorf("%d seats, %d notifications", len(w.seats), len(w.idle))
		}
	})
}
