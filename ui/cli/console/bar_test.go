package console

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/progress"
)

// aBar is a bar on a terminal of so many columns, and its clock.
func aBar(columns int) (b *Bar, screen *bytes.Buffer, clock *time.Time) {
	screen, clock = new(bytes.Buffer), new(time.Time)
	*clock = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b = &Bar{out: screen, columns: func() int { return columns }, now: func() time.Time { return *clock }}
	b.due = clock.Add(barWait)
	return b, screen, clock
}

func TestBar_Text(t *testing.T) {
	for _, c := range []struct {
		report progress.Report
		after  time.Duration
		want   string
	}{
		{progress.Report{Work: work("exporting"), Total: 2e9}, 0, "exporting  [                    ]  0 %  0 B of 2.0 GB"},
		{progress.Report{Work: work("exporting"), Done: 5e8, Total: 2e9}, 10 * time.Second, "exporting  [=====               ]  25 %  500 MB of 2.0 GB  50.0 MB/s  30 s left"},
		{progress.Report{Work: work("exporting"), Done: 5e8, Total: 2e9}, 500 * time.Millisecond, "exporting  [=====               ]  25 %  500 MB of 2.0 GB"},
		{progress.Report{Work: work("looking-up-pages"), Done: 1200, Total: 1e6, Unit: progress.Items}, time.Minute, "looking up pages  [                    ]  0 %  1,200 of 1,000,000  20/s  13 h 52 min left"},
		{progress.Report{Work: work("deleting"), Done: 120, Total: 100, Unit: progress.Items}, 2 * time.Second, "deleting  [====================]  100 %  120 of 100  60/s"},
		{progress.Report{Work: work("importing"), Done: 120, Unit: progress.Items}, 2 * time.Second, "importing  120  60/s"},
		{progress.Report{Work: work("deleting"), Done: 1, Total: 1 << 62}, time.Hour, "deleting  [                    ]  0 %  1 B of 4611686 TB  0 B/s  days left"},
	} {
		b, _, clock := aBar(80)
		b.report, b.started = c.report, *clock
		if got := b.text(clock.Add(c.after), 100); got != c.want {
			t.Errorf("%+v after %v:\n%s\nwant\n%s", c.report, c.after, got, c.want)
		}
	}
}

// A bar is drawn at most ten times a second, however often it is told, and not at all for what is done at once.
func TestBar_DrawsSeldom(t *testing.T) {
	b, screen, clock := aBar(80)
	const seconds, each = 10, 100 // reports a second
	for i := range int64(seconds * each) {
		*clock = clock.Add(time.Second / each)
		if b.Show(progress.Report{Work: work("exporting"), Done: i, Total: seconds * each}); clock.Sub(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) < barWait && screen.Len() > 0 {
			t.Fatalf("a bar for work that has only just begun: %q", screen.String())
		}
	}
	if n := strings.Count(screen.String(), "\r"); n < seconds || n > 10*seconds {
		t.Errorf("drawn %d times in %d s", n, seconds)
	}
	if b.Close(); !strings.HasSuffix(screen.String(), "\r\x1b[K") {
		t.Errorf("it stays: %q", screen.String()[screen.Len()-20:])
	}
	before := screen.Len()
	if b.Show(progress.Report{Work: work("exporting")}); screen.Len() > before {
		t.Error("it is drawn after its end")
	}
}

func TestBar_FitsAndHasNoColour(t *testing.T) {
	for _, columns := range []int{1, 10, 40, 80} {
		b, screen, clock := aBar(columns)
		for i := range int64(20) {
			*clock = clock.Add(time.Second)
			b.Show(progress.Report{Work: work("exporting"), Done: i * 1e6, Total: 2e7})
		}
		for drawn := range strings.SplitSeq(screen.String(), "\r") {
			text, ok := strings.CutSuffix(drawn, "\x1b[K")
			if drawn != "" && (!ok || strings.Contains(text, "\x1b") || ColumnsIn(text) >= columns) {
				t.Errorf("in %d columns: %q", columns, drawn)
			}
		}
	}
}

// work is what is being done.
func work(name string) *words.Message { return &words.Message{Key: "said.cli.work-" + name} }

func TestBar_InGerman(t *testing.T) {
	for name, want := range map[string]string{
		"exporting": "exportieren", "deleting": "löschen", "looking-up-pages": "Seiten nachschlagen", "reading-links": "Links lesen",
		"reading-pages": "Seiten einlesen", "sorting-the-index": "Verzeichnis sortieren", "reading-the-archive": "Archiv lesen",
		"checking-the-archive": "Archiv prüfen",
	} {
		b, _, clock := aBar(80)
		b.lang, b.started = "de", *clock
		b.report = progress.Report{Work: work(name), Done: 5e8, Total: 2e9}
		want += "  [=====               ]  25 %  500 MB von 2,0 GB  50,0 MB/s  noch 30 s"
		if got := b.text(clock.Add(10*time.Second), 100); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
	b, _, clock := aBar(80)
	b.lang, b.started = "de", *clock
	b.report = progress.Report{Work: work("deleting"), Done: 1, Total: 1 << 62, Unit: progress.Items}
	want := "löschen  [                    ]  0 %  1 von 4.611.686.018.427.387.904  0/s  noch Tage"
	if got := b.text(clock.Add(time.Hour), 100); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
