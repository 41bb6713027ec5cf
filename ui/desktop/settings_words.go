package desktop

import (
	"slices"
	"strings"
	"time"

	"github.com/forage-net/forage/app/api"
)

// The types of settings, as the node calls them.
const (
	typeYesNo  = "yes or no"
	typeChoice = "choice"
	typeLevel  = "level"
	typeWhole  = "whole number"
	typeSize   = "size"
	typeTime   = "length of time"
	typeList   = "list"
	typeWeek   = "week"
)

// noLimit is the text of a number that is none.
const noLimit = "-1"

// sameAsWork is the text of a week that is that of the hours of work.
const sameAsWork = "work"

// settingName is what a setting is called; its key if it has no name.
func settingName(s api.Setting) string {
	if s.Name == "" || s.Name == "settings."+s.Key+".name" {
		return s.Key
	}
	return s.Name
}

// valueWords is the value of a setting in words, defaultWords its default.
func (s speech) valueWords(of api.Setting) string   { return s.inWords(of, of.Value, of.Text) }
func (s speech) defaultWords(of api.Setting) string { return s.inWords(of, of.Default, of.DefaultText) }

func (s speech) inWords(of api.Setting, value any, text string) string {
	switch of.Type {
	case typeYesNo:
		if value == true {
			return s.t("set.yes")
		}
		return s.t("set.no")
	case typeSize, typeWhole:
		return s.amountWords(of, value, text)
	case typeTime:
		if f, ok := value.(float64); ok && f >= 0 && f < 1e9 {
			return s.length(time.Duration(f) * time.Second)
		}
		return text
	case typeList:
		return s.listWords(of, listOf(value))
	case typeWeek:
		return s.weekWords(text)
	}
	if text == "" {
		return s.t("set.none")
	}
	return choiceName(of, text)
}

func (s speech) amountWords(of api.Setting, value any, text string) string {
	f, ok := value.(float64)
	switch {
	case !ok || f > 1<<60 || f < -1<<60:
		return text
	case of.NoLimit && f < 0:
		return s.t("set.nolimit")
	case of.NoLimit && f == 0:
		return s.t("set.stop")
	case of.Type == typeSize:
		return s.bytes(int64(f))
	case of.Unit != "":
		return s.number(int64(f)) + "\u00a0" + of.Unit
	}
	return s.number(int64(f))
}

func (s speech) listWords(of api.Setting, list []string) string {
	if len(list) == 0 {
		return s.t("set.list.empty")
	}
	names := make([]string, len(list))
	for i, item := range list {
		names[i] = choiceName(of, item)
	}
	return strings.Join(names, ", ")
}

func (s speech) weekWords(text string) string {
	if text == sameAsWork {
		return s.t("set.week.same")
	}
	w, ok := parseWeek(text)
	if !ok {
		return text
	}
	return strings.TrimSuffix(s.weekText(&w), ".") // it stands within a sentence
}

// choiceName is what a choice is called.
func choiceName(of api.Setting, choice string) string {
	i := slices.Index(of.Choices, choice)
	if i < 0 || i >= len(of.ChoiceNames) || of.ChoiceNames[i] == "" || strings.HasPrefix(of.ChoiceNames[i], "settings.choice.") {
		return choice
	}
	return of.ChoiceNames[i]
}

// listOf reads the value of a list.
func listOf(value any) (list []string) {
	switch is := value.(type) {
	case []string:
		return slices.Clone(is)
	case []any:
		for _, item := range is {
			if text, ok := item.(string); ok {
				list = append(list, text)
			}
		}
	}
	return list
}
