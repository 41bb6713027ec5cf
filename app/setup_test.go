package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/sense"
	"github.com/forage-net/forage/assets/words"
)

// Presets are settings that exist and are allowed, about the same keys, and no two of them are the same. Their texts
// say what they set.
func TestPresets(t *testing.T) {
	keys := slices.Sorted(maps.Keys(presets()[0].settings))
	for _, p := range presets() {
		if got := slices.Sorted(maps.Keys(p.settings)); !slices.Equal(got, keys) {
			t.Errorf("%s is about %v, want %v", p.id, got, keys)
		}
		for key, text := range p.settings {
			if err := config.Check(key, text); err != nil {
				t.Errorf("%s: %v", p.id, err)
			}
		}
		path := t.TempDir() + "/config.toml"
		if _, err := config.Apply(path, config.Change{Set: p.settings, Check: CheckSettings(path)}); err != nil {
			t.Errorf("%s: %v", p.id, err)
		}
		cfg, err := config.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range presets() {
			if other.isChosen(cfg) != (other.id == p.id) {
				t.Errorf("with %s set, %s is chosen: %t", p.id, other.id, other.isChosen(cfg))
			}
		}
		numbers := []string{p.settings["budget.full.cpu_percent"] + " %", "4 Mbit/s", p.settings["data.day"], p.settings["data.month"]}
		if p.settings["level.in_use"] == "gentle" {
			numbers = []string{p.settings["budget.gentle.cpu_percent"] + " %", "1 Mbit/s"}
		}
		for _, lang := range words.Languages() {
			for _, number := range numbers { // what is promised is what is set
				if text := words.Text(lang, "setup.preset."+p.id+".text", nil); !strings.Contains(text, number) {
					t.Errorf("%s does not say %s: %s", p.id, number, text)
				}
			}
			for _, part := range []string{".title", ".text"} {
				if key := "setup.preset." + p.id + part; words.Text(lang, key, nil) == key {
					t.Errorf("%s is missing in %s", key, lang)
				}
			}
		}
	}
	if !presets()[0].isChosen(config.Defaults()) {
		t.Error("the first preset is not what holds where nothing is set")
	}
}

// A node that awaits consent begins to work when it is given over the API, without a restart, and sends nothing
// before.
func TestSetup_FromConsentToTheFirstPage(t *testing.T) {
	s := startSettler(t, "# mine\n")
	ask := func(a api.Agreement) error { return s.api.Agree(t.Context(), a) }
	is, err := s.api.Setup(t.Context(), "de")
	if err != nil || !is.Needed || is.Consent.Given || is.Consent.Time != nil || is.Consent.Version != config.ConsentVersion {
		t.Fatalf("%+v, %v", is, err)
	}
	if len(is.Consent.Text) < 10 || !strings.Contains(is.Consent.Text[1], "öffentliche Webseiten") || is.Consent.Note == "" {
		t.Errorf("the text is %q", is.Consent.Text)
	}
	if len(is.Presets) != 3 || !is.Presets[0].Chosen || is.Presets[0].ID != "away" || is.Presets[0].Settings["data.day"] != "1 GB" {
		t.Errorf("presets are %+v", is.Presets)
	}
	if len(is.Topics) != 8 || is.Topics[0].Never || len(is.Facts) != 2 {
		t.Errorf("topics are %+v, facts %+v", is.Topics, is.Facts)
	}
	s.until("the node to await consent", func() error {
		if st, err := s.api.Status(t.Context()); err != nil || st.State != api.StatePaused || len(st.Reasons) == 0 || !strings.HasPrefix(st.Reasons[0], "Resting until you agree") {
			return fmt.Errorf("%s %q, %v", st.State, st.Reasons, err)
		}
		return nil
	})
	if s.node.Footing() != FootingSilent {
		t.Errorf("the footing is %s", s.node.Footing())
	}
	for _, c := range []struct {
		a    api.Agreement
		want string
	}{
		{api.Agreement{}, "agree"}, {api.Agreement{Agree: true}, "connection"}, {api.Agreement{ConnectionIsMine: true}, "agree"},
		{api.Agreement{Agree: true, ConnectionIsMine: true, Preset: "always"}, "preset"},
		{api.Agreement{Agree: true, ConnectionIsMine: true, Version: 1}, "version"},
		{api.Agreement{Agree: true, ConnectionIsMine: true, Settings: map[string]json.RawMessage{"disk.max": []byte(`"x"`)}}, "= \"x\" is not a size"},
		{api.Agreement{Agree: true, ConnectionIsMine: true, Settings: map[string]json.RawMessage{"consent.version": []byte("9")}}, "is given by reading"},
	} {
		for _, lang := range words.Languages() {
			c.a.Lang = lang
			var bad *api.SettingError
			if err := ask(c.a); !errors.As(err, &bad) || bad.Reason != words.Said(lang, c.want) || strings.HasPrefix(bad.Text, "setup.") {
				t.Errorf("%+v: %v, want %s", c.a, err, c.want)
			}
		}
	}
	if text := s.read(); text != "# mine\n" || s.site.count() > 0 || s.node.bytesMoved() > 0 {
		t.Errorf("before consent %d requests were made, and the file is\n%s", s.site.count(), text)
	}

	more := map[string]json.RawMessage{"topics.never": []byte(`["gambling"]`), "data.month": []byte(`"30 GB"`)}
	if err := ask(api.Agreement{Agree: true, ConnectionIsMine: true, Preset: "nights", Settings: more, Version: config.ConsentVersion}); err != nil {
		t.Fatal(err)
	}
	s.until("the first page", func() error {
		if st, err := s.api.Status(t.Context()); err != nil || st.Pages == 0 {
			return fmt.Errorf("%s %q, %v", st.State, st.Reasons, err)
		}
		return nil
	})
	cfg, err := config.Load(s.o.Paths.Config)
	if err != nil || !config.Consented(cfg) || cfg.Limits.Data.Month != 30e9 || !slices.Equal(cfg.Topics.Never, []string{"gambling"}) || !strings.HasPrefix(s.read(), "# mine\n") {
		t.Errorf("%+v, %v", cfg, err)
	}
	is, err = s.api.Setup(t.Context(), "en")
	if err != nil || is.Needed || !is.Consent.Given || time.Since(*is.Consent.Time) > time.Minute || is.Consent.Note != "" {
		t.Errorf("then it is %+v, %v", is.Consent, err)
	}
	if i := slices.IndexFunc(is.Topics, func(t api.SetupTopic) bool { return t.Never }); i < 0 || is.Topics[i].Name != "gambling" {
		t.Errorf("topics are %+v", is.Topics)
	}
	// Again: another choice, and the same consent.
	if err := ask(api.Agreement{Agree: true, ConnectionIsMine: true, Preset: "gentle"}); err != nil {
		t.Error(err)
	}
	again, err := s.api.Setup(t.Context(), "en")
	if err != nil || !again.Presets[1].Chosen || again.Presets[2].Chosen || !again.Consent.Time.Equal(*is.Consent.Time) {
		t.Errorf("then it is %+v, %v", again, err)
	}
}

