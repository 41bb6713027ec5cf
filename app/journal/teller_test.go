package journal

import (
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/claims"
	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/app/limiter"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/robots"
	"github.com/forage-net/forage/crawl/worker"
)

// What asking for a robots.txt took is told with it.
func TestEvents_RobotsTellWhatTheyTook(t *testing.T) {
	w := &Teller{Journal: New(time.Now)}
	cost := worker.RobotsCost{Took: 1234 * time.Millisecond, Received: 567}
	w.Robots("https://a.test", robots.Record{Class: robots.ClassRules, Status: 200}, cost)
	list, _, _ := w.Journal.Events(0, 1)
	if len(list) != 1 || list[0].TookMs != 1234 || list[0].Bytes != 567 || list[0].Domain != "a.test" {
		t.Errorf("told %+v, want one of a.test that took 1234 ms and 567 bytes", list)
	}
}

// All that events tell has words in each language.
func TestTeller_HasWordsInEachLanguage(t *testing.T) {
	o := &Teller{Clock: clock.Open(clock.State{})}
	for _, lang := range words.Languages() {
		var list []string
		for r := crawl.Fetched; r.String() != "unknown"; r++ {
			list = append(list, outcomeText(lang, r, false, ""))
		}
		list = append(list, outcomeText(lang, crawl.Fetched, true, ""))
		for _, state := range []api.State{api.StateWorking, api.StateWaiting, api.StatePaused, api.StateStopping} {
			list = append(list, state.In(lang))
		}
		for _, class := range []robots.Class{robots.ClassRules, robots.ClassAllowAll, robots.ClassUnreachable} {
			list = append(list, o.robotsSaid(robots.Record{Class: class}).In(lang))
		}
		for _, w := range swarmWords {
			for _, n := range []int{1, 7} {
				args := words.Args{"count": n, "peer": "aBcDeF"}
				list = append(list, (&words.Message{Key: w.key, Args: args}).In(lang))
			}
		}
		for _, text := range list {
			if strings.HasPrefix(text, "said.") || strings.Contains(text, "{") {
				t.Errorf("in %s: %q", lang, text)
			}
		}
	}
}

// A reason is kept as a message and said with the outcome; what is none, as of a peer, stays as it is.
func TestOutcomeText_SaysWhy(t *testing.T) {
	reason := words.New("said.visit.connection-refused", nil).Stored()
	for _, c := range [][3]string{
		{words.English, reason, "failed: connection refused"}, {words.German, reason, "fehlgeschlagen: Verbindung abgelehnt"},
		{words.German, "text/css", "fehlgeschlagen: text/css"},
	} {
		if got := outcomeText(c[0], crawl.Failed, false, c[1]); got != c[2] {
			t.Errorf("in %s %q is told as %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

// An event of a state names the reasons that decide, and not all that come after them.
func TestStateText_IsShort(t *testing.T) {
	causes := []limiter.Cause{{Key: limiter.CauseStarting}, {Key: limiter.CauseStopping}, {Key: limiter.CauseStarting}, {Key: limiter.CauseStopping}}
	if got := stateText(words.English, api.StatePaused, causes); got != "Starting · Stopping" {
		t.Errorf("a state with four reasons is told as %q", got)
	}
}

// The journal keeps thousands of events: none may keep the links of its page.
func TestTeller_KeepsNoLinks(t *testing.T) {
	w := &Teller{Journal: New(time.Now), Tally: NewTally(0), Own: &claims.Own{Book: new(claims.Book)},
		Visited: func(crawl.Domain, time.Time, string) {}}
	links := make([]crawl.Outlink, 100)
	there := weak.Make(&links[0])
	w.Outcomes([]crawl.Outcome{{Domain: "a.test", Result: crawl.Fetched, Outlinks: links}})
	links = nil
	runtime.GC()
	if there.Value() != nil {
		t.Error("the links of a page are kept with its event")
	}
	if list, _, _ := w.Journal.Events(0, 1); len(list) != 1 || list[0].Said(words.English) == "" {
		t.Errorf("told %+v, want one page", list)
	}
}
