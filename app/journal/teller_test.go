package journal

import (
	"fmt"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
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

// All that events tell can be said in German.
func TestTeller_IsSaidInGerman(t *testing.T) {
	var list []string
	for r := crawl.Fetched; r.String() != "unknown"; r++ {
		list = append(list, r.String())
	}
	for _, state := range []api.State{api.StateWorking, api.StateWaiting, api.StatePaused, api.StateStopping} {
		list = append(list, string(state))
	}
	o := &Teller{Clock: clock.Open(clock.State{})}
	for _, class := range []robots.Class{robots.ClassRules, robots.ClassAllowAll, robots.ClassUnreachable} {
		list = append(list, o.robotsText(robots.Record{Class: class}))
	}
	for _, w := range swarmWords {
		list = append(list, fmt.Sprintf(w.one, "aBcDeF"), fmt.Sprintf(w.many, 7, "aBcDeF"))
	}
	list = append(list, membersText(1), membersText(7), sameContent)
	if len(list) < 30 {
		t.Fatalf("%d texts", len(list))
	}
	for _, text := range list {
		if !words.IsSaid(text) {
			t.Errorf("%q has no words", text)
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
