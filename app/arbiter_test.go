//go:build linux

package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/storage"
)

const (
	// stopWithin is promised: from input, say, to the beginning of the last request.
	stopWithin = 2 * time.Second
	// patience is how long anything may take before it counts as hung.
	patience = time.Minute
	// idleAfter is less than a user may set, and more than idleWatch.
	idleAfter = 6 * time.Second
)

// visitor is a node with limits and a user, and the sites that it visits.
type visitor struct {
	t    *testing.T
	c    *computer
	o    Options
	node *Node
	api  *client.Client
	end  func()

	mu    sync.Mutex
	begun []time.Time
}

// startVisitor starts a node that visits endless sites as soon as it may. body writes what pages have besides links.
func startVisitor(t *testing.T, body func(io.Writer), tune func(*Options)) *visitor {
	t.Helper()
	v := &visitor{t: t, c: newComputer(t)}
	v.c.t = t
	site := newTestSite(t, "a.test b.test c.test d.test", func(w http.ResponseWriter, r *http.Request) {
		v.mu.Lock()
		v.begun = append(v.begun, time.Now())
		v.mu.Unlock()
		w.Header().Set("Content-Type", "text/html")
		for i, host := range []string{"a", "b", "c", "d"} {
			fmt.Fprintf(w, `<a href="http://%s.test%s%d">x</a>`, host, r.URL.Path, i)
		}
		body(w)
	})
	v.o = labOptions(t, t.TempDir(), site.hosts, "http://a.test/")
	v.o.ExitWhenIdle, v.o.Lab.NoLimits, v.o.Lab.Limits, v.o.Sense = 0, false, true, v.c.options()
	none := limits.Budget{
		CPUPercent: limits.NoLimit, DownKbit: limits.NoLimit, UpKbit: limits.NoLimit, Sockets: 60, Fetchers: 2, PagesPerMin: 1200,
	}
	l := &v.o.Config.Limits
	l.Idle.After = idleAfter
	l.Budget = limits.Budgets{Full: none, Gentle: none}
	l.Data.Day, l.Data.Month = limits.NoLimit, limits.NoLimit
	l.Disk, l.RAM = limits.Disk{Max: limits.NoLimit, MaxPercent: limits.NoLimit}, limits.RAM{}
	l.Pause.OtherCPU = 100
	if tune != nil {
		tune(&v.o)
	}
	v.start()
	return v
}

// text writes so many bytes.
func text(size int) func(io.Writer) {
	return func(w io.Writer) { io.WriteString(w, strings.Repeat("x", size)) }
}

// start starts the node, or another one in the same home.
func (v *visitor) start() {
	v.t.Helper()
	v.node = newNode(v.t, v.o)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- v.node.Serve(ctx) }()
	v.end = sync.OnceFunc(func() {
		cancel()
		if err := <-served; err != nil {
			v.t.Errorf("Serve: %v", err)
		}
		closeNode(v.t, v.node)
		v.c.served.Wait()
	})
	v.t.Cleanup(v.end)
	v.until("the API", func() bool {
		running, err := client.Dial(v.o.Paths.State)
		v.api = running
		return err == nil
	})
}

// until waits for something that will be so.
func (v *visitor) until(what string, is func() bool) {
	v.t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			l, err := v.api.Limits(context.Background(), "en")
			v.t.Fatalf("waited in vain for %s: %+v, %v", what, l, err)
		}
	}
}

func (v *visitor) limits() api.Limits {
	v.t.Helper()
	l, err := v.api.Limits(context.Background(), "en")
	if err != nil {
		v.t.Fatal(err)
	}
	return l
}

func (v *visitor) visits() []time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]time.Time(nil), v.begun...)
}

// works waits until pages are asked for that nobody has asked for yet.
func (v *visitor) works() {
	v.t.Helper()
	n := len(v.visits())
	v.until("work", func() bool { return len(v.visits()) >= n+5 })
}

