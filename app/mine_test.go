package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/claims"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/erase"
	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/app/stats"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/storage"
)

// street is some sites, each on a server of its own, that note in what order their pages were asked for.
type street struct {
	hosts *fetch.Hosts

	mu     sync.Mutex
	robots map[string]string // by host; others have none
	order  []string          // URLs of pages
}

func newStreet(t *testing.T, names ...string) *street {
	t.Helper()
	s := &street{robots: make(map[string]string)}
	var file strings.Builder
	for _, name := range names {
		server := httptest.NewServer(http.HandlerFunc(s.serve))
		t.Cleanup(server.Close)
		fmt.Fprintln(&file, server.Listener.Addr(), name, "www."+name)
	}
	var err error
	if s.hosts, err = fetch.ParseHosts(strings.NewReader(file.String())); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *street) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	text, ok := s.robots[r.Host]
	if r.URL.Path != "/robots.txt" {
		s.order = append(s.order, "http://"+r.Host+r.URL.Path)
	}
	s.mu.Unlock()
	switch {
	case r.URL.Path != "/robots.txt":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>%s of %s</title>", r.URL.Path, r.Host)
	case ok:
		fmt.Fprint(w, text)
	default:
		http.NotFound(w, r)
	}
}

// says sets the robots.txt of a host.
func (s *street) says(host, robots string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.robots[host] = robots
}

// took returns the pages that were asked for since the last call.
func (s *street) took() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	order := s.order
	s.order = nil
	return order
}

// household is a home whose node runs again and again, each time with pages of all sites that nobody has seen.
type household struct {
	t      *testing.T
	street *street
	home   string
	names  []string
	runs   int
	more   []string // seeds of the next run
	others int      // pages of others that were fetched
}

const (
	ownSite     = "mine.test"
	pagesOfEach = 10
)

// run visits ten pages of each site, and returns whether the own one is proved then and how many pages of all were
// fetched when its last one was.
func (h *household) run() (proved bool, last, all int) {
	h.t.Helper()
	h.runs++
	seeds := h.more
	h.more = nil
	for i := range pagesOfEach {
		for _, name := range h.names {
			seeds = append(seeds, fmt.Sprintf("http://%s/%d/%d", name, h.runs, i))
		}
	}
	o := labOptions(h.t, h.home, h.street.hosts, seeds...)
	o.Config.Sites.Mine = []string{ownSite}
	o.Config.Limits.Budget.Full.Fetchers = 1
	n := newNode(h.t, o)
	serveUntilIdle(h.t, n)
	proved = n.claims.Proved(ownSite)
	closeNode(h.t, n)
	order := h.street.took()
	for i, u := range order {
		switch {
		case strings.HasPrefix(u, "http://"+ownSite+"/"):
			last = i + 1
		case !strings.Contains(u, ownSite):
			h.others++
		}
	}
	return proved, last, len(order)
}

