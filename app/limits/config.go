package limits

import "time"

// Config is what the user has set, with the names of config.toml. The zero Config allows
// nothing; Defaults returns what holds where nothing is set.
type Config struct {
	// Consent says that the user has agreed to the current version of the text.
	Consent bool

	Idle     Idle
	Level    Levels
	Schedule Schedule
	Budget   Budgets
	Data     Data
	Disk     Disk
	RAM      RAM
	Pause    Pause
	Heat     Heat
	Footing  FootingConfig
}

// Idle says when nobody uses the computer.
type Idle struct {
	// After is how long there was no input.
	After time.Duration
	// UnknownIs is what counts when nothing tells.
	UnknownIs Presence
}

// Levels are those of the two states of the computer.
type Levels struct {
	InUse, Away Level
}

// Schedule says when work is allowed.
type Schedule struct {
	// Work and Net are the weeks of work and of the network.
	Work, Net Grid
	// NetIsWork uses Work for both.
	NetIsWork bool
}

// Budgets are those of the two levels that work.
type Budgets struct {
	Gentle, Full Budget
}

// Data is how many bytes may go over the network, all of them, both ways.
type Data struct {
	// Day and Month are in bytes: 0 means stop, NoLimit no limit.
	Day, Month int64
	// MonthStarts is the day on which a month begins, 1 to 31; shorter months
	// begin on their last.
	MonthStarts int
}

// Disk bounds what is stored; the smallest of the three rules wins.
type Disk struct {
	// Max is in bytes: 0 means stop, NoLimit no limit.
	Max int64
	// KeepFree is how many bytes stay free on the disk.
	KeepFree int64
	// MaxPercent is the largest share of the whole disk; NoLimit is no limit.
	MaxPercent int
}

// RAM bounds memory.
type RAM struct {
	// Max is in bytes, for what is a soft limit.
	Max int64
}

// Pause says what work makes way for.
type Pause struct {
	Battery bool
	// BatteryBelow is the charge in percent below which a battery counts; at
	// 100 it always does.
	BatteryBelow int
	Metered      bool
	// SSIDAllow are the wireless networks that may be used; none means all.
	SSIDAllow   []string
	Fullscreen  bool
	ScreenShare bool
	// Apps are names of programs, in any case and with or without ".exe".
	Apps []string
	// OtherCPU is how much of the machine other programs may use, in percent; at
	// 100 they may use all.
	OtherCPU int
	// HoldIn and HoldOut are how long they must use more until work makes way, and how
	// long not until it goes on.
	HoldIn, HoldOut time.Duration
	// VPN says whether a virtual private network is not the user's to lend.
	VPN Answer
	// Recall says that work rests when the makers of the program ask for that.
	Recall bool
}

// Heat says when the computer is too warm.
type Heat struct {
	// MaxC is in degrees Celsius, 0 for what the computer itself thinks of it.
	MaxC int
	// FanQuiet works gently while the fan is loud.
	FanQuiet bool
}

// FootingConfig says how far the node takes part while it does not work.
type FootingConfig struct {
	// Standby keeps the books while the computer is in use.
	Standby bool
}

// Defaults returns the settings of a user who has set nothing, and agreed to nothing.
func Defaults() Config {
	return Config{
		Idle:     Idle{After: 5 * time.Minute, UnknownIs: InUse},
		Level:    Levels{InUse: Off, Away: Full},
		Schedule: Schedule{Work: AllWeek(Full), Net: AllWeek(Full), NetIsWork: true},
		Budget: Budgets{
			Gentle: Budget{CPUPercent: 10, DownKbit: 1000, UpKbit: 200, Sockets: 30, Fetchers: 2, PagesPerMin: 20},
			Full:   Budget{CPUPercent: 25, DownKbit: 4000, UpKbit: 500, Sockets: 60, Fetchers: 6, PagesPerMin: 60},
		},
		Data: Data{Day: 1e9, Month: 20e9, MonthStarts: 1},
		Disk: Disk{Max: 2e9, KeepFree: 5e9, MaxPercent: 5},
		RAM:  RAM{Max: 256e6},
		Pause: Pause{
			Battery: true, BatteryBelow: 100, Metered: true, Fullscreen: true, ScreenShare: true,
			OtherCPU: 60, HoldIn: 30 * time.Second, HoldOut: 2 * time.Minute, VPN: Ask, Recall: true,
		},
		Heat:    Heat{FanQuiet: true},
		Footing: FootingConfig{Standby: true},
	}
}

// budget returns what a node may use at a level and on a footing. A smaller level never
// has more than a larger one, whatever is set.
func (c *Config) budget(l Level, f Footing) Budget {
	unlimited := Budget{NoLimit, NoLimit, NoLimit, NoLimit, NoLimit, NoLimit}
	full := c.Budget.Full.Min(unlimited)
	gentle := c.Budget.Gentle.Min(full)
	switch {
	case l == Full:
		return full
	case l == Gentle:
		return gentle
	case f == Standby:
		return gentle.Min(standbyBudget)
	}
	return Budget{}
}

// net returns the grid of the network.
func (c *Config) net() *Grid {
	if c.Schedule.NetIsWork {
		return &c.Schedule.Work
	}
	return &c.Schedule.Net
}