// count returns how many requests there were.
func (s *testSite) count() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.asked {
		n += k
	}
	return n
}

// Whatever the sensors say, there is a sentence for it in both languages.
func TestFacts_AllHaveWords(t *testing.T) {
	known := func(on bool, percent int) sense.Snapshot { // without a battery, the network is a guess
		return sense.Snapshot{
			Input: sense.Reading[sense.Input]{Known: true, Source: "Mutter"}, FullScreen: sense.Reading[bool]{Known: true},
			Power:    sense.Reading[sense.Power]{Known: true, Value: sense.Power{OnBattery: on, Percent: percent}},
			Metered:  sense.Reading[sense.Metered]{Known: true, Value: sense.Metered{Yes: on, Guess: percent < 0}},
			OtherCPU: sense.Reading[float64]{Known: true, Value: 0.254},
		}
	}
	var never sense.Snapshot
	never.Input.Never, never.FullScreen.Never, never.Power.Never, never.Metered.Never, never.OtherCPU.Never = true, true, true, true, true
	used := make(map[string]bool)
	for _, lang := range words.Languages() {
		for name, is := range map[string]sense.Snapshot{"on battery": known(true, 50), "on mains": known(false, 50), "no charge": known(false, -1), "no charge, on battery": known(true, -1), "unknown": {}, "never": never} {
			f := facts{lang: lang}
			f.sensors(is)
			if len(f.list) != 5 {
				t.Errorf("%s: %+v", name, f.list)
			}
			for _, fact := range f.list {
				used[fact.Text] = true
				if fact.Known == (name == "unknown" || name == "never") || strings.HasPrefix(fact.Text, "setup.") || strings.Contains(fact.Text, "{") || !strings.HasSuffix(fact.Text, ".") {
					t.Errorf("%s, %s: %+v", name, lang, fact)
				}
			}
		}
	}
	for _, lang := range words.Languages() {
		for is, known := range map[int32]bool{traySeen: true, trayMissing: false} {
			f := facts{lang: lang}
			f.tray(is)
			if len(f.list) != 1 || f.list[0].Known != known || f.list[0].Name != "tray" {
				t.Fatalf("%d: %+v", is, f.list)
			}
			used[f.list[0].Text] = true
		}
	}
	for _, lang := range words.Languages() {
		for key, text := range words.Keys(lang) {
			text = strings.NewReplacer("{source}", "Mutter", "{percent}", "25").Replace(text)
			if strings.HasPrefix(key, "setup.fact.") && !strings.HasPrefix(key, "setup.fact.disk") && !strings.HasPrefix(key, "setup.fact.cores") && !used[text] {
				t.Errorf("%s is used by nobody", key)
			}
		}
	}
}
