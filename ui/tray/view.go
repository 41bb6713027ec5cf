package tray

import (
	"strings"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/icons"
	"github.com/forage-net/forage/assets/words"
)

// lineMax is how many characters the first line of the menu has: a menu as wide as the screen helps nobody.
// The tooltip has the whole sentence.
const lineMax = 90

// view is what is to be seen. Two views that are equal look the same.
type view struct {
	icon    icons.State
	tooltip string
	line    string // the first line of the menu
	trouble string // the second, about what the first does not speak of; "" for none
	page    string // what a click on it opens
	open    string // what the entry says that opens the window
	back    string // what the entry says that goes back to the limits; "" if there is nothing to go back from
	begun   bool   // the user has agreed, so that there is something to command
	run     api.RunMode
	watched bool // somebody's presence is known of
	keep    bool // it rests because of that, and could go on
	startup api.Startup
}

// opposite returns a view that differs in all that is changed on the desktop.
func (v view) opposite() view {
	other := func(text string) string {
		if text == "" {
			return "-"
		}
		return ""
	}
	return view{
		icon: v.icon + 1, tooltip: other(v.tooltip), line: other(v.line), trouble: other(v.trouble),
		open: other(v.open), back: other(v.back), begun: !v.begun, run: v.run + "-", watched: !v.watched, keep: !v.keep,
		startup: api.Startup{Possible: !v.startup.Possible, On: !v.startup.On},
	}
}

// viewOf returns what is to be seen of a node in a language.
func viewOf(g api.Glance, startup api.Startup, lang string) view {
	say := func(key string) string { return words.Text(lang, key, nil) }
	v := view{icon: iconOf(g), tooltip: g.Sentence, line: short(g.Sentence, lineMax), begun: g.Consent,
		open: say("tray.open")}
	if !g.Consent {
		v.open = say("tray.begin")
		return v
	}
	v.run, v.watched, v.keep, v.startup = g.Run, g.Watched, g.HelpNow, startup
	switch g.Mode {
	case api.ModePaused, api.ModeFinish:
		v.back = say("pause.resume")
	case api.ModeWork:
		v.back = say("pause.back")
	}
	for _, trouble := range g.Troubles {
		switch trouble {
		case api.TroubleSettings:
			v.trouble, v.page = say("tray.trouble.settings"), PageSettings
		case api.TroubleRefused:
			v.trouble, v.page = say("tray.trouble.refused"), PageDashboard
		default:
			continue // the sentence says it
		}
		break
	}
	return v
}

// iconOf returns the icon for a state. That of a pause says that the user wanted it so; a node that rests because of
// limits, or because no site is due, goes on by itself.
func iconOf(g api.Glance) icons.State {
	switch {
	case !g.Consent:
		return icons.Paused
	case len(g.Troubles) > 0:
		return icons.Problem
	case g.State == api.StateWorking:
		return icons.Working
	case g.State == api.StateStopping, g.Mode == api.ModePaused, g.Mode == api.ModeFinish:
		return icons.Paused
	}
	return icons.Waiting
}

// short returns the beginning of a text of one line, at most max characters with the mark that says so.
func short(s string, max int) string {
	s = strings.Join(strings.Fields(s), " ")
	r := []rune(s)
	if len(r) <= max {
		return s
	}
	cut := string(r[:max-1])
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)/2 {
		cut = cut[:space]
	}
	return strings.TrimRight(cut, " ,;:.") + "…"
}
