package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api/descriptor"
)

func TestClient_Calls(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r.node.status = Status{BootID: r.desc.BootID, Version: "1", PID: 7, Started: at, Network: "main", Lab: true,
		Home: "/h", State: StatePaused,
		Reasons: []string{"You paused it."}, ResumeAt: &at, UptimeS: 1, Pages: 2, PagesSession: 3, PagesPerS: 0.5,
		BytesReceived: 4, BytesSent: 5,
		Domains: 6, Queued: 7, Known: 8, Leases: 9, InFlight: 10, Sockets: 11, ArchiveDir: "/d", ArchiveFiles: 12,
		ArchiveBytes: 13, DiskFree: 14}
	r.node.domains = []Domain{{Domain: "a.example", State: "due", NextVisit: &at}, {Domain: "b.example", Queued: 1},
		{Domain: "c.example"}}
	r.node.stats = Stats{Hours: []Hour{{Start: at, Counts: Counts{Pages: 1}}}, Totals: Counts{Found: 2}}
	r.node.publish(3)
	c, err := Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	want := r.node.status
	want.Seq = 3
	if got, err := c.Status(ctx); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Status = %+v, %v, want %+v", got, err, want)
	}
	want.Sentence = "in de"
	if got, err := c.StatusIn(ctx, "de"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("StatusIn = %+v, %v, want %+v", got, err, want)
	}
	if got, err := c.Domains(ctx, "a.example", 1); err != nil || !reflect.DeepEqual(got, r.node.domains[1:2]) {
		t.Errorf("Domains = %+v, %v, want %+v", got, err, r.node.domains[1:2])
	}
	if got, err := c.Stats(ctx, 1); err != nil || !reflect.DeepEqual(got, r.node.stats) {
		t.Errorf("Stats = %+v, %v, want %+v", got, err, r.node.stats)
	}
	page, err := c.Events(ctx, r.desc.BootID, 1, 1)
	if err != nil || page.BootID != r.desc.BootID || page.Next != 2 || page.Dropped || len(page.Events) != 1 ||
		page.Events[0].ID != 2 {
		t.Errorf("Events = %+v, %v, want event 2", page, err)
	}
	if page, err = c.Events(ctx, "abc", 1, 1); err != nil || !page.Dropped || page.Next != 3 || len(page.Events) != 0 {
		t.Errorf("Events of another boot = %+v, %v, want none", page, err)
	}
	for _, call := range []func() error{
		func() error { return c.Pause(ctx, 90*time.Minute) }, func() error { return c.Pause(ctx, 0) },
		func() error { return c.Resume(ctx) }, func() error { return c.Work(ctx, 2*time.Minute) },
		func() error { return c.Finish(ctx) },
		func() error { return c.SetRun(ctx, RunAway) },
		func() error { return c.Stop(ctx) },
	} {
		if err := call(); err != nil {
			t.Error(err)
		}
	}
	if got, want := strings.Join(r.node.calls, ", "),
		"pause 1h30m0s, pause 0s, resume, work 2m0s, finish, run away, stop"; got != want {
		t.Errorf("the node was told %s, want %s", got, want)
	}
	if _, err := c.Domains(ctx, "", 2000); err == nil || err.Error() != "limit must be a whole number from 1 to 1000" {
		t.Errorf("Domains with a wrong limit: %v", err)
	}
	r.node.err = errors.New("the disk is gone")
	if err := c.Resume(ctx); err == nil || err.Error() != "the disk is gone" {
		t.Errorf("Resume = %v, want the node's error", err)
	}
	r.stop()
	if _, err := c.Status(ctx); !errors.Is(err, ErrNotRunning) {
		t.Errorf("Status after the end = %v, want %v", err, ErrNotRunning)
	}
}

const newCounts = "firsts links helped_s peer_received peer_sent connects connect_ms"

