package sense

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forage-net/forage/app/sense/ladder"
	"github.com/forage-net/forage/assets/words"
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
	none                 error // why there are no sources
}

func (h *Hub) inputText(lang string, i Input) string {
	if i.Active {
		return words.Text(lang, "said.sensor.in-use", nil)
	}
	return words.Text(lang, "said.sensor.no-input-for", words.Args{"time": i.IdleFor(h.opts.Now()).Round(time.Second)})
}

func inhibitionText(lang string, i Inhibition) string {
	switch {
	case !i.Held:
		return words.Text(lang, "said.sensor.no-program-keeps-the-screen-on", nil)
	case i.By == "":
		return words.Text(lang, "said.sensor.a-program-keeps-the-screen-on", nil)
	}
	return words.Text(lang, "said.sensor.the-screen-is-kept-on-by", words.Args{"program": i.By})
}

func powerText(lang string, p Power) string {
	key := "said.sensor.on-mains"
	if p.OnBattery {
		key = "said.sensor.on-battery"
	}
	s := words.Text(lang, key, nil)
	if p.Percent >= 0 {
		s += fmt.Sprintf(", %d %%", p.Percent)
	}
	return s
}

func meteredText(lang string, m Metered) string {
	switch {
	case m.Guess && m.Yes:
		return words.Text(lang, "said.sensor.yes-a-guess", nil)
	case m.Guess:
		return words.Text(lang, "said.sensor.no-a-guess", nil)
	}
	return yesNo(lang, m.Yes)
}

// linkKeys are the words for the kinds of links.
var linkKeys = map[string]string{
	"ethernet": "said.sensor.ethernet", "wifi": "said.sensor.wifi", "mobile": "said.sensor.mobile",
	"bluetooth": "said.sensor.bluetooth", "vpn": "said.sensor.vpn",
}

func linkText(lang string, l Link) string {
	if !l.Up {
		return words.Text(lang, "said.sensor.no-network", nil)
	}
	s := words.Text(lang, cmp.Or(linkKeys[l.Kind], "said.sensor.other-kind"), nil)
	if l.SSID != "" {
		s += fmt.Sprintf(" %q", l.SSID)
	}
	if l.VPN && l.Kind != "vpn" {
		s += ", " + words.Text(lang, "said.sensor.through-a-vpn", nil)
	}
	return s
}

func yesNo(lang string, b bool) string {
	if b {
		return words.Text(lang, "said.sensor.yes", nil)
	}
	return words.Text(lang, "said.sensor.no", nil)
}

func appsText(lang string, list []string) string {
	if len(list) == 0 {
		return words.Text(lang, "said.sensor.none-of-the-named-applications-runs", nil)
	}
	return strings.Join(list, ", ")
}

func cpuText(lang string, f float64) string {
	return words.Text(lang, "said.sensor.by-other-programs", words.Args{"percent": fmt.Sprintf("%.0f %%", 100*f)})
}

func heatText(lang string, t Heat) string {
	if t.High == 0 {
		return fmt.Sprintf("%d °C", t.Celsius)
	}
	return words.Text(lang, "said.sensor.is-high", words.Args{"degrees": t.Celsius, "high": t.High})
}

func spaceText(lang string, s Space) string {
	gb := func(bytes int64) string { return fmt.Sprintf("%.1f", float64(bytes)/1e9) }
	return words.Text(lang, "said.sensor.of-gb-free", words.Args{"free": gb(s.Free), "total": gb(s.Total)})
}

func sleepText(lang string, s Sleep) string {
	args := words.Args{"time": s.Woke.Format(time.DateTime), "length": s.For.Round(time.Second)}
	switch {
	case s.Asleep:
		return words.Text(lang, "said.sensor.about-to-sleep", nil)
	case s.Woke.IsZero():
		return words.Text(lang, "said.sensor.awake", nil)
	case s.For == 0:
		return words.Text(lang, "said.sensor.awake-since", args)
	}
	return words.Text(lang, "said.sensor.awake-since-slept-for", args)
}

func networkText(lang string, n uint64) string {
	return words.Text(lang, "said.sensor.changes", words.Args{"count": int64(n)})
}
