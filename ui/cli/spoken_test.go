package cli

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/clitest"
)

// mouth is a node that has something to say to each question. It says nothing in words of its own, so that those on the
// screen are of this package.
type mouth struct {
	fullNode
}

// saidAt is when all happened and will happen: far off, so that it is always written with its date.
var saidAt = time.Date(2031, 1, 2, 3, 4, 5, 0, time.Local)

// countedAt is the beginning of that hour.
var countedAt = time.Date(2031, 1, 2, 3, 0, 0, 0, time.Local)

const (
	mouthID = "12D3KooWD3bfmNbuuuVCYwkjnFt3ukm3qaB3hDED3peHHXawvRAi"
	otherID = "12D3KooWQYhTNQdmr3ArTeUHRYzFg94BKyTkoWBDWez9kSCVe2Xo"
)

func (m *mouth) Domains(context.Context, string, int) ([]api.Domain, error) {
	return []api.Domain{
		{Domain: "a.example", State: "due", Fetched: 1234, Queued: 5, Bytes: 1.5e6},
		{Domain: "b.example", State: "asked us to wait, or failed", NextVisit: &saidAt, Queued: 1, Refusals: 1200, Challenges: 1},
		{Domain: "c.example", State: "being visited", Owner: otherID},
		{Domain: "d.example", State: api.DomainRefused, Reason: "-", Queued: 3},
		{Domain: "e.example", State: "done"},
	}, nil
}

func (m *mouth) Peers(context.Context) (api.Peers, error) {
	p := api.Peers{ID: mouthID, Share: 0.251, Reachability: "-", Members: 3}
	for i, state := range []string{"owns and fetches", "fetches", "leaving", "left", "rests", "visitor", "out", "does not answer"} {
		how := []string{"direct", "through a relay", "none now"}[i%3]
		p.Peers = append(p.Peers, api.Peer{
			ID: otherID, State: state, Connection: how, Addr: "/ip4/192.0.2.7", Capacity: 1000, Share: 0.125, RTTMs: float64(i) * 1.5, LeasesHeld: 1, LeasesLent: 2,
			Outcomes: int64(40 * i), Checks: int64(5 * i), ChecksAgreed: int64(4 * i), ChecksAlone: int64(i / 3),
		})
	}
	p.Peers[7].BarredUntil = &countedAt
	return p, nil
}

func (m *mouth) Invitation(context.Context) (api.Invitation, error) {
	return api.Invitation{Invite: "-", Private: true}, nil
}

func (m *mouth) Stats(context.Context, int) (api.Stats, error) {
	c := api.Counts{Pages: 12345, Firsts: 6, BytesReceived: 1.5e9, HelpedS: 3700}
	return api.Stats{Totals: c, Hours: []api.Hour{{Start: countedAt, Counts: c}}}, nil
}

func (m *mouth) Series(_ context.Context, q api.SeriesQuery) (api.Series, error) {
	return api.Series{Unit: q.Unit, Points: []api.Point{{Start: countedAt}}}, nil
}

func (m *mouth) NeverList(context.Context) (api.NeverList, error) {
	return api.NeverList{Sites: []string{"a.example"}, TLDs: []string{"zip"}, Topics: []string{"gambling"}, Builtin: []api.Refusal{{Pattern: "b.example", Reason: "-"}}}, nil
}

func (m *mouth) Never(_ context.Context, text string, _ bool) (api.NeverChange, error) {
	return api.NeverChange{Pattern: text, Text: "-"}, nil
}

func (m *mouth) Limits(context.Context, string) (api.Limits, error) {
	return api.Limits{Level: "gentle", Footing: "duty", Mode: "auto", Run: api.RunAway, Sentence: "-"}, nil
}

