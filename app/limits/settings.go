package limits

// Setting is one key of config.toml that is about limits. The schema of app/config takes
// these over: for each type of what At points to, it has a kind of field.
type Setting struct {
	// Name is the dotted name.
	Name string
	// Type is as in config.Key, or "length of time", "level", "week" or "choice".
	Type string
	// Default is written as in the file.
	Default string
	// Unit is that of a plain number, "" if there is none.
	Unit string
	// Range says what values are allowed, to be read after a colon.
	Range string
	// Meaning is one sentence.
	Meaning string
	// Lo and Hi are the bounds of numbers: of bytes for sizes, of Unit for others. NoLimit
	// is allowed as well if None is set.
	Lo, Hi int64
	None   bool
	// Choices are what a text can be; none where it is free.
	Choices []string
	// At returns where the value is: *int or *float64 (a whole number), *int64 (bytes),
	// *bool, *[]string, *time.Duration, or an encoding.TextUnmarshaler whose errors
	// read on after the value.
	At func(*Config) any
}

const (
	largestSize = 1e15
	largestRate = 10_000_000

	kbitRange   = "a whole number of kbit/s from 0 to 10000000; 0 means stop, -1 no limit"
	sizeRange   = `a size from 0 to 1000 TB, such as "500 MB" or "1.5 GiB"; 0 means stop, -1 no limit`
	levelRange  = `"off", "gentle" or "full"`
	yesNoRange  = `"yes" or "no"`
	gridExample = `such as "all full; mon-fri 09:00-17:30 off" or "all 22:00-06:00 full"`
)

