package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
)

func TestPrintPage(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var b strings.Builder
	err := printPage(&b, "", api.ArchivedPage{
		URL: "https://a.example/", Time: at, Title: "A\x1b[31m", Status: 200, MIME: "text/html", Cut: true,
		Paragraphs: []api.Paragraph{
			{Kind: "h2", Text: "Two"}, {Kind: "p", Text: strings.Repeat("word ", 20)}, {Kind: "li", Text: "one"}, {Kind: "li", Text: "two"}, {Kind: "pre", Text: "a\n  b"},
		},
	})
	want := "A[31m\nhttps://a.example/\nvisited " + at.Local().Format(time.DateTime) + ", status 200, text/html\n\n## Two\n\n" +
		strings.TrimSpace(strings.Repeat("word ", 15)) + "\n" + strings.TrimSpace(strings.Repeat("word ", 5)) +
		"\n\n  * one\n  * two\n\n    a\n      b\n\nThere is more of this page; \"forage export\" writes it out in full.\n"
	if err != nil || b.String() != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, b.String(), want)
	}
}

func TestPrintFound(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	result := api.SearchResult{URL: "https://a.example/", Time: at, Title: "A"}
	for _, tt := range []struct {
		lang language
		all  api.SearchPage
		want string
	}{
		{words.German, api.SearchPage{Total: 1}, "Nichts gefunden in Titel und Adresse von 1 Aufnahme.\n"},
		{words.German, api.SearchPage{Results: []api.SearchResult{{URL: "https://b.example/", Time: at}}, Total: 2000}, "(ohne Titel)\n"},
		{words.German, api.SearchPage{Results: []api.SearchResult{result}, Total: 2000}, "Das ist alles; 2.000 Aufnahmen sind durchgesehen."},
		{"", api.SearchPage{Total: 1}, "Nothing found in the titles and addresses of 1 capture.\n"},
		{"", api.SearchPage{Results: []api.SearchResult{result, {URL: "https://b.example/", Time: at}}, Total: 2000}, "(no title)\n"},
		{"", api.SearchPage{Results: []api.SearchResult{result, result, result}, Total: 2000}, "There may be more: --limit N shows more than these, of 2,000 captures looked at.\n"},
		{"", api.SearchPage{Results: []api.SearchResult{result}, Total: 2000}, "That is all, of 2,000 captures looked at."},
	} {
		var b strings.Builder
		if err := printFound(&b, tt.lang, tt.all, 3); err != nil || !strings.Contains(b.String(), tt.want) {
			t.Errorf("got %v\n%s\nwant %s", err, b.String(), tt.want)
		}
	}
}