// forget has the node read each robots.txt again.
func (h *household) forget() {
	h.t.Helper()
	db, err := storage.Open(labOptions(h.t, h.home, h.street.hosts).Paths.Store(), storage.Options{NoSync: true})
	if err != nil {
		h.t.Fatal(err)
	}
	defer db.Close()
	err = db.Update(func(tx *storage.Tx) error {
		var keys [][]byte
		c := tx.Bucket(storage.BucketRobots).Cursor()
		for key, _ := c.First(); key != nil; key, _ = c.Next() {
			keys = append(keys, key)
		}
		for _, key := range keys {
			if err := tx.Bucket(storage.BucketRobots).Delete(key); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// A site comes first while its robots.txt names this node, and no other; what is fetched there is archived and not
// counted, proved or not.
func TestMine_ASiteComesFirstWhileItIsProved(t *testing.T) {
	t.Parallel()
	names := []string{"a.test", "b.test", "c.test", "d.test", "e.test", ownSite}
	h := &household{t: t, street: newStreet(t, names...), home: t.TempDir(), names: names}
	const rules = "User-agent: *\nDisallow: /1/9\nDisallow: /7/9\n"
	self := func() string {
		name, err := nodeapi.NodeName(labOptions(t, h.home, h.street.hosts).Paths)
		if err != nil {
			t.Fatal(err)
		}
		return claims.RobotsLine(name) + "\n"
	}
	h.street.says(ownSite, rules+claims.RobotsLine("12D3KooWG8NEX5PUVEEBNsbGEuy51HpBWScrenAMmnsYiNad4sPr"))
	h.run()
	for _, s := range []struct {
		name  string
		of    string // whose robots.txt says so
		token func() string
		want  bool
	}{
		{"the token of another node", ownSite, func() string { return claims.RobotsLine("12D3KooWother") }, false},
		{"that of this node at a host below", "www." + ownSite, self, false},
		{"that of this node", ownSite, self, true},
		{"taken away", ownSite, func() string { return "" }, false},
	} {
		h.street.says(s.of, rules+s.token())
		h.forget()
		if s.of != ownSite {
			h.more = []string{"http://" + s.of + "/"}
		}
		if proved, _, _ := h.run(); proved != s.want {
			t.Errorf("%s: proved %v, want %v", s.name, proved, s.want)
		}
		// What was known at the start is what counts for the order: the site takes turns with the others, and ends
		// with them, or it comes first. A busy computer may bring that about by chance: a site whose request takes a
		// second is a slow one, and those come last.
		first, last, all := false, 0, 0
		for try := 0; try == 0 || first != s.want && try < 3; try++ {
			var proved bool
			if proved, last, all = h.run(); proved != s.want {
				t.Errorf("%s: proved %v after another start, want %v", s.name, proved, s.want)
			}
			first = last <= 2*all/3
		}
		if first != s.want {
			t.Errorf("%s: the last page of the own site is number %d of %d", s.name, last, all)
		}
	}
	o := labOptions(t, h.home, h.street.hosts)
	o.Config.Sites.Mine = []string{ownSite}
	n := newNode(t, o)
	defer closeNode(t, n)
	stats, err := stats.Read(n.db, 1000)
	if err != nil || stats.Totals.Pages != int64(h.others) || stats.Totals.Firsts+stats.Totals.Duplicates != int64(h.others) {
		t.Errorf("counted %+v, %v, want the %d pages of others", stats.Totals, err, h.others)
	}
	if s, err := n.Status(t.Context()); err != nil || s.Pages != int64(h.others) {
		t.Errorf("the status tells of %d pages, %v", s.Pages, err)
	}
	for _, page := range []string{"http://mine.test/", "http://mine.test/1/0"} {
		list, err := n.Captures(t.Context(), page, "", 10)
		if err != nil || !slices.ContainsFunc(list.Captures, func(c api.ArchivedCapture) bool { return c.URL == page }) {
			t.Errorf("of %s there are %+v, %v in the archive", page, list, err)
		}
	}
	for _, page := range []string{"http://mine.test/1/9", "http://mine.test/7/9"} {
		if list, err := n.Captures(t.Context(), page, "", 10); err != nil || len(list.Captures) != 0 {
			t.Errorf("robots.txt forbids %s, and there are %+v, %v", page, list, err)
		}
	}
}

// A token loosens nothing: what the user never visits is not visited.
func TestMine_NeverIsStronger(t *testing.T) {
	t.Parallel()
	s := newStreet(t, "a.test", ownSite)
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/")
	o.Config.Sites.Mine, o.Config.Sites.Never = []string{ownSite}, []string{ownSite}
	n := newNode(t, o)
	s.says(ownSite, claims.RobotsLine(peer.ID(n.member.Node.Self()).String()))
	if n.mayAskAbout(ownSite) || n.mayAskAbout("a.test") {
		t.Error("the DNS may be asked about a site that is never visited, or before the start")
	}
	n.claims.SawRobots(ownSite, []string{peer.ID(n.member.Node.Self()).String()}, time.Now())
	if !n.claims.Proved(ownSite) {
		t.Fatal("not proved")
	}
	serveUntilIdle(t, n)
	closeNode(t, n)
	if got := s.took(); len(got) != 1 || got[0] != "http://a.test/" {
		t.Errorf("visited %q", got)
	}
}

// What is saved as a setting holds at once, and what proves it survives the end of the node but not an erasure.
func TestMine_SettingsHoldAtOnce(t *testing.T) {
	s := startSettler(t, "")
	if _, err := s.set("sites.mine", `["a.example"]`); err != nil {
		t.Fatal(err)
	}
	s.until("the list", func() error {
		if !s.node.claims.Lists("a.example") {
			return fmt.Errorf("the sites are %+v", s.node.claims.Sites())
		}
		return nil
	})
	s.node.claims.SawRobots("a.example", []string{peer.ID(s.node.member.Node.Self()).String()}, time.Now())
	if why := s.node.claims.First(); len(why) != 1 {
		t.Errorf("first are %q", why)
	}
	if _, err := s.set("sites.mine", `[]`); err != nil {
		t.Fatal(err)
	}
	s.until("the end of it", func() error {
		if s.node.claims.Lists("a.example") {
			return fmt.Errorf("the sites are %+v", s.node.claims.Sites())
		}
		return nil
	})
}

func TestClaims_AreAsManyAsTheSettingHolds(t *testing.T) {
	if claims.Max != config.MaxMine {
		t.Errorf("%d domains can be claimed and %d be listed", claims.Max, config.MaxMine)
	}
}

func TestErase_TakesTheProofsOfSites(t *testing.T) {
	o := labOptions(t, t.TempDir(), nil)
	c := claims.New(claims.Config{Node: "x", Now: time.Now}, nil)
	c.List([]crawl.Domain{"mine.example"})
	if err := c.Save(claims.Path(o.Paths.State)); err != nil {
		t.Fatal(err)
	}
	if _, err := erase.All(t.Context(), o.Paths, false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(claims.Path(o.Paths.State)); !os.IsNotExist(err) {
		t.Errorf("the proofs are still there: %v", err)
	}
}
