package tray

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/icons"
	"github.com/forage-net/forage/assets/words"
)

func TestViewOf(t *testing.T) {
	long := strings.Repeat("cannot write to the store: ", 10)
	for _, c := range []struct {
		name string
		is   api.Glance
		want view
	}{
		{"working", api.Glance{State: api.StateWorking, Sentence: "S.", Consent: true}, view{icon: icons.Working, tooltip: "S.", line: "S.", open: "Open Forage", begun: true}},
		{"waiting", api.Glance{State: api.StateWaiting, Sentence: "S.", Consent: true}, view{icon: icons.Waiting, tooltip: "S.", line: "S.", open: "Open Forage", begun: true}},
		{"stopping", api.Glance{State: api.StateStopping, Sentence: "S.", Consent: true}, view{icon: icons.Paused, tooltip: "S.", line: "S.", open: "Open Forage", begun: true}},
		{"paused by hand", api.Glance{State: api.StatePaused, Consent: true, Mode: api.ModePaused}, view{icon: icons.Paused, open: "Open Forage", begun: true, back: "Resume"}},
		{"paused by limits", api.Glance{State: api.StatePaused, Consent: true, Mode: api.ModeAuto}, view{icon: icons.Waiting, open: "Open Forage", begun: true}},
		{"finishing", api.Glance{State: api.StatePaused, Consent: true, Mode: api.ModeFinish}, view{icon: icons.Paused, open: "Open Forage", begun: true, back: "Resume"}},
		{"working by hand", api.Glance{State: api.StateWorking, Consent: true, Mode: api.ModeWork}, view{icon: icons.Working, open: "Open Forage", begun: true, back: "Back to my limits"}},
		{
			"trouble that the sentence tells", api.Glance{State: api.StatePaused, Consent: true, Sentence: long, Troubles: []api.Trouble{api.TroubleStore, api.TroubleDisk}},
			view{icon: icons.Problem, tooltip: long, line: "cannot write to the store: cannot write to the store: cannot write to the store: cannot…", open: "Open Forage", begun: true},
		},
		{
			"trouble that it does not tell", api.Glance{State: api.StateWorking, Consent: true, Troubles: []api.Trouble{api.TroubleDisk, api.TroubleRefused, api.TroubleSettings}},
			view{icon: icons.Problem, open: "Open Forage", begun: true, trouble: "Many sites refuse this address: see why", page: PageDashboard},
		},
		{"not agreed", api.Glance{State: api.StatePaused, Mode: api.ModePaused, Troubles: []api.Trouble{api.TroubleSettings}}, view{icon: icons.Paused, open: "Open to begin"}},
	} {
		if got := viewOf(c.is, api.Startup{}, "en"); got != c.want {
			t.Errorf("%s: %+v\nwant %+v", c.name, got, c.want)
		}
	}
}

func TestShort(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "ten  chars\n": "ten chars", "exactly ten": "exactly…", "one two three": "one two…", "aaaaaaaaaaaaaa": "aaaaaaaaa…", "üüüüüüüüüü": "üüüüüüüüüü", "a, bbbbbbb, c": "a…",
	} {
		if in == "a, bbbbbbb, c" {
			want = "a, bbbbbb…" // there is no place to cut in its second half
		}
		if got := short(in, 10); got != want || utf8.RuneCountInString(got) > 10 {
			t.Errorf("short(%q) = %q, want %q", in, got, want)
		}
	}
}

// Whatever can be said has words.
func TestWords(t *testing.T) {
	for _, lang := range words.Languages() {
		has := words.Keys(lang)
		for _, trouble := range []api.Trouble{api.TroubleStore, api.TroubleArchive, api.TroubleDisk, api.TroubleSettings, api.TroubleRefused, api.TroubleFruitless} {
			if n := problemOf(trouble, lang); strings.HasPrefix(n.text, "notify.") || strings.HasPrefix(n.title, "notify.") {
				t.Errorf("%s of %s has no words", trouble, lang)
			}
		}
		for _, key := range []string{
			"pause.menu", "pause.15m", "pause.1h", "pause.3h", "pause.8h", "pause.tomorrow", "pause.forever", "pause.work", "pause.finish", "pause.resume", "pause.back",
			"tray.open", "tray.begin", "tray.dashboard", "tray.settings", "tray.quit", "tray.quit.note", "tray.trouble.settings", "tray.trouble.refused",
			"run.always", "run.away", "run.off", "keep.menu", "keep.15m", "keep.1h",
			"notify.first", "notify.first.text", "notify.first.untitled", "notify.paused",
		} {
			if has[key] == "" {
				t.Errorf("%s is missing in %s", key, lang)
			}
		}
	}
}

// What is drawn again as a whole differs in all from what was there, but for the page that a click opens.
func TestView_Opposite(t *testing.T) {
	for _, v := range []view{{}, {icon: 3, tooltip: "a", line: "a", trouble: "a", open: "a", back: "a", begun: true,
		run: api.RunAway, watched: true, keep: true, startup: api.Startup{Possible: true, On: true}}} {
		a, b := reflect.ValueOf(v), reflect.ValueOf(v.opposite())
		for i := range a.NumField() {
			if name := a.Type().Field(i).Name; name != "page" && a.Field(i).Equal(b.Field(i)) {
				t.Errorf("%s is the same", name)
			}
		}
	}
}
