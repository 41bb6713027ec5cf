package server

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
)

func (n *testNode) SearchArchive(_ context.Context, query, from string, limit int) (api.SearchPage, error) {
	switch query {
	case "":
		return api.SearchPage{}, &api.InputError{Err: errors.New("say a word")}
	case "nothing":
		return api.SearchPage{Pages: 5}, nil
	}
	return api.SearchPage{Results: []api.SearchResult{{ID: from, URL: query, Title: "T", Domain: "d"}},
		Total: limit}, nil
}

func (n *testNode) LinksTo(_ context.Context, target, from string, limit int) (api.LinksPage, error) {
	if target == "nobody.test" {
		return api.LinksPage{Target: target, Domain: true}, nil
	}
	return api.LinksPage{Target: target, Links: limit,
		List: []api.InLink{{From: "https://b.example/", Site: "b.example", ID: from}}}, nil
}

func (n *testNode) Site(_ context.Context, domain string) (api.SiteSummary, error) {
	if domain != "a.example" {
		return api.SiteSummary{}, api.ErrNoSite
	}
	return api.SiteSummary{Domain: domain, Top: []api.SearchResult{{ID: "1"}}}, nil
}

func (n *testNode) Finds(_ context.Context, languages []string) (api.Finds, error) {
	n.called("finds %s", strings.Join(languages, " "))
	if len(languages) == 0 {
		return api.Finds{}, nil
	}
	return api.Finds{Pages: []api.Find{{SearchResult: api.SearchResult{ID: "1", Language: languages[0]},
		Reason: "fresh"}}}, nil
}

func TestClient_Search(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	c, err := client.Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	none := []api.SnippetPiece{}
	found, err := c.SearchArchive(ctx, "w & x", "b", 3)
	if want := (api.SearchPage{Results: []api.SearchResult{{ID: "b", URL: "w & x", Title: "T", Domain: "d",
		Snippet: none}},
		Total: 3}); err != nil || !reflect.DeepEqual(found, want) {
		t.Errorf("SearchArchive = %+v, %v, want %+v", found, err, want)
	}
	links, err := c.LinksTo(ctx, "https://a.example/?x&y", "n", 7)
	if want := (api.LinksPage{Target: "https://a.example/?x&y", Links: 7,
		List: []api.InLink{{From: "https://b.example/", Site: "b.example", ID: "n"}}}); err != nil ||
		!reflect.DeepEqual(links, want) {
		t.Errorf("LinksTo = %+v, %v, want %+v", links, err, want)
	}
	site, err := c.Site(ctx, "a.example")
	if err != nil || site.Domain != "a.example" ||
		!reflect.DeepEqual(site.Top, []api.SearchResult{{ID: "1", Snippet: none}}) {
		t.Errorf("Site = %+v, %v", site, err)
	}
	if _, err := c.Site(ctx, "nobody.test"); !errors.Is(err, api.ErrNoSite) {
		t.Errorf("Site of which there is nothing: %v", err)
	}
	finds, err := c.Finds(ctx, []string{"de", "en"})
	if want := []api.Find{{SearchResult: api.SearchResult{ID: "1", Language: "de", Snippet: none},
		Reason: "fresh"}}; err != nil || !reflect.DeepEqual(finds.Pages, want) {
		t.Errorf("Finds = %+v, %v", finds, err)
	}
}

func TestServer_SearchInput(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	for path, want := range map[string]int{
		"/api/archive/search": 400, "/api/archive/search?q=": 400, "/api/archive/search?q=a": 200,
		"/api/archive/search?q=%ff":                                400,
		"/api/archive/search?q=" + strings.Repeat("x", maxQuery+1): 400, "/api/archive/search?q=a&q=b": 400,
		"/api/archive/search?q=a&limit=100": 200, "/api/archive/search?q=a&limit=101": 400,
		"/api/archive/search?q=a&limit=0":                                400,
		"/api/archive/search?q=a&from=" + strings.Repeat("x", maxFrom+1): 400, "/api/archive/search?q=a&before=x": 400,
		"/api/archive/links": 400, "/api/archive/links?target=a": 200, "/api/archive/links?target=%ff": 400,
		"/api/archive/links?target=a&limit=101":                         400,
		"/api/archive/links?target=" + strings.Repeat("x", maxLookup+1): 400,
		"/api/archive/site": 400, "/api/archive/site?domain=a.example": 200, "/api/archive/site?domain=b": 404,
		"/api/archive/site?domain=%ff":                               400,
		"/api/archive/site?domain=" + strings.Repeat("x", maxName+1): 400,
		"/api/archive/finds":                                         200, "/api/archive/finds?languages=de,x,!": 200,
		"/api/archive/finds?languages=" + strings.Repeat("x", maxLanguagesText+1): 400,
	} {
		if resp, body := r.raw(t,
			"GET "+path+" HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n\n"); resp.StatusCode != want {
			t.Errorf("%.60s: %d %s, want %d", path, resp.StatusCode, body, want)
		}
	}
	for path, want := range map[string]string{
		"/api/archive/search?q=nothing":          `{"results":[],"next":"","total":0,"more":false,"some":false,"pages":5,"waiting":0,"full":false,"off":false}`,
		"/api/archive/search?q=a":                `"snippet":[]`,
		"/api/archive/links?target=nobody.test":  `{"target":"nobody.test","domain":true,"sites":0,"links":0,"list":[],"next":""}`,
		"/api/archive/site?domain=a.example":     `"languages":[]`,
		"/api/archive/finds":                     `"pages":[]`,
		"/api/archive/finds?languages=%20DE,x1,": `"language":"de"`,
	} {
		if _, body := r.raw(t,
			"GET "+path+" HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n\n"); !strings.Contains(body, want) {
			t.Errorf("%s = %s, want %s in it", path, body, want)
		}
	}
}

func TestTypes_SearchKeys(t *testing.T) {
	const result = `"id":"","url":"","time":"0001-01-01T00:00:00Z","title":"","domain":"","language":"","snippet":null,"copies":0,"moreOfSite":0,"links":0`
	for _, c := range []struct {
		v    any
		want string
	}{
		{api.SearchResult{}, "{" + result + "}"},
		{api.SnippetPiece{}, `{"text":"","match":false}`},
		{api.InLink{}, `{"from":"","site":"","title":"","text":"","to":"","first":"0001-01-01T00:00:00Z","last":"0001-01-01T00:00:00Z","pages":0,"id":""}`},
		{api.SiteSummary{}, `{"domain":"","title":"","description":"","languages":null,"pages":0,"bytes":0,"first":"0001-01-01T00:00:00Z",` +
			`"last":"0001-01-01T00:00:00Z","fresh":0,"linkingSites":0,"topLinks":null,"top":null,"distance":""}`},
		{api.LanguageCount{}, `{"language":"","pages":0}`},
		{api.Find{}, "{" + result + `,"reason":""}`},
	} {
		if got, err := json.Marshal(c.v); err != nil || string(got) != c.want {
			t.Errorf("%T is %s, want %s (%v)", c.v, got, c.want, err)
		}
	}
}
