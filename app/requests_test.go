package app

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/app/requestlog"
	"github.com/forage-net/forage/crawl/fetch"
)

// ruledSite is a site with a robots.txt that writes down what it is asked for.
func ruledSite(t *testing.T, names, robotsTxt string) (*fetch.Hosts, func() []string) {
	t.Helper()
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, "http://"+r.Host+r.URL.RequestURI())
		mu.Unlock()
		switch r.URL.Path {
		case "/robots.txt":
			fmt.Fprint(w, robotsTxt)
		case "/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<title>Bread from Reykjavík</title><a href="/private/x">1</a><a href="/moved">2</a><a href="/none">3</a>`)
		case "/moved":
			http.Redirect(w, r, "/private/open", http.StatusMovedPermanently)
		case "/private/open":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<title>Open</title>")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	hosts, err := fetch.ParseHosts(strings.NewReader(server.Listener.Addr().String() + " " + names))
	if err != nil {
		t.Fatal(err)
	}
	return hosts, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Sorted(slices.Values(asked))
	}
}

func TestRequests_AreWhatTheSiteSaw(t *testing.T) {
	hosts, asked := ruledSite(t, "a.test b.test", "User-agent: *\nDisallow: /private\nAllow: /private/open\nSitemap: http://a.test/sitemap.xml\n")
	o := labOptions(t, t.TempDir(), hosts, "http://a.test/", "http://b.test/")
	gap := 5 * time.Millisecond
	o.Lab.Gap = &gap
	n := newNode(t, o)
	serveUntilIdle(t, n)
	page, err := n.Requests(t.Context(), api.RequestQuery{Limit: 1000})
	if err != nil || page.KeptDays != 30 || page.Next != "" {
		t.Fatalf("Requests = %d, %q, %v", page.KeptDays, page.Next, err)
	}
	var made []string
	forbidden := 0
	for i, r := range page.Requests {
		if i > 0 && r.Time.After(page.Requests[i-1].Time.Add(time.Second)) {
			t.Errorf("%s comes after %s", r.Time, page.Requests[i-1].Time)
		}
		if r.Addr == "" {
			if r.Code != api.CodeForbidden || r.Rule != "Disallow: /private" || r.Allowed != "rules" || !strings.HasSuffix(r.URL, "/private/x") {
				t.Errorf("not made: %+v", r)
			}
			forbidden++
			continue
		}
		made = append(made, r.URL)
		if r.Addr != "127.0.0.1" || r.Status == 0 || r.Bytes == 0 || r.Owner != "" || r.Allowed == "" {
			t.Errorf("made: %+v", r)
		}
		if r.WaitedS >= 0 && r.WaitedS < gap.Seconds() || r.WaitedS >= 0 && r.GapS != gap.Seconds() {
			t.Errorf("%s waited %v s, the gap is %v s", r.URL, r.WaitedS, r.GapS)
		}
	}
	slices.Sort(made)
	if want := asked(); !slices.Equal(made, want) {
		t.Errorf("recorded %v, the site saw %v", made, want)
	}
	if forbidden != 2 {
		t.Errorf("%d requests were not made, want 2", forbidden)
	}
	for _, c := range []struct {
		q    api.RequestQuery
		want int
	}{
		{api.RequestQuery{Domain: "A.test"}, len(page.Requests)},
		{api.RequestQuery{Kind: "forbidden"}, 2},
		{api.RequestQuery{Kind: "page", Domain: "a.test"}, 2},
		{api.RequestQuery{Kind: "robots"}, 4},
		{api.RequestQuery{Text: "reykjavÍk"}, 2},
		{api.RequestQuery{Text: "SITEMAP.XML"}, 1},
		{api.RequestQuery{Text: "elsewhere"}, 0},
	} {
		if c.q.Domain == "A.test" {
			c.want = 0
			for _, r := range page.Requests {
				if r.Domain == "a.test" {
					c.want++
				}
			}
		}
		c.q.Limit = 1000
		if got, err := n.Requests(t.Context(), c.q); err != nil || len(got.Requests) != c.want {
			t.Errorf("%+v: %d requests, %v, want %d", c.q, len(got.Requests), err, c.want)
		}
	}
	var wrong *api.InputError
	for _, q := range []api.RequestQuery{{Limit: 1, Kind: "links-sent"}, {Limit: 1, Before: "yesterday"}} {
		if _, err := n.Requests(t.Context(), q); !errors.As(err, &wrong) {
			t.Errorf("%+v: %v, want an input error", q, err)
		}
	}
	report, err := n.RequestReport(t.Context(), 7)
	for _, want := range []string{
		fmt.Sprintf("Requests made   %d, to 2 sites; 2 of them for robots.txt", len(made)), "Not made        2, because", "User-Agent: ", "a.test", "asked for",
	} {
		if !strings.Contains(report, want) {
			t.Errorf("the report does not say %q:\n%s (%v)", want, report, err)
		}
	}
	if strings.Contains(report, "Incomplete") {
		t.Errorf("the report says that it is incomplete:\n%s", report)
	}
	closeNode(t, n)

	r, err := nodeapi.OpenReader(o.Paths)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := r.Requests(t.Context(), api.RequestQuery{Limit: 1000}); err != nil || len(got.Requests) != len(page.Requests) {
		t.Errorf("the files hold %d requests, %v, want %d", len(got.Requests), err, len(page.Requests))
	}
	if text, err := r.RequestReport(t.Context(), 1); err != nil || !strings.Contains(text, "to 2 sites") {
		t.Errorf("report from the files: %v\n%s", err, text)
	}
	r.Close()

	o.Config.Log.RequestsDays = 0
	silent := newNode(t, o)
	if got, err := silent.Requests(t.Context(), api.RequestQuery{Limit: 10}); err != nil || len(got.Requests) != 0 || got.KeptDays != 0 {
		t.Errorf("with nothing to be kept there are %+v, %v", got, err)
	}
	closeNode(t, silent)
	if _, err := os.Stat(requestlog.Dir(o.Paths.State)); !os.IsNotExist(err) {
		t.Errorf("the record is still there: %v", err)
	}
}
