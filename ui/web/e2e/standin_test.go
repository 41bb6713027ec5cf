package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
)

const (
	standInDomains = 10_000
	standInBoot    = "b001"
	// standInBatch is how many events are written at a time.
	standInBatch = 256
)

// standIn answers the dashboard as a node of many domains does, and tells of as many events as a test wants. It
// serves what was built into dist.
type standIn struct {
	*httptest.Server
	t       *testing.T
	start   time.Time
	feed    chan []byte // what the stream of the page sends next
	seq     int
	back    api.Away // what it tells who comes back
	stand   atomic.Pointer[standing]
	startup startup
}

// standing is what the node does, and what it says of it.
type standing struct {
	status api.Status
	limits api.Limits
}

func newStandIn(t *testing.T) *standIn {
	t.Helper()
	if chrome == nil {
		t.Skip("there is no browser")
	}
	s := &standIn{t: t, start: time.Now(), feed: make(chan []byte), back: api.Away{Languages: []string{}, Shown: []api.Find{}, Milestones: []api.Milestone{}}}
	s.stand.Store(&standing{atWork(s.start), atFull()})
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir("../dist")))
	answer := func(path string, answer func(*http.Request) any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { writeAnswer(w, answer(r)) })
	}
	for path, what := range map[string]func(*http.Request) any{
		"/api/status": s.status, "/api/limits": s.limits, "/api/limits/history": nothing(api.LimitHistory{Summary: []string{}, Minutes: []api.LimitMinute{}, Breaches: []api.LimitBreach{}}),
		"/api/visits": visits, "/api/ring": s.ring, "/api/domains": domains, "/api/stats/series": series, "/api/helping": nothing(api.DomainPage{Domains: []api.Domain{}}),
		"/api/stats/best": nothing(api.Best{DaysHelped: 1, StreakDays: 1, Milestones: []api.Milestone{}}), "/api/away": s.away,
	} {
		answer(path, what)
	}
	archive(mux, answer)
	s.startup.serve(mux)
	mux.HandleFunc("/api/events", s.events)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func writeAnswer(w http.ResponseWriter, answer any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(answer)
}

func nothing(answer any) func(*http.Request) any { return func(*http.Request) any { return answer } }

func (s *standIn) status(*http.Request) any { return s.stand.Load().status }

func (s *standIn) limits(*http.Request) any { return s.stand.Load().limits }

// atWork is what it does unless a test wants another thing.
func atWork(start time.Time) api.Status {
	return api.Status{
		Version: "1", BootID: standInBoot, State: api.StateWorking, Sentence: "Visiting sites.", Consent: true, Reasons: []string{}, Started: start, Pages: 86_400, PagesPerS: 1,
		Domains: standInDomains, Queued: 100_000, Known: 1_000_000, Members: standInMembers, Connected: 200, Share: 1.0 / standInMembers,
	}
}

func atFull() api.Limits {
	return api.Limits{
		Level: "full", Footing: "duty", Mode: "auto", Reasons: []api.LimitReason{}, Sensors: []api.LimitSensor{},
		Budgets: []api.LimitBudget{{Name: "cpu_percent", Unit: "%", Limit: 10, Now: 3}, {Name: "pages_per_min", Limit: 60, Now: 55}},
		Quotas:  []api.LimitQuota{{Name: "disk", Used: 1 << 30, Limit: 10 << 30}},
	}
}

func visits(*http.Request) any {
	list := api.VisitList{}
	for i := range 6 {
		next := time.Now().Add(time.Duration(i) * time.Second)
		list.Visits = append(list.Visits, api.Visit{Domain: domainName(i), URL: "http://" + domainName(i) + "/page", Busy: i == 0, Next: &next, Left: 10})
	}
	return list
}

// standInMembers are many: most of a ring that is drawn is arcs of theirs.
const standInMembers = 300

