package language

import (
	"strings"
	"time"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/progress"
)

// Part writes an amount of a larger one.
func (l Language) Part(done, total int64, u progress.Unit) string {
	return l.Text("bar.of", words.Args{"done": l.Quantity(done, u), "total": l.Quantity(total, u)})
}

// Quantity writes an amount of a unit.
func (l Language) Quantity(n int64, u progress.Unit) string {
	if u == progress.Bytes {
		return l.Bytes(n)
	}
	return l.Number(n)
}

// When writes a time of today by the clock, another with its date.
func When(t, now time.Time) string {
	t = t.Local()
	if t.Format(time.DateOnly) == now.Local().Format(time.DateOnly) {
		return t.Format(time.TimeOnly)
	}
	return t.Format("2006-01-02 15:04")
}

// Because joins the reasons for a state, which are whole sentences or parts of one, into one.
func Because(reasons []string) string {
	list := make([]string, len(reasons))
	for i, r := range reasons {
		list[i] = strings.TrimSuffix(r, ".")
	}
	return strings.Join(list, "; ")
}

// Joined is what and why, as far as there is a why.
func Joined(what, why string) string {
	if why == "" {
		return what
	}
	return what + ": " + why
}

// ShortID is the end of a peer's ID: the beginnings are all alike.
func ShortID(id string) string { return "…" + id[max(len(id)-6, 0):] }