// The keys of the wire are a promise.
func TestTypes_Keys(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{Status{}, "waiting undone undone_peer undone_at members connected share version boot_id pid started " +
			"network lab home state reasons resume_at uptime_s pages pages_session pages_per_s bytes_received " +
			"bytes_sent " +
			"leads whole careful follows catching_up admission domains queued known leases in_flight sockets " +
			"archive_dir archive_files archive_bytes disk_free index health seq sentence consent setting " +
			"remedy trouble"},
		{Health{}, "sentence factor answered refused challenged answered_before refused_before answered_week " +
			"refused_week challenged_week " +
			"waits waits_week forbidden forbidden_week sampled"},
		{NeverChange{}, "pattern never changed queued text"},
		{NeverList{}, "sites tlds topics topic_names builtin builtin_version"},
		{Refusal{}, "pattern reason"},
		{Limits{}, "level footing sentence reasons mode until run changes help_now budgets quotas sensors fault"},
		{Away{}, "since until sentence pages firsts sites more languages first farthest shown milestones"},
		{Milestone{}, "kind count language day"},
		{AwayPage{}, "id url domain title"},
		{AwaySite{}, "domain ms"},
		{LimitReason{}, "kind allows sentence since until"},
		{LimitBudget{}, "name unit limit now minute hour day month"},
		{LimitQuota{}, "name used limit sites"},
		{LimitSensor{}, "name known value source never why"},
		{LimitHistory{}, "summary minutes breaches"},
		{LimitMinute{}, "start seconds level figures"},
		{LimitFigure{}, "name limit mean max"},
		{LimitBreach{}, "name start length_s limit worst cause"},
		{Settings{}, "settings file fault"},
		{Setting{}, "key group group_name name type value default text default_text unit unit_name range meaning " +
			"why choices choice_names min max " +
			"no_limit grid levels simple set read_only applies pending"},
		{SettingsChange{}, "set reset dry_run lang"},
		{SettingsChanged{}, "changed restart fault"},
		{SettingError{}, "error key line reason range"},
		{Setup{}, "needed consent facts presets topics startup"},
		{Startup{}, "possible on"},
		{SetupConsent{}, "version given time title text note"},
		{SetupFact{}, "name known text"},
		{SetupPreset{}, "id title text settings chosen"},
		{SetupTopic{}, "name text never"},
		{Agreement{}, "agree connection_is_mine preset settings version lang"},
		{Domain{}, "domain owner state reason queued fetched failed duplicates bytes refusals challenges backoffs " +
			"next_visit crawl_delay_s title distance"},
		{Visit{}, "domain owner url busy next left"},
		{Event{}, "id time kind code domain url at peer count status bytes took_ms title language first text"},
		{EventPage{}, "boot_id events next dropped"},
		{RequestPage{}, "requests next kept_days"},
		{Request{}, "time url domain status code bytes took_ms title addr owner checks by allowed rule waited_s gap_s"},
		{Ring{}, "self members points arcs exact domains fill version"},
		{RingMember{}, "id self connected share capacity away_ms bearing"},
		{RingPoint{}, "at member"},
		{RingArc{}, "from to member"},
		{RingDomain{}, "at domain fetched last language"},
		{Stats{}, "hours totals"},
		{Hour{}, "start pages duplicates redirects unchanged gone failed forbidden found bytes_received " +
			"bytes_sent " + newCounts},
		{Point{}, "start pages duplicates redirects unchanged gone failed forbidden found bytes_received " +
			"bytes_sent domains languages " + newCounts},
		{Series{}, "unit points totals"},
		{Best{}, "first_page busiest_day days_helped streak_days milestones"},
		{FirstPage{}, "time url title"},
		{BusiestDay{}, "start pages"},
	} {
		text, err := json.Marshal(c.v)
		if err != nil {
			t.Fatal(err)
		}
		var keys map[string]any
		if err := json.Unmarshal(text, &keys); err != nil {
			t.Fatal(err)
		}
		want := strings.Fields(c.want)
		for _, key := range want {
			if _, ok := keys[key]; !ok {
				t.Errorf("%T has no key %s", c.v, key)
			}
		}
		if len(keys) != len(want) {
			t.Errorf("%T has %d keys, want %d", c.v, len(keys), len(want))
		}
	}
}

