package app

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/library"
)

// indexing is a node that runs, whose settings a test changes.
type indexing struct {
	*testing.T
	o    Options
	node *Node
	api  *client.Client
	end  func()
}

// startIndexing starts a node on a site of two pages: the first has the word "winter" in its text, the second, which is answered when late
// is closed, "summer". Both are long enough to be worth reading.
func startIndexing(t *testing.T, domain string, late <-chan struct{}) *indexing {
	t.Helper()
	site := newTestSite(t, domain, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		word, title := "winter", "First"
		if r.URL.Path == "/late" {
			<-late
			word, title = "summer", "Second"
		}
		fmt.Fprintf(w, `<html lang="en"><title>%s</title><p>%s</p><a href="/late">.</a>`, title, strings.Repeat("A garden in "+word+" rests. ", 100))
	})
	x := &indexing{T: t, o: labOptions(t, t.TempDir(), site.hosts, "http://"+domain+"/")}
	x.o.ExitWhenIdle = 0
	x.o.Reload = func() (config.Config, error) {
		cfg, err := config.Load(x.o.Paths.Config)
		cfg.Web.Addr = x.o.Config.Web.Addr
		return cfg, err
	}
	x.node = newNode(t, x.o)
	x.api, x.end = serveInBackground(t, x.node)
	return x
}

// set saves settings and has them read.
func (x *indexing) set(text string) {
	x.Helper()
	if err := os.WriteFile(x.o.Paths.Config, []byte(text), 0o600); err != nil {
		x.Fatal(err)
	}
	x.node.Reload()
}

func search(x testing.TB, lib api.Searcher, query string) (page api.SearchPage, urls string) {
	x.Helper()
	page, err := lib.SearchArchive(x.Context(), query, "", 20)
	if err != nil {
		x.Fatal(err)
	}
	for _, r := range page.Results {
		urls += r.URL + " "
	}
	return page, urls
}

// until waits until a query finds pages, and returns the answer.
func (x *indexing) until(query, want string) api.SearchPage {
	x.Helper()
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		page, urls := search(x, x.api, query)
		if sameWords(urls, want) {
			return page
		}
		if time.Since(start) > patience {
			x.Fatalf("%s finds %q in vain, want %q: %+v", query, urls, want, page)
		}
	}
}

// Pages that were fetched while the index was off are found when it is on again, and its files are there all the time.
func TestNode_IndexOffAndOn(t *testing.T) {
	t.Parallel()
	late := make(chan struct{})
	x := startIndexing(t, "a.test", late)
	x.until("winter", "http://a.test/ ")
	x.set("[index]\non = \"no\"\n")
	close(late)
	x.until("second", "http://a.test/late ") // by its title
	for query, want := range map[string]string{"summer": "", "winter": "", "second": "http://a.test/late "} {
		if page, urls := search(t, x.api, query); !page.Off || urls != want {
			t.Errorf("%s finds %q, want %q: %+v", query, urls, want, page)
		}
	}
	if s, err := x.api.Status(t.Context()); err != nil || s.Index.On || s.Index.Pages == 0 {
		t.Errorf("status while it is off: %+v, %v", s.Index, err)
	}
	if finds, err := x.api.Finds(t.Context(), nil); err != nil || len(finds.Pages) > 0 {
		t.Errorf("finds while it is off: %+v, %v", finds, err)
	}
	x.set("[index]\non = \"yes\"\ncpu = 100\n")
	if page := x.until("summer", "http://a.test/late "); page.Off || page.Pages != 2 || page.Full {
		t.Errorf("the answer is %+v", page)
	}
	if s, err := x.api.Status(t.Context()); err != nil || !s.Index.On || s.Index.Pages != 2 || s.Index.Full {
		t.Errorf("status: %+v, %v", s.Index, err)
	}
	x.end()

	// Its files say the same.
	lib := library.Open(x.o.Paths)
	if page, urls := search(t, lib, "summer"); page.Off || urls != "http://a.test/late " {
		t.Errorf("the files find %q: %+v", urls, page)
	}
	if s := library.IndexStatus(x.o.Paths); !s.On || s.Pages != 2 || s.Bytes == 0 || s.Waiting != 0 {
		t.Errorf("the files' status: %+v", s)
	}
	if err := os.WriteFile(x.o.Paths.Config, []byte("index.on = \"no\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if page, urls := search(t, library.Open(x.o.Paths), "summer"); !page.Off || urls != "" {
		t.Errorf("the files find %q while it is off: %+v", urls, page)
	}
}

// What is never visited is not found either, from the moment on in which the setting is saved, with the index and without, and whether the
// node runs or not.
func TestNode_NeverHidesWhatIsFound(t *testing.T) {
	t.Parallel()
	late := make(chan struct{})
	close(late)
	x := startIndexing(t, "casino.test", late)
	const both = "http://casino.test/ http://casino.test/late "
	x.until("garden", both)
	for _, c := range []struct{ text, want string }{
		{"topics.never = [\"gambling\"]\n", ""}, {"topics.never = []\n", both},
		{"sites.never = [\"casino.test\"]\n", ""}, {"sites.never = [\"casino.test/late\"]\n", "http://casino.test/ "}, {"", both},
		{"tld.never = [\"test\"]\n", ""}, {"topics.never = [\"dating\"]\n", both},
	} {
		x.set(c.text)
		if _, urls := search(t, x.api, "garden"); !sameWords(urls, c.want) {
			t.Errorf("with %q it finds %q, want %q", c.text, urls, c.want)
		}
		finds, err := x.api.Finds(t.Context(), nil)
		if err != nil || (len(finds.Pages) > 0) != (c.want != "") {
			t.Errorf("with %q the finds are %+v, %v", c.text, finds, err)
		}
		x.set(c.text + "index.on = \"no\"\n")
		if _, urls := search(t, x.api, "casino.test"); !sameWords(urls, c.want) {
			t.Errorf("with %q titles and addresses find %q, want %q", c.text, urls, c.want)
		}
	}
	x.end()
	for text, want := range map[string]string{"topics.never = [\"gambling\"]\n": "", "": both} {
		if err := os.WriteFile(x.o.Paths.Config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, urls := search(t, library.Open(x.o.Paths), "garden"); !sameWords(urls, want) {
			t.Errorf("with %q the files find %q, want %q", text, urls, want)
		}
	}
}

// sameWords compares without regard to order.
func sameWords(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// A page behind redirects that want a cookie back is found under the address at which it was, and so are others with its contents.
func TestIndex_PagesBehindCookies(t *testing.T) {
	s := newTestSite(t, "self.test two.test", func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("ok"); err == nil {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<title>inside</title>")
			return
		}
		to := "/"
		if r.Host == "two.test" && r.URL.Path == "/" {
			to = "/set?back=/"
		}
		http.SetCookie(w, &http.Cookie{Name: "ok", Value: "1", Path: "/"})
		http.Redirect(w, r, to, http.StatusFound)
	})
	o := labOptions(t, t.TempDir(), s.hosts, "http://self.test/", "http://two.test/")
	n := newNode(t, o)
	serveUntilIdle(t, n)
	closeNode(t, n)
	page, err := library.Open(o.Paths).SearchArchive(t.Context(), "inside", "", 10)
	if err != nil || len(page.Results) != 1 || page.Results[0].Copies != 1 {
		t.Fatalf("found %+v, %v", page.Results, err)
	}
}
