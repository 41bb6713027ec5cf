package config

import (
	"encoding"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/forage-net/forage/app/config/toml"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/assets/words"
)

// limitFields are the settings that package limits decides by. All take effect at once.
func limitFields() []field {
	fields := []field{
		lasts("idle.after", `"5 min"`, time.Minute, time.Minute, 4*time.Hour,
			func(c *Config) *time.Duration { return &c.Limits.Idle.After }),
		choice(itself("idle.unknown_is", "choice", `"in_use"`,
			func(c *Config) textual { return &c.Limits.Idle.UnknownIs }), "in_use", "away"),
		level("level.in_use", `"off"`, func(c *Config) textual { return &c.Limits.Level.InUse }),
		level("level.away", `"full"`, func(c *Config) textual { return &c.Limits.Level.Away }),
		itself("schedule.work", "week", `"all full"`, func(c *Config) textual { return &c.Limits.Schedule.Work }),
		itself("schedule.net", "week", `"work"`,
			func(c *Config) textual { return limits.NetText{Schedule: &c.Limits.Schedule} }),
	}
	budgets := limits.Defaults().Budget
	fields = append(fields, budgetFields("full", budgets.Full,
		func(c *Config) *limits.Budget { return &c.Limits.Budget.Full })...)
	fields = append(fields, budgetFields("gentle", budgets.Gentle,
		func(c *Config) *limits.Budget { return &c.Limits.Budget.Gentle })...)
	fields = append(fields,
		orNone(size("data.day", `"1 GB"`, 0, maxSize, func(c *Config) *int64 { return &c.Limits.Data.Day })),
		orNone(size("data.month", `"20 GB"`, 0, maxSize, func(c *Config) *int64 { return &c.Limits.Data.Month })),
		whole("data.month_starts", 1, 1, 31, func(c *Config) *int { return &c.Limits.Data.MonthStarts }),
		orNone(size("disk.max", `"2 GB"`, 0, maxSize, func(c *Config) *int64 { return &c.Limits.Disk.Max })),
		size("disk.keep_free", `"5 GB"`, 0, maxSize, func(c *Config) *int64 { return &c.Limits.Disk.KeepFree }),
		unit("%", whole("disk.max_percent", 5, 1, 100, func(c *Config) *int { return &c.Limits.Disk.MaxPercent })),
		size("ram.max", `"256 MB"`, 96e6, 4096e6, func(c *Config) *int64 { return &c.Limits.RAM.Max }),
	)
	fields = append(fields, pauseFields()...)
	fields = append(fields,
		unit("°C", whole("heat.max_c", 0, 0, 110, func(c *Config) *int { return &c.Limits.Heat.MaxC })),
		yesNo("heat.fan_quiet", true, func(c *Config) *bool { return &c.Limits.Heat.FanQuiet }),
		yesNo("footing.standby", true, func(c *Config) *bool { return &c.Limits.Footing.Standby }),
	)
	for i := range fields {
		fields[i].Now = true
	}
	return fields
}

// budgetFields are those of one level.
func budgetFields(level string, d limits.Budget, of func(*Config) *limits.Budget) []field {
	const mostKbit = 10_000_000
	at := func(field func(*limits.Budget) *int) func(*Config) *int {
		return func(c *Config) *int { return field(of(c)) }
	}
	in := "budget." + level + "."
	return []field{
		unit("%", whole(in+"cpu_percent", d.CPUPercent, 1, 100, func(c *Config) *float64 { return &of(c).CPUPercent })),
		unit("kbit/s", orNone(whole(in+"down_kbit", d.DownKbit, 0, mostKbit,
			at(func(b *limits.Budget) *int { return &b.DownKbit })))),
		unit("kbit/s", orNone(whole(in+"up_kbit", d.UpKbit, 0, mostKbit,
			at(func(b *limits.Budget) *int { return &b.UpKbit })))),
		whole(in+"sockets", d.Sockets, 8, 400, at(func(b *limits.Budget) *int { return &b.Sockets })),
		whole(in+"fetchers", d.Fetchers, 1, 16, at(func(b *limits.Budget) *int { return &b.Fetchers })),
		whole(in+"pages_per_min", d.PagesPerMin, 1, 300, at(func(b *limits.Budget) *int { return &b.PagesPerMin })),
	}
}

