package demo

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/demo"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
)

// aScene has a node of each kind.
func aScene() scene {
	return scene{
		Since: 65 * time.Second, Wanted: 5000, Fetched: 1250, Notice: "Node 3 leaves. The others take over its domains.", Keys: true,
		Nodes: []state{
			{Number: 1, State: running, Share: 0.531, Domains: 34, Pages: 2204, Queued: 1466, Sent: 13, Taken: 29, Lent: 2, Last: "27 links ← node 2"},
			{Number: 2, State: leaving, Share: 1, Domains: 1000, Pages: 70, Queued: 11174, Sent: 1228, Taken: 1232, Held: 2, Last: strings.Repeat("日本", 40)},
			{Number: 3, State: gone, Last: "old news"},
		},
		Domains: []mark{{Owner: 1}, {Owner: 2, Busy: true}, {Owner: 1, Done: true}, {}},
	}
}

func TestScene_FitsAndSaysItAll(t *testing.T) {
	want := []string{
		"pages    ━━━━━━───────────────────  1,250 of 5,000  1:05  19/s  3 min 15 s left",
		"domains  121·",
		"",
		"node  ring  domains   pages  queued links out/in lent/held  last",
		"● 1    53%       34   2,204   1,466        13/29       2/0  27 links ← node 2",
		"◌ 2   100%    1,000      70  11,174  1,228/1,232       0/2  " + strings.Repeat("日本", 40)[:27],
		"○ 3     0%        0       0       0          0/0       0/0  gone",
		"Node 3 leaves. The others take over its domains.",
		"k removes a node    s starts a node    q ends",
	}
	got := aScene().lines(80, 24, false)
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("line %d is\n%s\nwant\n%s", i, got[i], want[i])
		}
	}
}

func TestScene_ColoursAddNoColumns(t *testing.T) {
	for _, columns := range []int{1, 7, 20, 40, 80, 200} {
		plain, coloured := aScene().lines(columns, 24, false), aScene().lines(columns, 24, true)
		for i := range plain {
			if got := takeOutColours(coloured[i]); got != plain[i] {
				t.Errorf("with %d columns, line %d is %q in colours and %q without", columns, i, got, plain[i])
			}
			if console.Clip(plain[i], columns-1) != plain[i] {
				t.Errorf("with %d columns, line %d is too long: %q", columns, i, plain[i])
			}
		}
	}
}

func takeOutColours(s string) string {
	for {
		i := strings.Index(s, "\x1b[")
		if i < 0 {
			return s
		}
		s = s[:i] + s[i+strings.IndexByte(s[i:], 'm')+1:]
	}
}

func TestScene_FitsALowTerminal(t *testing.T) {
	if got := len(aScene().lines(80, 6, false)); got != 5 {
		t.Errorf("%d lines in a terminal of 6 rows, want 5", got)
	}
	if got := len(aScene().lines(80, 1, false)); got != 1 {
		t.Errorf("%d lines in a terminal of 1 row, want 1", got)
	}
}

func TestScene_Sentence(t *testing.T) {
	want := "1:05  1,250 of 5,000 pages; node 1 looks after 34 domains, fetched 2,204 pages, sent 13 links; " +
		"node 2 looks after 1,000 domains, fetched 70 pages, sent 1,228 links; node 3 has left"
	if got := aScene().sentence(); got != want {
		t.Errorf("sentence %q, want %q", got, want)
	}
}

