//go:build linux

package app

import (
	"testing"
	"time"
)

// Pauses outlive a restart, and work that has an end.
func TestLimits_WhatSurvivesARestart(t *testing.T) {
	there := func(o *Options) { o.Config.Limits.Idle.After = 2 * time.Hour }
	away := func(*Options) {}
	for _, c := range []struct {
		name string
		tune func(*Options)
		ask  func(v *visitor) error
		mode string
		kind string // of the first reason after the restart, "" for none
	}{
		{"pause with an end", away, func(v *visitor) error { return v.api.Pause(t.Context(), time.Hour) }, "off", "paused"},
		{"pause without", away, func(v *visitor) error { return v.api.Pause(t.Context(), 0) }, "off", "paused"},
		{"work with an end", there, func(v *visitor) error { return v.api.Work(t.Context(), time.Hour) }, "on", "timed_work"},
		{"work without", there, func(v *visitor) error { return v.api.Work(t.Context(), 0) }, "auto", "in_use"},
		{"finish", away, func(v *visitor) error { return v.api.Finish(t.Context()) }, "auto", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := startVisitor(t, text(10), c.tune)
			v.until("the sensors", func() bool {
				l := v.limits()
				return l.Level == "full" || l.Sentence != "" && l.Reasons[0].Kind == "in_use"
			})
			if err := c.ask(v); err != nil {
				t.Fatal(err)
			}
			before := v.limits().Until
			v.end()
			v.start()
			v.until("the sensors", func() bool {
				l := v.limits()
				return len(l.Reasons) == 0 && c.kind == "" || len(l.Reasons) > 0 && l.Reasons[0].Kind == c.kind
			})
			l := v.limits()
			if l.Mode != c.mode {
				t.Errorf("the mode is %s, want %s", l.Mode, c.mode)
			}
			switch {
			case l.Mode == "auto":
				if l.Until != nil {
					t.Errorf("it lasts until %v, want no end", l.Until)
				}
			case (before == nil) != (l.Until == nil) || before != nil && l.Until.Sub(*before).Abs() > time.Second:
				t.Errorf("it lasts until %v, want %v", l.Until, before)
			}
		})
	}
}

// Every byte counts, those of the last second too.
func TestLimits_WhatWasUsedSurvivesAnEnd(t *testing.T) {
	v := startVisitor(t, text(1000), func(o *Options) { o.Config.Limits.Data.Day = 1e12 })
	for range 2 {
		v.works()
		before := v.limits().Quotas[0].Used
		v.works() // what is used now nobody asks for
		v.end()
		moved := bytesMoved(v.node)
		v.start()
		q := v.limits().Quotas[0]
		if q.Name != "data.day" || q.Used < before || q.Used < moved {
			t.Errorf("%s: %d bytes used after a restart; before it said %d, of which %d were of that run", q.Name, q.Used, before, moved)
		}
	}
}
