package desktop

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/speech"
)

// keeper is a node that keeps settings: those that a real one answered with, some of them.
type keeper struct {
	*standIn
}

func newKeeper(t *testing.T, node *standIn, lang string) *keeper {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "settings-"+lang+".json"))
	if err == nil {
		err = json.Unmarshal(data, &node.settings)
	}
	if err != nil {
		t.Fatal(err)
	}
	node.setup = setupIn(lang)
	node.setup.Presets[1].Settings = map[string]string{"level.in_use": "gentle", "data.month": "20 GB"}
	node.setup.Presets[2].Settings = map[string]string{"schedule.work": "all 23:00-07:00 full"}
	return &keeper{node}
}

// Settings answers with a copy.
func (k *keeper) Settings(ctx context.Context, lang string) (api.Settings, error) {
	s, err := k.standIn.Settings(ctx, lang)
	k.mu.Lock()
	defer k.mu.Unlock()
	s.Settings = slices.Clone(s.Settings)
	return s, err
}

// edit changes a setting as another front end does.
func (k *keeper) edit(key string, fn func(*api.Setting)) {
	k.change(func(s *standIn) {
		for i := range s.settings.Settings {
			if s.settings.Settings[i].Key == key {
				fn(&s.settings.Settings[i])
			}
		}
	})
}

func (k *keeper) ChangeSettings(ctx context.Context, c api.SettingsChange) (done api.SettingsChanged, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err != nil || k.refuse != nil {
		return done, errors2(k.err, k.refuse)
	}
	next := slices.Clone(k.settings.Settings)
	for i := range next {
		s := &next[i]
		raw, set := c.Set[s.Key]
		was := s.Text
		switch {
		case slices.Contains(c.Reset, s.Key):
			s.Text, s.Value = s.DefaultText, s.Default
			if w, ok := parseWeek(s.Text); ok {
				s.Levels = w.rows()
			}
		case set:
			if err := assign(s, raw); err != nil {
				return done, err
			}
		}
		s.Set = s.Text != s.DefaultText
		if s.Text != was {
			done.Changed = append(done.Changed, s.Key)
		}
	}
	if !c.DryRun {
		k.settings.Settings = next
		k.changes = append(k.changes, c)
	}
	return done, nil
}

func errors2(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// assign gives a setting a value, if it is one.
func assign(s *api.Setting, raw json.RawMessage) error {
	bad := &api.SettingError{Text: s.Key + " is " + string(raw) + ", but must be " + s.Range, Key: s.Key,
		Reason: "wrong", Range: s.Range}
	var text string
	var list []string
	var rows [][]int
	switch {
	case json.Unmarshal(raw, &list) == nil:
		s.Value, s.Text = list, string(raw)
		return nil
	case json.Unmarshal(raw, &rows) == nil:
		w, ok := weekOf(rows)
		if !ok {
			return bad
		}
		s.Levels = rows
		s.Text = weekText((speech.Speech{Lang: "en"}), &w)
		return nil
	case json.Unmarshal(raw, &text) != nil:
		return bad
	}
	switch s.Type {
	case typeWhole:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || !(n == -1 && s.NoLimit) && s.Min != nil && (n < *s.Min || n > *s.Max) {
			return bad
		}
		s.Value = float64(n)
	case typeSize:
		n, ok := sizeBytes(text)
		if !ok {
			return bad
		}
		s.Value = float64(n)
	case typeTime:
		total, _, ok := timeSum(text)
		if !ok {
			return bad
		}
		s.Value = float64(total)
	case typeYesNo:
		s.Value = text == "yes"
	case typeWeek:
		if w, ok := parseWeek(text); ok {
			s.Levels = w.rows()
		}
	}
	s.Text = text
	return nil
}

// office is the page of settings in a window, with a node that keeps them.
type office struct {
	*bench
	k   *keeper
	p   *settings
	win fyne.Window
}

func newOffice(t *testing.T, lang, theme string, w, h float32) *office {
	t.Helper()
	o := &office{bench: newBench(t, lang, theme)}
	o.Now = atNoon
	o.k = newKeeper(t, o.bench.node, lang)
	o.p = newSettings(o.Desk, o.k)
	o.p.after = func(_ time.Duration, fn func()) { o.UI(fn) } // when the test looks again
	o.win = newPageWindow(t, o.p, w, h)
	o.p.shown(true)
	t.Cleanup(func() { o.p.shown(false) })
	o.until(t, "the settings", func() bool { return o.p.have && len(o.p.choices) > 0 })
	settle(o.win)
	return o
}

// atNoon is noon wherever the tests are run: weeks show the time of this computer.
func atNoon() time.Time { return time.Date(2026, 5, 14, 12, 0, 0, 0, time.Local) }

// field returns a field by its key.
func (o *office) field(t *testing.T, key string) *settingField {
	t.Helper()
	f := o.p.fields[key]
	if f == nil {
		t.Fatalf("%s is not on the page", key)
	}
	return f
}

// sent returns what the node was told of a key, in order.
func (o *office) sent(key string) (list []string) {
	o.k.mu.Lock()
	defer o.k.mu.Unlock()
	for _, c := range o.k.changes {
		if raw, ok := c.Set[key]; ok {
			list = append(list, string(raw))
		}
		if slices.Contains(c.Reset, key) {
			list = append(list, "reset")
		}
	}
	return list
}