// pauseFields say what work makes way for.
func pauseFields() []field {
	return []field{
		yesNo("pause.battery", true, func(c *Config) *bool { return &c.Limits.Pause.Battery }),
		unit("%", whole("pause.battery_below", 100, 1, 100,
			func(c *Config) *int { return &c.Limits.Pause.BatteryBelow })),
		yesNo("pause.metered", true, func(c *Config) *bool { return &c.Limits.Pause.Metered }),
		list("pause.ssid_allow", checkName, func(c *Config) *[]string { return &c.Limits.Pause.SSIDAllow }),
		yesNo("pause.fullscreen", true, func(c *Config) *bool { return &c.Limits.Pause.Fullscreen }),
		yesNo("pause.screenshare", true, func(c *Config) *bool { return &c.Limits.Pause.ScreenShare }),
		list("pause.apps", checkName, func(c *Config) *[]string { return &c.Limits.Pause.Apps }),
		unit("%", whole("pause.other_cpu", 60, 1, 100, func(c *Config) *int { return &c.Limits.Pause.OtherCPU })),
		lasts("pause.hold_in", `"30 s"`, time.Second, 0, time.Hour,
			func(c *Config) *time.Duration { return &c.Limits.Pause.HoldIn }),
		lasts("pause.hold_out", `"2 min"`, time.Second, 0, time.Hour,
			func(c *Config) *time.Duration { return &c.Limits.Pause.HoldOut }),
		choice(itself("pause.vpn", "choice", `"ask"`, func(c *Config) textual { return &c.Limits.Pause.VPN }),
			"ask", "yes", "no"),
		yesNo("pause.recall", true, func(c *Config) *bool { return &c.Limits.Pause.Recall }),
	}
}

// maxName bounds the name of a program or a network, in bytes.
const maxName = 255

func checkName(s string) error {
	if s == "" || len(s) > maxName || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		return notAllowed
	}
	return nil
}

// lasts is a length of time from lo to hi, written with a unit. Earlier versions wrote plain numbers, of what each is.
func lasts(name, byDefault string, each, lo, hi time.Duration, at func(*Config) *time.Duration) field {
	return field{
		Key: Key{Name: name, Type: "length of time", Default: byDefault, Unit: "s", Lo: int64(lo / time.Second),
			Hi: int64(hi / time.Second)},
		set: func(_ Key, c *Config, v toml.Value) (err error) {
			n, plain := v.Whole()
			d := time.Duration(n) * each
			switch {
			case plain && (n < 0 || n > int64(hi/each)):
				return outOfRange
			case !plain && v.Kind != toml.Text:
				return notDuration
			case !plain:
				d, err = limits.ParseDuration(v.Text)
			}
			if err != nil {
				return err
			}
			if d < lo || d > hi {
				return outOfRange
			}
			*at(c) = d
			return nil
		},
		get: func(c *Config) toml.Value {
			return toml.Value{Kind: toml.Text, Text: limits.FormatDuration(*at(c))}
		},
	}
}

// noUnit says what is wrong with a number alone, and what may have been meant: what would be allowed.
func (f field) noUnit(n int64) error {
	if f.Type == "size" {
		return noUnit(strconv.FormatInt(n, 10))
	}
	var meant []string
	for _, unit := range []struct {
		name    string
		seconds int64
	}{{"s", 1}, {"min", 60}, {"h", 3600}} {
		if n <= f.Hi/unit.seconds && n*unit.seconds >= f.Lo {
			meant = append(meant, fmt.Sprintf("\"%d %s\"", n, unit.name))
		}
	}
	if len(meant) == 0 {
		return outOfRange
	}
	if len(meant) == 1 {
		return words.New("said.settings.has-no-unit-write", words.Args{"one": meant[0]})
	}
	return words.New("said.settings.has-no-unit", words.Args{"one": meant[0], "other": meant[1]})
}

// textual is a value that says itself what a text means, and the other way round.
type textual interface {
	encoding.TextMarshaler
	encoding.TextUnmarshaler
}

// itself is a text that its value reads, as a week. The errors of that read on after the value.
func itself(name, kind, byDefault string, at func(*Config) textual) field {
	return field{
		Key: Key{Name: name, Type: kind, Default: byDefault},
		set: func(_ Key, c *Config, v toml.Value) error {
			if v.Kind != toml.Text {
				return notText
			}
			// Nothing is changed by what is wrong.
			if err := at(new(Config)).UnmarshalText([]byte(v.Text)); err != nil {
				return err
			}
			return at(c).UnmarshalText([]byte(v.Text))
		},
		get: func(c *Config) toml.Value {
			text, err := at(c).MarshalText()
			if err != nil {
				panic(fmt.Sprintf("config: %s: %v", name, err)) // no value that was set
			}
			return toml.Value{Kind: toml.Text, Text: string(text)}
		},
	}
}

// level is how much is done.
func level(name, byDefault string, at func(*Config) textual) field {
	return choice(itself(name, "level", byDefault, at), "off", "gentle", "full")
}
