package app

import (
	"context"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
)

// A mode is a view of the settings and of what was asked for by hand: each changes the other.
func TestRunMode(t *testing.T) {
	t.Parallel()
	v := startVisitor(t, text(100), withFile(t))
	ctx := context.Background()
	set := func(mode api.RunMode) func() error { return func() error { return v.api.SetRun(ctx, mode) } }
	for _, c := range []struct {
		name  string
		do    func() error
		run   api.RunMode
		level string // while somebody is there
	}{
		{"at first", func() error { return nil }, api.RunAway, "off"},
		{"always", set(api.RunAlways), api.RunAlways, "gentle"},
		{"a pause", func() error { return v.api.Pause(ctx, time.Hour) }, api.RunOff, "off"},
		{"the end of a pause", func() error { return v.api.Resume(ctx) }, api.RunAlways, "gentle"},
		{"off", set(api.RunOff), api.RunOff, "off"},
		{"away after off", set(api.RunAway), api.RunAway, "off"},
		{"some work although the user is there", func() error { return v.api.Work(ctx, time.Hour) }, api.RunAway, "full"},
		{"a pause of that", func() error { return v.api.Pause(ctx, time.Hour) }, api.RunOff, "off"},
		{"away ends both", set(api.RunAway), api.RunAway, "off"},
	} {
		if err := c.do(); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		v.c.touch()
		v.until(c.name, func() bool { l := v.limits(); return l.Run == c.run && l.Level == c.level })
	}
	cfg, err := v.api.Settings(ctx, "en")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range cfg.Settings {
		if s.Key == "level.in_use" && s.Text != "off" {
			t.Errorf("the setting is %s, want off", s.Text)
		}
	}
	if err := v.api.SetRun(ctx, "never"); err == nil {
		t.Error("a mode that there is not was taken")
	}
}