func (m *mouth) Requests(context.Context, api.RequestQuery) (api.RequestPage, error) {
	var p api.RequestPage
	for _, code := range []api.Code{
		api.CodeFetched, api.CodeUnchanged, api.CodeRedirected, api.CodeGone, api.CodeSkipped, api.CodeForbidden, api.CodeFailed, api.CodeRefused, api.CodeDeferred,
		api.CodeBlocked, api.CodeDeclined, api.CodeRobots, api.CodeCut,
	} {
		p.Requests = append(p.Requests, api.Request{Time: saidAt, URL: "http://a.example/", Code: code, Status: 200, Allowed: "all-allowed", WaitedS: 2.5, GapS: 2})
	}
	for _, allowed := range []string{"rules", "no-robots", "robots-itself", "unreadable", "unreachable"} {
		p.Requests = append(p.Requests, api.Request{Time: saidAt, URL: "http://a.example/", Code: api.CodeFetched, Allowed: allowed, WaitedS: -1})
	}
	return p, nil
}

// SearchArchive answers "all", "some", "off" and "most" in that way, and finds nothing of other words.
func (m *mouth) SearchArchive(_ context.Context, query, _ string, limit int) (api.SearchPage, error) {
	p := api.SearchPage{Pages: 1200, Waiting: 1}
	result := api.SearchResult{
		Time: saidAt, URL: "http://x.test/", Domain: "x.test", Copies: 2, MoreOfSite: 1, Links: 1200,
		Snippet: []api.SnippetPiece{{Text: "- "}, {Text: "- -", Match: true}},
	}
	switch query {
	case "all":
		p.Results, p.Total = []api.SearchResult{result, {Time: saidAt, URL: "http://x.test/-", Title: "-"}}, 2
	case "some":
		p.Results, p.Total, p.Some = []api.SearchResult{result}, 1, true
	case "most":
		for range limit {
			p.Results = append(p.Results, api.SearchResult{Time: saidAt, URL: "http://x.test/-"})
		}
		p.Total, p.More, p.Next, p.Waiting = 10_000, true, "-", 0
	case "full":
		p.Waiting, p.Full = 1200, true
	case "off":
		p = api.SearchPage{Results: []api.SearchResult{result}, Total: 1, Off: true}
	case "off -off":
		p = api.SearchPage{Off: true}
	}
	return p, nil
}

func (m *mouth) LinksTo(_ context.Context, target, _ string, _ int) (api.LinksPage, error) {
	if target == "b.example" {
		return api.LinksPage{Target: target, Domain: true}, nil
	}
	link := api.InLink{From: "http://x.test/", Site: "x.test", To: "http://a.example/-", Text: "-", First: saidAt.AddDate(-1, 0, 0), Last: saidAt, Pages: 12}
	return api.LinksPage{Target: target, Domain: target == "a.example", Links: 1200, Sites: 1, List: []api.InLink{link}}, nil
}

func (m *mouth) Site(_ context.Context, domain string) (api.SiteSummary, error) {
	if domain == "b.example" {
		return api.SiteSummary{}, api.ErrNoSite
	}
	return api.SiteSummary{
		Domain: domain, Title: "-", Description: "-", Pages: 1200, Bytes: 1.5e6, Fresh: 1100, First: saidAt, Last: saidAt, LinkingSites: 12,
		Languages: []api.LanguageCount{{Language: "de", Pages: 1000}, {Pages: 200}},
		TopLinks:  []api.InLink{{From: "http://x.test/", Site: "x.test", To: "http://a.example/", First: saidAt, Last: saidAt}},
		Top:       []api.SearchResult{{URL: "http://a.example/", Time: saidAt}},
	}, nil
}

func (m *mouth) ReadCapture(context.Context, string, string) (api.ArchivedPage, error) {
	p := full[api.ArchivedPage]()
	p.Time, p.Cut, p.Paragraphs = saidAt, true, nil
	return p, nil
}

func (m *mouth) RequestReport(context.Context, int) (string, error) { return "-\n", nil }

func (m *mouth) Events(since uint64, _ int) (list []api.Event, next uint64, missed bool) {
	if since > 0 {
		return nil, since, false
	}
	for i, kind := range []api.Kind{api.KindPage, api.KindRedirect, api.KindProblem, api.KindRobots, api.KindDomain, api.KindNode, api.KindSwarm} {
		list = append(list, api.Event{ID: uint64(i + 1), Time: saidAt, Kind: kind, Text: "-", URL: "http://a.example/"})
	}
	return list, uint64(len(list)), false
}

