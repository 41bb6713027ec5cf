package limits

import "time"

// Kind is what a Reason is about.
type Kind uint8

// The kinds. Those up to HasFullBudget are Decide's; the others are for the rest of the node to say
// with the same words.
const (
	NoConsent Kind = iota
	Recalled
	PausedByUser
	Finishing
	TimedWork
	OutsideHours
	OutsideNetworkHours
	UserPresent
	KeptAwake
	AwayLimited
	FullscreenApp
	ScreenIsShared
	AppRunning
	OtherPrograms
	TooWarm
	TooHot
	FanIsLoud
	BatteryPower
	MeteredNetwork
	OtherWifi
	VPNIsOn
	VPNAsk
	DayNearlyUsed
	DayUsedUp
	MonthNearlyUsed
	MonthUsedUp
	DiskMaxReached
	DiskShareReached
	DiskNearlyFull
	SetToZero
	UnknownInput
	UnknownInputIsAway
	UnknownKeptAwake
	UnknownPower
	UnknownMetered
	UnknownWifi
	UnknownVPN
	UnknownFullscreen
	UnknownShared
	UnknownApps
	UnknownCPU
	UnknownHeat
	UnknownFan
	UnknownDisk
	// HasFullBudget is said where nothing else is.
	HasFullBudget

	LookingForHelpers
	NothingDue
	SitesAskedToWait
	UpdateNeeded
	StoreTrouble
	ArchiveTrouble
	Starting
	Stopping

	// Kinds is how many there are.
	Kinds
)

var _ [64 - Kinds]struct{} // a set of them fits in a uint64

// kindNames are stable: scripts read them.
var kindNames = [Kinds]string{
	NoConsent: "no_consent", Recalled: "recalled", PausedByUser: "paused", Finishing: "finishing",
	TimedWork:    "timed_work",
	OutsideHours: "outside_hours", OutsideNetworkHours: "outside_network_hours",
	UserPresent: "in_use", KeptAwake: "kept_awake", AwayLimited: "away_limited",
	FullscreenApp: "fullscreen", ScreenIsShared: "screen_shared", AppRunning: "app_running", OtherPrograms: "other_cpu",
	TooWarm: "too_warm", TooHot: "too_hot", FanIsLoud: "fan_loud",
	BatteryPower: "battery", MeteredNetwork: "metered", OtherWifi: "wifi_not_allowed", VPNIsOn: "vpn",
	VPNAsk:        "vpn_ask",
	DayNearlyUsed: "day_nearly_used", DayUsedUp: "day_used_up", MonthNearlyUsed: "month_nearly_used",
	MonthUsedUp:    "month_used_up",
	DiskMaxReached: "disk_max", DiskShareReached: "disk_max_percent", DiskNearlyFull: "disk_keep_free",
	SetToZero:    "set_to_zero",
	UnknownInput: "unknown_input", UnknownInputIsAway: "unknown_input_away", UnknownKeptAwake: "unknown_kept_awake",
	UnknownPower:   "unknown_power",
	UnknownMetered: "unknown_metered", UnknownWifi: "unknown_wifi", UnknownVPN: "unknown_vpn",
	UnknownFullscreen: "unknown_fullscreen", UnknownShared: "unknown_screen_shared", UnknownApps: "unknown_apps",
	UnknownCPU: "unknown_other_cpu", UnknownHeat: "unknown_temperature", UnknownFan: "unknown_fan",
	UnknownDisk:   "unknown_disk",
	HasFullBudget: "full_budget", LookingForHelpers: "looking_for_helpers", NothingDue: "nothing_due",
	SitesAskedToWait: "sites_asked_to_wait", UpdateNeeded: "update_needed", StoreTrouble: "store_trouble",
	ArchiveTrouble: "archive_trouble", Starting: "starting", Stopping: "stopping",
}

// String returns a word for programs.
func (k Kind) String() string { return nameOf(kindNames[:], int(k)) }

// MarshalText implements encoding.TextMarshaler.
func (k Kind) MarshalText() ([]byte, error) { return marshalName(kindNames[:], int(k)) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *Kind) UnmarshalText(text []byte) error { return unmarshalName(kindNames[:], text, k) }

// Reason is one thing that holds now, and what it allows.
type Reason struct {
	Kind Kind `json:"kind"`
	// Allows is the most that may be done because of it. A reason that allows Full is
	// there to be known.
	Allows Level `json:"allows"`
	// Footing is the least quiet one because of it.
	Footing Footing `json:"footing"`
	// Since is when it began, as far as this run of the node knows.
	Since time.Time `json:"since,omitzero"`
	// Until is when it ends if nothing but time passes, zero if nobody knows.
	Until time.Time `json:"until,omitzero"`
	// After is how long it goes on after its cause ends.
	After time.Duration `json:"after_ns,omitempty"`
	// Name is what it is about: a program, a network, a setting, a fault.
	Name string `json:"name,omitempty"`
	// Value and Limit are what is and what may be, in the unit of the setting.
	Value int64 `json:"value,omitempty"`
	Limit int64 `json:"limit,omitempty"`
}
