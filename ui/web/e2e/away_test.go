package e2e

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
)

// longNight is what a long night brought.
func longNight() api.Away {
	since, until := time.Now().Add(-9*time.Hour), time.Now().Add(-2*time.Minute)
	a := api.Away{
		Since: &since, Until: &until, Sentence: "312 pages from 41 sites in 9 languages", Pages: 312, Firsts: 120, Sites: 41,
		Languages: []string{"cs", "de", "en", "fi", "fr", "is", "it", "ja", "pl"}, Farthest: &api.AwaySite{Domain: "kyoto.example", Ms: 284},
		First:      &api.AwayPage{URL: "http://" + domainName(9) + "/", Domain: domainName(9), Title: "Baking sourdough in Reykjavík"},
		Milestones: []api.Milestone{{Kind: "pages", Count: 1000}, {Kind: "language", Language: "fi"}},
	}
	for i, title := range []string{"The lighthouse keeper's library", "Fünf Wege, einen Fahrradschlauch zu flicken", "京都の庭", "مكتبة الإسكندرية", "On the colour of old maps, and why the sea is pink in some of them"} {
		a.Shown = append(a.Shown, api.Find{Reason: "fresh", SearchResult: api.SearchResult{
			ID: domainName(i), URL: "http://" + domainName(i) + "/page", Title: title, Domain: domainName(i), Language: []string{"en", "de", "ja", "ar", "en"}[i], Time: until, Snippet: []api.SnippetPiece{},
		}})
	}
	return a
}

// away answers as a node does: what was seen is not told any more.
func (s *standIn) away(r *http.Request) any {
	var look struct{ Seen bool }
	if r.Method == http.MethodPost && json.NewDecoder(r.Body).Decode(&look) == nil && look.Seen {
		s.back = api.Away{Languages: []string{}, Shown: []api.Find{}, Milestones: []api.Milestone{}}
	}
	return s.back
}

// Who comes back sees what was fetched meanwhile, opens a page of it, and is done with it.
func TestAway_TellsAndIsDone(t *testing.T) {
	s := newStandIn(t)
	s.back = longNight()
	p := s.show()
	p.see(".away .much", "312 pages from 41 sites in 9 languages")
	p.see(".away .milestone", "First page in Finnish")
	p.see(".away .facts", "Reykjavík")
	p.accessible("the card")
	if n := p.count(".away .finds li"); n != 5 {
		t.Errorf("%d pages to open, want 5", n)
	}
	if to := p.MustElement(".away .finds a").MustProperty("hash").Str(); to != "#/mine?id="+domainName(0) {
		t.Errorf("the first leads to %q", to)
	}
	if to := p.MustElement(".away .finds .fine a").MustProperty("href").Str(); to != s.back.Shown[0].URL {
		t.Errorf("the live page is %q", to)
	}
	p.click(".away button", "Done")
	p.gone(".away", "312")
	p.sound()
}
