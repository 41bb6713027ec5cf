package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"

	"github.com/forage-net/forage/app/api"
)

// Whoever opens a result and goes back finds the search as it was left.
func TestSearch_BackKeepsTheQuery(t *testing.T) {
	l := newLab(t)
	l.crawl()
	l.await("pages of a site can be found", func() bool {
		found, err := l.client().SearchArchive(context.Background(), ".test", "", 5)
		return err == nil && len(found.Results) >= 5
	})
	p := l.dashboard("en")
	p.visit("mine")
	proto.EmulationSetDeviceMetricsOverride{Width: 1280, Height: 400, DeviceScaleFactor: 1}.Call(p)
	p.see("#search", "").MustInput(".test")
	p.see(".found a.name", "")
	p.picture("found")
	last := p.see(".found li:nth-child(5) a.name", "").MustScrollIntoView()
	name, down := last.MustText(), p.MustEval("() => scrollY").Int()
	p.click(".found li:nth-child(5) a.name", "")
	p.see(".reader-head h1", name)
	if top := p.MustEval("() => scrollY").Int(); down == 0 || top != 0 {
		t.Errorf("the list was read down to %d, and the page begins at %d", down, top)
	}
	p.MustNavigateBack()
	p.see(".found a.name", name)
	if got := p.see("#search", "").MustProperty("value").Str(); got != ".test" {
		t.Errorf("the search says %q", got)
	}
	p.MustWait("down => scrollY === down", down)
	p.MustNavigateForward()
	p.see(".reader-head h1", name)
	p.sound()
}

// What an index knows is shown, whatever it is, in light and dark, wide and narrow, without a fault of accessibility.
func TestSearch_ShowsWhatTheIndexKnows(t *testing.T) {
	for _, lang := range []string{"en", "de"} {
		t.Run(lang, func(t *testing.T) {
			s := newStandIn(t)
			l := &lab{t: t}
			p := l.open(s.URL, lang)
			for _, view := range []struct {
				name, scheme string
				width        int
			}{{"light", "light", 1280}, {"dark", "dark", 1280}, {"phone", "light", 390}, {"darkphone", "dark", 390}} {
				proto.EmulationSetEmulatedMedia{Features: []*proto.EmulationMediaFeature{{Name: "prefers-color-scheme", Value: view.scheme}}}.Call(p)
				proto.EmulationSetDeviceMetricsOverride{Width: view.width, Height: 900, DeviceScaleFactor: 1}.Call(p)
				for _, place := range []struct{ name, route, selector, text string }{
					{"finds", "now", ".finds a", ""}, {"search", "mine?q=winter", ".snippet mark", ""}, {"none", "mine?q=nothing", ".tally p", "12"},
					{"links", "mine?links=garden.example", ".inlinks a", ""}, {"site", "mine?site=garden.example", ".figures dd", ""}, {"unknown", "mine?site=nowhere.example", "[role=alert]", ""},
				} {
					p.visit(place.route)
					p.see(place.selector, place.text)
					p.MustEval("() => document.querySelectorAll('.search-help').forEach(e => { e.open = true })")
					p.settle()
					if p.MustEval("() => document.documentElement.scrollWidth > innerWidth").Bool() {
						t.Errorf("%s is wider than the window", place.name)
					}
					p.picture(place.name + "-" + view.name)
					p.accessible(place.name + ", " + view.name)
				}
			}
			p.sound()
		})
	}
}

// Markup in what sites wrote is text, more of a search comes when asked for, and a word that is typed later wins.
func TestSearch_TypingAndMore(t *testing.T) {
	s := newStandIn(t)
	p := (&lab{t: t}).open(s.URL+"/#/mine", "en")
	p.see("#search", "").MustInput("winter")
	p.see(".snippet", "<b>frost</b>")
	p.see(".snippet mark", "winter")
	if n := len(p.MustElements(".found b, .found script")); n > 0 {
		t.Errorf("%d elements of a page are in the results", n)
	}
	p.click("button", "More results")
	p.see(".found li:nth-child(5) a.name", "Last")
	p.click(".about a", "3 more from garden.example")
	p.see(".found a.name", "site:garden.example")
	if got := p.see("#search", "").MustProperty("value").Str(); got != "winter site:garden.example" {
		t.Errorf("the search says %q", got)
	}
	p.MustElement("#search").MustSelectAllText().MustInput("slow") // its answer never comes
	p.MustElement("#search").MustSelectAllText().MustInput("quick").MustType(input.Enter)
	p.see(".found a.name", "Answer to quick")
	p.sound()
}

