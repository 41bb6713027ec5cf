package search

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/desktest"
)

// someFound are pages with all there is to be said of one.
func someFound() api.SearchPage {
	snippet := []api.SnippetPiece{{Text: "… cover the beds, for frost comes early. In "},
		{Text: "winter", Match: true},
		{Text: " a garden rests, and so do those who tend it; what is left of summer stands in the "},
		{Text: "winter", Match: true}, {Text: " garden …"}}
	return api.SearchPage{Total: 12, Waiting: 3, Next: "n", Results: []api.SearchResult{
		{ID: "x.1", URL: "https://fjall.example/garden/winter", Title: "The garden in winter",
			Time: desktest.Noon.AddDate(0, 0, -3), Snippet: snippet},
		{ID: "x.2", URL: "https://brauð.is/a/path/of/some/length/that/goes/on/and/on/until/it/is/cut/off/at/the/edge", Title: "Bread for a long winter, and what to do with it when it is stale, at some length\u202e", Time: desktest.Noon.AddDate(-1, 0, 0), Snippet: snippet[2:]},
		{ID: "x.3", URL: "https://karten.example/", Time: desktest.Noon},
	}}
}

func TestSearch_Looks(t *testing.T) {
	for _, c := range []struct {
		name, lang, theme, stored string
		w                         float32
	}{{"light", "en", "light", "search", 820}, {"dark-de", "de", "dark", "", 820},
		{"narrow-de", "de", "light", "", 420}} {
		t.Run(c.name, func(t *testing.T) {
			b := desktest.NewBench(t, c.lang, c.theme)
			b.Node.Is.Found = someFound()
			p := New(b.Desk, b.Node)
			win := desktest.NewPageWindow(t, p, c.w, 480)
			p.field.SetText("winter")
			b.Until(t, "an answer", func() bool { return p.rows[2].box.Visible() })
			win.Canvas().Unfocus()
			desktest.PictureOf(t, c.stored, win.Canvas(), c.theme == "dark")
		})
	}
}

// What is typed is looked for when nothing more is typed, and an answer to something else is not shown.
func TestSearch_AnswersTheLastWords(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	b.Node.Is.Found = someFound()
	p := New(b.Desk, b.Node)
	desktest.NewPageWindow(t, p, 800, 480)
	p.field.SetText("slow")
	turn := p.turn
	b.Until(t, "the question", func() bool { return p.turn > turn })
	for _, text := range []string{"w", "win", "winter "} {
		p.field.SetText(text)
	}
	b.Until(t, "an answer", func() bool { return p.rows[0].box.Visible() })
	if got := b.Node.Did(); !slices.Equal(got, []string{"search winter  10"}) {
		t.Errorf("the node was asked %q", got)
	}
	if want := "12 pages · About 3 new pages will be searchable soon."; p.tally.Text != want {
		t.Errorf("it says %q, want %q", p.tally.Text, want)
	}
	p.rows[0].title.OnTapped()
	p.all.OnTapped()
	if want := []string{"mine?id=x.1", "mine?q=winter"}; !slices.Equal(b.Routes, want) {
		t.Errorf("the dashboard was opened at %q, want %q", b.Routes, want)
	}
	p.field.SetText(" ")
	if p.rows[0].box.Visible() || p.all.Visible() || p.tally.Text != p.d.T("search.private") {
		t.Errorf("without words it says %q", p.tally.Text)
	}
}

// What is said of an answer, and of what went wrong.
func TestSearch_Says(t *testing.T) {
	one := []api.SearchResult{{ID: "1", URL: "http://a.example/"}}
	for _, c := range []struct {
		page api.SearchPage
		err  error
		want string
	}{
		{api.SearchPage{Pages: 12345}, nil, "Nothing found in 12,345 pages."},
		{api.SearchPage{Results: one, Total: 1}, nil, "1 page"},
		{api.SearchPage{Results: one, Total: 10_000, More: true}, nil, "More than 10,000 pages"},
		{api.SearchPage{Results: one, Some: true}, nil, "No page has all of these words. These have some:"},
		{api.SearchPage{Results: one, Off: true}, nil,
			"The search index is off. Only titles and addresses are searched, newest pages first."},
		{api.SearchPage{Off: true}, nil,
			"Nothing found in titles and addresses. The search index is off, so the text of pages is not searched."},
		{api.SearchPage{Results: one, Total: 1, Waiting: 20, Full: true}, nil,
			"1 page · The search index is full. The text of about 20 pages is not searched. The settings can give " +
				"it more space."},
		{api.SearchPage{}, api.ErrNotRunning, "Forage does not answer."},
	} {
		b := desktest.NewBench(t, "en", "light")
		b.Node.Is.Found, b.Node.Err = c.page, c.err
		p := New(b.Desk, b.Node)
		p.field.SetText("x")
		b.Until(t, c.want, func() bool { return p.tally.Text != p.d.T("search.private") })
		if p.tally.Text != c.want || p.rows[0].box.Visible() != (len(c.page.Results) > 0 && c.err == nil) {
			t.Errorf("%+v, %v: it says %q, want %q", c.page, c.err, p.tally.Text, c.want)
		}
	}
}

// What sites wrote is text of some lines, with the words of the query in bold.
func TestSegments(t *testing.T) {
	list := segments([]api.SnippetPiece{{Text: " In\u202e the \x1b"}, {Text: "win", Match: true}, {Text: "ter, \n"},
		{}, {Text: " "}, {Text: strings.Repeat("y", 10_000)}, {Text: strings.Repeat("x ", 400)}, {Text: "never"}})
	var got []string
	for _, s := range list {
		text := s.(*widget.TextSegment)
		if text.Style.TextStyle == (fyne.TextStyle{Bold: true}) {
			got = append(got, "*"+text.Text)
		} else {
			got = append(got, text.Text)
		}
	}
	if want := []string{"In the ", "*win", "ter, ", " "}; len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Errorf("segments %q, want %q first", got, want)
	}
	if n := len(strings.Join(got, "")); n > maxSnippet+10 {
		t.Errorf("%d bytes are shown", n)
	}
}
