package tell

import (
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/assets/words"
)

// Reason tells a reason in one whole sentence: what, and until when. All front ends
// show it as it is. now is in the user's zone.
func Reason(r limits.Reason, lang string, now time.Time) string {
	all, known := texts()[lang]
	if !known {
		all = texts()[words.English]
	}
	sentence := all[min(r.Kind, limits.Kinds-1)].of(r.Allows)
	return fill(sentence, func(name string) string { return word(r, name, lang, now) })
}

// Decision tells why the level is as it is: the first reason that limits it, or else the
// first there is, or that there is none.
func Decision(d limits.Decision, lang string, now time.Time) string {
	if len(d.Reasons) == 0 {
		return Reason(limits.Reason{Kind: limits.HasFullBudget, Allows: limits.Full}, lang, now)
	}
	return Reason(d.Reasons[0], lang, now)
}

// word returns what stands for a name in braces, "" if nothing is known.
func word(r limits.Reason, name string, lang string, now time.Time) string {
	switch name {
	case "until":
		return Moment(r.Until, now, lang)
	case "when":
		return When(r.Until, now, lang)
	case "after":
		return lengthText(r.After, lang)
	case "name":
		return r.Name
	case "limit":
		if r.Limit != 0 {
			return strconv.FormatInt(r.Limit, 10)
		}
	case "fault":
		return faultText(r.Value, lang)
	case "bytes":
		return Bytes(r.Value, lang)
	case "most":
		return Bytes(r.Limit, lang)
	}
	return ""
}

// fill puts words into a text. "{name}" stands for a word. Of alternatives
// "[one {a}|two {b}|three]", the first of which all words are known stands, and none if
// there is none.
func fill(text string, word func(name string) string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "[")
		filled, _ := fillWords(before, word)
		b.WriteString(filled)
		if !found {
			return b.String()
		}
		choice, after, _ := strings.Cut(rest, "]")
		for alternative := range strings.SplitSeq(choice, "|") {
			if filled, ok := fillWords(alternative, word); ok {
				b.WriteString(filled)
				break
			}
		}
		text = after
	}
}

// fillWords fills a text without alternatives, and reports whether all words are known.
func fillWords(text string, word func(string) string) (filled string, ok bool) {
	var b strings.Builder
	ok = true
	for {
		before, rest, found := strings.Cut(text, "{")
		b.WriteString(before)
		if !found {
			return b.String(), ok
		}
		name, after, _ := strings.Cut(rest, "}")
		w := word(name)
		ok = ok && w != ""
		b.WriteString(w)
		text = after
	}
}