// Settings returns all settings about limits, in the order they are documented in. Two are
// not here: consent.version, which app/config has and Config.Consent follows from, and mode, which
// the user gives as a command and State keeps.
func Settings() []Setting {
	list := []Setting{
		{Name: "idle.after", Type: "length of time", Default: `"5 min"`, Unit: "min", Lo: 1, Hi: 240,
			Range: `a length of time from 1 min to 4 h, such as "5 min"`,
			Meaning: "How long nobody must touch the computer, and no program keep it awake, until it counts as " +
				"not in use.",
			At: func(c *Config) any { return &c.Idle.After }},
		{Name: "idle.unknown_is", Type: "choice", Default: `"in_use"`, Range: `"in_use" or "away"`,
			Choices: presenceNames[:],
			Meaning: "The assumption when Forage cannot tell whether the computer is in use.",
			At:      func(c *Config) any { return &c.Idle.UnknownIs }},
		{Name: "level.in_use", Type: "level", Default: `"off"`, Range: levelRange, Choices: levelNames[:],
			Meaning: "How much Forage does while you use the computer.",
			At:      func(c *Config) any { return &c.Level.InUse }},
		{Name: "level.away", Type: "level", Default: `"full"`, Range: levelRange, Choices: levelNames[:],
			Meaning: "How much Forage does while nobody uses the computer.",
			At:      func(c *Config) any { return &c.Level.Away }},
		{Name: "schedule.work", Type: "week", Default: `"all full"`,
			Range: "days, times in quarters of an hour, and off, gentle or full, " + gridExample + "; anything " +
				"else is off",
			Meaning: "When Forage works. A window belongs to the day on which it begins; a day that is off is off " +
				"from midnight to midnight.",
			At: func(c *Config) any { return &c.Schedule.Work }},
		{Name: "schedule.net", Type: "week", Default: `"work"`,
			Range:   `"work" for the same as schedule.work, or hours ` + gridExample,
			Meaning: "When Forage uses the network at all; outside these hours it sends not one packet.",
			At:      func(c *Config) any { return NetText{&c.Schedule} }},
	}
	list = append(list, budgetSettings("full", Defaults().Budget.Full,
		func(c *Config) *Budget { return &c.Budget.Full })...)
	list = append(list, budgetSettings("gentle", Defaults().Budget.Gentle,
		func(c *Config) *Budget { return &c.Budget.Gentle })...)
	return append(list, []Setting{
		{Name: "data.day", Type: "size", Default: `"1 GB"`, Unit: "B", Hi: largestSize, None: true, Range: sizeRange,
			Meaning: "How much data may go over the network in a day, in all; from nine tenths on Forage works gently.",
			At:      func(c *Config) any { return &c.Data.Day }},
		{Name: "data.month", Type: "size", Default: `"20 GB"`, Unit: "B", Hi: largestSize, None: true, Range: sizeRange,
			Meaning: "How much data may go over the network in a month, in all; from nine tenths on Forage works " +
				"gently.",
			At: func(c *Config) any { return &c.Data.Month }},
		{Name: "data.month_starts", Type: "whole number", Default: "1", Lo: 1, Hi: 31,
			Range:   "a whole number from 1 to 31",
			Meaning: "The day on which your provider's month begins; in shorter months, the last day.",
			At:      func(c *Config) any { return &c.Data.MonthStarts }},
		{Name: "disk.max", Type: "size", Default: `"2 GB"`, Unit: "B", Hi: largestSize, None: true, Range: sizeRange,
			Meaning: "The most that Forage stores.",
			At:      func(c *Config) any { return &c.Disk.Max }},
		{Name: "disk.keep_free", Type: "size", Default: `"5 GB"`, Unit: "B", Hi: largestSize,
			Range:   `a size from 0 to 1000 TB, such as "500 MB" or "1.5 GiB"`,
			Meaning: "Space that stays free on the disk, even if Forage then stores less than disk.max.",
			At:      func(c *Config) any { return &c.Disk.KeepFree }},
		{Name: "disk.max_percent", Type: "whole number", Default: "5", Unit: "%", Lo: 1, Hi: 100,
			Range:   "a whole number from 1 to 100",
			Meaning: "The largest share of the whole disk, in percent, even if that is less than disk.max.",
			At:      func(c *Config) any { return &c.Disk.MaxPercent }},
		{Name: "ram.max", Type: "size", Default: `"256 MB"`, Unit: "B", Lo: 96e6, Hi: 4096e6,
			Range:   `a size from 96 MB to 4096 MB, such as "256 MB"`,
			Meaning: "How much memory Forage aims to use at most.",
			At:      func(c *Config) any { return &c.RAM.Max }},
		yesNo("pause.battery", true,
			"Whether Forage rests while the computer runs on battery; it resumes two minutes after.",
			func(c *Config) *bool { return &c.Pause.Battery }),
		{Name: "pause.battery_below", Type: "whole number", Default: "100", Unit: "%", Lo: 1, Hi: 100,
			Range:   "a whole number from 1 to 100",
			Meaning: "The charge in percent below which pause.battery counts; at 100 it always does.",
			At:      func(c *Config) any { return &c.Pause.BatteryBelow }},
		yesNo("pause.metered", true, "Whether Forage sends nothing over a metered connection.",
			func(c *Config) *bool { return &c.Pause.Metered }),
		{Name: "pause.ssid_allow", Type: "list", Default: "[]", Range: "names of Wi-Fi networks",
			Meaning: "The Wi-Fi networks that Forage may use; an empty list means all.",
			At:      func(c *Config) any { return &c.Pause.SSIDAllow }},
		yesNo("pause.fullscreen", true, "Whether Forage rests while a program fills the screen, and 15 seconds longer.",
			func(c *Config) *bool { return &c.Pause.Fullscreen }),
		yesNo("pause.screenshare", true,
			"Whether Forage rests while the screen is shared or shows a presentation, and 15 seconds longer.",
			func(c *Config) *bool { return &c.Pause.ScreenShare }),
		{Name: "pause.apps", Type: "list", Default: "[]",
			Range:   `names of programs such as "blender", with or without ".exe"`,
			Meaning: "Forage rests while these programs run, and 15 seconds longer.",
			At:      func(c *Config) any { return &c.Pause.Apps }},
		{Name: "pause.other_cpu", Type: "whole number", Default: "60", Unit: "%", Lo: 1, Hi: 100,
			Range: "a whole number from 1 to 100",
			Meaning: "How much of the whole computer other programs may use before Forage steps aside, in " +
				"percent; at 100 they may use all.",
			At: func(c *Config) any { return &c.Pause.OtherCPU }},
		{Name: "pause.hold_in", Type: "length of time", Default: `"30 s"`, Unit: "s", Lo: 0, Hi: 3600,
			Range:   `a length of time up to 1 h, such as "30 s"`,
			Meaning: "How long other programs must use more than that before Forage steps aside.",
			At:      func(c *Config) any { return &c.Pause.HoldIn }},
		{Name: "pause.hold_out", Type: "length of time", Default: `"2 min"`, Unit: "s", Lo: 0, Hi: 3600,
			Range:   `a length of time up to 1 h, such as "2 min"`,
			Meaning: "How long other programs must use less than that before Forage resumes, at most twice an hour.",
			At:      func(c *Config) any { return &c.Pause.HoldOut }},
		{Name: "pause.vpn", Type: "choice", Default: `"ask"`, Range: `"ask", "yes" or "no"`, Choices: answerNames[:],
			Meaning: "Whether Forage sends nothing while a VPN is on, because it may not be yours to lend; " +
				"\"ask\" counts as yes until you answer.",
			At: func(c *Config) any { return &c.Pause.VPN }},
		yesNo("pause.recall", true,
			"Whether Forage rests when its makers ask versions like this one to pause, because a fault may harm sites.",
			func(c *Config) *bool { return &c.Pause.Recall }),
		{Name: "heat.max_c", Type: "whole number", Default: "0", Unit: "°C", Lo: 0, Hi: 110,
			Range:   "a whole number from 0 to 110; 0 for what the computer itself calls too warm",
			Meaning: "The temperature in °C above which Forage works gently; eight degrees higher it rests.",
			At:      func(c *Config) any { return &c.Heat.MaxC }},
		yesNo("heat.fan_quiet", true, "Whether Forage works gently while the fan is loud, to keep the noise down.",
			func(c *Config) *bool { return &c.Heat.FanQuiet }),
		yesNo("footing.standby", true,
			"Whether Forage helps others keep track while you use the computer: a little traffic, and no page.",
			func(c *Config) *bool { return &c.Footing.Standby }),
	}...)
}