// ring is that of many members, and of as many domains as there may be.
func (s *standIn) ring(*http.Request) any {
	r := api.Ring{Self: memberName(0), Exact: true, Fill: 0.3, Version: "1"}
	for i := range standInMembers {
		m := api.RingMember{ID: memberName(i), Self: i == 0, Connected: i%3 < 2, Share: 1.0 / standInMembers, Capacity: 1, AwayMs: -1, Bearing: -1}
		if i%8 > 0 {
			m.AwayMs, m.Bearing = float64(i%97*2), place(i)
		}
		r.Members = append(r.Members, m)
	}
	const arcs = api.MaxRingPoints
	for i := range arcs {
		at, member := float64(i)/arcs, i*7%standInMembers
		r.Points = append(r.Points, api.RingPoint{At: at, Member: member})
		r.Arcs = append(r.Arcs, api.RingArc{From: at, To: float64(i+1) / arcs, Member: member})
	}
	for i := range api.MaxRingDomains {
		last := s.start.Add(-time.Duration(i) * time.Minute)
		r.Domains = append(r.Domains, api.RingDomain{At: place(i), Domain: domainName(i), Fetched: int64(i % 300), Last: &last})
	}
	return r
}

func domains(r *http.Request) any {
	limit, _ := strconv.Atoi(r.FormValue("limit"))
	page := api.DomainPage{Domains: []api.Domain{}}
	first := 0
	if after := r.FormValue("after"); after != "" {
		fmt.Sscanf(after, "site%d", &first)
		first++
	}
	for i := first; i < min(first+limit, standInDomains); i++ {
		page.Domains = append(page.Domains, api.Domain{Domain: domainName(i), Queued: int64(i % 50), Fetched: int64(i % 300), State: "due", Title: "The title of a site"})
	}
	return page
}

func series(r *http.Request) any {
	s := api.Series{Unit: api.Unit(r.FormValue("unit")), Points: []api.Point{}}
	for i := range 30 {
		p := api.Point{Start: time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, i-29)}
		p.Pages, p.Firsts, p.Languages = int64(1000*i), int64(500*i), map[string]int64{"en": int64(1000 * i)}
		s.Points = append(s.Points, p)
	}
	s.Sum()
	return s
}

func memberName(i int) string { return fmt.Sprintf("12D3KooWmember%03d", i) }

func domainName(i int) string { return fmt.Sprintf("site%05d.example", i%standInDomains) }

// place spreads domains over the ring.
func place(i int) float64 { return float64(uint32(i%standInDomains)*2654435761) / (1 << 32) }

// events is the stream: whatever the test feeds.
func (s *standIn) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	rc := http.NewResponseController(w)
	rc.Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case text := <-s.feed:
			if _, err := w.Write(text); err != nil || rc.Flush() != nil {
				return
			}
		}
	}
}

// tell makes n events, the last of them now and the others before it, so far apart, and hands them over as fast as
// the page takes them.
func (s *standIn) tell(ctx context.Context, n int, apart time.Duration, title string) {
	s.t.Helper()
	var batch []byte
	for left := n - 1; left >= 0; left-- {
		s.seq++
		e := s.event(time.Now().Add(-time.Duration(left) * apart))
		if left == 0 {
			e.Kind, e.Code, e.Title = api.KindPage, api.CodeFetched, title
		}
		data, err := json.Marshal(e)
		if err != nil {
			s.t.Fatal(err)
		}
		batch = fmt.Appendf(batch, "id: %s-%d\ndata: %s\n\n", standInBoot, s.seq, data)
		if left%standInBatch > 0 {
			continue
		}
		select {
		case s.feed <- batch:
			batch = nil
		case <-ctx.Done():
			s.t.Fatalf("the page took %d of %d events: %v", n-left, n, ctx.Err())
		}
	}
}

// event makes the next one: mostly pages, as on a node.
func (s *standIn) event(at time.Time) api.Event {
	i := s.seq
	e := api.Event{
		ID: uint64(i), Time: at.UTC(), Kind: api.KindPage, Code: api.CodeFetched, Domain: domainName(i * 7919), At: place(i * 7919), Status: 200, Bytes: 20_000, TookMs: 120, Count: 30,
		Title: fmt.Sprintf("Page %d and a title of ordinary length", i), Text: "Fetched a page of 20 kB.",
	}
	e.URL = fmt.Sprintf("http://%s/a/path/of/some/length/%d.html", e.Domain, i)
	switch i % 20 {
	case 3:
		e.Code, e.Peer = api.CodeFetched, memberName(3)
	case 7:
		e.Kind, e.Code = api.KindRedirect, api.CodeRedirected
	case 11:
		e.Kind, e.Code = api.KindRobots, api.CodeForbidden
	case 13:
		e.Kind, e.Code, e.Peer = api.KindSwarm, api.CodeLinksSent, memberName(5+i%50)
	case 17:
		e.Code = api.CodeUnchanged
	}
	return e
}
