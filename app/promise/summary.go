package promise

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/limits/tell"
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

// Summary sums up what is kept. now is in the user's time zone.
func (r *Recorder) Summary(now limits.Clock, l tell.Lang) Summary {
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
	s.Sentences = append(s.Sentences, s.work(l))
	for _, b := range s.Breaches {
		s.Sentences = append(s.Sentences, b.Sentence(l, now.Wall))
	}
	switch {
	case len(s.Breaches) > 0 || s.Unknown == kept:
	case l == tell.German:
		s.Sentences = append(s.Sentences, "In den letzten 24 Stunden wurde jede Grenze eingehalten.")
	default:
		s.Sentences = append(s.Sentences, "Every limit was kept in the last 24 hours.")
	}
	return s
}

// work tells for how long forage worked.
func (s *Summary) work(l tell.Lang) string {
	forms := [...]string{"worked fully for %s", "worked gently for %s", "rested for %s"}
	and, begin, unknown, nothing := " and ", "In the last 24 hours forage ", "; of %s nothing was recorded.",
		"Nothing was recorded in the last 24 hours yet."
	if l == tell.German {
		forms = [...]string{"%s voll gearbeitet", "%s sanft gearbeitet", "%s geruht"}
		and, begin, unknown, nothing = " und ", "In den letzten 24 Stunden hat forage ",
			"; über %s ist nichts aufgezeichnet.", "Über die letzten 24 Stunden ist noch nichts aufgezeichnet."
	}
	var parts []string
	for i, d := range [...]time.Duration{s.Full, s.Gentle, s.Off} {
		if d > 0 {
			parts = append(parts, fmt.Sprintf(forms[i], roughly(d)))
		}
	}
	if len(parts) == 0 {
		return nothing
	}
	last := len(parts) - 1
	text := begin + strings.Join(parts[:last], ", ")
	if last > 0 {
		text += and
	}
	text += parts[last]
	if s.Unknown < time.Minute {
		return text + "."
	}
	return text + fmt.Sprintf(unknown, roughly(s.Unknown))
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

// subjects are what sentences about breaches begin with.
var subjects = [Measures][2]string{
	CPU:     {"CPU", "Die CPU-Last"},
	Down:    {"Download", "Das Herunterladen"},
	Up:      {"Upload", "Das Hochladen"},
	Sockets: {"The number of connections", "Die Zahl der Verbindungen"},
	Pages:   {"The number of pages a minute", "Die Zahl der Seiten je Minute"},
	Disk:    {"Disk use", "Der belegte Speicherplatz"},
}

// Sentence tells of a breach: of what, how long, when, how much, and from what. now is in the user's time zone.
func (b Breach) Sentence(l tell.Lang, now time.Time) string {
	if b.Measure >= Measures {
		return ""
	}
	german, lang := l == tell.German, words.English
	if german {
		lang = words.German
	}
	length, worst := lengthText(b.Length), amount(b.Measure, b.Worst, german)
	if b.Cause != "" {
		worst += "; " + words.Shown(lang, b.Cause)
	}
	bound := amount(b.Measure, b.Limit, german)
	start := b.Start.In(now.Location())
	clock, today := start.Format("15:04"), start.Format(time.DateOnly) == now.Format(time.DateOnly)
	if german {
		subject, day := subjects[b.Measure][1], ""
		if !today {
			day = "gestern "
		}
		if b.Open {
			if !today {
				day += "um "
			}
			return fmt.Sprintf("%s liegt seit %s%s Uhr, seit %s, über %s (%s).", subject, day, clock, length, bound,
				worst)
		}
		return fmt.Sprintf("%s lag %sum %s Uhr %s lang über %s (%s).", subject, day, clock, length, bound, worst)
	}
	subject := subjects[b.Measure][0]
	if !today {
		clock += " yesterday"
	}
	if b.Open {
		return fmt.Sprintf("%s has been above %s for %s, since %s (%s).", subject, bound, length, clock, worst)
	}
	return fmt.Sprintf("%s was above %s for %s at %s (%s).", subject, bound, length, clock, worst)
}

// amount writes a value with its unit.
func amount(m Measure, v float64, german bool) string {
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
	if german {
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
