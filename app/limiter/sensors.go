package limiter

import (
	"time"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/sense"
)

// longAgo is when the last input was where there is no user.
const longAgo = -1000 * time.Hour

// sensors returns what limits are decided by. The mutex is held.
func (a *Arbiter) sensors(now limits.Clock) limits.Sensors {
	a.readDisk()
	s := noUser(now)
	if a.hub != nil {
		s = readSensors(a.hub.Snapshot(), now)
	}
	s.Disk, s.Recall = a.disk, a.cfg.Recall()
	return s
}

// noUser is what the sensors of a computer say that nobody uses.
func noUser(now limits.Clock) limits.Sensors {
	return limits.Sensors{
		LastInput: limits.Known(now.Steady + longAgo), KeptAwake: limits.Absent[bool](),
		OnBattery: limits.Absent[bool](),
		Charge:    limits.Absent[int](), Metered: limits.Absent[bool](), SSID: limits.Absent[string](),
		VPN:        limits.Absent[bool](),
		Fullscreen: limits.Absent[bool](), ScreenShared: limits.Absent[bool](), Apps: limits.Absent[[]string](),
		OtherCPU: limits.Absent[float64](), Temperature: limits.Absent[float64](),
		TemperatureHigh: limits.Absent[float64](),
		FanLoud:         limits.Absent[bool](), Recall: limits.Absent[limits.Recall](),
	}
}

// readSensors puts what the sensors say into the terms of limits. The snapshot is dated by the node's
// clock.
func readSensors(is sense.Snapshot, now limits.Clock) limits.Sensors {
	s := noUser(now) // what no sensor is built for yet stays absent
	s.LastInput = reading(is.Input, func(i sense.Input) limits.Reading[time.Duration] {
		if i.Active {
			return limits.Known(now.Steady)
		}
		return limits.Known(min(i.Last.Sub(steadyZero), now.Steady))
	})
	if !is.Input.Known {
		s.LastInput = limits.Unknown[time.Duration]() // without it nobody knows whether the user is there
	}
	s.KeptAwake = reading(is.Inhibition, func(i sense.Inhibition) limits.Reading[bool] { return limits.Known(i.Held) })
	s.OnBattery = reading(is.Power, func(p sense.Power) limits.Reading[bool] { return limits.Known(p.OnBattery) })
	s.Charge = reading(is.Power, func(p sense.Power) limits.Reading[int] {
		if p.Percent < 0 {
			return limits.Absent[int]()
		}
		return limits.Known(p.Percent)
	})
	s.Metered = reading(is.Metered, func(m sense.Metered) limits.Reading[bool] { return limits.Known(m.Yes) })
	s.SSID = reading(is.Link, func(l sense.Link) limits.Reading[string] {
		if (l.Kind == "wifi" || l.Kind == "vpn") && l.SSID == "" { // a tunnel does not say what it goes through
			return limits.Unknown[string]()
		}
		return limits.Known(l.SSID)
	})
	s.VPN = reading(is.Link, func(l sense.Link) limits.Reading[bool] { return limits.Known(l.VPN) })
	s.Fullscreen = reading(is.FullScreen, limits.Known[bool])
	s.Apps = reading(is.Apps, limits.Known[[]string])
	s.OtherCPU = reading(is.OtherCPU, func(share float64) limits.Reading[float64] { return limits.Known(100 * share) })
	s.Temperature = reading(is.Heat, func(t sense.Heat) limits.Reading[float64] {
		return limits.Known(float64(t.Celsius))
	})
	s.TemperatureHigh = reading(is.Heat, func(t sense.Heat) limits.Reading[float64] {
		if t.High == 0 {
			return limits.Absent[float64]()
		}
		return limits.Known(float64(t.High))
	})
	s.FanLoud = reading(is.FanLoud, limits.Known[bool])
	return s
}

// reading translates a reading: what the system has no way to tell is absent, what it does not tell
// now is unknown.
func reading[T, U any](r sense.Reading[T], known func(T) limits.Reading[U]) limits.Reading[U] {
	switch {
	case r.Known:
		return known(r.Value)
	case r.Never:
		return limits.Absent[U]()
	}
	return limits.Unknown[U]()
}

// readDisk looks at the disk now and then. The mutex is held.
func (a *Arbiter) readDisk() {
	at := a.cfg.Clock.Now()
	if !a.diskSeen.IsZero() && at.Sub(a.diskSeen) < lookAtDiskEvery && !at.Before(a.diskSeen) {
		return
	}
	a.diskSeen = at
	free, total, err := a.cfg.Room()
	if err != nil {
		if _, known := a.disk.Get(); known {
			a.cfg.Log.Warn("Free disk space unknown", "error", err)
		}
		a.disk = limits.Unknown[limits.DiskSpace]()
		return
	}
	a.free.Store(free)
	a.disk = limits.Known(limits.DiskSpace{Used: a.cfg.Archived(), Free: free, Total: total})
}

// DiskFree returns how many bytes of the disk are free, as known last; 0 if that was never known.
func (a *Arbiter) DiskFree() int64 { return a.free.Load() }

// tellInput tells when somebody used the computer last. The mutex is held.
func (a *Arbiter) tellInput(s limits.Sensors, now limits.Clock) {
	if last, known := s.LastInput.Get(); known && a.hub != nil && a.cfg.Present != nil {
		a.cfg.Present(now.Wall.Add(last-now.Steady), now.Wall)
	}
}

// Sensed returns what the sensors say, false where there is no user.
func (a *Arbiter) Sensed() (sense.Snapshot, bool) {
	if a.hub == nil {
		return sense.Snapshot{}, false
	}
	return a.hub.Snapshot(), true
}
