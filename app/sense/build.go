package sense

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forage-net/forage/app/sense/ladder"
)

// build makes the ladders of what this system offers.
func (h *Hub) build() {
	s := h.systemSources()
	h.input = ladder.New(&h.shared, "input", sameInput, h.inputText, s.input, s.none)
	h.idleLocks = ladder.New(&h.shared, "inhibition", same, inhibitionText, s.idleLocks, s.none)
	h.filmLocks = ladder.New(&h.shared, "inhibition by the desktop", same, inhibitionText, s.filmLocks, s.none)
	h.power = ladder.New(&h.shared, "power", same, powerText, s.power, s.none)
	h.metered = ladder.New(&h.shared, "metered", same, meteredText, s.metered, s.none)
	h.link = ladder.New(&h.shared, "link", same, linkText, s.link, s.none)
	h.fullScreen = ladder.New(&h.shared, "full screen", same, yesNo, s.fullScreen, s.none)
	h.apps = ladder.New(&h.shared, "apps", slices.Equal, appsText, s.apps, s.none)
	h.otherCPU = ladder.New(&h.shared, "cpu", same, cpuText, s.otherCPU, s.none)
	h.heat = ladder.New(&h.shared, "temperature", same, heatText, s.heat, s.none)
	h.fan = ladder.New(&h.shared, "loud fan", same, yesNo, s.fan, s.none)
	h.disk = ladder.New(&h.shared, "disk", sameSpace, spaceText,
		[]ladder.Source[Space]{{Name: "file system", Run: h.readDisk}}, s.none)
	h.sleep = ladder.New(&h.shared, "sleep", same, sleepText,
		append(s.sleep, ladder.Polled("clocks", sleepEvery, h.clockSleep)), s.none)
	h.network = ladder.New(&h.shared, "network", same, networkText,
		append(s.network, ladder.Source[uint64]{Name: "addresses", Run: h.countNetwork(networkAlone, false)}), s.none)
}

const (
	// heatEvery is how often temperatures and fans are read: what follows from them does so after two minutes.
	heatEvery = 10 * time.Second
	// linkEvery is how often routes are read: nothing slower, as this is the source for computers without
	// NetworkManager, nothing faster, as these seldom move.
	linkEvery = 10 * time.Second
)

// systemSources are the sources of one operating system.
type systemSources struct {
	input                []ladder.Source[Input]
	idleLocks, filmLocks []ladder.Source[Inhibition]
	power                []ladder.Source[Power]
	metered              []ladder.Source[Metered]
	link                 []ladder.Source[Link]
	fullScreen           []ladder.Source[bool]
	apps                 []ladder.Source[[]string]
	otherCPU             []ladder.Source[float64]
	heat                 []ladder.Source[Heat]
	fan                  []ladder.Source[bool]
	sleep                []ladder.Source[Sleep]
	network              []ladder.Source[uint64]
	none                 string // why there are no sources
}

func (h *Hub) inputText(i Input) string {
	if i.Active {
		return "in use"
	}
	return fmt.Sprintf("no input for %v", i.IdleFor(h.opts.Now()).Round(time.Second))
}

func inhibitionText(i Inhibition) string {
	switch {
	case !i.Held:
		return "no program keeps the screen on"
	case i.By == "":
		return "a program keeps the screen on"
	}
	return "the screen is kept on by " + i.By
}

func powerText(p Power) string {
	s := "on mains"
	if p.OnBattery {
		s = "on battery"
	}
	if p.Percent >= 0 {
		s += fmt.Sprintf(", %d %%", p.Percent)
	}
	return s
}

func meteredText(m Metered) string {
	s := yesNo(m.Yes)
	if m.Guess {
		s += " (a guess)"
	}
	return s
}

func linkText(l Link) string {
	if !l.Up {
		return "no network"
	}
	s := l.Kind
	if l.SSID != "" {
		s += fmt.Sprintf(" %q", l.SSID)
	}
	if l.VPN && l.Kind != "vpn" {
		s += ", through a VPN"
	}
	return s
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func appsText(list []string) string {
	if len(list) == 0 {
		return "none of the named applications runs"
	}
	return strings.Join(list, ", ")
}

func cpuText(f float64) string { return fmt.Sprintf("%.0f %% by other programs", 100*f) }

func heatText(t Heat) string {
	if t.High == 0 {
		return fmt.Sprintf("%d °C", t.Celsius)
	}
	return fmt.Sprintf("%d °C (%d °C is high)", t.Celsius, t.High)
}

func spaceText(s Space) string {
	return fmt.Sprintf("%.1f of %.1f GB free", float64(s.Free)/1e9, float64(s.Total)/1e9)
}

func sleepText(s Sleep) string {
	switch {
	case s.Asleep:
		return "about to sleep"
	case s.Woke.IsZero():
		return "awake"
	case s.For == 0:
		return "awake since " + s.Woke.Format(time.DateTime)
	}
	return fmt.Sprintf("awake since %s, slept for %v", s.Woke.Format(time.DateTime), s.For.Round(time.Second))
}

func networkText(n uint64) string { return fmt.Sprintf("%d changes", n) }
