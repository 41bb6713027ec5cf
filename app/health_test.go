package app

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
)

// When many sites refuse this address the node slows itself, says so, and knows
// it still after a restart.
func TestNode_SlowsWhenSitesRefuseItsAddress(t *testing.T) {
	var names, seeds []string
	for i := range 12 {
		names = append(names, fmt.Sprintf("s%d.test", i))
		seeds = append(seeds, fmt.Sprintf("http://s%d.test/", i))
	}
	s := newTestSite(t, strings.Join(names, " "), func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.Host {
		case "s0.test", "s1.test", "s2.test":
			w.WriteHeader(http.StatusForbidden)
		case "s3.test", "s4.test", "s5.test":
			w.Header().Set("cf-mitigated", "challenge")
			w.WriteHeader(http.StatusForbidden)
		}
		fmt.Fprint(w, "a page of "+r.Host)
	})
	o := labOptions(t, t.TempDir(), s.hosts, seeds...)
	n := newNode(t, o)
	serveUntilIdle(t, n)
	status, err := n.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h := status.Health
	if h.Factor < 2 || h.Answered != 12 || h.Refused != 6 || h.Challenged != 3 || !strings.Contains(h.Sentence, "6 of 12 sites turned this address away or asked for a human") {
		t.Errorf("health %+v", h)
	}
	if slow := n.health.Slow(); slow != h.Factor {
		t.Errorf("the gaps are slowed by %d, the status says %d", slow, h.Factor)
	}
	closeNode(t, n)
	n = newNode(t, o)
	defer closeNode(t, n)
	if again := api.Health(n.health.Report(time.Now())); again.Refused != 6 || again.Factor != h.Factor {
		t.Errorf("after a restart: %+v", again)
	}
}

// "Never" holds at once, without a request, and what is queued stays queued.
func TestNode_NeverVisitsWhatItsUserRefuses(t *testing.T) {
	s := newTestSite(t, "a.test b.test", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<a href="http://b.test/x">b</a>`)
	})
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/")
	n := newNode(t, o)
	change, err := n.Never(t.Context(), "http://b.test/some/page", false)
	if err != nil || change.Pattern != "b.test" || !change.Never || !change.Changed {
		t.Fatalf("Never: %+v, %v", change, err)
	}
	served := make(chan error, 1)
	go func() { served <- n.Serve(t.Context()) }()
	for held, since := false, uint64(0); !held; {
		n.Wait(t.Context(), since)
		var events []api.Event
		events, since, _ = n.Events(since, 100)
		for _, e := range events {
			held = held || e.Domain == "b.test" && strings.Contains(e.Text, "you asked never to visit it")
		}
	}
	domains, err := n.Domains(t.Context(), "", 10)
	if err != nil || len(domains) != 2 || domains[1].State != api.DomainRefused || domains[1].Queued != 1 {
		t.Errorf("domains %+v, %v", domains, err)
	}
	n.Stop(t.Context())
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
	closeNode(t, n)
	if s.times("http://b.test/x")+s.times("http://b.test/robots.txt") != 0 {
		t.Error("the refused site was asked")
	}
	if s.times("http://a.test/") != 1 {
		t.Error("the other site was not asked")
	}
}

// What each site has against us is counted for it.
func TestNode_CountsRefusalsOfEachDomain(t *testing.T) {
	answers := 0
	s := newTestSite(t, "a.test", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch answers++; answers {
		case 1:
			fmt.Fprint(w, `<a href="/2">2</a>`)
		case 2:
			w.WriteHeader(http.StatusTooManyRequests)
		case 3:
			w.Header().Set("cf-mitigated", "challenge")
			w.WriteHeader(http.StatusForbidden)
		}
	})
	n := newNode(t, labOptions(t, t.TempDir(), s.hosts, "http://a.test/"))
	serveUntilIdle(t, n)
	defer closeNode(t, n)
	list, err := n.Domains(t.Context(), "", 10)
	if err != nil || len(list) != 1 || list[0].Refusals != 2 || list[0].Challenges != 1 || list[0].Backoffs != 1 {
		t.Errorf("domains %+v, %v", list, err)
	}
}