// stops waits until the node may not work, and fails the test unless that is for a reason, and no request
// begins later than is promised.
func (v *visitor) stops(kind, footing string) {
	v.t.Helper()
	v.until(kind, func() bool { // without asking for limits: the answer is decided again
		is, _ := v.node.Decision()
		return is.Level == limits.Off && v.node.gate.Now().String() == footing && is.Reasons[0].Kind.String() == kind
	})
	decided := time.Now()
	l := v.limits()
	if l.Level != "off" || l.Footing != footing || l.Reasons[0].Kind != kind {
		v.t.Fatalf("limits are %+v, want %s", l, kind)
	}
	if l.Reasons[0].Allows != "off" || l.Sentence != l.Reasons[0].Sentence {
		v.t.Errorf("the reason is %q of %+v, want %s", l.Sentence, l.Reasons, kind)
	}
	for _, r := range l.Reasons {
		if !isSentence(r.Sentence) {
			v.t.Errorf("%s is told by %q, which is no sentence", r.Kind, r.Sentence)
		}
	}
	time.Sleep(time.Until(decided.Add(stopWithin)))
	moved := bytesMoved(v.node)
	time.Sleep(time.Second / 2) // in which there was time for ten pages
	for _, at := range v.visits() {
		if late := at.Sub(decided); late > stopWithin {
			v.t.Errorf("a request began %v after it was decided that there is none", late)
		}
	}
	if now := bytesMoved(v.node); now != moved {
		v.t.Errorf("%d bytes went over the network although there is nothing to do", now-moved)
	}
	if l := v.limits(); l.Level != "off" {
		v.t.Errorf("the level is %s now", l.Level)
	}
}

// isSentence reports whether a text is a whole sentence, or two.
func isSentence(s string) bool {
	return len(s) > 10 && strings.ToUpper(s[:1]) == s[:1] && strings.HasSuffix(s, ".") && strings.Count(s, ". ") < 2 && !strings.ContainsAny(s, "{}[]|\n")
}

// Who comes back to the computer has it alone within two seconds, and forage is back when the user has
// been away for long enough.
func TestLimits_UserComesAndGoes(t *testing.T) {
	t.Parallel()
	v := startVisitor(t, text(100), nil)
	v.works()
	if l := v.limits(); l.Level != "full" || l.Footing != "duty" || len(l.Reasons) != 0 {
		t.Errorf("nobody is there, and the level is %s, the footing %s: %q", l.Level, l.Footing, l.Sentence)
	}
	touched := time.Now()
	v.c.touch()
	v.stops("in_use", "standby")
	before := len(v.visits())
	v.works()
	// What is known of the last input may be a second old.
	if at := v.visits()[before]; at.Sub(touched) < idleAfter-time.Second {
		t.Errorf("the first request came %v after the last input, want %v", at.Sub(touched), idleAfter)
	}
}

func TestLimits_WhatStopsWork(t *testing.T) {
	for _, c := range []struct {
		name, kind, footing string
		begin               func(*visitor)
		end                 func(*visitor) // nil if it takes too long for a test until work goes on
	}{
		{"battery", "battery", "silent", func(v *visitor) { v.c.power(false) }, nil},
		{"metered", "metered", "silent", func(v *visitor) { v.c.pay(true) }, func(v *visitor) { v.c.pay(false) }},
		{"film", "kept_awake", "standby", func(v *visitor) { v.c.play(true) }, nil},
		{"sensor lost", "unknown_input", "standby", func(v *visitor) { v.c.loseBuses() }, nil},
		{"paused", "paused", "silent", func(v *visitor) { v.api.Pause(context.Background(), 0) },
			func(v *visitor) { v.api.Resume(context.Background()) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := startVisitor(t, text(100), nil)
			v.works()
			c.begin(v)
			v.stops(c.kind, c.footing)
			if c.end != nil {
				c.end(v)
				v.works()
			}
		})
	}
}

