package events

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
)

func TestFrames_EncodesOnce(t *testing.T) {
	f := newFrames("ab", "en")
	events := []api.Event{{ID: 7, Title: "a\nb <c>", Code: api.CodeFetched}, {ID: 8, Text: "later"}}
	var first, second bytes.Buffer
	if err := f.write(&first, events); err != nil {
		t.Fatal(err)
	}
	events[0].Title = "changed" // would show if it were encoded again
	if err := f.write(&second, events); err != nil {
		t.Fatal(err)
	}
	if first.String() != second.String() || !strings.HasPrefix(first.String(), "id: ab-7\ndata: {\"id\":7,") ||
		strings.Count(first.String(), "\n") != 6 {
		t.Errorf("wrote %q, then %q", first.String(), second.String())
	}
}

// A page is what it would be if all of it were encoded.
func TestFrames_PageIsJSON(t *testing.T) {
	f := newFrames("ab", "en")
	events := []api.Event{{ID: 7, Title: "a\nb <c> \ndata: {}", URL: "http://a.test/\"", Code: api.CodeFetched, At: 0.5},
		{ID: 8, Text: "later"}}
	for _, p := range []api.EventPage{
		{BootID: "ab", Events: []api.Event{}, Next: 9},
		{BootID: "ab", Events: events[:1], Next: 7, Dropped: true},
		{BootID: "ab", Events: events, Next: 8},
	} {
		want, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // as it is encoded, and as it is kept
			if got, err := f.Page(p); err != nil || string(got) != string(want) {
				t.Errorf("a page is %s, %v\nwant %s", got, err, want)
			}
		}
	}
}

// What is told is said in the language of the reader.
func TestFrames_SpeakTheirLanguage(t *testing.T) {
	told := []api.Event{
		{ID: 1, Text: "of this kind alone"},
		{ID: 2, Text: "paused", Said: api.StatePaused.In},
		{ID: 3, Said: words.New("said.event.links-sent", words.Args{"count": 3, "peer": "aBcDeF"}).In},
	}
	for lang, want := range map[string][]string{
		"en": {"of this kind alone", "paused", "3 links sent to aBcDeF"},
		"de": {"of this kind alone", "angehalten", "3 Links gingen an aBcDeF"},
	} {
		body, err := newFrames("ab", lang).Page(api.EventPage{BootID: "ab", Events: told})
		if err != nil {
			t.Fatal(err)
		}
		var page api.EventPage
		if err := json.Unmarshal(body, &page); err != nil {
			t.Fatal(err)
		}
		for i, e := range page.Events {
			if e.Text != want[i] {
				t.Errorf("in %s: %q, want %q", lang, e.Text, want[i])
			}
		}
	}
	if told[1].Text != "paused" {
		t.Error("what the journal keeps was changed")
	}
}

// A reader that lags behind is served, and others keep what they share.
func TestFrames_OldEventsDoNotPushOutNewOnes(t *testing.T) {
	f := newFrames("ab", "en")
	newest := api.Event{ID: 5 + keptFrames, Title: "newest"}
	var out bytes.Buffer
	for _, list := range [][]api.Event{{newest}, {{ID: 5, Title: "old"}}} {
		if err := f.write(&out, list); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(out.String(), `"old"`) {
		t.Errorf("the old event is not in %q", out.String())
	}
	if got := f.kept[5].id; got != newest.ID {
		t.Errorf("event %d is kept, want %d", got, newest.ID)
	}
}
