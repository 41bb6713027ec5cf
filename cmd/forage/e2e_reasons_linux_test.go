package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/demo"
)

const (
	// busyApp is the program for which the user wants the computer alone. The kernel keeps 15 bytes of a name.
	busyApp = "a-very-long-named-editor"
	// beginsLate is what a machine that runs other tests may take from the end of a reason to the first request.
	beginsLate = beginsWithin + machineNeeds
)

// What keeps a node from working stops it as soon as it is there, with one sentence that is the same wherever it
// is read, and lets it go on once it is gone and its time is over.
func TestLong_ReasonsOfTheComputer(t *testing.T) {
	long(t)
	d := newDesk(t)
	now := func(do func()) func() time.Time {
		return func() time.Time {
			at := time.Now()
			do()
			return at
		}
	}
	var end func()
	cases := []struct {
		kind, footing string
		on            func() time.Time // and when it was so
		off           func()
		hold          time.Duration
		en, de        string // how the sentences go
	}{
		{"metered", "silent", now(func() { d.pay(true) }), func() { d.pay(false) }, 0, "paid for by use", "nach Verbrauch"},
		{"fullscreen", "standby", func() time.Time { return d.fill(true) }, func() { d.fill(false) }, 15 * time.Second, "the whole screen", "Bildschirm"},
		{"app_running", "standby", now(func() { end = d.program(busyApp) }), func() { end() }, 15 * time.Second, busyApp, busyApp},
		{"kept_awake", "standby", now(func() { d.play(true) }), func() { d.play(false) }, time.Minute, "as a film does", "wie ein Film"},
		{"battery", "silent", now(func() { d.power(false) }), func() { d.power(true) }, 2 * time.Minute, "battery", "Akku"},
	}
	l := newLab(t, demo.Options{Pages: 8000})
	l.slowDown(100 * time.Millisecond)
	for _, s := range slices.Concat(unlimited, []string{"idle.after=1 min", "pause.battery=yes", "pause.metered=yes", "pause.fullscreen=yes", "pause.apps=" + busyApp}) {
		run(t, l.home, "set", s)
	}
	node := startWith(t, d.run(append([]string{program}, l.runArgs("--gap", "0s", "--lab-limits", "--lab-times", "real")...)...), d.env...)
	node.awaitUp(l.home)
	n := &limited{l, node, dial(t, l.home)}
	n.works()
	for _, c := range cases {
		on := c.on()
		n.rests(c.kind, c.footing)
		n.sentences(c.en, c.de)
		last := latest(l.visits())
		t.Logf("%s: the last request began %v after it", c.kind, last.Sub(on))
		if last.Sub(on) > stopsWithin+machineNeeds {
			t.Errorf("%s: the last request began %v after it, want %v at most", c.kind, last.Sub(on), stopsWithin)
		}
		before := len(l.visits())
		off := time.Now()
		c.off()
		n.works()
		began := l.visits()[before].Start.Sub(off)
		t.Logf("%s: work went on %v after its end", c.kind, began)
		if began < c.hold-machineNeeds || began > c.hold+beginsLate {
			t.Errorf("%s: work went on %v after its end, want %v and %v more at most", c.kind, began, c.hold, beginsWithin)
		}
	}
	l.visits().lawful(t, l.web)
	l.visits().noRepeats(t)
}

// latest returns when the last request began.
func latest(list visits) (last time.Time) {
	for _, h := range list {
		if h.Start.After(last) {
			last = h.Start
		}
	}
	return last
}

// sentences checks that the reason why nothing is done is one whole sentence in each language, and that the command line says the same.
func (l *limited) sentences(en, de string) {
	l.t.Helper()
	for lang, part := range map[string]string{"en": en, "de": de} {
		var sentence, said string
		until(l.t, "the same sentence", func() bool { // the time that it tells may change between the two
			is, err := l.api.Limits(l.t.Context(), lang)
			if err != nil || len(is.Reasons) == 0 {
				return false
			}
			sentence, said = is.Reasons[0].Sentence, is.Sentence
			return strings.HasPrefix(l.forageIn(lang, "limits"), sentence+"\n") && (lang != "en" || limitsOf(l.t, l.home).Reasons[0].Sentence == sentence)
		})
		if said != sentence || !strings.Contains(sentence, part) || !strings.HasSuffix(sentence, ".") || strings.Contains(sentence, ". ") {
			l.t.Errorf("%s: %q of %q is not one sentence about %q", lang, sentence, said, part)
		}
	}
	s, err := l.api.Status(l.t.Context())
	if err != nil || s.State != api.StatePaused || len(s.Reasons) == 0 {
		l.t.Errorf("status says %s %q, %v", s.State, s.Reasons, err)
	}
}
