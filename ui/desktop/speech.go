package desktop

import (
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/desktop/shown"
)

// speech is the language of the window. Its texts are those of the dashboard and its own, in assets/words.
type speech struct{ lang string }

// t is the text of a key. args are names and values in turn, as in slog.
func (s speech) t(key string, args ...any) string {
	return words.Text(s.lang, key, named(args))
}

// n is the text of a key that comes with a count, which is called {n} or {count} in it.
func (s speech) n(key string, count int64, args ...any) string {
	a := named(args)
	a["n"], a["count"] = count, count
	return words.Text(s.lang, key, a)
}

func named(args []any) words.Args {
	a := make(words.Args, len(args)/2+2)
	for i := 0; i+1 < len(args); i += 2 {
		if name, ok := args[i].(string); ok {
			a[name] = args[i+1]
		}
	}
	return a
}

// has reports whether there is a text of a key.
func (s speech) has(key string) bool { return s.t(key) != key }

// number writes a whole number with its thousands apart.
func (s speech) number(n int64) string { return words.Number(s.lang, n) }

// decimal writes a number with at most so many digits behind the point; noughts at the end are left out.
func (s speech) decimal(f float64, digits int) string {
	text := strconv.FormatFloat(f, 'f', digits, 64)
	whole, part, _ := strings.Cut(text, ".")
	part = strings.TrimRight(part, "0")
	if n, err := strconv.ParseInt(whole, 10, 64); err == nil && n != 0 {
		whole = s.number(n)
	}
	if part == "" {
		return whole
	}
	point := "."
	if s.lang == words.German {
		point = ","
	}
	return whole + point + part
}

// percent writes a share of 1 in percent.
func (s speech) percent(share float64, digits int) string {
	space := ""
	if s.lang == words.German {
		space = "\u00a0"
	}
	return s.decimal(100*share, digits) + space + "%"
}

// bytes writes an amount with SI units, as disks and providers count them.
func (s speech) bytes(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB", "PB"}
	f, i := float64(n), 0
	for (f >= 999.5 || f <= -999.5) && i < len(units)-1 {
		f, i = f/1000, i+1
	}
	digits := 0
	if i > 0 && f < 99.5 {
		digits = 1
	}
	return s.decimal(f, digits) + "\u00a0" + units[i]
}

// length writes a length of time in its two largest units.
func (s speech) length(d time.Duration) string {
	sec := int64(max(d, 0).Round(time.Second) / time.Second)
	var parts []string
	for _, u := range []struct {
		n   int64
		key string
	}{{sec / 86400, "unit.days"}, {sec / 3600 % 24, "unit.hours"}, {sec / 60 % 60, "unit.minutes"},
		{sec % 60, "unit.seconds"}} {
		switch {
		case len(parts) == 2 || len(parts) == 1 && u.n == 0:
			return strings.Join(parts, " ")
		case u.n > 0:
			parts = append(parts, s.n(u.key, u.n))
		}
	}
	if len(parts) == 0 {
		return s.n("unit.seconds", 0)
	}
	return strings.Join(parts, " ")
}

// clock writes a time of day.
func (s speech) clock(at time.Time) string { return at.Local().Format("15:04") }

// date writes a day, with its year if that is not the present one.
func (s speech) date(at, now time.Time) string {
	at = at.Local()
	text := strconv.Itoa(at.Day()) + " " + s.month(at.Month())
	if s.lang == words.German {
		text = strconv.Itoa(at.Day()) + ". " + s.month(at.Month())
	}
	if at.Year() != now.Local().Year() {
		text += " " + strconv.Itoa(at.Year())
	}
	return text
}

// month writes a month in short.
func (s speech) month(m time.Month) string { return s.t("window.month." + strconv.Itoa(int(m))) }

// weekday writes a day of the week in short, Monday is 0.
func (s speech) weekday(day int) string { return s.t("window.day." + strconv.Itoa(day)) }

// helper is another node's name: two words, and the end of its ID, as the dashboard writes it.
func (s speech) helper(id string) string {
	if nick := s.nick(id); nick != "" {
		return nick + " " + shown.Text(shortName(id))
	}
	return shown.Text(id)
}

// nick is two words that an ID decides, "" if it is so short that it needs none.
func (s speech) nick(id string) string {
	if shortName(id) == id {
		return ""
	}
	sum := fnv.New32a()
	sum.Write([]byte(id))
	first, last := strings.Split(s.t("ring.nick.first"), ","), strings.Split(s.t("ring.nick.last"), ",")
	low, high := int(sum.Sum32()&0xffff), int(sum.Sum32()>>16)
	return first[low%len(first)] + " " + last[high%len(last)]
}

// shortName is the end of a node's ID, which tells nodes apart better than its beginning.
func shortName(id string) string {
	if len(id) <= 8 {
		return id
	}
	return "…" + id[len(id)-6:]
}
