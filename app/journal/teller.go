package journal

import (
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/claims"
	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/app/limiter"
	"github.com/forage-net/forage/app/stats"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/robots"
	"github.com/forage-net/forage/crawl/worker"
)

// Tally counts pages.
type Tally struct {
	Rate  *Rate
	Sites *Sites
	Pages atomic.Int64 // fetched since ever, without those of the user's own sites
}

// NewTally returns a Tally of a node that has fetched pages before.
func NewTally(pages int64) *Tally {
	t := &Tally{Rate: NewRate(time.Now), Sites: NewSites(time.Now)}
	t.Pages.Store(pages)
	return t
}

// Teller makes events of what the parts of a node report, and counts the pages.
type Teller struct {
	Journal *Journal
	Tally   *Tally
	Self    crawl.PeerID // this node
	Clock   *clock.Clock // of the records of robots.txt
	Own     *claims.Own  // the user's own sites
	// Visited is told when a page was fetched of a domain of this node, by whomever, and in which language, "" if that
	// is not known.
	Visited func(d crawl.Domain, at time.Time, language string)
	Log     *slog.Logger
}

// Outcomes tells of outcomes that are committed, and counts the pages that this node fetched, whoever's their domains
// are in the swarm.
func (t *Teller) Outcomes(outcomes []crawl.Outcome) {
	for _, o := range outcomes {
		t.outcome(o)
		if o.Result == crawl.Fetched && !t.Own.Lists(o.Domain) {
			t.Tally.Pages.Add(1)
		}
	}
}

func (t *Teller) outcome(o crawl.Outcome) {
	if o.Result == crawl.Declined || o.Result == crawl.Deferred && o.Reason == "" {
		return // nothing happened
	}
	e := api.Event{
		Kind: api.KindProblem, Code: CodeOf(o.Result), Domain: string(o.Domain), URL: o.Task.URL.String(),
		Status: o.Status, Bytes: o.Received,
		TookMs: o.Took.Milliseconds(), Title: o.Title,
		First: stats.IsFirst(&o) && !t.Own.Lists(o.Domain),
	}
	if o.Granter != "" && o.Granter != string(t.Self) {
		e.Peer = peer.ID(o.Granter).String()
	}
	// The journal keeps e for a long time: nothing in it may hold the whole outcome, with its links.
	result, reason, known := o.Result, o.Reason, o.Result == crawl.Fetched && o.Duplicate
	e.Said = func(lang string) string { return outcomeText(lang, result, known, reason) }
	switch o.Result {
	case crawl.Fetched, crawl.Unchanged:
		e.Kind = api.KindPage
		t.Tally.Rate.Add(1)
		t.Tally.Sites.Add(o.Domain)
		if o.Result == crawl.Fetched {
			e.Language = stats.ShortLanguage(o.Language)
		}
		if o.Result == crawl.Fetched && e.Peer == "" {
			t.Visited(o.Domain, o.Date, e.Language)
		}
	case crawl.Redirected:
		e.Kind = api.KindRedirect
	case crawl.Forbidden, crawl.Deferred:
		e.Kind = api.KindRobots
	}
	t.Journal.Add(e)
}

// outcomeText says what came of a URL, and why. known says that the content of a page was.
func outcomeText(lang string, r crawl.Result, known bool, reason string) string {
	key := "failed"
	switch {
	case known:
		key = "fetched-known"
	case int(r) < len(resultKeys) && resultKeys[r] != "":
		key = resultKeys[r]
	}
	text := words.Text(lang, "said.event."+key, nil)
	if reason != "" {
		text += ": " + words.Shown(lang, reason)
	}
	return text
}

// resultKeys end the keys of the words for results.
var resultKeys = [...]string{
	crawl.Fetched: "fetched", crawl.Redirected: "redirected", crawl.Skipped: "not-text", crawl.Gone: "gone",
	crawl.Forbidden: "forbidden-by-robots-txt", crawl.Failed: "failed", crawl.Refused: "asked-to-wait",
	crawl.Deferred: "put-off", crawl.Blocked: "not-to-be-visited", crawl.Unchanged: "unchanged",
}

// CodeOf is what front ends call a result.
func CodeOf(r crawl.Result) api.Code {
	if int(r) < len(resultCodes) && resultCodes[r] != "" {
		return resultCodes[r]
	}
	return api.CodeFailed
}

var resultCodes = [...]api.Code{
	crawl.Fetched: api.CodeFetched, crawl.Redirected: api.CodeRedirected, crawl.Skipped: api.CodeSkipped,
	crawl.Gone:      api.CodeGone,
	crawl.Forbidden: api.CodeForbidden, crawl.Failed: api.CodeFailed, crawl.Refused: api.CodeRefused,
	crawl.Deferred: api.CodeDeferred,
	crawl.Blocked:  api.CodeBlocked, crawl.Unchanged: api.CodeUnchanged, crawl.Declined: api.CodeDeclined,
}

// Robots tells what came of asking for the robots.txt of an origin.
func (t *Teller) Robots(origin string, r robots.Record, cost worker.RobotsCost) {
	e := api.Event{
		Kind: api.KindRobots, Code: api.CodeRobots, URL: origin + "/robots.txt", Status: r.Status, Bytes: cost.Received,
		TookMs: cost.Took.Milliseconds(),
		Said:   t.robotsSaid(r).In,
	}
	if u, err := crawl.ParseURL(e.URL); err == nil {
		e.Domain = string(u.Domain())
	}
	t.Journal.Add(e)
}

func (t *Teller) robotsSaid(r robots.Record) *words.Message {
	switch r.Class {
	case robots.ClassRules:
		return words.New("said.event.robots-txt-read", nil)
	case robots.ClassAllowAll:
		return words.New("said.event.there-is-no-robots-txt", nil)
	}
	next := time.Now().Add(r.NextTry.Sub(t.Clock.Latest())) // the record is by that clock
	return words.New("said.event.robots-txt-cannot-be-had", words.Args{"time": next.Format(time.TimeOnly)})
}

// State tells that the node is in another state, and why.
func (t *Teller) State(state api.State, causes []limiter.Cause) {
	code := api.CodeState
	if state == api.StateStopping {
		code = api.CodeStopping
	}
	t.Journal.Add(api.Event{
		Kind: api.KindNode, Code: code, Said: func(lang string) string { return stateText(lang, state, causes) },
	})
	t.Log.Info("State changed", "state", string(state), "reasons", limiter.Reasons(words.English, causes))
}

// toldReasons is how many reasons an event names: the first ones decide, and the limits tell all.
const toldReasons = 2

// stateText says in a language what state a node is in, and why.
func stateText(lang string, state api.State, causes []limiter.Cause) string {
	if len(causes) > 0 {
		return strings.Join(limiter.Reasons(lang, causes[:min(len(causes), toldReasons)]), " · ")
	}
	return state.In(lang)
}
