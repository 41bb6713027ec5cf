package settings

import (
	"slices"
	"strings"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/speech"
	"github.com/forage-net/forage/ui/desktop/week"
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
func valueWords(s speech.Speech, of api.Setting) string { return inWords(s, of, of.Value, of.Text) }
func defaultWords(s speech.Speech, of api.Setting) string {
	return inWords(s, of, of.Default, of.DefaultText)
}

func inWords(s speech.Speech, of api.Setting, value any, text string) string {
	switch of.Type {
	case typeYesNo:
		if value == true {
			return s.T("set.yes")
		}
		return s.T("set.no")
	case typeSize, typeWhole:
		return amountWords(s, of, value, text)
	case typeTime:
		if f, ok := value.(float64); ok && f >= 0 && f < 1e9 {
			return s.Length(time.Duration(f) * time.Second)
		}
		return text
	case typeList:
		return listWords(s, of, listOf(value))
	case typeWeek:
		return weekWords(s, text)
	}
	if text == "" {
		return s.T("set.none")
	}
	return choiceName(of, text)
}

func amountWords(s speech.Speech, of api.Setting, value any, text string) string {
	f, ok := value.(float64)
	switch {
	case !ok || f > 1<<60 || f < -1<<60:
		return text
	case of.NoLimit && f < 0:
		return s.T("set.nolimit")
	case of.NoLimit && f == 0:
		return s.T("set.stop")
	case of.Type == typeSize:
		return s.Bytes(int64(f))
	case of.Unit != "":
		return s.Number(int64(f)) + "\u00a0" + of.Unit
	}
	return s.Number(int64(f))
}

func listWords(s speech.Speech, of api.Setting, list []string) string {
	if len(list) == 0 {
		return s.T("set.list.empty")
	}
	names := make([]string, len(list))
	for i, item := range list {
		names[i] = choiceName(of, item)
	}
	return strings.Join(names, ", ")
}

func weekWords(s speech.Speech, text string) string {
	if text == sameAsWork {
		return s.T("set.week.same")
	}
	w, ok := week.Parse(text)
	if !ok {
		return text
	}
	return strings.TrimSuffix(week.Text(s, &w), ".") // it stands within a sentence
}

// choiceName is what a choice is called.
func choiceName(of api.Setting, choice string) string {
	i := slices.Index(of.Choices, choice)
	if i < 0 || i >= len(of.ChoiceNames) || of.ChoiceNames[i] == "" ||
		strings.HasPrefix(of.ChoiceNames[i], "settings.choice.") {
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
