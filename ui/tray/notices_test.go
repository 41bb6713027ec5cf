package tray

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
)

// again is what is known after it was written down and read.
func again(t *testing.T, m memory, now time.Time) memory {
	t.Helper()
	dir := t.TempDir()
	if err := keep(dir, m.text()); err != nil {
		t.Fatal(err)
	}
	m2, err := recall(dir, now)
	if err != nil {
		t.Fatal(err)
	}
	for cause, s := range m2.Told { // how often it was looked is of one run
		m2.Told[cause] = seen{s.At, m.Told[cause].look}
	}
	return m2
}

func TestRecall_TakesOnlyItsOwn(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	many := make(map[string]seen)
	for i := range memoryCauses + 1 {
		many[fmt.Sprint(i)] = seen{}
	}
	for name, text := range map[string]string{
		"no JSON": "{", "a list": "[]", "too much": `{"resting":"` + strings.Repeat("x", memoryMax) + `"}`, "too many": memory{Told: many}.text(), "no time": `{"since":"yesterday"}`,
	} {
		dir := t.TempDir()
		if err := keep(dir, text); err != nil {
			t.Fatal(err)
		}
		if m, err := recall(dir, now); err == nil || m.Resting != "" || m.Told != nil {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
	if m, err := recall(t.TempDir(), now); err != nil || m.Resting != "" {
		t.Errorf("nothing there: %+v, %v", m, err)
	}
	dir := t.TempDir()
	later := now.Add(time.Hour)
	if err := keep(dir, memory{Resting: "battery", Since: later, Told: map[string]seen{"a": {At: later}}}.text()); err != nil {
		t.Fatal(err)
	}
	if m, err := recall(dir, now); err != nil || !m.Since.Equal(now) || !m.Told["a"].At.Equal(now) {
		t.Errorf("of the future: %+v, %v", m, err)
	}
}

// A story: at each moment, what is so and how many are told.
func TestNotices(t *testing.T) {
	all := api.Notices{FirstPage: true, Paused: true, Problem: true}
	resting := func(why string) api.Glance {
		return api.Glance{State: api.StatePaused, Sentence: "Because.", Resting: why, Pages: 3, Notices: all}
	}
	wrong := func(wants api.Notices, list ...api.Trouble) api.Glance {
		return api.Glance{State: api.StateWorking, Pages: 3, Troubles: list, Notices: wants}
	}
	const hour = time.Hour
	page := &api.Event{Domain: "a.example", Title: "T"}
	type moment struct {
		after   time.Duration
		is      api.Glance
		first   *api.Event
		want    string
		restart bool // thereafter
	}
	for name, story := range map[string][]moment{
		"the first page, once": {
			{0, api.Glance{Notices: all}, nil, "", false},
			{hour, api.Glance{Notices: all, Pages: 1}, page, "Your first page: “T” from a.example. It is in your archive now.;", false},
			{hour, api.Glance{Notices: all, Pages: 2}, page, "", false},
		},
		"a page without a title": {
			{0, api.Glance{Notices: all}, nil, "", false},
			{0, api.Glance{Notices: all, Pages: 1}, &api.Event{Domain: "a.example"}, "Your first page: It came from a.example and is in your archive now.;", false},
		},
		"not the first page ever": {{0, resting(""), nil, "", false}, {0, resting(""), page, "", false}},
		"nobody wants the first page": {
			{0, api.Glance{}, nil, "", false}, {0, api.Glance{Pages: 1}, page, "", false}, {0, api.Glance{Pages: 2, Notices: all}, page, "", false},
		},
		"a long rest, once for a reason": {
			{0, resting("battery"), nil, "", false}, {24 * hour, resting("battery"), nil, "", false},
			{time.Minute, resting("battery"), nil, "Forage has been resting for more than a day: Because.;", false}, {time.Minute, resting("battery"), nil, "", false},
			{hour, resting(""), nil, "", false}, {hour, resting("month_used_up"), nil, "", false}, {24 * hour, resting("month_used_up"), nil, "", false},
			{time.Minute, resting("month_used_up"), nil, "Forage has been resting for more than a day: Because.;", false}, {72 * hour, resting("month_used_up"), nil, "", false},
		},
		"a rest over many evenings": {
			{0, resting("battery"), nil, "", false}, {10 * hour, resting("battery"), nil, "", true},
			{0, resting("status.reason.starting"), nil, "", false}, {10 * hour, resting("battery"), nil, "", true},
			{0, resting("unknown_power"), nil, "", false}, {time.Minute, resting("battery"), nil, "", false}, {4*hour - time.Minute, resting("battery"), nil, "", false},
			{time.Minute, resting("battery"), nil, "Forage has been resting for more than a day: Because.;", true}, {0, resting("battery"), nil, "", false},
		},
		"rests that are short": {
			{0, resting("in_use"), nil, "", false}, {20 * hour, resting("in_use"), nil, "", false}, {hour, resting(""), nil, "", false},
			{hour, resting("in_use"), nil, "", false}, {20 * hour, resting("in_use"), nil, "", false}, {3 * hour, resting("fullscreen"), nil, "", false}, {23 * hour, resting("in_use"), nil, "", false},
		},
		"rests that the user asked for": {
			{0, resting("paused"), nil, "", false}, {48 * hour, resting("paused"), nil, "", false},
			{0, resting("finishing"), nil, "", false}, {48 * hour, resting("finishing"), nil, "", false}, {0, resting("no_consent"), nil, "", false}, {48 * hour, resting("no_consent"), nil, "", false},
		},
		"problems, once each, and again when they come back after a day": {
			{0, wrong(all, api.TroubleDisk), nil, "Forage needs a look: The disk is almost full. Forage rests until there is room again.;", false},
			{hour, wrong(all, api.TroubleDisk), nil, "", false}, {hour, wrong(all), nil, "", false}, {hour, wrong(all, api.TroubleDisk), nil, "", false},
			{hour, wrong(all), nil, "", false}, {25 * hour, wrong(all, api.TroubleDisk), nil, "Forage needs a look: The disk is almost full. Forage rests until there is room again.;", false},
		},
		"a problem that lasts": {
			{0, wrong(api.Notices{}, api.TroubleStore), nil, "", false},
			{hour, wrong(all, api.TroubleStore), nil, "Forage needs a look: Forage cannot save what it learns, so it rests. The dashboard says more.;", false},
			{20 * hour, wrong(all, api.TroubleStore), nil, "", true}, {40 * hour, wrong(all, api.TroubleStore), nil, "", false},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var n notices
			now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
			for i, m := range story {
				got := ""
				look := func(is api.Glance, first *api.Event) {
					for _, one := range n.next(is, first, now, "en") {
						got += fmt.Sprintf("%s: %s;", one.title, one.text)
					}
				}
				for range m.after / time.Minute { // all the while it was as before
					look(story[i-1].is, nil)
					now = now.Add(time.Minute)
				}
				if got != "" {
					t.Errorf("before moment %d: told %q", i, got)
					got = ""
				}
				look(m.is, m.first)
				if n.memory = again(t, n.memory, now); m.restart {
					n = notices{memory: n.memory}
				}
				if got != m.want {
					t.Errorf("moment %d: told %q, want %q", i, got, m.want)
				}
			}
		})
	}
}

// Somebody who comes back is told once, once a day, and not while something fills the screen.
func TestNotices_WhoComesBack(t *testing.T) {
	back := time.Date(2026, 5, 1, 8, 0, 0, 0, time.Local)
	var n notices
	for i, step := range []struct {
		after time.Duration // since 1 May 8:00
		back  time.Duration // when somebody came back, by the same clock; -1 for never
		g     api.Glance
		want  bool
	}{
		{time.Minute, -1, api.Glance{}, false},
		{time.Minute, 0, api.Glance{Notices: api.Notices{Away: false}}, false},
		{time.Minute, 0, api.Glance{Notices: api.Notices{Away: true}, Fullscreen: true}, false},
		{30 * time.Minute, 0, api.Glance{Notices: api.Notices{Away: true}}, true},
		{31 * time.Minute, 0, api.Glance{Notices: api.Notices{Away: true}}, false},
		{9 * time.Hour, 9 * time.Hour, api.Glance{Notices: api.Notices{Away: true}}, false},   // the same day
		{26 * time.Hour, 24 * time.Hour, api.Glance{Notices: api.Notices{Away: true}}, false}, // too long ago
		{27 * time.Hour, 27 * time.Hour, api.Glance{Notices: api.Notices{Away: true}}, true},
	} {
		step.g.Pages = 1
		if step.back >= 0 {
			until := back.Add(step.back)
			step.g.Back = &api.Away{Until: &until, Sentence: "312 pages from 41 sites in 9 languages"}
		}
		now := back.Add(step.after)
		list := n.next(step.g, nil, now, "en")
		if told := len(list) == 1; told != step.want || told && (list[0].title != "While you were away" || list[0].text != "312 pages from 41 sites in 9 languages.") {
			t.Errorf("step %d: told %+v, want %v", i, list, step.want)
		}
		n.memory = again(t, n.memory, now)
	}
}
