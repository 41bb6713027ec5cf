package machine

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/forage-net/forage/app/sense/local"
	"github.com/forage-net/forage/assets/words"
)

const (
	// maxChips, maxProbes and maxZones bound what is looked at.
	maxChips, maxProbes, maxZones = 64, 32, 64
	// coldest and hottest bound what is believed of a processor, in thousandths of a degree.
	coldest, hottest = -40_000, 150_000
	// loudDuty is the share of its most at which a fan is loud.
	loudDuty = 2. / 3
)

// processorChips are the names of drivers that tell the temperature of a processor. Others tell that of disks, which
// may have to wake up for it, or of parts that are as warm as they should be.
var processorChips = []string{"coretemp", "k10temp", "k8temp", "zenpower", "via_cputemp", "cpu_thermal",
	"soc_thermal", "scpi_sensors"}

// ReadChipHeat reads the temperatures of the drivers of processors.
func ReadChipHeat(sys string) (Heat, error) {
	dir := filepath.Join(sys, "class", "hwmon")
	var is warmest
	chips, _, err := names(dir, maxChips)
	if err != nil {
		return Heat{}, err
	}
	for _, chip := range chips {
		chip = filepath.Join(dir, chip)
		if !slices.Contains(processorChips, readValue(filepath.Join(chip, "name"))) {
			continue
		}
		for _, probe := range probes(chip, "temp") {
			is.add(probe+"_input", probe+"_max", probe+"_crit")
		}
	}
	return is.heat(words.New("said.sensor.no-driver-tells-the-temperature", nil))
}

// ReadZoneHeat reads the thermal zones of processors, which small boards have in place of a driver.
func ReadZoneHeat(sys string) (Heat, error) {
	dir := filepath.Join(sys, "class", "thermal")
	var is warmest
	zones, _, err := names(dir, maxZones)
	if err != nil {
		return Heat{}, err
	}
	for _, zone := range zones {
		zone = filepath.Join(dir, zone)
		kind := strings.ToLower(readValue(filepath.Join(zone, "type")))
		if kind == "x86_pkg_temp" || strings.HasPrefix(kind, "cpu") || strings.HasPrefix(kind, "soc") {
			is.add(filepath.Join(zone, "temp"))
		}
	}
	return is.heat(words.New("said.sensor.no-thermal-zone-tells-the-temperature", nil))
}

// Heat tells how warm the processors are.
type Heat struct {
	// Celsius is that of the warmest part, High what its driver calls high, 0 if it does not say.
	Celsius int `json:"celsius"`
	High    int `json:"high,omitempty"`
}

// warmest is the warmest of several probes.
type warmest struct {
	at, high int64 // in thousandths of a degree; high is 0 if none is told
	found    bool
}

// add takes a probe, and the first of the files that tells what is high for it.
func (w *warmest) add(input string, highs ...string) {
	at, ok := readNumber(input)
	if !ok || at < coldest || at > hottest {
		return
	}
	if !w.found || at > w.at {
		w.at, w.found = at, true
	}
	for _, name := range highs {
		if high, ok := readNumber(name); ok && high > 0 && high <= hottest {
			if w.high == 0 || high < w.high {
				w.high = high
			}
			return
		}
	}
}

func (w *warmest) heat(none error) (Heat, error) {
	if !w.found {
		return Heat{}, local.Lacks(none)
	}
	return Heat{Celsius: int(w.at / 1000), High: int(w.high / 1000)}, nil
}

// ReadFanLoud reads the fans whose drivers tell how fast they could run.
func ReadFanLoud(sys string) (loud bool, err error) {
	dir := filepath.Join(sys, "class", "hwmon")
	chips, _, err := names(dir, maxChips)
	if err != nil {
		return false, err
	}
	found := false
	for _, chip := range chips {
		for _, fan := range probes(filepath.Join(dir, chip), "fan") {
			now, ok := readNumber(fan + "_input")
			most, okMost := readNumber(fan + "_max")
			if ok && okMost && now >= 0 && most > 0 {
				found = true
				loud = loud || float64(now) >= loudDuty*float64(most)
			}
		}
	}
	if !found {
		return false, local.Lacks(words.New("said.sensor.no-driver-tells-how-fast-a", nil))
	}
	return loud, nil
}

// probes returns the paths of the probes of a chip, as ".../temp1".
func probes(chip, kind string) (list []string) {
	files, _, _ := names(chip, 1024)
	for _, name := range files {
		if probe, ok := strings.CutSuffix(name, "_input"); ok && strings.HasPrefix(probe, kind) &&
			len(list) < maxProbes {
			list = append(list, filepath.Join(chip, probe))
		}
	}
	return list
}