// Who waits for a demo that stands still is told why.
func TestScene_SaysWhyNodesRest(t *testing.T) {
	const full, paused = "The disk is nearly full.", "You paused it."
	s := aScene()
	s.Nodes[0].Rests, s.Nodes[1].Rests = full, full
	if got := s.lines(80, 24, false)[7]; got != full {
		t.Errorf("below the table stands %q, want %q", got, full)
	}
	const long = "The disk has been nearly full since 03:36:00, and Forage fetches nothing until there is room."
	s.Nodes[0].Rests, s.Nodes[1].Rests = long, ""
	if got := s.lines(60, 24, false); got[7]+" "+got[8] != long || !strings.Contains(got[9], "removes") {
		t.Errorf("on a narrow terminal it says %q, and then %q", got[7:9], got[9])
	}
	s.Nodes[0].Rests, s.Nodes[1].Rests = full, paused
	if got := s.sentence(); !strings.HasSuffix(got, "; node 3 has left. "+full+" "+paused) {
		t.Errorf("sentence %q does not end with both reasons", got)
	}
}

func TestDemoNode_NotesWhatTravels(t *testing.T) {
	n := &node{}
	now := time.Unix(1000, 0)
	nameOf := func(end string) string {
		if end == "abc123" {
			return "node 2"
		}
		return end
	}
	for _, c := range []struct {
		event api.Event
		after time.Duration
		last  string
	}{
		{api.Event{Kind: api.KindPage, Title: "A \x1b[2Jpage"}, 0, "A [2Jpage"},
		{api.Event{Kind: api.KindSwarm, Text: "12 links sent to abc123"}, 0, "12 links → node 2"},
		{api.Event{Kind: api.KindPage, Title: "too soon"}, 0, "12 links → node 2"},
		{api.Event{Kind: api.KindSwarm, Text: "1 link received from xyz789"}, 0, "1 link ← xyz789"},
		{api.Event{Kind: api.KindSwarm, Text: "3 domains handed to abc123"}, 0, "3 domains → node 2"},
		{api.Event{Kind: api.KindSwarm, Text: "2 domains taken over from abc123"}, 0, "2 domains ← node 2"},
		{api.Event{Kind: api.KindProblem, Text: "404"}, 0, "2 domains ← node 2"},
		{api.Event{Kind: api.KindPage}, 2 * newsLasts, "2 domains ← node 2"},
		{api.Event{Kind: api.KindPage, Title: "later"}, 2 * newsLasts, "later"},
	} {
		n.note(c.event, now.Add(c.after), nameOf)
		if n.now.Last != c.last {
			t.Errorf("after %+v it shows %q, want %q", c.event, n.now.Last, c.last)
		}
	}
}

func TestDemoTally_CountsWhatTheWebSaw(t *testing.T) {
	tally := newDemoTally()
	tally.expect([]string{"http://a.test/", "http://a.test/x", "http://a.test/failed"})
	for _, h := range []demo.Hit{
		{URL: "http://a.test/robots.txt", Status: 200}, {URL: "http://a.test/robots.txt", Status: 200}, // one for each node
		{URL: "http://a.test/", Status: 200},
		{URL: "http://a.test/failed", Status: 503}, {URL: "http://a.test/failed", Status: 200}, // again, as it should
		{URL: "http://a.test/moved", Status: 301}, {URL: "http://a.test/gone", Status: 404},
	} {
		tally.add(h)
	}
	if requests, twice := tally.asked(); tally.fetched() != 2 || tally.wanted() != 3 || requests != 7 || twice != 0 {
		t.Errorf("%d of %d pages in %d requests, %d of them again; want 2 of 3 in 7, none again", tally.fetched(), tally.wanted(), requests, twice)
	}
	for _, u := range []string{"http://a.test/", "http://a.test/moved", "http://a.test/gone"} {
		tally.add(demo.Hit{URL: u, Status: 200})
	}
	if _, twice := tally.asked(); twice != 3 {
		t.Errorf("%d requests again, want 3", twice)
	}
}