// spokenLines are command lines that print something for people, or complain, beside a node that runs or, if they begin
// with "-", without one.
var spokenLines = []string{
	"status", "domains", "peers", "invite", "log", "log --requests", "log --requests --report", "stats", "stats --days", "stats --years",
	"find x", "find all", "find some", "find most --limit 1", "find off", "find off -off", "find full", "links a.example", "links http://a.example/", "links b.example",
	"site a.example", "site b.example", "read http://x.test/", "limits", "pause", "resume", "resume --for 2m", "mode", "mode always", "away", "finish", "never example.org", "never --list", "erase --yes",
	"- status", "- domains", "- peers", "- paths", "- get disk.mx", "- set disk.max=much", "- set disk.max", "- set consent.version=3",
	"- consent", "- run", "- run --await-consent --lab --hosts NOWHERE", "- consent --yes", "- consent", "- password", "- password --remove",
	"- join nonsense", "- join " + testInvite, "- autostart", "- autostart on", "- autostart", "- autostart on --service", "- autostart off",
	"- autostart maybe", "- autostart off --service", "- never co.uk", "- never", "- never --list x", "- never --undo a.example",
	"- export OUT", "- export --format pdf OUT", "- export --format warc --title x OUT", "- export --format warc OUT", "- export --format wacz OUT",
	"- export --format cdxj OUT", "- export --format links OUT", "- export --format pages OUT", "- export --format graph OUT",
	"- export --format stats --all OUT", "- log --requests --follow", "- log --days 1", "- log --requests --days 400",
	"- log --requests --report --domain x", "- stats --days --years", "- find --limit 0 x", "- pause soon", "- erase", "- erase --yes", "- export --format warc OUT",
	"- stauts", "- frobnicate", "- doctor --dryrun", "- doctor --dry-run --reindex", "- doctor --colour", "- status --json=maybe", "- run --depth many", "- run --gap", "- why", "- get a b",
	"- paths x", "- run --gap 1s", "- run --lab --gap -1s", "- run --depth 256", "- run --lab --fetchers 0", "- run --lab --exit-when-idle 0s",
	"- run --lab --lab-times fast", "- run --lab --lab-footing far", "- run --lab --lab-rotate -1", "- run --lab --network BAD_NAME",
	"- run --lab --bootstrap nonsense", "- run --lab --listen nonsense", "- run --accept --lab --seeds NOWHERE", "- completion csh",
}

// speak runs all lines for who speaks a language, and returns what is printed, with what it ends with.
func speak(t *testing.T, lang string) string {
	t.Helper()
	t.Setenv("LC_ALL", lang)
	away, running, resting, out := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"} {
		t.Setenv(name, filepath.Join(away, name))
	}
	serve(t, running, func(boot string) api.Node { return &mouth{fullNode{boot: boot}} })
	archiveOnePage(t, resting)
	var all strings.Builder
	for _, line := range spokenLines {
		home, args := running, line
		if rest, is := strings.CutPrefix(line, "- "); is {
			home, args = resting, rest
		}
		var stdout, stderr bytes.Buffer
		code := Main(append(strings.Fields(strings.ReplaceAll(args, "OUT", out)), "--home", home), &stdout, &stderr)
		fmt.Fprintf(&all, "$ forage %s\n%s%s(%d)\n\n", args, stdout.String(), stderr.String(), code)
	}
	text := strings.NewReplacer(running, "HOME", resting, "HOME", out, "OUT", away, "AWAY").Replace(all.String())
	for _, m := range []struct{ what, by string }{{time.Now().Format(time.DateOnly) + ` \d\d:\d\d`, "TODAY"}, {`, \d+([.,]\d+)? [kMG]?B, in`, ", SIZE, in"}, {`forage-\d+\.wacz`, "forage-TODAY.wacz"}} {
		text = regexp.MustCompile(m.what).ReplaceAllString(text, m.by)
	}
	return text
}

// What commands print, in both languages, as it was written down.
func TestSpoken_AsWritten(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("paths and places of the system are others")
	}
	for _, lang := range words.Languages() {
		clitest.Golden(t, "spoken_"+lang+".txt", speak(t, lang))
	}
}
