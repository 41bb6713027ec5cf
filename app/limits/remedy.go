package limits

// remedy is a setting that changes what a reason allows, and a value as "forage set" takes it with which it allows more.
type remedy struct{ setting, value string }

var remedies = [kinds]remedy{
	Recalled: {"pause.recall", "no"}, OutsideHours: {"schedule.work", "all full"}, OutsideNetworkHours: {"schedule.net", "work"},
	UserPresent: {"level.in_use", "gentle"}, KeptAwake: {"level.in_use", "gentle"}, AwayLimited: {"level.away", "full"},
	FullscreenApp: {"pause.fullscreen", "no"}, ScreenIsShared: {"pause.screenshare", "no"}, AppRunning: {"pause.apps", ""},
	OtherPrograms: {"pause.other_cpu", "100"}, TooWarm: {"heat.max_c", "95"}, TooHot: {"heat.max_c", "95"}, FanIsLoud: {"heat.fan_quiet", "no"},
	BatteryPower: {"pause.battery", "no"}, MeteredNetwork: {"pause.metered", "no"}, OtherWifi: {"pause.ssid_allow", ""},
	VPNIsOn: {"pause.vpn", "no"}, VPNAsk: {"pause.vpn", "no"},
	DayNearlyUsed: {"data.day", "2 GB"}, DayUsedUp: {"data.day", "2 GB"}, MonthNearlyUsed: {"data.month", "40 GB"}, MonthUsedUp: {"data.month", "40 GB"},
	DiskMaxReached: {"disk.max", "10 GB"}, DiskShareReached: {"disk.max_percent", "20"}, DiskNearlyFull: {"disk.keep_free", "1 GB"},
	UnknownInput: {"idle.unknown_is", "away"}, UnknownKeptAwake: {"level.in_use", "gentle"}, UnknownPower: {"pause.battery", "no"},
	UnknownMetered: {"pause.metered", "no"}, UnknownWifi: {"pause.ssid_allow", ""}, UnknownVPN: {"pause.vpn", "no"},
	UnknownFullscreen: {"pause.fullscreen", "no"}, UnknownShared: {"pause.screenshare", "no"}, UnknownApps: {"pause.apps", ""},
	UnknownCPU: {"pause.other_cpu", "100"}, UnknownDisk: {"level.in_use", "gentle"}, UnknownHeat: {"level.in_use", "gentle"}, UnknownFan: {"heat.fan_quiet", "no"},
}

// Remedy returns the setting that changes what the reason allows, and a value with which it may allow more; "" if no setting does: the
// user asked for it by hand, or it is about the node itself.
func (r Reason) Remedy() (setting, value string) {
	if r.Kind == SetToZero {
		return r.Name, "-1"
	}
	if r.Kind >= kinds {
		return "", ""
	}
	return remedies[r.Kind].setting, remedies[r.Kind].value
}
