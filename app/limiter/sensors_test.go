package limiter

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/sense"
)

// known, unknown and never make what a sensor says.
func known[T any](v T) sense.Reading[T] {
	return sense.Reading[T]{Value: v, Known: true, Source: "test"}
}

func unknown[T any]() sense.Reading[T] {
	return sense.Reading[T]{Why: errors.New("it does not answer")}
}

func lacks[T any]() sense.Reading[T] {
	return sense.Reading[T]{Why: errors.New("there is none"), Never: true}
}

// what says what a limits.Reading is.
func what[T any](r limits.Reading[T]) string {
	if v, ok := r.Get(); ok {
		return fmt.Sprint(v)
	}
	if r.IsUnknown() {
		return "unknown"
	}
	return "absent"
}

func TestReadSensors(t *testing.T) {
	const at = 1000 * time.Hour
	now := limits.Clock{Wall: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC), Steady: at}
	steady := func(d time.Duration) time.Time { return steadyZero.Add(at + d) }
	input := func(s limits.Sensors) string {
		if last, ok := s.LastInput.Get(); ok {
			return fmt.Sprint(last - at)
		}
		return what(s.LastInput)
	}
	for _, c := range []struct {
		name string
		set  func(*sense.Snapshot)
		got  func(limits.Sensors) string
		want string
	}{
		{"input now", func(s *sense.Snapshot) { s.Input = known(sense.Input{Active: true}) }, input, "0s"},
		{"input now, with a time", func(s *sense.Snapshot) { s.Input = known(sense.Input{Active: true, Last: steady(-time.Hour)}) }, input, "0s"},
		{"input an hour ago", func(s *sense.Snapshot) { s.Input = known(sense.Input{Last: steady(-time.Hour)}) }, input, "-1h0m0s"},
		{"input to come", func(s *sense.Snapshot) { s.Input = known(sense.Input{Last: steady(time.Hour)}) }, input, "0s"},
		{"input unknown", func(s *sense.Snapshot) { s.Input = unknown[sense.Input]() }, input, "unknown"},
		{"input that nothing tells", func(s *sense.Snapshot) { s.Input = lacks[sense.Input]() }, input, "unknown"},

		{"film", func(s *sense.Snapshot) { s.Inhibition = known(sense.Inhibition{Held: true}) }, func(s limits.Sensors) string { return what(s.KeptAwake) }, "true"},
		{"no film", func(s *sense.Snapshot) { s.Inhibition = known(sense.Inhibition{}) }, func(s limits.Sensors) string { return what(s.KeptAwake) }, "false"},
		{"film unknown", func(s *sense.Snapshot) { s.Inhibition = unknown[sense.Inhibition]() }, func(s limits.Sensors) string { return what(s.KeptAwake) }, "unknown"},
		{"film never", func(s *sense.Snapshot) { s.Inhibition = lacks[sense.Inhibition]() }, func(s limits.Sensors) string { return what(s.KeptAwake) }, "absent"},

		{"battery", func(s *sense.Snapshot) { s.Power = known(sense.Power{OnBattery: true, Percent: 40}) }, func(s limits.Sensors) string { return what(s.OnBattery) + " " + what(s.Charge) }, "true 40"},
		{"empty battery", func(s *sense.Snapshot) { s.Power = known(sense.Power{OnBattery: true}) }, func(s limits.Sensors) string { return what(s.OnBattery) + " " + what(s.Charge) }, "true 0"},
		{"battery without charge", func(s *sense.Snapshot) { s.Power = known(sense.Power{OnBattery: true, Percent: -1}) }, func(s limits.Sensors) string { return what(s.OnBattery) + " " + what(s.Charge) }, "true absent"},
		{"mains", func(s *sense.Snapshot) { s.Power = known(sense.Power{Percent: -1}) }, func(s limits.Sensors) string { return what(s.OnBattery) + " " + what(s.Charge) }, "false absent"},
		{"power unknown", func(s *sense.Snapshot) { s.Power = unknown[sense.Power]() }, func(s limits.Sensors) string { return what(s.OnBattery) + " " + what(s.Charge) }, "unknown unknown"},
		{"power never", func(s *sense.Snapshot) { s.Power = lacks[sense.Power]() }, func(s limits.Sensors) string { return what(s.OnBattery) + " " + what(s.Charge) }, "absent absent"},

		{"metered", func(s *sense.Snapshot) { s.Metered = known(sense.Metered{Yes: true}) }, func(s limits.Sensors) string { return what(s.Metered) }, "true"},
		{"metered by guess", func(s *sense.Snapshot) { s.Metered = known(sense.Metered{Yes: true, Guess: true}) }, func(s limits.Sensors) string { return what(s.Metered) }, "true"},
		{"not metered", func(s *sense.Snapshot) { s.Metered = known(sense.Metered{Guess: true}) }, func(s limits.Sensors) string { return what(s.Metered) }, "false"},
		{"metered unknown", func(s *sense.Snapshot) { s.Metered = unknown[sense.Metered]() }, func(s limits.Sensors) string { return what(s.Metered) }, "unknown"},
		{"metered never", func(s *sense.Snapshot) { s.Metered = lacks[sense.Metered]() }, func(s limits.Sensors) string { return what(s.Metered) }, "absent"},

		{"wifi", func(s *sense.Snapshot) { s.Link = known(sense.Link{Up: true, Kind: "wifi", SSID: "home"}) }, func(s limits.Sensors) string { return what(s.SSID) + " " + what(s.VPN) }, "home false"},
		{"wifi without a name", func(s *sense.Snapshot) { s.Link = known(sense.Link{Up: true, Kind: "wifi", VPN: true}) }, func(s limits.Sensors) string { return what(s.SSID) + " " + what(s.VPN) }, "unknown true"},
		{"cable", func(s *sense.Snapshot) { s.Link = known(sense.Link{Up: true, Kind: "ethernet"}) }, func(s limits.Sensors) string { return what(s.SSID) + "," + what(s.VPN) }, ",false"},
		{"link unknown", func(s *sense.Snapshot) { s.Link = unknown[sense.Link]() }, func(s limits.Sensors) string { return what(s.SSID) + " " + what(s.VPN) }, "unknown unknown"},
		{"link never", func(s *sense.Snapshot) { s.Link = lacks[sense.Link]() }, func(s limits.Sensors) string { return what(s.SSID) + " " + what(s.VPN) }, "absent absent"},

		{"full screen", func(s *sense.Snapshot) { s.FullScreen = known(true) }, func(s limits.Sensors) string { return what(s.Fullscreen) }, "true"},
		{"no full screen", func(s *sense.Snapshot) { s.FullScreen = known(false) }, func(s limits.Sensors) string { return what(s.Fullscreen) }, "false"},
		{"full screen unknown", func(s *sense.Snapshot) { s.FullScreen = unknown[bool]() }, func(s limits.Sensors) string { return what(s.Fullscreen) }, "unknown"},
		{"full screen never", func(s *sense.Snapshot) { s.FullScreen = lacks[bool]() }, func(s limits.Sensors) string { return what(s.Fullscreen) }, "absent"},

		{"apps", func(s *sense.Snapshot) { s.Apps = known([]string{"blender", "vlc"}) }, func(s limits.Sensors) string { return what(s.Apps) }, "[blender vlc]"},
		{"no apps", func(s *sense.Snapshot) { s.Apps = known[[]string](nil) }, func(s limits.Sensors) string { return what(s.Apps) }, "[]"},
		{"apps unknown", func(s *sense.Snapshot) { s.Apps = unknown[[]string]() }, func(s limits.Sensors) string { return what(s.Apps) }, "unknown"},
		{"apps never", func(s *sense.Snapshot) { s.Apps = lacks[[]string]() }, func(s limits.Sensors) string { return what(s.Apps) }, "absent"},

		{"other programs", func(s *sense.Snapshot) { s.OtherCPU = known(0.25) }, func(s limits.Sensors) string { return what(s.OtherCPU) }, "25"},
		{"other programs unknown", func(s *sense.Snapshot) { s.OtherCPU = unknown[float64]() }, func(s limits.Sensors) string { return what(s.OtherCPU) }, "unknown"},
		{"warm", func(s *sense.Snapshot) { s.Heat = known(sense.Heat{Celsius: 71, High: 100}) }, func(s limits.Sensors) string { return what(s.Temperature) + " " + what(s.TemperatureHigh) }, "71 100"},
		{"warm, of what", func(s *sense.Snapshot) { s.Heat = known(sense.Heat{Celsius: 71}) }, func(s limits.Sensors) string { return what(s.Temperature) + " " + what(s.TemperatureHigh) }, "71 absent"},
		{"temperature unknown", func(s *sense.Snapshot) { s.Heat = unknown[sense.Heat]() }, func(s limits.Sensors) string { return what(s.Temperature) + " " + what(s.TemperatureHigh) }, "unknown unknown"},
		{"temperature never", func(s *sense.Snapshot) { s.Heat = lacks[sense.Heat]() }, func(s limits.Sensors) string { return what(s.Temperature) + " " + what(s.TemperatureHigh) }, "absent absent"},
		{"fan", func(s *sense.Snapshot) { s.FanLoud = known(true) }, func(s limits.Sensors) string { return what(s.FanLoud) }, "true"},
		{"fan never", func(s *sense.Snapshot) { s.FanLoud = lacks[bool]() }, func(s limits.Sensors) string { return what(s.FanLoud) }, "absent"},

		{"other programs never", func(s *sense.Snapshot) { s.OtherCPU = lacks[float64]() }, func(s limits.Sensors) string { return what(s.OtherCPU) }, "absent"},
	} {
		var s sense.Snapshot
		c.set(&s)
		if got := c.got(readSensors(s, now)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// What nothing reads yet keeps nobody from working; all else must be said by a sensor.
func TestReadSensors_OnlyWhatIsNotBuiltIsAbsent(t *testing.T) {
	read := reflect.ValueOf(readSensors(sense.Snapshot{}, limits.Clock{Steady: time.Hour}))
	absent := map[string]bool{"ScreenShared": true, "Recall": true} // the latter is no sensor's
	for i := range read.NumField() {
		name := read.Type().Field(i).Name
		is := read.Field(i).Interface().(interface{ IsUnknown() bool }).IsUnknown()
		if is == absent[name] {
			t.Errorf("%s of sensors that say nothing: unknown is %v", name, is)
		}
	}
}

// Nobody is at a computer without a user, and nothing of it keeps a node from working.
func TestNoUser_LetsEverythingBeDone(t *testing.T) {
	now := limits.Clock{Wall: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC), Steady: time.Minute}
	s := noUser(now)
	s.Disk = limits.Known(limits.DiskSpace{Free: 1e12, Total: 1e12})
	cfg := limits.Defaults()
	cfg.Consent = true
	cfg.Pause.Apps, cfg.Pause.SSIDAllow = []string{"vlc"}, []string{"home"}
	d, _ := limits.Decide(cfg, s, limits.State{}, now)
	if d.Level != limits.Full || len(d.Reasons) != 0 {
		t.Errorf("level %v because of %+v", d.Level, d.Reasons)
	}
}
