package settings

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/app/never"
	"github.com/forage-net/forage/app/settings/schema"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl/scope"
)

// ChangeSettings implements api.Settler.
func (k *Keeper) ChangeSettings(_ context.Context, c api.SettingsChange) (api.SettingsChanged, error) {
	change, err := settingsChange(c.Set, c.Lang, c.Afar)
	if err != nil {
		return api.SettingsChanged{}, err
	}
	change.Reset, change.Dry, change.Check = c.Reset, c.DryRun, Check(k.cfg.Paths.Config)
	for _, key := range c.Reset {
		if err := mayChange(key, c.Lang, c.Afar); err != nil {
			return api.SettingsChanged{}, err
		}
	}
	changed, err := config.Apply(k.cfg.Paths.Config, change)
	if err != nil {
		return api.SettingsChanged{}, settingError(err, c.Lang)
	}
	if !c.DryRun {
		k.Reload()
	}
	done := api.SettingsChanged{Changed: changed, Restart: needRestart(changed)}
	if _, err := config.Read(k.cfg.Paths.Config); err != nil {
		done.Fault = words.Text(c.Lang, "settings.fault", words.Args{"error": err})
	}
	return done, nil
}

// needRestart returns those of the keys that hold from the next start on.
func needRestart(keys []string) []string {
	var list []string
	for _, k := range config.Keys() {
		if slices.Contains(keys, k.Name) && !k.Now {
			list = append(list, k.Name)
		}
	}
	return list
}

// mayChange returns why a caller may not change a setting. From another computer, one that names files would tell what
// files there are.
func mayChange(key, lang string, afar bool) error {
	if schema.IsReadOnly(key) {
		return readOnly(key, lang)
	}
	if afar && slices.ContainsFunc(config.Keys(), func(k config.Key) bool { return k.Name == key && k.Local }) {
		text := words.Text(lang, "settings.error.local", words.Args{"key": key})
		return &api.SettingError{Text: text, Key: key, Reason: "local"}
	}
	return nil
}

// settingsChange reads what a caller, who may be at another computer, wants to be set.
func settingsChange(set map[string]json.RawMessage, lang string, afar bool) (config.Change, error) {
	c := config.Change{Set: make(map[string]string, len(set))}
	types := make(map[string]string)
	for _, k := range config.Keys() {
		types[k.Name] = k.Type
	}
	for key, raw := range set {
		if err := mayChange(key, lang, afar); err != nil {
			return c, err
		}
		text, ok := schema.Text(types[key], raw)
		if !ok {
			return c, settingError(wrongForm(key, string(raw)), lang)
		}
		c.Set[key] = text
	}
	return c, nil
}

// wrongForm is the error for a value that is nothing the setting could be.
func wrongForm(key, raw string) error {
	const enough = 60
	if err := config.Check(key, strings.ToValidUTF8(raw[:min(len(raw), enough)], "")); err != nil {
		return err
	}
	return &config.Error{Key: key, Reason: words.New("said.settings.cannot-be-a-value-of-that", nil)}
}

// Check returns what finds out whether a node could start with a setting of a file: what its form alone
// does not tell. The error is a *config.Error.
func Check(file string) func(c config.Config, key string) error {
	return func(c config.Config, key string) error {
		var err error
		switch key {
		case "crawl.scope":
			_, err = scope.New(scope.Config{Patterns: c.Crawl.Scope, Depth: int(c.Crawl.Depth)})
		case "net.bootstrap":
			err = membership.CheckDoors(config.Config{Net: c.Net})
		case "peer.listen":
			err = membership.CheckDoors(config.Config{Peer: c.Peer})
		case "web.addr", "web.lan":
			if !c.Web.LAN && OnLoopback(c.Web.Addr) != c.Web.Addr {
				err = words.New("said.settings.other-computers-could-reach-that-address", nil)
			}
		case "archive.dir":
			return config.Paths{Archive: c.Archive.Dir}.CheckArchive()
		case "safety.blocklists":
			err = never.CheckBlocklists(c.Safety.Blocklists, filepath.Dir(file))
		case "crawl.seeds":
			err = checkSeedFiles(c.Crawl.Seeds, filepath.Dir(file))
		}
		if err != nil {
			return &config.Error{Key: key, Reason: words.New("said.settings.cannot-be-used",
				words.Args{"error": err})}
		}
		return nil
	}
}

// checkSeedFiles returns what is wrong with the files among seeds. Relative names begin at dir.
func checkSeedFiles(seeds []string, dir string) error {
	for _, seed := range seeds {
		if strings.Contains(seed, "://") {
			continue
		}
		path := seed
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return withSite(words.New("said.settings.is-no-file", words.Args{"name": seed}), seed)
		}
	}
	return nil
}

// readOnly is the error for a setting that is changed elsewhere.
func readOnly(key, lang string) error {
	return &api.SettingError{
		Text: words.Text(lang, "settings.error.read_only", words.Args{"key": key}), Key: key,
		Reason: words.Text(lang, "said.settings.is-given-by-reading", nil),
	}
}

// settingError puts what is wrong with settings into words. An error that is no *config.Error is returned as it
// is.
func settingError(err error, lang string) error {
	var bad *config.Error
	if !errors.As(err, &bad) {
		return err
	}
	e := &api.SettingError{
		Text: bad.Error(), Key: bad.Key, Line: bad.Line, Reason: words.In(lang, bad.Reason), Range: bad.RangeIn(lang),
	}
	known := slices.ContainsFunc(config.Keys(), func(k config.Key) bool { return k.Name == bad.Key })
	if lang == words.English {
		return e
	}
	args := words.Args{"key": bad.Key, "line": bad.Line, "reason": e.Reason, "range": e.Range}
	switch {
	case bad.Line > 0:
		e.Text = words.Text(lang, "settings.error.file", args)
	case !known:
		e.Text = words.Text(lang, "settings.error.unknown", args)
	case e.Range != "":
		args["name"] = words.Text(lang, "settings."+bad.Key+".name", nil)
		e.Text = words.Text(lang, "settings.error.value", args)
	default:
		e.Text = words.Text(lang, "settings.error.unusable", args)
	}
	return e
}

// OnLoopback returns the same port where this computer alone can reach it.
func OnLoopback(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err != nil || host == "localhost" || ip != nil && ip.IsLoopback() {
		return addr
	}
	return net.JoinHostPort("127.0.0.1", port)
}
