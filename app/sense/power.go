package sense

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/forage-net/forage/app/sense/local"
)

const (
	// maxSupplies bounds the power supplies that are looked at.
	maxSupplies = 64
	powerEvery  = 20 * time.Second
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
	dir := filepath.Join(h.opts.Sys, "class", "power_supply")
	read := func(context.Context) (Power, error) { return readPower(dir) }
	return poll(ctx, read, report, hint, each[Power](every))
}

// readPower reads the supplies of a directory. A computer that has none runs on mains.
func readPower(dir string) (Power, error) {
	list, all, err := names(dir, maxSupplies)
	if errors.Is(err, os.ErrNotExist) {
		if _, err := os.Stat(filepath.Dir(dir)); err != nil {
			return Power{}, errors.New("there is no sysfs")
		}
		return Power{Percent: -1}, nil
	}
	if err != nil {
		return Power{}, err
	}
	if !all {
		return Power{}, fmt.Errorf("%w: more than %d power supplies", local.ErrAbsurd, maxSupplies)
	}
	var s supplies
	for _, name := range list {
		s.add(filepath.Join(dir, name))
	}
	return s.power()
}

// supplies is what the power supplies of a computer say together.
type supplies struct {
	mains, online             bool
	batteries                 int
	discharging               bool // any battery is
	filled, charging          bool // any says that it is not; any is being filled
	charge                    charge
	hasNoCharge               bool
	percents, percentsCounted int64
}

type charge struct{ now, full int64 }

func (s *supplies) add(dir string) {
	file := func(name string) string { return filepath.Join(dir, name) }
	if readValue(file("scope")) == "Device" {
		return // of a mouse or a headset
	}
	switch readValue(file("type")) {
	case "Mains", "Wireless":
		n, ok := readNumber(file("online"))
		s.mains = s.mains || ok
		s.online = s.online || ok && n > 0
	case "USB":
		n, ok := readNumber(file("online"))
		s.online = s.online || ok && n > 0
	case "Battery", "UPS":
		s.addBattery(file)
	}
}

func (s *supplies) addBattery(file func(string) string) {
	if n, ok := readNumber(file("present")); ok && n == 0 {
		return
	}
	s.batteries++
	switch readValue(file("status")) {
	case "Discharging":
		s.discharging = true
	case "Charging":
		s.filled, s.charging = true, true
	case "Full", "Not charging":
		s.filled = true
	}
	c := readCharge(file)
	if c.full > 0 {
		s.charge.now += c.now
		s.charge.full += c.full
	} else {
		s.hasNoCharge = true
	}
	if n, ok := readNumber(file("capacity")); ok && n >= 0 && n <= 100 {
		s.percents += n
		s.percentsCounted++
	}
}

// readCharge reads what a battery holds, and could; zero if that is not to be believed.
func readCharge(file func(string) string) charge {
	const most = 1 << 40 // µWh or µAh; a car has some 10^11
	now, ok := readNumber(file("energy_now"))
	full, ok2 := readNumber(file("energy_full"))
	if !ok || !ok2 || now < 0 || full <= 0 || now > most || full > most {
		return charge{}
	}
	return charge{min(now, full), full}
}

func (s *supplies) power() (Power, error) {
	p := Power{Percent: s.percent()}
	switch {
	case s.batteries == 0 || s.online:
	case s.charging && !s.discharging: // by what the kernel does not tell of, as some USB-C
	case s.mains || s.discharging:
		p.OnBattery = true
	case !s.filled:
		return p, errors.New("the battery does not say whether it is charged")
	}
	return p, nil
}

// percent is by energy where all batteries tell theirs, since one may be larger than the other.
func (s *supplies) percent() int {
	switch {
	case s.batteries > 0 && !s.hasNoCharge:
		return int(100 * float64(s.charge.now) / float64(s.charge.full))
	case s.percentsCounted > 0:
		return int(s.percents / s.percentsCounted)
	}
	return -1
}

// upowerSource asks the power daemon.
func upowerSource(system *bus) source[Power] {
	s := service{system, "org.freedesktop.UPower", "/org/freedesktop/UPower", "org.freedesktop.UPower"}
	all := service{system, s.name, "/org/freedesktop/UPower/devices/DisplayDevice", "org.freedesktop.UPower.Device"}
	return listening("UPower", s, func(ctx context.Context) (Power, error) {
		on, err := as[bool](s.get(ctx, "OnBattery"))
		if err != nil {
			return Power{}, err
		}
		p := Power{OnBattery: on, Percent: -1}
		present, err := as[bool](all.get(ctx, "IsPresent"))
		if err != nil || !present {
			return p, nil
		}
		if f, err := as[float64](all.get(ctx, "Percentage")); err == nil && f >= 0 && f <= 100 {
			p.Percent = int(f)
		}
		return p, nil
	}, propertiesChanged)
}
