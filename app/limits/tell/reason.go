package tell

import (
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/app/limits"
)

// Reason tells a reason in one whole sentence: what, and until when. All front ends
// show it as it is. now is in the user's zone.
func Reason(r limits.Reason, l Lang, now time.Time) string {
	l, r.Kind = min(l, langs-1), min(r.Kind, limits.Kinds-1)
	return fill(texts()[r.Kind][l].of(r.Allows), func(name string) string { return word(r, name, l, now) })
}

// Decision tells why the level is as it is: the first reason that limits it, or else the
// first there is, or that there is none.
func Decision(d limits.Decision, l Lang, now time.Time) string {
	if len(d.Reasons) == 0 {
		return Reason(limits.Reason{Kind: limits.HasFullBudget, Allows: limits.Full}, l, now)
	}
	return Reason(d.Reasons[0], l, now)
}

// word returns what stands for a name in braces, "" if nothing is known.
func word(r limits.Reason, name string, l Lang, now time.Time) string {
	switch name {
	case "until":
		return Moment(r.Until, now, l)
	case "when":
		return When(r.Until, now, l)
	case "after":
		return lengthText(r.After, l)
	case "name":
		return r.Name
	case "limit":
		if r.Limit != 0 {
			return strconv.FormatInt(r.Limit, 10)
		}
	case "fault":
		return faultText(r.Value, l)
	case "bytes":
		return Bytes(r.Value, l)
	case "most":
		return Bytes(r.Limit, l)
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
