package promise

import (
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/assets/words"
)

func TestSummary(t *testing.T) {
	b := newBook()
	check := func(what string, l string, want ...string) {
		t.Helper()
		if got := b.r.Summary(b.now, l).Sentences; !slices.Equal(got, want) {
			t.Errorf("%s:\n%q\nwant\n%q", what, got, want)
		}
	}
	check("before all", words.English, "Nothing has been recorded for the last 24 hours yet.")
	check("before all", words.German, "Über die letzten 24 Stunden ist noch nichts aufgezeichnet.")
	b.run(2*time.Hour + time.Second)
	check("at work", words.English, "In the last 24 hours Forage worked fully for 2 h. Nothing was recorded for 22 h.", "Every limit was kept in the last 24 hours.")
	b.s.Level = limits.Gentle
	b.run(12 * time.Minute)
	b.s.Level = limits.Off
	b.run(22 * time.Hour)
	check("at rest", words.English, "In the last 24 hours Forage worked fully for 1 h 47 min, worked gently for 12 min and rested for 22 h.", "Every limit was kept in the last 24 hours.")
	check("at rest", words.German, "In den letzten 24 Stunden hat Forage 1 h 47 min voll gearbeitet, 12 min sanft gearbeitet und 22 h geruht.", "In den letzten 24 Stunden wurde jede Grenze eingehalten.")
	b.set(Sockets, 60, 75)
	b.s.Cause = "lowered 2 s before"
	b.run(7 * time.Second)
	s := b.r.Summary(b.now, words.English)
	if want := "The number of connections has been above 60 for 7 s, since 12:12 (75; lowered 2 s before)."; len(s.Breaches) != 1 || s.Sentences[1] != want {
		t.Errorf("the summary is %+v\nwant %s", s, want)
	}
}

func TestBreach_Sentence(t *testing.T) {
	now := time.Date(2026, 3, 2, 18, 0, 0, 0, time.FixedZone("", 3600))
	at := time.Date(2026, 3, 2, 13, 3, 20, 0, time.UTC)
	for _, c := range []struct {
		b               Breach
		english, german string
	}{
		{Breach{Measure: CPU, Start: at, Length: 7 * time.Second, Limit: 25, Worst: 37.2},
			"CPU was above 25 % for 7 s at 14:03 (37 %).", "Die CPU-Last lag um 14:03 Uhr 7 s lang über 25 % (37 %)."},
		{Breach{Measure: CPU, Start: at.Add(-20 * time.Hour), Length: 3*time.Minute + 4*time.Second, Limit: 0.3, Worst: 3.456, Cause: "said.visit.stopped"},
			"CPU was above 0.3 % for 3 min 4 s at 18:03 yesterday (3.5 %; stopped).", "Die CPU-Last lag gestern um 18:03 Uhr 3 min 4 s lang über 0,3 % (3,5 %; abgebrochen)."},
		{Breach{Measure: Down, Start: at, Length: 6 * time.Second, Limit: 0, Worst: 0.016},
			"Download was above 0 kbit/s for 6 s at 14:03 (0.016 kbit/s).", "Das Herunterladen lag um 14:03 Uhr 6 s lang über 0 kbit/s (0,016 kbit/s)."},
		{Breach{Measure: Up, Start: at, Length: 2 * time.Hour, Limit: 500, Worst: 1e6, Open: true},
			"Upload has been above 500 kbit/s for 2 h, since 14:03 (1000000 kbit/s).", "Das Hochladen liegt seit 14:03 Uhr, seit 2 h, über 500 kbit/s (1000000 kbit/s)."},
		{Breach{Measure: Sockets, Start: at, Length: 6 * time.Second, Limit: 60, Worst: 61},
			"The number of connections was above 60 for 6 s at 14:03 (61).", "Die Zahl der Verbindungen lag um 14:03 Uhr 6 s lang über 60 (61)."},
		{Breach{Measure: Pages, Start: at, Length: 6 * time.Second, Limit: 5, Worst: 6},
			"The number of pages a minute was above 5 for 6 s at 14:03 (6).", "Die Zahl der Seiten je Minute lag um 14:03 Uhr 6 s lang über 5 (6)."},
		{Breach{Measure: Disk, Start: at, Length: 6 * time.Second, Limit: 2e9, Worst: 2.0512e9},
			"Disk use was above 2 GB for 6 s at 14:03 (2.051 GB).", "Der belegte Speicherplatz lag um 14:03 Uhr 6 s lang über 2 GB (2,051 GB)."},
		{Breach{Measure: Measures}, "", ""},
	} {
		if got := c.b.Sentence(words.English, now); got != c.english {
			t.Errorf("%s\nwant %s", got, c.english)
		}
		if got := c.b.Sentence(words.German, now); got != c.german {
			t.Errorf("%s\nwant %s", got, c.german)
		}
	}
}
