package schema

import (
	"slices"
	"strings"
	"time"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/limits/tell"
	"github.com/forage-net/forage/assets/words"
)

// ChoiceName returns what a choice is called.
func ChoiceName(lang, choice string) string { return words.Text(lang, "settings.choice."+choice, nil) }

// inWords says a value as it stands within a sentence.
func inWords(item config.Item, value any, text, lang string) string {
	switch item.Type {
	case "yes or no":
		return words.Text(lang, "set."+text, nil)
	case "size", "whole number":
		return amountWords(item, value.(int64), lang)
	case "length of time":
		return words.Length(lang, time.Duration(value.(int64))*time.Second)
	case "list":
		var names []string
		for _, one := range value.([]string) {
			if slices.Contains(item.Choices, one) {
				one = ChoiceName(lang, one)
			}
			names = append(names, one)
		}
		if names == nil {
			return words.Text(lang, "settings.said.empty", nil)
		}
		return strings.Join(names, ", ")
	case "time":
		if at, err := time.Parse(time.RFC3339, text); err == nil {
			at = at.Local()
			return tell.Date(at, lang) + at.Format(", 15:04")
		}
	case "week":
		return weekWords(text, lang)
	}
	switch {
	case text == "":
		return words.Text(lang, "settings.said.none", nil)
	case slices.Contains(item.Choices, text):
		return ChoiceName(lang, text)
	}
	return text
}

func amountWords(item config.Item, n int64, lang string) string {
	switch {
	case item.None && n == limits.NoLimit:
		return words.Text(lang, "set.nolimit", nil)
	case item.None && n == 0:
		return words.Text(lang, "settings.said.stop", nil)
	case item.Type == "size":
		return words.Bytes(lang, n)
	case item.Unit != "":
		return words.Number(lang, n) + "\u00a0" + item.Unit
	}
	return words.Number(lang, n)
}
