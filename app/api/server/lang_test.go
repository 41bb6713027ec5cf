package server

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/assets/words"
)

func TestAccepted(t *testing.T) {
	for header, want := range map[string]string{
		"": "en", "de": "de", "de-AT,de;q=0.9,en;q=0.8": "de", "en-US,en;q=0.9,de;q=0.8": "en",
		"fr-FR, fr;q=0.9, DE;q=0.5": "de", "fr": "en", "*": "en",
		"de;q=0, en": "en", "de; q=0.000,fr": "en", "deutsch": "en", ",,,de": "de",
		strings.Repeat("fr,", 40) + "de": "en",
	} {
		if got := accepted(header); got != want {
			t.Errorf("accepted(%q) = %s, want %s", header, got, want)
		}
	}
}

func TestSpoken_ParameterBeforeHeader(t *testing.T) {
	for query, want := range map[string]string{"": "de", "?lang=en": "en", "?lang=fr": "de", "?language=en": "de"} {
		r := httptest.NewRequest(http.MethodGet, "/api/status"+query, nil)
		r.Header.Set("Accept-Language", "de")
		if got := spoken(r); got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
}

// Pages and streams of events are in the language of the call.
func TestEvents_InTheLanguageOfTheCall(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	r.node.publish(1)
	r.node.events[0].Said = words.New("said.event.robots-txt-read", nil).In
	c, err := client.Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct{ lang, query, text string }{
		{"en", "", "robots.txt read"}, {"de", "", "robots.txt gelesen"}, {"de", "?lang=en", "robots.txt read"},
		{"en", "?lang=de", "robots.txt gelesen"},
	} {
		c.SetLang(want.lang)
		page, err := client.Get[api.EventPage](t.Context(), c, "/api/events"+want.query)
		if err != nil || page.Events[0].Text != want.text {
			t.Errorf("%s, %q: %v, %v, want %q", want.lang, want.query, page.Events, err, want.text)
		}
		if want.query != "" {
			continue
		}
		enough := errors.New("enough")
		if err := c.Follow(t.Context(), "", 0,
			func(p api.EventPage) error { page = p; return enough }); err != enough ||
			page.Events[0].Text != want.text {
			t.Errorf("a stream in %s: %v, %v, want %q", want.lang, page.Events, err, want.text)
		}
	}
	if _, err := client.Get[api.EventPage](t.Context(), c, "/api/events?lang=fr"); err == nil {
		t.Error("there is no such language")
	}
}

// A client says what is wrong in English until it is given another language.
func TestClient_SetLang(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	c, err := client.Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ lang, want string }{
		{"", "there is no such path"}, {"de", "diesen Pfad gibt es nicht"}, {"en", "there is no such path"},
	} {
		if step.lang != "" {
			c.SetLang(step.lang)
		}
		var bad *api.CallError
		if _, err := client.Get[any](t.Context(), c, "/api/none"); !errors.As(err, &bad) ||
			bad.Error() != step.want {
			t.Errorf("in %q: %v, want %s", step.lang, err, step.want)
		}
	}
}
