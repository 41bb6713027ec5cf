package limits

import (
	"math"
	"slices"
	"time"
)

// otherCPU makes way for other programs.
func (e *eval) otherCPU() {
	p := &e.cfg.Pause
	rule := p.OtherCPU < 100
	value, _ := e.s.OtherCPU.Get()
	busy := Reading[bool]{value: value > float64(p.OtherCPU), state: e.s.OtherCPU.state}
	h := &e.st.cpu
	out, was := p.HoldOut, h.on
	if was {
		since := e.now.Steady
		if h.turning {
			since = min(since, h.since)
		}
		out = max(out, e.st.calm.wait(since))
	}
	on, until := e.look(h, rule, busy, UnknownCPU, p.HoldIn, out)
	if was && !on && rule {
		e.st.calm.note(e.now.Steady)
	}
	if on {
		e.addUnlessLifted(Reason{Kind: OtherPrograms, Allows: Off, Footing: Standby, Until: until, After: p.HoldOut,
			Limit: int64(p.OtherCPU)})
	}
}

const (
	// heatHold keeps heat from changing the level more often.
	heatHold = 2 * time.Minute
	// belowHigh is how far below what the computer calls high it is too warm, and
	// defaultHot what is when it calls nothing so.
	belowHigh  = 10
	defaultHot = 85
	// hotter is how much above that gentle work is too much as well.
	hotter = 8
)

// heat works gently when the computer is warm or its fan loud, and not at all when it is hot.
func (e *eval) heat() {
	limit := float64(e.cfg.Heat.MaxC)
	if e.cfg.Heat.MaxC <= 0 {
		limit = defaultHot
		if high, ok := e.s.TemperatureHigh.Get(); ok && high > 40 {
			limit = high - belowHigh
		}
	}
	t, _ := e.s.Temperature.Get()
	state := e.s.Temperature.state
	r := Reason{Kind: TooWarm, Allows: Gentle, After: heatHold, Limit: int64(math.Round(limit))}
	warm, until := e.look(&e.st.warm, true, Reading[bool]{t >= limit, state}, UnknownHeat, heatHold, heatHold)
	hotReading := Reading[bool]{t >= limit+hotter, state}
	if state == unknown { // said already
		hotReading = Known(e.st.hot.on)
	}
	hot, hotUntil := e.look(&e.st.hot, true, hotReading, UnknownHeat, heatHold, heatHold)
	if warm {
		r.Until = until
		e.add(r)
	}
	if hot {
		r.Kind, r.Allows, r.Footing, r.Until, r.Limit = TooHot, Off, Standby, hotUntil, r.Limit+hotter
		e.add(r)
	}
	loud, until := e.look(&e.st.fan, e.cfg.Heat.FanQuiet, e.s.FanLoud, UnknownFan, heatHold, heatHold)
	if loud {
		e.add(Reason{Kind: FanIsLoud, Allows: Gentle, Until: until, After: heatHold})
	}
}

// afterMains is how long work waits after the computer is on mains again.
const afterMains = 2 * time.Minute

// power saves the battery.
func (e *eval) power() {
	p := &e.cfg.Pause
	battery, _ := e.s.OnBattery.Get()
	r := Reason{Kind: BatteryPower, Allows: Off, Footing: Silent, After: afterMains}
	if p.BatteryBelow < 100 {
		r.Limit = int64(p.BatteryBelow)
		if charge, ok := e.s.Charge.Get(); ok {
			battery = battery && charge < p.BatteryBelow
		}
	}
	var on bool
	on, r.Until = e.look(&e.st.battery, p.Battery, Reading[bool]{battery, e.s.OnBattery.state}, UnknownPower, 0,
		afterMains)
	if on {
		e.add(r)
	}
}

// network keeps off networks that are not the node's to use.
func (e *eval) network() {
	p := &e.cfg.Pause
	silent := Reason{Allows: Off, Footing: Silent}
	if p.Metered {
		if metered, _ := e.s.Metered.Get(); metered {
			silent.Kind = MeteredNetwork
			e.add(silent)
		} else if e.s.Metered.IsUnknown() {
			e.unknown(UnknownMetered)
		}
	}
	if len(p.SSIDAllow) > 0 {
		if name, _ := e.s.SSID.Get(); name != "" && !slices.Contains(p.SSIDAllow, name) {
			silent.Kind, silent.Name = OtherWifi, name
			e.add(silent)
			silent.Name = ""
		} else if e.s.SSID.IsUnknown() {
			e.unknown(UnknownWifi)
		}
	}
	if p.VPN != No {
		if vpn, _ := e.s.VPN.Get(); vpn {
			silent.Kind = VPNIsOn
			if p.VPN == Ask {
				silent.Kind = VPNAsk
			}
			e.add(silent)
		} else if e.s.VPN.IsUnknown() {
			e.unknown(UnknownVPN)
		}
	}
}

// data keeps to the quotas. From nine tenths on the node works gently.
func (e *eval) data() {
	now := e.now.Wall
	today := dayOf(now)
	e.settle(today)
	first, next := periodOf(now, e.cfg.Data.MonthStarts)
	left := e.quota(e.cfg.Data.Day, e.st.use.since(today), today+1, "data.day", DayNearlyUsed, DayUsedUp)
	e.dataLeft = least(left, e.quota(e.cfg.Data.Month, e.st.use.since(first), next, "data.month", MonthNearlyUsed,
		MonthUsedUp))
	if _, end := now.ZoneBounds(); !end.IsZero() {
		e.atWall(end) // the day may change with the zone
	}
}

// settleAfter is how long the wall clock must show a day before one on which data were counted
// until it is taken for right: most clocks that are set wrong are set right again soon. Until then
// those data count for today as well.
const settleAfter = time.Hour

// settle moves data of days to come to today when there cannot have been such days.
func (e *eval) settle(today int64) {
	m := &e.st.ahead
	switch {
	case e.st.use.since(today+1) == 0:
		*m = mark{}
	case !m.set || m.at > e.now.Steady:
		*m = mark{e.now.Steady, true}
		e.at(m.at + settleAfter)
	case e.now.Steady-m.at >= settleAfter:
		e.st.use.settle(today)
		*m = mark{}
	default:
		e.at(m.at + settleAfter)
	}
}

// quota applies one that begins again on a day, and returns what is left of it.
func (e *eval) quota(most, used, anew int64, key string, nearly, up Kind) (left int64) {
	most = proper(most)
	switch most {
	case NoLimit:
		return NoLimit
	case 0:
		e.addZero(key, true)
		return 0
	}
	until := reach(e.now.Wall, anew*daySecs)
	e.atWall(until)
	r := Reason{Kind: nearly, Allows: Gentle, Until: until, Value: used, Limit: most}
	if used >= most {
		r.Kind, r.Allows, r.Footing = up, Off, Silent
	}
	if used >= most-most/10 {
		e.add(r)
	}
	return max(most-used, 0)
}
