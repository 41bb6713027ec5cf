package limits

import (
	"fmt"
	"strings"
	"time"

	"github.com/forage-net/forage/assets/words"
)

// MaxDuration is the longest time that can be given.
const MaxDuration = 366 * day

var durationUnits = [...]struct {
	name string
	d    time.Duration
}{{"d", day}, {"h", time.Hour}, {"min", time.Minute}, {"s", time.Second}}

// unitWords are the other words for the units.
var unitWords = map[string]string{
	"m": "min", "mins": "min", "minute": "min", "minutes": "min", "minuten": "min",
	"sec": "s", "secs": "s", "second": "s", "seconds": "s", "sekunde": "s", "sekunden": "s",
	"hr": "h", "hrs": "h", "hour": "h", "hours": "h", "std": "h", "stunde": "h", "stunden": "h",
	"day": "d", "days": "d", "tag": "d", "tage": "d",
}

var (
	errDurationForm  = words.New("said.settings.is-no-length-of-time-as", nil)
	errDurationRange = words.New("said.settings.is-longer-than-days", words.Args{"most": int(MaxDuration / day)})
)

// ParseDuration reads a length of time: whole numbers with the units d, h, min and s, or words for them, each
// once and the longest first, with or without blanks. Errors read on after the text.
func ParseDuration(text string) (time.Duration, error) {
	rest := strings.ToLower(strings.TrimSpace(text))
	if rest == "" || len(rest) > 64 {
		return 0, errDurationForm
	}
	var sum time.Duration
	units := durationUnits[:]
	for rest != "" {
		i := 0
		var n time.Duration
		for ; i < len(rest) && rest[i] >= '0' && rest[i] <= '9'; i++ {
			if n = n*10 + time.Duration(rest[i]-'0'); n > MaxDuration/time.Second {
				return 0, errDurationRange
			}
		}
		rest = strings.TrimLeft(rest[i:], " ")
		end := strings.IndexAny(rest, " 0123456789")
		if end < 0 {
			end = len(rest)
		}
		unit := rest[:end]
		if name := unitWords[unit]; name != "" {
			unit = name
		}
		for len(units) > 0 && units[0].name != unit {
			units = units[1:]
		}
		if i == 0 || len(units) == 0 {
			return 0, errDurationForm
		}
		if n > MaxDuration/units[0].d {
			return 0, errDurationRange
		}
		sum += n * units[0].d
		units = units[1:]
		rest = strings.TrimLeft(rest[end:], " ")
	}
	if sum > MaxDuration {
		return 0, errDurationRange
	}
	return sum, nil
}

// FormatDuration writes a length of time, to the second, so that ParseDuration reads
// it: "1 h 30 min".
func FormatDuration(d time.Duration) string {
	d = d.Truncate(time.Second)
	if d <= 0 {
		return "0 s"
	}
	var items []string
	for _, u := range durationUnits {
		if n := d / u.d; n > 0 {
			items = append(items, fmt.Sprintf("%d %s", n, u.name))
			d -= n * u.d
		}
	}
	return strings.Join(items, " ")
}
