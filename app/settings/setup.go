package settings

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/settings/schema"
	"github.com/forage-net/forage/assets/words"
)

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
	s.Presets = schema.Presets(cfg, lang)
	isIdle := func(f api.SetupFact) bool { return f.Name == "idle" && !f.Known }
	s.Questions = schema.Questions(cfg, !slices.ContainsFunc(s.Facts, isIdle), lang)
	return s, nil
}

// Agree implements api.Settler. Consent and settings are written in one step; then the node may work.
func (k *Keeper) Agree(_ context.Context, a api.Agreement) error {
	if why := refusesToAgree(a); why != "" {
		return &api.SettingError{Text: words.Text(a.Lang, "setup.error."+why, nil), Reason: why}
	}
	set := map[string]string{}
	if a.Preset != "" {
		presets := schema.Presets(config.Defaults(), a.Lang)
		i := slices.IndexFunc(presets, func(p api.SetupPreset) bool { return p.ID == a.Preset })
		if i < 0 {
			return &api.SettingError{Text: words.Text(a.Lang, "setup.error.preset", nil), Reason: "preset"}
		}
		maps.Copy(set, presets[i].Settings)
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
