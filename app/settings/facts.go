package settings

import (
	"math"
	"runtime"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/limits/tell"
	"github.com/forage-net/forage/app/sense"
	"github.com/forage-net/forage/assets/words"
)

// facts says what was found out about this computer, in the order in which it matters to somebody who
// is about to agree.
func (k *Keeper) facts(lang string) []api.SetupFact {
	f := facts{lang: lang}
	if is, any := k.cfg.Limits.Sensed(); any {
		f.sensors(is)
	}
	if free := k.cfg.Limits.DiskFree(); free > 0 {
		f.add("disk", true, "disk", words.Args{"free": tell.Bytes(free, lang)})
	} else {
		f.add("disk", false, "disk.unknown", nil)
	}
	f.add("cores", true, "cores", words.Args{"count": runtime.NumCPU()})
	f.tray(k.tray.Load())
	return f.list
}

type facts struct {
	lang string
	list []api.SetupFact
}

// add adds a sentence.
func (f *facts) add(name string, known bool, key string, args words.Args) {
	f.list = append(f.list, api.SetupFact{Name: name, Known: known, Text: words.Text(f.lang, "setup.fact."+key, args)})
}

// sensors adds what the sensors say.
func (f *facts) sensors(is sense.Snapshot) {
	addReading(f, "idle", is.Input, func(sense.Input) (string, words.Args) {
		return "idle", words.Args{"source": is.Input.Source}
	})
	addReading(f, "battery", is.Power, func(p sense.Power) (string, words.Args) {
		switch {
		case p.OnBattery:
			return "battery.on", nil
		case p.Percent < 0:
			return "battery.none", nil
		}
		return "battery.mains", nil
	})
	addReading(f, "metered", is.Metered, func(m sense.Metered) (string, words.Args) {
		key := "no"
		if m.Yes {
			key = "yes"
		}
		if m.Guess {
			key = "guess_" + key
		}
		return "metered." + key, nil
	})
	addReading(f, "fullscreen", is.FullScreen, func(bool) (string, words.Args) { return "fullscreen", nil })
	addReading(f, "cpu", is.OtherCPU, func(share float64) (string, words.Args) {
		return "cpu", words.Args{"percent": int(math.Round(100 * share))}
	})
}

// addReading adds what a sensor says, or that it never will, or does not now.
func addReading[T any](f *facts, name string, r sense.Reading[T], known func(T) (key string, args words.Args)) {
	switch {
	case r.Known:
		key, args := known(r.Value)
		f.add(name, true, key, args)
	case r.Never:
		f.add(name, false, name+".never", nil)
	default:
		f.add(name, false, name+".unknown", nil)
	}
}

// What is known of the tray of the desktop.
const (
	trayUnknown = iota // nobody has looked
	traySeen
	trayMissing
)

// SetTray is told by whoever shows the node's icon in the tray whether it can be seen.
func (k *Keeper) SetTray(seen bool) {
	if seen {
		k.tray.Store(traySeen)
	} else {
		k.tray.Store(trayMissing)
	}
}

// tray adds whether there is an icon in the tray, if somebody has looked.
func (f *facts) tray(is int32) {
	switch is {
	case traySeen:
		f.add("tray", true, "tray", nil)
	case trayMissing:
		f.add("tray", false, "tray.none", nil)
	}
}
