package machine

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/forage-net/forage/app/sense/local"
	"github.com/forage-net/forage/assets/words"
)

// Power tells what the computer runs on.
type Power struct {
	OnBattery bool `json:"on_battery"`
	// Percent is the charge of all batteries together, 0 to 100, or -1 where there is none
	// or none says.
	Percent int `json:"percent"`
}

// maxSupplies bounds the power supplies that are looked at.
const maxSupplies = 64

// ReadPower reads the power supplies. A computer that has none runs on mains.
func ReadPower(sys string) (Power, error) {
	dir := filepath.Join(sys, "class", "power_supply")
	list, all, err := names(dir, maxSupplies)
	if errors.Is(err, os.ErrNotExist) {
		if _, err := os.Stat(filepath.Dir(dir)); err != nil {
			return Power{}, words.New("said.sensor.there-is-no-sysfs", nil)
		}
		return Power{Percent: -1}, nil
	}
	if err != nil {
		return Power{}, err
	}
	if !all {
		return Power{}, words.Join(": ", local.ErrAbsurd,
			words.New("said.sensor.more-than-power-supplies", words.Args{"most": maxSupplies}))
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
		return p, words.New("said.sensor.the-battery-does-not-say-whether", nil)
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
