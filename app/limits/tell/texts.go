package tell

import (
	"strconv"
	"strings"
	"sync"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/assets/words"
)

// text is a sentence for each level that a reason may allow, as fill reads them. Those
// that a reason cannot allow are empty.
type text struct {
	off, gentle, full string
}

// of returns the sentence for a level, or another if there is none.
func (t text) of(l limits.Level) string {
	switch {
	case l >= limits.Full && t.full != "":
		return t.full
	case l >= limits.Gentle && t.gentle != "", t.off == "" && t.gentle != "":
		return t.gentle
	case t.off != "":
		return t.off
	}
	return t.full
}

// texts returns all sentences about reasons by language, from the texts "limits.…": KIND.LEVEL for one
// level, KIND for all of them, and KIND.whether for a sensor that does not answer.
var texts = sync.OnceValue(func() map[string]*[limits.Kinds]text {
	all := make(map[string]*[limits.Kinds]text)
	for _, lang := range words.Languages() {
		table := words.Keys(lang)
		all[lang] = new([limits.Kinds]text)
		for k := range limits.Kinds {
			all[lang][k] = textOf(table, k)
		}
	}
	return all
})

// textOf returns the sentences about one kind of reason.
func textOf(table map[string]string, k limits.Kind) text {
	key := "limits." + k.String()
	if all := table[key]; all != "" {
		return text{all, all, all}
	}
	if whether := table[key+".whether"]; whether != "" {
		unknown := func(level string) string {
			return strings.ReplaceAll(table["limits.unknown."+level], "{whether}", whether)
		}
		return text{unknown("off"), unknown("gentle"), unknown("full")}
	}
	return text{table[key+".off"], table[key+".gentle"], table[key+".full"]}
}

// faultText says what versions may do that are asked to pause, by recall.Fault; the first stands for those that
// this version does not know.
func faultText(fault int64, lang string) string {
	key := "limits.fault." + strconv.FormatInt(fault, 10)
	if said := words.Text(lang, key, nil); said != key {
		return said
	}
	return words.Text(lang, "limits.fault.0", nil)
}
