package sense

import (
	"fmt"
	"strings"
	"time"
)

// build makes the ladders of what this system offers.
func (h *Hub) build() {
	s := h.systemSources()
	h.input = newLadder(h, "input", sameInput, h.inputText, s.input, s.none)
	h.idleLocks = newLadder(h, "inhibition", same, inhibitionText, s.idleLocks, s.none)
	h.filmLocks = newLadder(h, "inhibition by the desktop", same, inhibitionText, s.filmLocks, s.none)
	h.power = newLadder(h, "power", same, powerText, s.power, s.none)
	h.metered = newLadder(h, "metered", same, meteredText, s.metered, s.none)
	h.link = newLadder(h, "link", same, linkText, s.link, s.none)
	h.fullScreen = newLadder(h, "full screen", same, yesNo, s.fullScreen, s.none)
	h.apps = newLadder(h, "apps", sameApps, appsText, s.apps, s.none)
	h.otherCPU = newLadder(h, "cpu", same, cpuText, s.otherCPU, s.none)
	h.heat = newLadder(h, "temperature", same, heatText, s.heat, s.none)
	h.fan = newLadder(h, "loud fan", same, yesNo, s.fan, s.none)
	h.disk = newLadder(h, "disk", sameSpace, spaceText, []source[Space]{{"file system", h.readDisk}}, s.none)
	h.sleep = newLadder(h, "sleep", same, sleepText, append(s.sleep, source[Sleep]{"clocks", h.clockSleep}), s.none)
	h.network = newLadder(h, "network", same, networkText,
		append(s.network, source[uint64]{"addresses", h.polledNetwork}), s.none)
}

// systemSources are the sources of one operating system.
type systemSources struct {
	input                []source[Input]
	idleLocks, filmLocks []source[Inhibition]
	power                []source[Power]
	metered              []source[Metered]
	link                 []source[Link]
	fullScreen           []source[bool]
	apps                 []source[[]string]
	otherCPU             []source[float64]
	heat                 []source[Heat]
	fan                  []source[bool]
	sleep                []source[Sleep]
	network              []source[uint64]
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

func newLadder[T any](
	h *Hub, name string, equal func(a, b T) bool, text func(T) string, sources []source[T], none string,
) *ladder[T] {
	l := &ladder[T]{
		name: name, sources: sources, equal: equal, text: text, now: h.opts.Now, publish: h.publish,
		mu: &h.mu, rungs: make([]rung, len(sources)), current: -1, moved: make(chan struct{}),
	}
	l.read = Reading[T]{Since: l.now(), Why: "it has not been read yet"}
	if len(sources) == 0 {
		l.read.Why, l.read.Never = none, true
	}
	return l
}