func yesNo(name string, byDefault bool, meaning string, at func(*Config) *bool) Setting {
	word := `"no"`
	if byDefault {
		word = `"yes"`
	}
	return Setting{Name: name, Type: "yes or no", Default: word, Range: yesNoRange, Choices: []string{"yes", "no"},
		Meaning: meaning, At: func(c *Config) any { return at(c) }}
}

// budgetSettings are those of one level.
func budgetSettings(level string, d Budget, at func(*Config) *Budget) []Setting {
	whole := func(name string, byDefault int, unit string, lo, hi int64, allowed, meaning string,
		value func(*Budget) any) Setting {
		return Setting{
			Name: "budget." + level + "." + name, Type: "whole number", Default: itoa(int64(byDefault)), Unit: unit,
			Lo: lo, Hi: hi,
			Range: allowed, Meaning: meaning, At: func(c *Config) any { return value(at(c)) },
		}
	}
	between := func(lo, hi int64) string { return "a whole number from " + itoa(lo) + " to " + itoa(hi) }
	list := []Setting{
		whole("cpu_percent", int(d.CPUPercent), "%", 1, 100, between(1, 100),
			"How much of the whole computer Forage may use, all cores together, in percent.",
			func(b *Budget) any { return &b.CPUPercent }),
		whole("down_kbit", d.DownKbit, "kbit/s", 0, largestRate, kbitRange,
			"How fast data may come in, in 1000 bits a second, in all.",
			func(b *Budget) any { return &b.DownKbit }),
		whole("up_kbit", d.UpKbit, "kbit/s", 0, largestRate, kbitRange,
			"How fast data may go out, in 1000 bits a second, in all.",
			func(b *Budget) any { return &b.UpKbit }),
		whole("sockets", d.Sockets, "", 8, 400, between(8, 400),
			"How many network connections may be open at once, including those being set up.",
			func(b *Budget) any { return &b.Sockets }),
		whole("fetchers", d.Fetchers, "", 1, 16, between(1, 16), "How many pages Forage may fetch at once.",
			func(b *Budget) any { return &b.Fetchers }),
		whole("pages_per_min", d.PagesPerMin, "", 1, 300, between(1, 300),
			"How many pages Forage may fetch in a minute, from all sites together.",
			func(b *Budget) any { return &b.PagesPerMin }),
	}
	list[1].None, list[2].None = true, true
	return list
}
