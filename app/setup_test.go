package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/assets/words"
)

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
	if q := is.Questions; len(q) != 1 || len(q[0].Choices) != 8 || q[0].Choices[0].On || len(is.Facts) != 2 {
		t.Errorf("questions are %+v, facts %+v", q, is.Facts)
	}
	s.until("the node to await consent", func() error {
		if st, err := s.api.Status(t.Context()); err != nil || st.State != api.StatePaused || len(st.Reasons) == 0 || !strings.HasPrefix(st.Reasons[0], "Resting until you agree") {
			return fmt.Errorf("%s %q, %v", st.State, st.Reasons, err)
		}
		return nil
	})
	if s.node.gate.Now() != limits.Silent {
		t.Errorf("the footing is %s", s.node.gate.Now())
	}
	for _, c := range []struct {
		a    api.Agreement
		want []string
	}{
		{api.Agreement{}, []string{"agree"}}, {api.Agreement{Agree: true}, []string{"connection"}}, {api.Agreement{ConnectionIsMine: true}, []string{"agree"}},
		{api.Agreement{Agree: true, ConnectionIsMine: true, Preset: "always"}, []string{"preset"}},
		{api.Agreement{Agree: true, ConnectionIsMine: true, Version: 1}, []string{"version"}},
		{api.Agreement{Agree: true, ConnectionIsMine: true, Settings: map[string]json.RawMessage{"disk.max": []byte(`"x"`)}}, []string{`= "x" is not a size`, `= "x" ist keine Größe`}},
		{api.Agreement{Agree: true, ConnectionIsMine: true, Settings: map[string]json.RawMessage{"consent.version": []byte("9")}}, []string{"is given by reading", "entsteht durch Zustimmung"}},
	} {
		for _, lang := range words.Languages() {
			c.a.Lang = lang
			var bad *api.SettingError
			if err := ask(c.a); !errors.As(err, &bad) || !slices.Contains(c.want, bad.Reason) || strings.HasPrefix(bad.Text, "setup.") {
				t.Errorf("%+v: %v, want %s", c.a, err, c.want)
			}
		}
	}
	if text := s.read(); text != "# mine\n" || s.site.count() > 0 || bytesMoved(s.node) > 0 {
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
	topics := is.Questions[0].Choices
	if i := slices.IndexFunc(topics, func(c api.SetupChoice) bool { return c.On }); i < 0 || topics[i].Value != "gambling" {
		t.Errorf("topics are %+v", topics)
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
