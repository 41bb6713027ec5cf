package config

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/forage-net/forage/assets/words"
)

// Size is a number of bytes, 0 to 10^15 (1000 TB).
type Size int64

// maxSize is the largest size that can be set.
const maxSize Size = 1e15

// sizeUnits are the units from the largest down.
var sizeUnits = [...]struct {
	name  string
	bytes Size
}{
	{"TiB", 1 << 40}, {"TB", 1e12}, {"GiB", 1 << 30}, {"GB", 1e9},
	{"MiB", 1 << 20}, {"MB", 1e6}, {"KiB", 1 << 10}, {"kB", 1e3}, {"B", 1},
}

var errSizeForm = words.New("said.settings.is-no-size", nil)

// parseSize reads a size: digits, at most one decimal point, and a unit in
// either case; only 0 needs none. Blanks around the number are ignored.
func parseSize(text string) (Size, error) {
	text = strings.TrimSpace(text)
	end := len(text)
	if i := strings.IndexFunc(text, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }); i >= 0 {
		end = i
	}
	number, unit := text[:end], strings.TrimSpace(text[end:])
	scale := Size(0)
	if unit == "" && strings.Trim(number, "0") == "" {
		scale = 1
	} else if _, err := strconv.ParseFloat(number, 64); unit == "" && err == nil {
		return 0, noUnit(number)
	}
	for _, u := range sizeUnits {
		if strings.EqualFold(unit, u.name) {
			scale = u.bytes
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, outOfRange
	}
	if err != nil || scale == 0 || scale == 1 && strings.Contains(number, ".") {
		return 0, errSizeForm
	}
	bytes := math.Round(n * float64(scale))
	if bytes > float64(maxSize) {
		return 0, outOfRange
	}
	return Size(bytes), nil
}

// noUnit says what is wrong with a number alone, and what may have been meant.
func noUnit(number string) error {
	one, other := number+" MB", number+" GB"
	if n, err := strconv.ParseInt(number, 10, 64); err == nil && n >= leastBytes {
		one, other = Size(n).String(), number+" B"
	}
	return words.New("said.settings.has-no-unit",
		words.Args{"one": strconv.Quote(one), "other": strconv.Quote(other)})
}

// String returns the size exactly, in the largest unit that divides it.
func (s Size) String() string {
	if s == 0 {
		return "0 B"
	}
	unit := 0
	for s%sizeUnits[unit].bytes != 0 {
		unit++
	}
	return strconv.FormatInt(int64(s/sizeUnits[unit].bytes), 10) + " " + sizeUnits[unit].name
}
