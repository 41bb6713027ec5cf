package app

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/p2p/wire"
)

// What became of an address is told, and why it was never requested: by the rule that decides, with the setting that changes it.
func TestWhy(t *testing.T) {
	s := newTestSite(t, "a.test b.test moved.test", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch {
		case r.Host == "a.test" && r.URL.Path == "/":
			for i := range 130 {
				fmt.Fprintf(w, "<a href=/x/%d/x/%d/x/%d/>.</a>", i, i, i)
			}
			io.WriteString(w, "<a href=/ok>o</a><a href=/gone>g</a><a href=/a.pdf>p</a><a href=http://never.test/>n</a>")
		case r.URL.Path == "/gone":
			http.NotFound(w, r)
		default:
			fmt.Fprintf(w, "<title>%s</title>", r.URL.Path)
		}
	})
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/")
	o.ExitWhenIdle = 0
	o.Config.Sites.Never = []string{"moved.test"}
	n := newNode(t, o)
	client, end := serveInBackground(t, n)
	end = sync.OnceFunc(end)
	defer end()
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) { // until all is fetched and known
		s, err := n.Status(t.Context())
		if err == nil && s.Pages > 50 && s.Queued == 0 && s.Leases == 0 {
			break
		}
		if time.Since(begun) > time.Minute {
			t.Fatalf("after a minute: %+v, %v", s, err)
		}
	}
	for address, want := range map[string][2]string{
		"http://a.test/": {"was.fetched", ""}, "a.test": {"was.fetched", ""}, " a.test/ok#top ": {"was.fetched", ""}, "http://a.test/gone": {"was.gone", ""},
		"a.test/x/129/x/129/x/129/": {"trap", "crawl.untrap"}, "http://a.test/a.pdf": {"media", ""}, "http://a.test/other": {"unknown", "crawl.depth"},
		"http://elsewhere.test/": {"world", ""}, "moved.test/page": {"never", "sites.never"}, "http://b.test/": {"nobody", ""},
	} {
		why, err := client.Why(t.Context(), address)
		if err != nil || why.Verdict != want[0] || why.Setting != want[1] || why.Sentence == "" || !strings.Contains(why.URL, why.Domain) {
			t.Errorf("why %s: %+v, %v, want %v", address, why, err, want)
		}
		if want[1] != "" && !slices.ContainsFunc(why.Details, func(d string) bool { return strings.Contains(d, want[1]) }) {
			t.Errorf("why %s does not name the setting: %q", address, why.Details)
		}
	}
	for _, address := range []string{"ftp://a.test/", "a b", "me@a.test", "http://"} {
		if why, err := client.Why(t.Context(), address); err == nil || !strings.Contains(err.Error(), "not a web address") {
			t.Errorf("why %s: %+v, %v", address, why, err)
		}
	}
	// Another member asks. Whatever it asks, it gets an answer or an error.
	for body, leads := range map[string]bool{
		string(wire.Encode(&wire.WhyAsk{URL: "http://a.test/ok"})): true, string(wire.Encode(&wire.WhyAsk{URL: "http://nobody.test/"})): false,
	} {
		raw, err := n.Inquiry.Handle(t.Context(), "peer", []byte(body))
		a, bad := wire.Decode[wire.WhyAnswer](raw)
		if err != nil || bad != nil || a.Leads != leads || a.Known != leads {
			t.Errorf("asked %q: %+v, %v, %v", body, a, err, bad)
		}
	}
	for _, body := range []string{"", "\xff", string(wire.Encode(&wire.WhyAsk{URL: "http://A.test/ok"})), string(wire.Encode(&wire.WhyAsk{URL: "http://a.test/" + strings.Repeat("x", 5000)}))} {
		if raw, err := n.Inquiry.Handle(t.Context(), "peer", []byte(body)); err == nil {
			t.Errorf("asked %.40q: % x", body, raw)
		}
	}
	// When the node has ended, its files say the same.
	end()
	if err := config.Set(o.Paths.Config, "sites.never", "moved.test"); err != nil {
		t.Fatal(err)
	}
	r, err := nodeapi.OpenReader(o.Paths)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for address, want := range map[string]string{
		"http://a.test/": "was.fetched", "a.test": "was.fetched", "http://a.test/gone": "was.gone", "a.test/x/129/x/129/x/129/": "trap", "http://a.test/a.pdf": "media",
		"http://a.test/other": "unknown", "moved.test/page": "never", "http://b.test/": "stopped",
	} {
		if why, err := r.Why(t.Context(), address); err != nil || why.Verdict != want || why.Sentence == "" {
			t.Errorf("why %s after the end: %+v, %v, want %s", address, why, err, want)
		}
	}
	if why, err := r.Why(t.Context(), "me@a.test"); err == nil || !strings.Contains(err.Error(), "not a web address") {
		t.Errorf("why me@a.test after the end: %+v, %v", why, err)
	}
}

// Whoever is asked, the answer is that of the member that keeps track of the site.
func TestSim_WhyAsksTheOwner(t *testing.T) {
	simulate(t, 30, 4, func(s *simSwarm) {
		first := s.start(nil, 0)
		s.run(3 * time.Second)
		for i := 1; i < 4; i++ {
			s.start([]*simNode{first}, i)
			s.run(2 * time.Second)
		}
		s.finish(20 * time.Minute)
		owners := make(map[string]bool)
		for i := range s.web.domains {
			address := fmt.Sprintf("http://%s/", simDomain(i))
			verdicts := make(map[string]int)
			for _, n := range s.running() {
				why, err := n.node.Why(s.t.Context(), address)
				if err != nil {
					s.t.Errorf("%s: why %s: %v", n.name, address, err)
				}
				verdicts[why.Verdict]++
				owners[why.Owner] = true
			}
			if len(verdicts) != 1 || verdicts["was.fetched"] == 0 {
				s.t.Errorf("why %s: %v", address, verdicts)
			}
		}
		if len(owners) < 3 { // "" is whoever asked itself
			s.t.Errorf("asked were %v alone", owners)
		}
	})
}

var _ api.Inquirer = (*Node)(nil)
