package promise

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/assets/words"
)

// Summary is the account of the last 24 hours.
type Summary struct {
	// Full, Gentle and Off are for how long the level was so; of Unknown nothing was
	// recorded.
	Full     time.Duration `json:"full_ns"`
	Gentle   time.Duration `json:"gentle_ns"`
	Off      time.Duration `json:"off_ns"`
	Unknown  time.Duration `json:"unknown_ns"`
	Breaches []Breach      `json:"breaches"`
	// Sentences are for people: how forage worked, and then every breach, or that there was
	// none.
	Sentences []string `json:"sentences"`
}

// Summary sums up what is kept, in a language. now is in the user's time zone.
func (r *Recorder) Summary(now limits.Clock, lang string) Summary {
	var s Summary
	for _, m := range r.Records(now) {
		d := time.Duration(m.Seconds) * time.Second
		switch m.Level {
		case limits.Full:
			s.Full += d
		case limits.Gentle:
			s.Gentle += d
		default:
			s.Off += d
		}
	}
	s.Unknown = max(kept-s.Full-s.Gentle-s.Off, 0)
	s.Breaches = r.Breaches(now)
	s.Sentences = append(s.Sentences, s.work(lang))
	for _, b := range s.Breaches {
		s.Sentences = append(s.Sentences, b.Sentence(lang, now.Wall))
	}
	if len(s.Breaches) == 0 && s.Unknown < kept {
		s.Sentences = append(s.Sentences, words.Text(lang, "promise.kept", nil))
	}
	return s
}

// work tells for how long forage worked.
func (s *Summary) work(lang string) string {
	var parts []string
	for i, d := range [...]time.Duration{s.Full, s.Gentle, s.Off} {
		if d > 0 {
			key := [...]string{"promise.full", "promise.gentle", "promise.off"}[i]
			parts = append(parts, words.Text(lang, key, words.Args{"time": roughly(d)}))
		}
	}
	if len(parts) == 0 {
		return words.Text(lang, "promise.nothing", nil)
	}
	if n := len(parts); n > 1 {
		both := words.Text(lang, "promise.and", words.Args{"one": parts[n-2], "other": parts[n-1]})
		parts = append(parts[:n-2], both)
	}
	key, args := "promise.day", words.Args{"work": strings.Join(parts, ", ")}
	if s.Unknown >= time.Minute {
		key, args["unknown"] = "promise.day.gaps", roughly(s.Unknown)
	}
	return words.Text(lang, key, args)
}

// roughly writes a length of time, from a minute on in whole minutes.
func roughly(d time.Duration) string {
	if d >= time.Minute {
		d = d.Round(time.Minute)
	}
	return lengthText(d)
}

// lengthText writes a length of time of at most days, in hours.
func lengthText(d time.Duration) string {
	d = max(d.Round(time.Second), 0)
	var parts []string
	for _, u := range [...]struct {
		d    time.Duration
		name string
	}{{time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
		if n := d / u.d; n > 0 || u.d == time.Second && len(parts) == 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, u.name))
		}
		d %= u.d
	}
	return strings.Join(parts, " ")
}

// Sentence tells of a breach in a language: of what, how long, when, how much, and from what. now is in the user's time
// zone.
func (b Breach) Sentence(lang string, now time.Time) string {
	if b.Measure >= Measures {
		return ""
	}
	worst := amount(b.Measure, b.Worst, lang)
	if b.Cause != "" {
		worst += "; " + words.Shown(lang, b.Cause)
	}
	key, start := "promise.above", b.Start.In(now.Location())
	if b.Open {
		key = "promise.still"
	}
	if start.Format(time.DateOnly) != now.Format(time.DateOnly) {
		key += ".yesterday"
	}
	return words.Text(lang, key, words.Args{
		"what": words.Text(lang, "promise."+b.Measure.String(), nil), "limit": amount(b.Measure, b.Limit, lang),
		"length": lengthText(b.Length), "clock": start.Format("15:04"), "worst": worst,
	})
}

// amount writes a value with its unit.
func amount(m Measure, v float64, lang string) string {
	unit, digits := "", 2
	switch m {
	case CPU:
		unit = " %"
	case Down, Up:
		unit = " kbit/s"
	case Disk:
		units := [...]string{" B", " kB", " MB", " GB", " TB"}
		i := 0
		for ; v >= 1000 && i < len(units)-1; i++ {
			v /= 1000
		}
		unit, digits = units[i], 4
	}
	text := strconv.FormatFloat(v, 'f', 0, 64)
	if digits == 4 || v < 10 && v > 0 {
		text = significant(v, digits)
	}
	if lang == words.German {
		text = strings.Replace(text, ".", ",", 1)
	}
	return text + unit
}

// significant writes a number with so many digits, but without an exponent.
func significant(v float64, digits int) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		rounded = v
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
