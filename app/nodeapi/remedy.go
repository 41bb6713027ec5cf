package nodeapi

import (
	"fmt"
	"math"

	"github.com/forage-net/forage/app/limits"
)

// change is a setting that changes what a reason allows, and a value, as "forage set" takes it, with which it allows
// more.
type change struct{ setting, value string }

// twice and half are values that depend on the limit that was met.
const twice, half = "twice", "half"

var remedies = map[limits.Kind]change{
	limits.Recalled: {"pause.recall", "no"}, limits.OutsideHours: {"schedule.work", "all full"},
	limits.OutsideNetworkHours: {"schedule.net", "work"}, limits.UserPresent: {"level.in_use", "gentle"},
	limits.KeptAwake: {"level.in_use", "gentle"}, limits.AwayLimited: {"level.away", "full"},
	limits.FullscreenApp: {"pause.fullscreen", "no"}, limits.ScreenIsShared: {"pause.screenshare", "no"},
	limits.AppRunning: {"pause.apps", ""}, limits.OtherPrograms: {"pause.other_cpu", "100"},
	limits.TooWarm: {"heat.max_c", "95"}, limits.TooHot: {"heat.max_c", "95"},
	limits.FanIsLoud: {"heat.fan_quiet", "no"}, limits.BatteryPower: {"pause.battery", "no"},
	limits.MeteredNetwork: {"pause.metered", "no"}, limits.OtherWifi: {"pause.ssid_allow", ""},
	limits.VPNIsOn: {"pause.vpn", "no"}, limits.VPNAsk: {"pause.vpn", "no"},
	limits.DayNearlyUsed: {"data.day", twice}, limits.DayUsedUp: {"data.day", twice},
	limits.MonthNearlyUsed: {"data.month", twice}, limits.MonthUsedUp: {"data.month", twice},
	limits.DiskMaxReached: {"disk.max", twice}, limits.DiskShareReached: {"disk.max_percent", "20"},
	limits.DiskNearlyFull: {"disk.keep_free", half}, limits.UnknownInput: {"idle.unknown_is", "away"},
	limits.UnknownKeptAwake: {"level.in_use", "gentle"}, limits.UnknownPower: {"pause.battery", "no"},
	limits.UnknownMetered: {"pause.metered", "no"}, limits.UnknownWifi: {"pause.ssid_allow", ""},
	limits.UnknownVPN: {"pause.vpn", "no"}, limits.UnknownFullscreen: {"pause.fullscreen", "no"},
	limits.UnknownShared: {"pause.screenshare", "no"}, limits.UnknownApps: {"pause.apps", ""},
	limits.UnknownCPU: {"pause.other_cpu", "100"}, limits.UnknownDisk: {"level.in_use", "gentle"},
	limits.UnknownHeat: {"level.in_use", "gentle"}, limits.UnknownFan: {"heat.fan_quiet", "no"},
}

// remedyOf returns the setting that changes what the reason allows, and a value with which it may allow more; "" if no
// setting does: the user asked for it by hand, or it is about the node itself.
func remedyOf(r limits.Reason) (setting, value string) {
	is := remedies[r.Kind]
	switch {
	case r.Kind == limits.SetToZero:
		return r.Name, "-1"
	case is.value == half && r.Limit <= limits.AlwaysFree:
		return "", "" // so much stays free whatever is set
	case is.value == half:
		return is.setting, sizeText(r.Limit / 2)
	case is.value == twice:
		return is.setting, sizeText(2 * min(r.Limit, math.MaxInt64/2))
	}
	return is.setting, is.value
}

// sizeText returns a size as settings take it, cut to a whole unit.
func sizeText(n int64) string {
	if n >= 2e9 {
		return fmt.Sprintf("%d GB", n/1e9)
	}
	return fmt.Sprintf("%d MB", max(n/1e6, 1))
}
