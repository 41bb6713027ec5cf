package settings

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// amount is a number and its unit, as the settings file has them.
type amount struct{ number, unit string }

// String implements fmt.Stringer.
func (a amount) String() string { return strings.TrimSpace(strings.TrimSpace(a.number) + " " + a.unit) }

var (
	sizeUnits = []string{"kB", "MB", "GB", "TB"}
	timeUnits = []string{"s", "min", "h", "d"}
	allSizes  = append(slices.Clone(sizeUnits), "B", "KiB", "MiB", "GiB", "TiB")
)

// unitIn takes the unit off the end of a text, as it is written in units; "" if none of them is there.
func unitIn(text string, units []string) amount {
	text = strings.TrimSpace(text)
	word := text[strings.LastIndexAny(text, "0123456789., ")+1:]
	for _, unit := range units {
		if strings.EqualFold(unit, word) {
			return amount{strings.TrimSpace(strings.TrimSuffix(text, word)), unit}
		}
	}
	return amount{text, ""}
}

// splitSize takes the text of a size apart. What is no number stays one part, for the node to say so.
func splitSize(text string) amount {
	a := unitIn(text, allSizes)
	if a.unit == "" {
		a.unit = "GB"
		if f, err := strconv.ParseFloat(a.number, 64); err == nil && f > 0 {
			a.unit = "B"
		}
	}
	return a
}

var secondsIn = map[string]int64{"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}

// splitTime takes a length of time apart; one of several units is told in the smallest of them.
func splitTime(text string) amount {
	if total, unit, ok := timeSum(text); ok {
		return amount{strconv.FormatInt(total/secondsIn[unit], 10), unit}
	}
	a := unitIn(text, timeUnits)
	if a.unit == "" {
		a.unit = "s"
	}
	return a
}

// timeSum adds up a text as "1 h 30 min", in seconds; unit is the last there was.
func timeSum(text string) (total int64, unit string, ok bool) {
	rest := strings.ToLower(strings.ReplaceAll(text, " ", ""))
	for rest != "" {
		word := strings.TrimLeft(rest, "0123456789")
		n, err := strconv.ParseInt(strings.TrimSuffix(rest, word), 10, 32)
		end := strings.IndexAny(word, "0123456789")
		if end < 0 {
			end = len(word)
		}
		unit, rest = word[:end], word[end:]
		if err != nil || secondsIn[unit] == 0 || total > math.MaxInt64/2 {
			return 0, "", false
		}
		total += n * secondsIn[unit]
	}
	if unit == "m" {
		unit = "min"
	}
	return total, unit, unit != "" && total%secondsIn[unit] == 0
}

// SizeBytes returns a size in bytes; ok is false where the text is none. Negative is no limit.
func SizeBytes(text string) (n int64, ok bool) {
	a := unitIn(text, allSizes)
	f, err := strconv.ParseFloat(a.number, 64)
	if err != nil {
		return 0, false
	}
	f *= bytesIn(a.unit)
	if math.IsNaN(f) || math.Abs(f) > 1<<60 {
		return 0, false
	}
	return int64(f), true
}

func bytesIn(unit string) float64 {
	step, by := 1, 1000.0
	if strings.HasSuffix(unit, "iB") {
		by = 1024
	}
	if len(unit) < 2 {
		return 1
	}
	step += strings.IndexByte("KMGT", strings.ToUpper(unit)[0])
	return math.Pow(by, float64(step))
}
