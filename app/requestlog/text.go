package requestlog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/forage-net/forage/app/limits/tell"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
)

// reportWriter writes a report as plain text in one language.
type reportWriter struct {
	strings.Builder
	lang string
}

func (w *reportWriter) say(key string, args words.Args) string {
	return words.Text(w.lang, "report."+key, args)
}

func (w *reportWriter) bytes(n int64) string { return tell.Bytes(n, w.lang) }

// seconds writes a time to the millisecond.
func (w *reportWriter) seconds(d time.Duration) string {
	text := fmt.Sprintf("%.3f", d.Seconds())
	if w.lang == words.German {
		text = strings.Replace(text, ".", ",", 1)
	}
	return text
}

// row writes a line that begins with its name.
func (w *reportWriter) row(name, text string) {
	const wide = 16
	name = w.say("row."+name, nil)
	fmt.Fprintf(w, "%s%s%s\n", name, strings.Repeat(" ", max(1, wide-utf8.RuneCountInString(name))), text)
}

// text writes the report.
func (r *requestReport) text(lang, network string, since, now time.Time, lost int64) string {
	w := &reportWriter{lang: lang}
	agent := crawl.UserAgent(strings.HasPrefix(network, membership.LabPrefix))
	fmt.Fprintf(w, "%s\n\n%s\n\n  User-Agent: %s\n\n", w.say("title", nil), w.say("about", nil), agent)
	w.row("days", w.say("days", words.Args{"first": since.Format(time.DateOnly), "last": now.Format(time.DateOnly)}))
	w.row("network", w.say("network", words.Args{"network": network, "version": crawl.Version}))
	w.row("made", w.say("made", words.Args{"made": r.made, "count": r.asked(), "robots": r.robots}))
	w.row("received", w.bytes(r.bytes))
	w.row("not", w.say("not", words.Args{"forbidden": r.leftOut, "waiting": r.waiting}))
	if r.shortest >= 0 {
		w.row("shortest", w.say("shortest", words.Args{"seconds": w.seconds(r.shortest)}))
		w.row("gaps", w.say("gaps", words.Args{"kept": r.known - r.early, "known": r.known}))
	}
	if lost > 0 {
		w.row("incomplete", w.say("lost", words.Args{"count": lost}))
	}
	if r.made+r.leftOut+r.waiting >= maxReported || r.unnamed {
		w.row("incomplete", w.say("more", words.Args{"records": maxReported, "sites": maxReportedSites}))
	}
	r.writeAnswers(w)
	r.writeDays(w)
	r.writeSites(w)
	fmt.Fprintf(w, "\n%s\n", w.say("end", words.Args{"time": now.Format(time.RFC3339)}))
	return w.String()
}

func (r *requestReport) writeAnswers(w *reportWriter) {
	fmt.Fprintf(w, "\n%s\n\n", w.say("answers", nil))
	for _, status := range slices.Sorted(maps.Keys(r.statuses)) {
		name := fmt.Sprint(status)
		if status == 0 {
			name = w.say("none", nil)
		}
		fmt.Fprintf(w, "  %-12s %10d\n", name, r.statuses[status])
	}
}

func (r *requestReport) writeDays(w *reportWriter) {
	col := func(name string) string { return w.say("col."+name, nil) }
	fmt.Fprintf(w, "\n%s\n\n", w.say("bydays", nil))
	fmt.Fprintf(w, "  %-12s %10s %10s %12s\n", col("day"), col("made"), col("forbidden"), col("received"))
	for _, name := range slices.Sorted(maps.Keys(r.days)) {
		d := r.days[name]
		fmt.Fprintf(w, "  %-12s %10d %10d %12s\n", name, d.made, d.leftOut, w.bytes(d.bytes))
	}
}

func (r *requestReport) writeSites(w *reportWriter) {
	sites := slices.SortedFunc(maps.Values(r.sites), func(a, b *reportedSite) int {
		return cmp.Or(cmp.Compare(b.made, a.made), cmp.Compare(b.leftOut, a.leftOut), strings.Compare(a.name, b.name))
	})
	col := func(name string) string { return w.say("col."+name, nil) }
	fmt.Fprintf(w, "\n%s\n\n", w.say("bysites", nil))
	const head = "  %-40s %10s %10s %12s  %s\n"
	fmt.Fprintf(w, head, col("site"), col("made"), col("forbidden"), col("received"), col("wait"))
	for _, s := range sites[:min(len(sites), reportSites)] {
		wait := "-"
		if s.shortest >= 0 {
			wait = fmt.Sprintf("%s s (%s s)", w.seconds(s.shortest), w.seconds(s.gapThen))
		}
		fmt.Fprintf(w, "  %-40s %10d %10d %12s  %s\n", s.name, s.made, s.leftOut, w.bytes(s.bytes), wait)
	}
	if more := len(sites) - reportSites; more > 0 {
		fmt.Fprintf(w, "  %s\n", w.say("others", words.Args{"count": more}))
	}
}
