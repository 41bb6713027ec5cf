package tell

import (
	"strconv"
	"strings"
)

// Bytes writes a number of bytes for people, in decimal units.
func Bytes(n int64, l Lang) string {
	units := [...]string{"B", "kB", "MB", "GB", "TB"}
	value, unit := float64(max(n, 0)), 0
	for value >= 999.5 && unit < len(units)-1 {
		value /= 1000
		unit++
	}
	text := strconv.FormatFloat(value, 'f', 1, 64)
	if unit == 0 || value >= 99.95 {
		text = strconv.FormatFloat(value, 'f', 0, 64)
	}
	text = strings.TrimSuffix(text, ".0")
	if l == German {
		text = strings.Replace(text, ".", ",", 1)
	}
	return text + " " + units[unit]
}
