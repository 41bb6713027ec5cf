package e2e

import (
	"encoding/json"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/forage-net/forage/app/api"
)

// startup is a computer that starts the node or not.
type startup struct{ on, asked atomic.Bool }

// serve adds what the first steps and the settings ask for.
func (s *startup) serve(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/setup", func(w http.ResponseWriter, _ *http.Request) {
		writeAnswer(w, api.Setup{
			Consent: api.SetupConsent{Version: 1, Title: "What it does", Text: []string{"It reads pages."}},
			Facts:   []api.SetupFact{}, Topics: []api.SetupTopic{},
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
		writeAnswer(w, api.Settings{Settings: []api.Setting{}, File: "config.toml"})
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
	p.see("label", "Start with my computer")
	box = p.MustElement("main input[type=checkbox]")
	if !box.MustProperty("checked").Bool() {
		t.Error("the settings do not show it")
	}
	p.accessible("the settings")
	box.MustClick()
	l.await("the computer to be told again", func() bool { return !s.startup.on.Load() })
	p.sound()
}
