// Package desktest has what tests of the window's views need: a desk in an app of its own, a node that stands
// in, pictures, and a watch over what is drawn on which goroutine.
package desktest

import (
	"context"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/settings/schema"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/speech"
)

// Noon is when the tests take place.
var Noon = time.Date(2026, 5, 14, 12, 0, 0, 0, time.UTC)

// patience is how long what is sure to come is waited for, on a computer that is busy.
const patience = time.Minute

// Bench is a desk for one view, with a node that stands in.
type Bench struct {
	*desk.Desk
	*Loop
	Node *StandIn
	Said []string
	// Offers are what the buttons beside what was said do.
	Offers []func()
	// Routes are where the dashboard was opened, shows the pages of the window.
	Routes, shows []string
	Refreshed     int
}

// NewBench makes a desk in an app of the test's own. theme is "light" or "dark".
func NewBench(t *testing.T, lang, theme string) *Bench {
	t.Helper()
	a := NewApp(t)
	a.Settings().SetTheme(look.NewTheme(theme))
	ctx, cancel := context.WithCancel(context.Background())
	b := &Bench{Loop: a.Loop(), Node: NewStandIn()}
	b.Desk = &desk.Desk{
		Speech: speech.Speech{Lang: lang}, Ctx: ctx, UI: b.Loop.Do, Now: func() time.Time { return Noon },
		Say:       func(text string, _ bool) { b.Said = append(b.Said, text) },
		Offer:     func(text, _ string, do func()) { b.Said, b.Offers = append(b.Said, text), append(b.Offers, do) },
		Refresh:   func() { b.Refreshed++ },
		Show:      func(page string) { b.shows = append(b.shows, page) },
		Dashboard: func(route string) { b.Routes = append(b.Routes, route) },
	}
	t.Cleanup(func() {
		cancel()
		b.Wait()
	})
	return b
}

// SetupIn is what a node answers who nobody has agreed to, in a language.
func SetupIn(lang string) api.Setup {
	text := func(key string) string {
		return words.Text(lang, key, words.Args{"source": "GNOME", "free": "81 GB", "count": 4, "percent": 7})
	}
	s := api.Setup{Needed: true, Consent: api.SetupConsent{Version: 3, Title: text("consent.title"), Text: []string{
		text("consent.intro"), text("consent.visits"), text("consent.provider"), text("consent.others"),
		text("consent.manners"),
	}}}
	s.Presets = schema.Presets(config.Defaults(), lang)
	for _, f := range []struct {
		name, key string
		known     bool
	}{{"idle", "idle", true}, {"battery", "battery.none", true}, {"metered", "metered.unknown", false},
		{"fullscreen", "fullscreen.never", false}, {"disk", "disk", true}, {"cores", "cores", true}} {
		s.Facts = append(s.Facts, api.SetupFact{Name: f.name, Known: f.known, Text: text("setup.fact." + f.key)})
	}
	s.Questions = schema.Questions(config.Defaults(), true, lang)
	return s
}

// AtNoon is noon wherever the tests are run: weeks show the time of this computer.
func AtNoon() time.Time { return time.Date(2026, 5, 14, 12, 0, 0, 0, time.Local) }