func TestDial_NotRunning(t *testing.T) {
	if _, err := Dial(t.TempDir()); !errors.Is(err, ErrNotRunning) {
		t.Errorf("Dial without descriptor = %v, want %v", err, ErrNotRunning)
	}
	d := descriptor.Descriptor{Token: descriptor.NewToken(), PID: 1, BootID: descriptor.NewBootID()}
	for name, handler := range map[string]http.HandlerFunc{
		"another program": func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("<html>")) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
		},
		"another boot": func(w http.ResponseWriter,
			r *http.Request) {
			json.NewEncoder(w).Encode(Status{BootID: descriptor.NewBootID()})
		},
		"another token": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"an endless answer": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		},
	} {
		s := httptest.NewServer(handler)
		d.Addr = strings.TrimPrefix(s.URL, "http://")
		dir := t.TempDir()
		if err := descriptor.Write(dir, d); err != nil {
			t.Fatal(err)
		}
		if _, err := Dial(dir); !errors.Is(err, ErrNotRunning) {
			t.Errorf("Dial to %s = %v, want %v", name, err, ErrNotRunning)
		}
		s.Close()
		if _, err := Dial(dir); !errors.Is(err, ErrNotRunning) {
			t.Errorf("Dial to a closed port = %v, want %v", err, ErrNotRunning)
		}
	}
}

func TestClient_Follow(t *testing.T) {
	dir := t.TempDir()
	r := start(t, dir, nil)
	c, err := Dial(dir)
	if err != nil {
		t.Fatal(err)
	}
	c.retries = []time.Duration{0, time.Millisecond, time.Millisecond}
	pages := make(chan EventPage)
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		ended <- c.Follow(ctx, r.desc.BootID, 1, func(p EventPage) error {
			pages <- p
			return nil
		})
	}()
	r.node.publish(3)
	for want := uint64(2); want <= 3; want++ {
		if p := <-pages; len(p.Events) != 1 || p.Events[0].ID != want || p.Next != want ||
			p.BootID != r.desc.BootID || p.Events[0].Title != "one\n\ndata: two" {
			t.Errorf("page %+v, want event %d", p, want)
		}
	}
	// Another node takes the place of this one.
	again := start(t, dir, nil)
	again.node.publish(7)
	r.stop()
	if p := <-pages; !p.Dropped || p.BootID != again.desc.BootID || p.Next != 7 || len(p.Events) != 0 {
		t.Errorf("page %+v, want the new boot at 7", p)
	}
	again.node.publish(1)
	if p := <-pages; len(p.Events) != 1 || p.Next != 8 {
		t.Errorf("page %+v, want event 8", p)
	}
	again.stop()
	if err := descriptor.Remove(dir, again.desc.BootID); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, ErrNotRunning) {
		t.Errorf("Follow = %v, want %v", err, ErrNotRunning)
	}
}

func TestClient_FollowEnds(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	c, err := Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	r.node.publish(1)
	mine := errors.New("enough")
	if err := c.Follow(t.Context(), "", 0, func(EventPage) error { return mine }); err != mine {
		t.Errorf("Follow = %v, want fn's error", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := c.Follow(ctx, "", 0, func(EventPage) error { cancel(); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("Follow = %v, want %v", err, context.Canceled)
	}
}

// A stream that falls silent is given up.
func TestClient_FollowNoticesSilence(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	c, err := Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	c.silence, c.retries = time.Millisecond, nil
	if err := c.Follow(t.Context(), "", 0, func(EventPage) error { return nil }); err == nil ||
		errors.Is(err, ErrNotRunning) {
		t.Errorf("Follow = %v, want a broken stream", err)
	}
}
