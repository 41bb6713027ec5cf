package sense

import (
	"context"
	"time"

	"github.com/forage-net/forage/app/sense/bus"
	"github.com/forage-net/forage/app/sense/ladder"
	"github.com/forage-net/forage/app/sense/machine"
)

const (
	powerEvery = 20 * time.Second
	// powerAlone is how often they are read where the kernel does not tell of changes.
	powerAlone = 5 * time.Second
)

// sysfsPower reads the power supplies of the kernel whenever it tells of a change of one.
func (h *Hub) sysfsPower(ctx context.Context, report func(Power)) error {
	hint, every := make(chan struct{}, 1), powerEvery
	wait, err := h.listenKernel(ctx, h.opts.DeviceEvents, isPowerEvent, hint, func(error) {})
	if err != nil {
		every = powerAlone
	}
	defer wait()
	read := func(context.Context) (Power, error) { return machine.ReadPower(h.opts.Sys) }
	return ladder.Poll(ctx, read, report, hint, ladder.Each[Power](every))
}

// upowerPower asks the power daemon.
func upowerPower(ctx context.Context, s bus.Service) (Power, error) {
	on, err := bus.Get[bool](ctx, s, "OnBattery")
	if err != nil {
		return Power{}, err
	}
	p := Power{OnBattery: on, Percent: -1}
	all := s.At("/org/freedesktop/UPower/devices/DisplayDevice", "org.freedesktop.UPower.Device")
	present, err := bus.Get[bool](ctx, all, "IsPresent")
	if err != nil || !present {
		return p, nil
	}
	if f, err := bus.Get[float64](ctx, all, "Percentage"); err == nil && f >= 0 && f <= 100 {
		p.Percent = int(f)
	}
	return p, nil
}