// archive answers as an index does that knows a few pages.
func archive(mux *http.ServeMux, answer func(string, func(*http.Request) any)) {
	answer("/api/archive/search", search)
	answer("/api/archive/links", func(*http.Request) any {
		page := api.LinksPage{Target: "garden.example", Domain: true, Sites: 2, Links: 1234, Next: "n"}
		for i, text := range []string{"Winter gardens of the north", "", strings.Repeat("averylongwordwithoutanend", 8)} {
			page.List = append(page.List, inLink(fmt.Sprintf("blog%d.example", i/2), text, i))
		}
		return page
	})
	answer("/api/archive/finds", func(*http.Request) any {
		finds := api.Finds{Pages: []api.Find{}}
		for i, reason := range []string{"linked", "fresh", "new-site", "unheard-of"} {
			finds.Pages = append(finds.Pages, api.Find{SearchResult: result(fmt.Sprintf("f%d", i), titles[i], 12), Reason: reason})
		}
		return finds
	})
	mux.HandleFunc("/api/archive/site", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("domain") != "garden.example" {
			http.Error(w, `{"error":"nothing of this site is in the archive"}`, http.StatusNotFound)
			return
		}
		writeAnswer(w, siteSummary())
	})
}

var titles = []string{"The Garden in Winter: what to do before the first frost", "Überwintern im Gewächshaus", "", "حديقة الشتاء", "Last"}

func result(id, title string, links int) api.SearchResult {
	return api.SearchResult{
		ID: id, URL: "https://garden.example/a/path/of/some/length/that/goes/on/and/on/until-it-is-cut?with=a&few=parameters#" + id, Title: title, Domain: "garden.example",
		Time: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), Language: "en", Links: links,
		Snippet: []api.SnippetPiece{{Text: "… cover the beds, because <b>frost</b> comes early. In "}, {Text: "winter", Match: true}, {Text: " a garden rests, and so does who tends it; what is left of summer stands in the "}, {Text: "winter", Match: true}, {Text: " garden …"}},
	}
}

func search(r *http.Request) any {
	page := api.SearchPage{Results: []api.SearchResult{}, Pages: 12345}
	switch q := r.FormValue("q"); {
	case q == "slow":
		<-r.Context().Done()
	case q == "winter" && r.FormValue("from") == "":
		for i, title := range titles[:4] {
			page.Results = append(page.Results, result(fmt.Sprintf("r%d", i), title, []int{0, 1, 1234, 2}[i]))
		}
		page.Results[1].Language, page.Results[3].Language, page.Results[1].Copies, page.Results[2].MoreOfSite, page.Results[2].Snippet = "de", "ar", 2, 3, []api.SnippetPiece{}
		page.Total, page.Next, page.Waiting = 5, "n", 25
	case q == "winter":
		page.Results, page.Total = append(page.Results, result("r3", titles[3], 2), result("r4", titles[4], 0)), 5
	case q != "nothing":
		page.Results, page.Total = append(page.Results, result("q", "Answer to "+q, 0)), 1
	}
	return page
}

func inLink(site, text string, i int) api.InLink {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	return api.InLink{
		ID: fmt.Sprint(i), From: "https://" + site + "/a/long/path/to/a/page/that/links/to/gardens/of/all/kinds/in/the/north/and/south", Site: site, Title: titles[i], Text: text,
		To: "https://garden.example/winter", First: at.AddDate(0, -i, 0), Last: at, Pages: 1 + 3*i,
	}
}

func siteSummary() api.SiteSummary {
	s := api.SiteSummary{
		Domain: "garden.example", Title: "The Garden", Description: "All about gardens, from the first seed to the last leaf.", Pages: 1234, Bytes: 56_700_000, Fresh: 987, LinkingSites: 12,
		First: time.Date(2025, 11, 2, 0, 0, 0, 0, time.UTC), Last: time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC),
		Languages: []api.LanguageCount{{Language: "en", Pages: 1000}, {Language: "de", Pages: 200}, {Pages: 34}},
	}
	for i := range 3 {
		s.Top = append(s.Top, result(fmt.Sprint(i), titles[i], 0))
		s.TopLinks = append(s.TopLinks, inLink(fmt.Sprintf("blog%d.example", i), "gardens", i))
	}
	return s
}
