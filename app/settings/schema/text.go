package schema

import (
	"encoding/json"
	"strconv"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/limits"
)

// Text returns a value in JSON as the settings file has it.
func Text(kind string, raw json.RawMessage) (text string, ok bool) {
	if json.Unmarshal(raw, &text) == nil {
		return config.Unquoted(text), string(raw) != "null"
	}
	var yes bool
	if kind == "yes or no" && json.Unmarshal(raw, &yes) == nil {
		return map[bool]string{true: "yes", false: "no"}[yes], true
	}
	var n int64
	if json.Unmarshal(raw, &n) == nil {
		return numberText(kind, n), true
	}
	var list []string
	if kind == "list" && json.Unmarshal(raw, &list) == nil {
		return config.ListText(list), true
	}
	if kind == "week" {
		return weekText(raw)
	}
	return "", false
}

// numberText returns a number, which is in bytes or seconds, as a person would write it.
func numberText(kind string, n int64) string {
	switch {
	case kind == "length of time":
		return strconv.FormatInt(n, 10) + " s"
	case kind == "size" && n > 0:
		return config.Size(n).String()
	}
	return strconv.FormatInt(n, 10)
}

// weekText returns a week that was painted: 7 days of 96 levels.
func weekText(raw json.RawMessage) (string, bool) {
	var levels [][]int
	var week limits.Grid
	if json.Unmarshal(raw, &levels) != nil || len(levels) != weekDays {
		return "", false
	}
	for day, cells := range levels {
		if len(cells) != dayCells {
			return "", false
		}
		for i, l := range cells {
			if l < int(limits.Off) || l > int(limits.Full) {
				return "", false
			}
			week[day*dayCells+i] = limits.Level(l)
		}
	}
	text, err := week.MarshalText()
	return string(text), err == nil
}
