package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestFrames_EncodesOnce(t *testing.T) {
	f := newFrames("ab", "en")
	events := []Event{{ID: 7, Title: "a\nb <c>", Code: CodeFetched}, {ID: 8, Text: "later"}}
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
	events := []Event{{ID: 7, Title: "a\nb <c> \ndata: {}", URL: "http://a.test/\"", Code: CodeFetched, At: 0.5},
		{ID: 8, Text: "later"}}
	for _, p := range []EventPage{
		{BootID: "ab", Events: []Event{}, Next: 9},
		{BootID: "ab", Events: events[:1], Next: 7, Dropped: true},
		{BootID: "ab", Events: events, Next: 8},
	} {
		want, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // as it is encoded, and as it is kept
			if got, err := f.page(p); err != nil || string(got) != string(want) {
				t.Errorf("a page is %s, %v\nwant %s", got, err, want)
			}
		}
	}
}

// What is told in English is said in the language of the reader.
func TestFrames_SpeakTheirLanguage(t *testing.T) {
	told := []Event{
		{ID: 1, Text: "failed: connection refused"},
		{ID: 2, Text: "paused: you chose it", German: "angehalten: von Ihnen gewählt"},
		{ID: 3, Text: "3 links sent to aBcDeF"},
	}
	for lang, want := range map[string][]string{
		"en": {"failed: connection refused", "paused: you chose it", "3 links sent to aBcDeF"},
		"de": {"fehlgeschlagen: Verbindung abgelehnt", "angehalten: von Ihnen gewählt", "3 Links gingen an aBcDeF"},
	} {
		body, err := newFrames("ab", lang).page(EventPage{BootID: "ab", Events: told})
		if err != nil {
			t.Fatal(err)
		}
		var page EventPage
		if err := json.Unmarshal(body, &page); err != nil {
			t.Fatal(err)
		}
		for i, e := range page.Events {
			if e.Text != want[i] || e.German != "" {
				t.Errorf("in %s: %q, want %q", lang, e.Text, want[i])
			}
		}
	}
	if told[1].Text != "paused: you chose it" {
		t.Error("what the journal keeps was changed")
	}
}

// A reader that lags behind is served, and others keep what they share.
func TestFrames_OldEventsDoNotPushOutNewOnes(t *testing.T) {
	f := newFrames("ab", "en")
	newest := Event{ID: 5 + keptFrames, Title: "newest"}
	var out bytes.Buffer
	for _, list := range [][]Event{{newest}, {{ID: 5, Title: "old"}}} {
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

// writes counts how often a stream writes.
type writes struct {
	*httptest.ResponseRecorder
	n int
}

func (w *writes) Write(b []byte) (int, error) {
	w.n++
	return w.ResponseRecorder.Write(b)
}

// However often something happens, a stream that keeps up writes five times a second
// at most, nothing is left out, and the first of them does not wait.
func TestStream_GathersEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const count, every = 400, 5 * time.Millisecond // two seconds
		node := newTestNode("ab")
		s := New(Config{Node: node, BootID: "ab"})
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "/api/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		w := &writes{ResponseRecorder: httptest.NewRecorder()}
		done := make(chan error, 1)
		go func() { done <- s.stream(w, r, cursor{boot: "ab"}, "en", false) }()
		time.Sleep(time.Second)
		node.publish(1)
		synctest.Wait()
		if got := strings.Count(w.Body.String(), "\nid: "); got != 1 || w.n != 2 {
			t.Errorf("%d events in %d writes after the first, want 1 in 2", got, w.n)
		}
		for range count - 1 {
			time.Sleep(every)
			node.publish(1)
		}
		time.Sleep(streamPause)
		synctest.Wait()
		if got := strings.Count(w.Body.String(), "\nid: "); got != count {
			t.Errorf("%d events, want %d", got, count)
		}
		if most := 2 + int(count*every/streamPause) + 1; w.n > most || w.n < most/2 {
			t.Errorf("%d writes, want %d at most", w.n, most)
		}
		cancel()
		if err := <-done; err != nil {
			t.Errorf("stream: %v", err)
		}
	})
}
