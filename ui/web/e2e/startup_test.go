package e2e

import (
	"encoding/json"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/lists"
	"github.com/forage-net/forage/app/settings/schema/schematest"
)

// startup is a computer that starts the node or not.
type startup struct{ on, asked, add atomic.Bool }

// serve adds what the first steps and the settings ask for.
func (s *startup) serve(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/setup", func(w http.ResponseWriter, _ *http.Request) {
		writeAnswer(w, api.Setup{
			Consent: api.SetupConsent{Version: 1, Title: "What it does", Text: []string{"It reads pages."}},
			Facts:   []api.SetupFact{}, Questions: []api.SetupQuestion{},
			Presets: []api.SetupPreset{{ID: "away", Title: "While I'm away", Settings: map[string]string{}, Chosen: true}},
			Startup: api.Startup{Possible: true, On: s.on.Load()},
		})
	})
	mux.HandleFunc("POST /api/setup", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("POST /api/startup", func(w http.ResponseWriter, r *http.Request) {
		var wish struct{ On bool }
		if json.NewDecoder(r.Body).Decode(&wish) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		s.on.Store(wish.On)
		s.asked.Store(true)
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /api/settings", func(w http.ResponseWriter, _ *http.Request) {
		is := api.Settings{File: "config.toml", Startup: api.Startup{Possible: true, On: s.on.Load()},
			Cards: []api.SettingsCard{{Title: "More"}}}
		if s.add.Load() {
			schematest.Add(&is)
		}
		writeAnswer(w, lists.Filled(is))
	})
}

// Starting with the computer is offered where the first steps end, not ticked, and can be changed in the settings.
func TestStartsWithTheComputer(t *testing.T) {
	s := newStandIn(t)
	is := *s.stand.Load()
	begun := is
	is.status.Consent = false
	s.stand.Store(&is)
	l := &lab{t: t}
	p := l.open(s.URL+"/#/now", "en")
	p.see("h1", "Lend your quiet hours")
	p.click("button", "Continue")
	p.see("h1", "What others see")
	p.MustElement("input[type=checkbox]").MustClick()
	p.click("button", "I agree")
	p.see("h1", "When")
	p.click("button", "Continue")
	p.see("label", "Start with my computer")
	box := p.MustElement("main input[type=checkbox]")
	if box.MustProperty("checked").Bool() {
		t.Error("it is ticked before anybody did that")
	}
	p.picture("ready")
	p.accessible("the last screen")
	box.MustClick()
	s.stand.Store(&begun)
	p.click("button", "Wait until I'm away")
	l.await("the computer to be told", func() bool { return s.startup.asked.Load() })
	p.visit("settings")
	box = p.see("label", "Start with my computer").MustElement("input")
	if !box.MustProperty("checked").Bool() {
		t.Error("the settings do not show it")
	}
	p.accessible("the settings")
	box.MustClick()
	l.await("the computer to be told again", func() bool { return !s.startup.on.Load() })
	p.sound()
}

// What the node adds to its schema is on both pages of settings, with a control of its kind, and no page knows of it.
func TestSettingsDrawWhatIsAdded(t *testing.T) {
	s := newStandIn(t)
	s.startup.add.Store(true)
	l := &lab{t: t}
	p := l.open(s.URL+"/#/settings", "en")
	p.see("h2", "Made up")
	for _, c := range schematest.Controls {
		p.see(".field-name", schematest.Label(c))
	}
	p.see(".field", "Note on week")
	p.accessible("the settings")
	p.picture("simple")
	p.visit("settings?view=all")
	for c, inside := range map[api.Control]string{
		api.ControlSaid: ".read-only", api.ControlSwitch: "[role=switch]", api.ControlChoice: "option",
		api.ControlTicks: ".ticks input", api.ControlList: ".list li", api.ControlAmount: "select",
		api.ControlShare: "[type=range]", api.ControlWeek: "[role=grid]", api.ControlText: ".typing input",
		schematest.Unknown: ".typing input",
	} {
		p.see("[id='set-"+schematest.Key(c)+"'] h3", schematest.Name(c))
		p.see("[id='set-"+schematest.Key(c)+"'] "+inside, "")
	}
	p.accessible("all settings")
	p.sound()
}
