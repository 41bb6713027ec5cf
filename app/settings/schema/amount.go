package schema

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/assets/words"
)

var (
	sizeUnits = []string{"kB", "MB", "GB", "TB"}
	timeUnits = []string{"s", "min", "h", "d"}
)

// noLimit is the text of a number that is none.
var noLimit = strconv.Itoa(limits.NoLimit)

// amountOf returns what there is to know of a number.
func amountOf(item config.Item, lang string) api.Amount {
	a := api.Amount{Unit: item.Unit, NoLimit: item.None}
	if item.Lo != item.Hi {
		a.Min, a.Max = &item.Lo, &item.Hi
	}
	if item.None {
		a.Limit = limitOf(item)
	}
	switch item.Type {
	case "whole number":
		a.Number = item.Text
	case "size":
		a.Number, a.NumberUnit, _ = strings.Cut(item.Text, " ")
		if n, _ := item.Value.(int64); n == 0 || a.NumberUnit == "" {
			a.NumberUnit = "GB"
		}
		units := sizeUnits
		if !slices.Contains(units, a.NumberUnit) {
			units = append([]string{a.NumberUnit}, units...)
		}
		for _, unit := range units {
			a.Units = append(a.Units, api.SettingsUnit{Text: unit, Name: unit})
		}
	case "length of time":
		n, _ := item.Value.(int64)
		a.Number, a.NumberUnit = timeIn(n)
		for _, unit := range timeUnits {
			name := words.Text(lang, "settings.unit."+unit, nil)
			a.Units = append(a.Units, api.SettingsUnit{Text: unit, Name: name})
		}
	}
	return a
}

// timeIn writes seconds in the largest unit that divides them.
func timeIn(n int64) (number, unit string) {
	d := time.Duration(n) * time.Second
	unit, each := "s", time.Second
	for _, u := range []struct {
		name string
		each time.Duration
	}{{"min", time.Minute}, {"h", time.Hour}, {"d", 24 * time.Hour}} {
		if d > 0 && d%u.each == 0 {
			unit, each = u.name, u.each
		}
	}
	return strconv.FormatInt(int64(d/each), 10), unit
}

// limitOf returns what a limit that is set again begins with: that of now, or the default, or else a usual one.
func limitOf(item config.Item) string {
	switch {
	case item.Text != noLimit:
		return item.Text
	case item.DefaultText != noLimit:
		return item.DefaultText
	case item.Type == "size":
		return "10 GB"
	}
	return strconv.FormatInt(item.Hi, 10)
}
