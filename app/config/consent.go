package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/durable"
)

// ConsentVersion is the version of ConsentText. It grows when the text comes
// to say more than users agreed to; then they are asked again.
const ConsentVersion = 5

// Consented reports whether the user agreed to the present text. Before, no
// packet may leave the machine.
func Consented(c Config) bool { return c.Consent.Version == ConsentVersion }

// Consent records in the settings file that the user agrees to the present text at the time now.
func Consent(path string, now time.Time) error {
	return setAll(durable.Disk{}, path, map[string]string{
		"consent.version": strconv.Itoa(ConsentVersion), "consent.time": now.UTC().Format(time.RFC3339),
	})
}

// ConsentText says in a language what a node with these settings does to whom, in lines of
// at most 76 columns (paths may be longer). What counts is the English one.
func ConsentText(lang string, p Paths, c Config) string {
	var b strings.Builder
	for i, part := range consentParts(lang, p, c) {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(wrap("", part.text))
		if len(part.items)+len(part.places) > 0 {
			b.WriteString("\n")
		}
		for _, item := range part.items {
			b.WriteString("  - " + strings.TrimPrefix(wrap("    ", item), "    "))
		}
		longest := 0
		for _, place := range part.places {
			longest = max(longest, utf8.RuneCountInString(place.name))
		}
		for _, place := range part.places {
			fmt.Fprintf(&b, "  %-*s  %s\n", longest, place.name, place.path)
		}
	}
	return b.String()
}

// ConsentParagraphs returns the same text, a paragraph or an item of a list in each, in a language. What counts
// is the English one.
func ConsentParagraphs(lang string, p Paths, c Config) []string {
	var list []string
	for _, part := range consentParts(lang, p, c) {
		list = append(list, part.text)
		list = append(list, part.items...)
		for _, place := range part.places {
			list = append(list, place.name+": "+place.path)
		}
	}
	return list
}

// consentPart is a paragraph, and what is listed under it.
type consentPart struct {
	text   string
	items  []string
	places []consentPlace
}

type consentPlace struct{ name, path string }

func consentParts(lang string, p Paths, c Config) []consentPart {
	say := func(name string) string {
		return words.Text(lang, "consent."+name, words.Args{"name": crawl.Token, "page": crawl.WebmasterPage,
			"privacy": crawl.PrivacyPage})
	}
	return []consentPart{
		{text: say("intro"), items: []string{say("visits"), say("seen"), say("provider"), say("others"),
			say("manners")}},
		{text: say("stores"), places: []consentPlace{
			{say("place.pages"), p.WARC()}, {say("place.state"), p.State}, {say("place.settings"), p.Config},
		}},
		{text: say("rights"), items: []string{say("rights.people"), say("rights.illegal"), say("rights.find"),
			say("rights.report"), say("rights.gdpr")}},
		{text: say("limits"), items: limitLines(lang, c.Limits)},
		{text: say("commands")},
		{text: say("owner")},
	}
}

// limitLines say what is allowed, for people.
func limitLines(lang string, l limits.Config) []string {
	say := func(name string, args words.Args) string { return words.Text(lang, "consent."+name, args) }
	args := words.Args{"after": limits.FormatDuration(l.Idle.After)}
	var list []string
	switch {
	case l.Level.InUse != limits.Off:
		args["level"] = say("level."+l.Level.InUse.String(), nil)
		list = append(list, say("when.level", args))
	case l.Footing.Standby:
		list = append(list, say("when.standby", args))
	default:
		list = append(list, say("when.not", args))
	}
	var rests []string
	for _, r := range []struct {
		is   bool
		what string
	}{
		{l.Pause.Battery, "battery"}, {l.Pause.Metered, "metered"}, {l.Pause.Fullscreen, "fullscreen"},
		{l.Pause.OtherCPU < 100, "busy"},
	} {
		if r.is {
			rests = append(rests, say("rest."+r.what, nil))
		}
	}
	if n := len(rests); n > 1 {
		rests = []string{strings.Join(rests[:n-1], ", ") + " " + say("and", nil) + " " + rests[n-1]}
	}
	for _, when := range rests {
		list = append(list, say("rests", words.Args{"when": when}))
	}
	full, disk := l.Budget.Full, l.Disk
	rate := func(kbit int) string {
		switch {
		case kbit < 0:
			return say("rate.none", nil)
		case kbit >= 1000 && kbit%1000 == 0:
			return say("rate.mbit", words.Args{"mbit": strconv.Itoa(kbit / 1000)})
		}
		return say("rate", words.Args{"kbit": strconv.Itoa(kbit)})
	}
	amount := func(bytes int64) string {
		if bytes < 0 {
			return say("amount.none", nil)
		}
		return Size(bytes).String()
	}
	return append(list,
		say("rates", words.Args{
			"cpu": fmt.Sprintf("%g", full.CPUPercent), "down": rate(full.DownKbit), "up": rate(full.UpKbit),
			"day": amount(l.Data.Day), "month": amount(l.Data.Month),
		}),
		say("pages", words.Args{"pages": full.PagesPerMin, "fetchers": full.Fetchers, "sockets": full.Sockets}),
		say("disk", words.Args{"max": amount(disk.Max), "percent": disk.MaxPercent,
			"free": Size(disk.KeepFree).String()}))
}