func TestDemoTally_KnowsWhatAnEarlierRunFetched(t *testing.T) {
	kept := filepath.Join(t.TempDir(), "fetched.txt")
	pages := []string{"http://a.test/", "http://a.test/x", "http://a.test/y"}
	for run, asked := range [][]string{pages[:1], pages[1:2], {pages[0], pages[2]}} {
		tally := newDemoTally()
		tally.expect(pages)
		if err := tally.keep(kept); err != nil {
			t.Fatal(err)
		}
		if tally.fetched() != run {
			t.Errorf("run %d knows of %d pages, want %d", run, tally.fetched(), run)
		}
		for _, u := range asked {
			tally.add(demo.Hit{URL: u, Status: 200})
		}
		if _, twice := tally.asked(); tally.fetched() != run+1 || twice != 0 {
			t.Errorf("run %d ends with %d pages, %d again; want %d, none again", run, tally.fetched(), twice, run+1)
		}
		tally.close()
	}
}

// What the nodes rest for when the demo ends is not what they rested for before.
func TestDemoSummary_SaysWhyNodesRestedBefore(t *testing.T) {
	n := &node{now: state{Number: 1, Rests: "Resting: the disk is full."}}
	d := run{swarm: &members{nodes: []*node{n}}, tally: newDemoTally()}
	if err := d.swarm.freeze(); err != nil {
		t.Fatal(err)
	}
	n.now.Rests = "Paused by you."
	if got := d.result().Nodes[0].Rests; got != "Resting: the disk is full." {
		t.Errorf("it says %q", got)
	}
}

func TestDemoSummary_ACrawlThatIsNotRightIsAnError(t *testing.T) {
	nodes := []nodeResult{{state{Number: 1, Pages: 3, Domains: 61, Sent: 1, Archive: 1000}, "/h/1/data/warc"}}
	rested := slices.Clone(nodes)
	rested[0].Rests = "Resting: the disk is full."
	for _, c := range []struct {
		result Result
		says   string
		err    string
	}{
		{Result{Complete: true, Pages: 3, Fetched: 3, Seconds: 18.7}, "All 3 pages were fetched in 19s.\nEvery page was fetched once, ", ""},
		{Result{Pages: 3, Fetched: 2}, "2 of 3 pages were fetched in 0s.\nNone was fetched twice, ", ""},
		{Result{Complete: true, Pages: 3, Fetched: 2}, "2 of 3 pages were fetched in 0s.\n", "1 page not fetched"},
		{Result{Pages: 3, Fetched: 3, Twice: 2}, "All 3 pages were fetched in 0s, and 2 requests fetched a page again.\n", "2 requests fetched a page again"},
		{Result{Pages: 3, Fetched: 2, Nodes: rested}, "2 of 3 pages were fetched in 0s.\nNone was fetched twice, as the practice web's own log shows.\nNode 1 at the end: Resting: the disk is full.\n", ""},
		{Result{Pages: 3, Fetched: 3, Nodes: rested}, "All 3 pages were fetched in 0s.\nEvery page was fetched once, as the practice web's own log shows.\n1 link", ""},
	} {
		var out bytes.Buffer
		e := &env.Env{Out: &out, Home: "/h"}
		if c.result.Links = 1; c.result.Nodes == nil {
			c.result.Nodes = nodes
		}
		err := printSummary(e, c.result)
		if err == nil {
			err = errors.New("")
		}
		if !strings.HasPrefix(out.String(), c.says) || err.Error() != c.err || !strings.Contains(out.String(), "1.0 kB in 1/data/warc") {
			t.Errorf("it says %q and fails with %v; want %q and %q", out.String(), err, c.says, c.err)
		}
	}
}

func TestDemoSummary_JSON(t *testing.T) {
	var out bytes.Buffer
	e := &env.Env{Out: &out, Home: "/h", JSON: true}
	nodes := []nodeResult{{state{Number: 1, Pages: 3, Domains: 61, Last: "not told"}, "/h/1/data/warc"}}
	if err := printSummary(e, Result{Complete: true, Pages: 3, Fetched: 3, Nodes: nodes}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"complete": true`, `"fetched_twice": 0`, `"node": 1`, `"domains": 61`, `"warc": "/h/1/data/warc"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is missing in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "not told") {
		t.Errorf("what is for the screen is told:\n%s", out.String())
	}
}