// A node that starts while somebody works at the computer does not begin at all, and can be asked to.
func TestLimits_NothingBeginsWhileTheUserIsThere(t *testing.T) {
	t.Parallel()
	c := startVisitor(t, text(100), func(o *Options) { o.Config.Limits.Idle.After = 2 * time.Hour })
	c.stops("in_use", "standby")
	if n := len(c.visits()); n > 0 {
		t.Errorf("%d pages were asked for", n)
	}
	if l := c.limits(); !l.HelpNow {
		t.Errorf("nothing says that it can be asked: %+v", l)
	}
	if st, err := c.api.Status(t.Context()); err != nil || !strings.Contains(st.Remedy, "forage resume --for 15m") || !strings.Contains(st.Remedy, "forage set level.in_use=gentle") {
		t.Errorf("what to do about it is %q, %v", st.Remedy, err)
	}
	if err := c.api.Work(t.Context(), 30*time.Minute); err != nil {
		t.Fatal(err)
	}
	c.works()
	if l := c.limits(); l.Mode != "on" || l.Until == nil || l.Level != "full" || l.Reasons[0].Kind != "timed_work" {
		t.Errorf("work that was asked for: %+v", l)
	} else if l.HelpNow || l.Changes == nil || l.Changes.Sub(*l.Until).Abs() > time.Second {
		t.Errorf("it works until %v; it can be asked to: %v, and its level changes at %v", l.Until, l.HelpNow, l.Changes)
	}
}

// That a day of data ends at midnight changes nothing where they are not used up: no time is told.
func TestLimits_MidnightIsNoChange(t *testing.T) {
	t.Parallel()
	v := startVisitor(t, text(100), func(o *Options) { o.Config.Limits.Data.Day = 1 << 40 })
	v.works()
	if l := v.limits(); l.Level != "full" || l.Changes != nil {
		t.Errorf("the level is %s and is said to change at %v", l.Level, l.Changes)
	}
}

// When the data of the day are used up nothing is sent, and not more than one page was sent beyond.
func TestLimits_DataOfTheDay(t *testing.T) {
	t.Parallel()
	const day, page = 450_000, 20_000
	v := startVisitor(t, text(page), func(o *Options) {
		o.Config.Limits.Data.Day = day
		o.Config.Limits.Budget.Full.PagesPerMin = 300
	})
	v.stops("day_used_up", "silent")
	moved := bytesMoved(v.node)
	if over := moved - day; over < 0 || over > page+2000 {
		t.Errorf("%d bytes beyond the %d of the day, want at most one page of %d", over, day, page)
	}
	for _, q := range v.limits().Quotas {
		if q.Name == "data.day" && (q.Used != moved || q.Limit != day) {
			t.Errorf("the quota is said to be %+v, %d bytes were moved", q, moved)
		}
	}
	v.end()
	before := len(v.visits())
	v.start() // that changes nothing
	time.Sleep(time.Second / 2)
	if l := v.limits(); l.Footing != "silent" || l.Reasons[0].Kind != "day_used_up" || bytesMoved(v.node) != 0 || len(v.visits()) != before {
		t.Errorf("after a new start: %d bytes, %d pages, %+v", bytesMoved(v.node), len(v.visits())-before, l)
	}
	v.end()
	yesterday(t, v.o)
	v.start()
	v.works()
}

// yesterday makes what was used of today's what was used of yesterday's.
func yesterday(t *testing.T, o Options) {
	t.Helper()
	n := newNode(t, o)
	defer closeNode(t, n)
	err := n.db.Update(func(tx *storage.Tx) error {
		var saved limits.Saved
		b, key := tx.Bucket(storage.BucketMeta), []byte("limits")
		if err := json.Unmarshal(b.Get(key), &saved); err != nil {
			return err
		}
		if len(saved.Use) != 1 {
			return fmt.Errorf("used: %+v", saved)
		}
		saved.Use[0].Day--
		raw, err := json.Marshal(saved)
		if err != nil {
			return err
		}
		return b.Put(key, raw)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// bytesMoved returns how many bytes this run of a node has moved over the network, both ways.
func bytesMoved(n *Node) int64 {
	all := n.bandwidth.Totals()
	return all.Received.All + all.Sent.All
}

// budgetOf returns the limit of a budget, -2 if it is not said.
func budgetOf(list []api.LimitBudget, name string) float64 {
	for _, b := range list {
		if b.Name == name {
			return b.Limit
		}
	}
	return -2
}
