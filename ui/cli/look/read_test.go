package look

import (
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
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
		"\n\n  * one\n  * two\n\n    a\n      b\n\nThe page is longer. \"forage export\" writes all of it.\n"
	if err != nil || b.String() != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, b.String(), want)
	}
}
