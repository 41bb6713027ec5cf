package settings

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/desktest"
	"github.com/forage-net/forage/ui/desktop/speech"
	"github.com/forage-net/forage/ui/desktop/week"
)

// keeper is a node that keeps settings: those that a real one answered with, some of them.
type keeper struct {
	*desktest.StandIn
}

func newKeeper(t *testing.T, node *desktest.StandIn, lang string) *keeper {
	t.Helper()
	desktest.Keep(t, node, lang)
	return &keeper{node}
}

// Settings answers with a copy.
func (k *keeper) Settings(ctx context.Context, lang string) (api.Settings, error) {
	s, err := k.StandIn.Settings(ctx, lang)
	k.Mu.Lock()
	defer k.Mu.Unlock()
	s.Settings = slices.Clone(s.Settings)
	return s, err
}

// edit changes a setting as another front end does.
func (k *keeper) edit(key string, fn func(*api.Setting)) {
	k.Change(func(s *desktest.StandIn) {
		for i := range s.Is.Settings.Settings {
			if s.Is.Settings.Settings[i].Key == key {
				fn(&s.Is.Settings.Settings[i])
			}
		}
	})
}

func (k *keeper) ChangeSettings(ctx context.Context, c api.SettingsChange) (done api.SettingsChanged, err error) {
	k.Mu.Lock()
	defer k.Mu.Unlock()
	if k.Err != nil || k.Refuse != nil {
		return done, errors2(k.Err, k.Refuse)
	}
	next := slices.Clone(k.Is.Settings.Settings)
	for i := range next {
		s := &next[i]
		raw, set := c.Set[s.Key]
		was := s.Text
		switch {
		case slices.Contains(c.Reset, s.Key):
			s.Text, s.Value = s.DefaultText, s.Default
			if w, ok := week.Parse(s.Text); ok {
				s.Levels = w.Rows()
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
		k.Is.Settings.Settings = next
		k.Changes = append(k.Changes, c)
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
		w, ok := week.Of(rows)
		if !ok {
			return bad
		}
		s.Levels = rows
		s.Text = week.Text((speech.Speech{Lang: "en"}), &w)
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
		n, ok := SizeBytes(text)
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
		if w, ok := week.Parse(text); ok {
			s.Levels = w.Rows()
		}
	}
	s.Text = text
	return nil
}

// office is the page of settings in a window, with a node that keeps them.
type office struct {
	*desktest.Bench
	k   *keeper
	p   *Page
	win fyne.Window
}

func newOffice(t *testing.T, lang, theme string, w, h float32) *office {
	t.Helper()
	o := &office{Bench: desktest.NewBench(t, lang, theme)}
	o.Now = desktest.AtNoon
	o.k = newKeeper(t, o.Bench.Node, lang)
	o.p = New(o.Desk, o.k)
	o.p.after = func(_ time.Duration, fn func()) { o.UI(fn) } // when the test looks again
	o.win = desktest.NewPageWindow(t, o.p, w, h)
	o.p.Shown(true)
	t.Cleanup(func() { o.p.Shown(false) })
	o.Until(t, "the settings", func() bool { return o.p.have && len(o.p.choices) > 0 })
	desktest.Settle(o.win)
	return o
}

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
	o.k.Mu.Lock()
	defer o.k.Mu.Unlock()
	for _, c := range o.k.Changes {
		if raw, ok := c.Set[key]; ok {
			list = append(list, string(raw))
		}
		if slices.Contains(c.Reset, key) {
			list = append(list, "reset")
		}
	}
	return list
}
