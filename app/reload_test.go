//go:build linux

package app

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/limits"
)

// withFile has a node read its settings from a file, in which users are away after a minute and
// nothing else limits it.
func withFile(t *testing.T) func(*Options) {
	return func(o *Options) {
		for key, value := range map[string]string{
			"idle.after": "1 min", "pause.other_cpu": "100", "data.day": "-1", "data.month": "-1", "disk.max": "-1", "disk.keep_free": "0",
			"disk.max_percent": "100", "budget.full.down_kbit": "-1", "budget.full.up_kbit": "-1", "budget.full.cpu_percent": "100",
			"budget.full.pages_per_min": "300",
		} {
			setSetting(t, *o, key, value)
		}
		path := o.Paths.Config
		o.Reload = func() (config.Config, error) { return config.Load(path) }
		cfg, err := o.Reload()
		if err != nil {
			t.Fatal(err)
		}
		o.Config.Limits = cfg.Limits
	}
}

// setSetting changes the file as "forage set" does: another one takes its place.
func setSetting(t *testing.T, o Options, key, value string) {
	t.Helper()
	if err := config.Set(o.Paths.Config, key, value); err != nil {
		t.Fatal(err)
	}
}

// Whoever saves the settings file has changed what the node does.
func TestReload_SavedSettingsHoldAtOnce(t *testing.T) {
	t.Parallel()
	v := startVisitor(t, text(10), withFile(t))
	v.works()
	setSetting(t, v.o, "level.away", "off")
	v.decides("away_limited")

	good := v.read()
	// It is written in place, and says more that would hold if it were right.
	wrong := swap(t, swap(t, good, `away = "off"`, `away = "sometimes"`), "day = -1", "day = 0")
	line := 1 + strings.Count(wrong[:strings.Index(wrong, "\naway =")+1], "\n")
	v.write(wrong)
	v.until("what is wrong with the file", func() bool { return v.limits().Fault != "" })
	l := v.limits()
	if want := fmt.Sprintf("%s:%d: level.away", v.o.Paths.Config, line); !strings.Contains(l.Fault, want) || strings.Contains(l.Fault, "sometimes") || !strings.Contains(l.Fault, `"gentle"`) {
		t.Errorf("the fault is %q, want %s, what might be, and not what is there", l.Fault, want)
	}
	if l.Level != "off" || l.Reasons[0].Kind != "away_limited" || l.Quotas[0].Limit != -1 {
		t.Errorf("with a wrong file: %+v", l)
	}

	// Mended, and put in its place in one step.
	full := swap(t, good, `away = "off"`, `away = "full"`)
	v.replace(full, time.Time{})
	v.works()
	if l := v.limits(); l.Fault != "" || l.Level != "full" {
		t.Errorf("after it was mended: %+v", l)
	}
	// A file as long as this one and changed when this one was takes its place.
	is, err := os.Stat(v.o.Paths.Config)
	if err != nil {
		t.Fatal(err)
	}
	v.replace(swap(t, full, "pages_per_min = 300", "pages_per_min = 200"), is.ModTime())
	v.until("the file to be read", func() bool { return budgetOf(v.limits().Budgets, "pages_per_min") == 200 })
	v.write(swap(t, full, "pages_per_min = 300", "pages_per_min = 100"))
	v.until("the file to be read", func() bool { return budgetOf(v.limits().Budgets, "pages_per_min") == 100 })
}

// A file that goes away for a while, as editors do it, changes nothing. That it stays away is told, with the settings
// that still hold.
func TestReload_FileThatIsGone(t *testing.T) {
	t.Parallel()
	v := startVisitor(t, text(10), withFile(t))
	v.works()
	good := v.read()
	if err := os.Remove(v.o.Paths.Config); err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * time.Second) // in which it is looked at
	if l := v.limits(); l.Fault != "" || l.Level != "full" || l.Quotas[0].Limit != -1 {
		t.Errorf("without a file: %+v", l)
	}
	v.until("that the file is gone", func() bool { return strings.Contains(v.limits().Fault, "was removed") })
	if l := v.limits(); l.Level != "full" || l.Quotas[0].Limit != -1 {
		t.Errorf("without a file: %+v", l)
	}
	s, err := v.node.Settings(t.Context(), "de")
	if err != nil || !strings.Contains(s.Fault, "wurde entfernt") {
		t.Errorf("settings: %q, %v", s.Fault, err)
	}
	for _, one := range s.Settings {
		if one.Key == "pause.other_cpu" && one.Text != "100" {
			t.Errorf("pause.other_cpu is %s, want what still holds", one.Text)
		}
	}
	v.write(good)
	v.until("the file to be back", func() bool { return v.limits().Fault == "" })
	v.write(swap(t, good, "day = -1", "day = 0"))
	v.decides("set_to_zero")
}

// What is saved after the program has read the file, and before it looks whether it changes, holds.
func TestReload_SavedWhileTheNodeStarts(t *testing.T) {
	v := startVisitor(t, text(10), func(o *Options) {
		withFile(t)(o)
		setSetting(t, *o, "level.away", "off")
	})
	v.decides("away_limited")
}

// Asked to, the node reads the file at once.
func TestReload_OnRequest(t *testing.T) {
	t.Parallel()
	v := startVisitor(t, text(10), withFile(t))
	v.works()
	setSetting(t, v.o, "level.away", "off")
	v.node.Reload()
	if l := v.limits(); l.Level != "off" || l.Reasons[0].Kind != "away_limited" {
		t.Errorf("after Reload: %+v", l)
	}
}

// decides waits until there is no work for a reason.
func (v *visitor) decides(kind string) {
	v.t.Helper()
	v.until(kind, func() bool {
		is, _ := v.node.Decision()
		return is.Level == limits.Off && is.Reasons[0].Kind.String() == kind
	})
}

// swap changes one line of a file.
func swap(t *testing.T, text, old, line string) string {
	t.Helper()
	if strings.Count(text, "\n"+old+"\n") != 1 {
		t.Fatalf("there is not one line %q:\n%s", old, text)
	}
	return strings.Replace(text, "\n"+old+"\n", "\n"+line+"\n", 1)
}

func (v *visitor) read() string {
	v.t.Helper()
	text, err := os.ReadFile(v.o.Paths.Config)
	if err != nil {
		v.t.Fatal(err)
	}
	return string(text)
}

// write writes the file in place.
func (v *visitor) write(text string) {
	v.t.Helper()
	if err := os.WriteFile(v.o.Paths.Config, []byte(text), 0o600); err != nil {
		v.t.Fatal(err)
	}
}

// replace puts another file in its place, which was changed at a time.
func (v *visitor) replace(text string, at time.Time) {
	v.t.Helper()
	other := v.o.Paths.Config + ".new"
	if err := os.WriteFile(other, []byte(text), 0o600); err != nil {
		v.t.Fatal(err)
	}
	if !at.IsZero() {
		if err := os.Chtimes(other, at, at); err != nil {
			v.t.Fatal(err)
		}
	}
	if err := os.Rename(other, v.o.Paths.Config); err != nil {
		v.t.Fatal(err)
	}
}
