package settings

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl/scope"
)

// preset are settings that go together. All presets are about the same keys, so that one takes the place of
// another.
type preset struct {
	id       string
	settings map[string]string
}

// presets returns all presets, the proposed one first. Its values are the defaults, written out: whoever agreed to
// them keeps them, whatever later versions think.
func presets() []preset {
	away := map[string]string{
		"idle.after": "5 min", "level.in_use": "off", "level.away": "full", "schedule.work": "all full",
		"budget.full.cpu_percent": "25", "budget.full.down_kbit": "4000", "budget.full.up_kbit": "500",
		"budget.full.sockets":       "60",
		"budget.gentle.cpu_percent": "10", "budget.gentle.down_kbit": "1000", "budget.gentle.up_kbit": "200",
		"data.day": "1 GB", "data.month": "20 GB", "disk.max": "2 GB",
		"pause.battery": "yes", "pause.metered": "yes", "pause.fullscreen": "yes",
	}
	with := func(others map[string]string) map[string]string {
		m := maps.Clone(away)
		maps.Copy(m, others)
		return m
	}
	return []preset{
		{"away", away},
		{"gentle", with(map[string]string{"level.in_use": "gentle", "level.away": "gentle"})},
		{"nights", with(map[string]string{"schedule.work": "all 23:00-07:00 full"})},
	}
}

// isChosen reports whether all of a preset is so.
func (p preset) isChosen(c config.Config) bool {
	for key, text := range p.settings {
		is, err := c.Get(key)
		if err != nil || config.Unquoted(is) != text {
			return false
		}
	}
	return true
}

// Setup implements api.Settler.
func (k *Keeper) Setup(_ context.Context, lang string) (api.Setup, error) {
	cfg, _ := config.Read(k.cfg.Paths.Config) // what is wrong counts as the default; the settings say so
	s := api.Setup{Needed: !k.cfg.Limits.View().Consent, Facts: k.facts(lang), Startup: k.Startup()}
	s.Consent = api.SetupConsent{
		Version: config.ConsentVersion, Given: config.Consented(cfg), Title: words.Text(lang, "consent.title", nil),
		Text: config.ConsentParagraphs(lang, k.cfg.Paths, cfg), Note: words.Text(lang, "consent.note", nil),
	}
	if s.Consent.Given && !cfg.Consent.Time.IsZero() {
		at := cfg.Consent.Time.UTC()
		s.Consent.Time = &at
	}
	for _, p := range presets() {
		s.Presets = append(s.Presets, api.SetupPreset{
			ID: p.id, Title: words.Text(lang, "setup.preset."+p.id+".title", nil),
			Text:     words.Text(lang, "setup.preset."+p.id+".text", nil),
			Settings: p.settings, Chosen: p.isChosen(cfg),
		})
	}
	for _, name := range scope.TopicNames() {
		s.Topics = append(s.Topics, api.SetupTopic{
			Name: name, Text: words.Text(lang, "settings.choice."+name, nil),
			Never: slices.Contains(cfg.Topics.Never, name),
		})
	}
	return s, nil
}

// Agree implements api.Settler. Consent and settings are written in one step; then the node may work.
func (k *Keeper) Agree(_ context.Context, a api.Agreement) error {
	if why := refusesToAgree(a); why != "" {
		return &api.SettingError{Text: words.Text(a.Lang, "setup.error."+why, nil), Reason: why}
	}
	set := map[string]string{}
	if a.Preset != "" {
		i := slices.IndexFunc(presets(), func(p preset) bool { return p.id == a.Preset })
		if i < 0 {
			return &api.SettingError{Text: words.Text(a.Lang, "setup.error.preset", nil), Reason: "preset"}
		}
		maps.Copy(set, presets()[i].settings)
	}
	more, err := settingsChange(a.Settings, a.Lang, a.Afar)
	if err != nil {
		return err
	}
	maps.Copy(set, more.Set)
	if cfg, _ := config.Read(k.cfg.Paths.Config); !config.Consented(cfg) { // who agreed did so then
		set["consent.version"] = strconv.Itoa(config.ConsentVersion)
		set["consent.time"] = time.Now().UTC().Format(time.RFC3339)
	}
	_, err = config.Apply(k.cfg.Paths.Config, config.Change{Set: set, Check: Check(k.cfg.Paths.Config)})
	if err != nil {
		return settingError(err, a.Lang)
	}
	k.Reload()
	if _, fault := k.cfg.Limits.Decision(); fault != nil { // agreed and written, but other settings are wrong
		return settingError(fault, a.Lang)
	}
	return nil
}

// refusesToAgree returns a word for what is missing, "" if nothing is.
func refusesToAgree(a api.Agreement) string {
	switch {
	case !a.Agree:
		return "agree"
	case !a.ConnectionIsMine:
		return "connection"
	case a.Version != 0 && a.Version != config.ConsentVersion:
		return "version"
	}
	return ""
}
