// Package requestlog records the requests of a node, shows them to front ends and writes reports about them.
package requestlog

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"path/filepath"
	"strings"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/journal"
	"github.com/forage-net/forage/app/swarm/checks"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/worker"
	"github.com/forage-net/forage/storage/requests"
)

// Recorder is the part of a node that records its requests. It implements api.Recorder.
type Recorder struct {
	Log     *requests.Log // nil if none are recorded
	Dir     string        // of the record
	Days    int           // for which it is kept
	Network string        // of the node
	Self    string        // the node
	// CheckOf returns for whose page a request is a check, "" if it is none.
	CheckOf func(url string) crawl.PeerID
}

// Dir returns where the record of a node's requests is.
func Dir(stateDir string) string { return filepath.Join(stateDir, "requests") }

// Open opens the record of requests, or deletes it if the user wants none. A node whose disk does not let it have one
// works all the same.
func Open(dir string, days int, log *slog.Logger) (*requests.Log, error) {
	if days == 0 {
		return nil, requests.Dir(dir).Remove()
	}
	record, err := requests.Open(requests.Config{Dir: dir, Days: days, Log: log})
	if err != nil {
		log.Warn("Requests are not recorded", "error", err)
		return nil, nil
	}
	return record, nil
}

// Requested returns what takes requests, nil if nobody wants to know.
func (r *Recorder) Requested() func(*worker.Request) {
	if r.Log == nil {
		return nil
	}
	return r.record
}

func (r *Recorder) record(q *worker.Request) {
	x := requests.Record{
		Time: q.Started, URL: q.URL.String(), Domain: string(q.URL.Domain()), Code: string(requestCode(q)),
		Allowed: string(q.Ground), Rule: q.Line, Status: q.Status, Bytes: q.Received, Took: q.Took, Waited: q.Waited,
		Gap: q.Gap, Title: q.Title,
	}
	if q.Addr.IsValid() {
		x.Addr = q.Addr.Addr().Unmap()
	}
	if q.Granter != "" && q.Granter != r.Self {
		x.Owner = peer.ID(q.Granter).String()
	}
	if of := r.CheckOf(x.URL); of != "" && !q.Robots {
		x.Check = peer.ID(of).String()
	}
	r.Log.Append(&x)
}

// Checked records that another node fetched a page again because this one wanted it checked.
func (r *Recorder) Checked(x checks.Checked) {
	if r.Log == nil {
		return
	}
	o := &x.Outcome
	r.Log.Append(&requests.Record{
		Time: o.Date, URL: o.Task.URL.String(), Domain: string(o.Domain), Code: string(journal.CodeOf(o.Result)),
		Status: o.Status, Bytes: o.Received, Took: o.Took, Waited: -1, Title: o.Title, By: peer.ID(x.By).String(),
		Check: peer.ID(x.Of).String(),
	})
}

func requestCode(r *worker.Request) api.Code {
	switch {
	case r.Cut:
		return api.CodeCut
	case r.Robots && r.Result == crawl.Fetched:
		return api.CodeRobots
	}
	return journal.CodeOf(r.Result)
}

// Requests implements api.Recorder.
func (r *Recorder) Requests(ctx context.Context, q api.RequestQuery) (api.RequestPage, error) {
	r.Log.Flush()
	days := r.Days
	if r.Log == nil {
		days = 0
	}
	return Read(ctx, r.Dir, days, q)
}

// Read returns a page of the requests in a directory, which are kept for some days.
func Read(ctx context.Context, dir string, days int, q api.RequestQuery) (api.RequestPage, error) {
	page := api.RequestPage{KeptDays: days, Requests: []api.Request{}}
	before, ok := requests.ParseCursor(q.Before)
	if !ok {
		return page, &api.InputError{Err: words.New("said.api.before-must-be-the-next-of-2", nil)}
	}
	match, err := matchRequests(q)
	if err != nil {
		return page, err
	}
	list, next, err := requests.Dir(dir).Page(ctx, before, q.Limit, match)
	page.Next = next.String()
	for i := range list {
		page.Requests = append(page.Requests, describeRequest(&list[i]))
	}
	return page, err
}

// matchRequests returns what tells the wanted requests, nil if all are.
func matchRequests(q api.RequestQuery) (func(*requests.Record) bool, error) {
	kind := api.Kind(q.Kind)
	switch kind {
	case "", api.KindPage, api.KindRedirect, api.KindProblem, api.KindRobots:
	default:
		if api.Code(q.Kind).Kind() == "" {
			return nil, &api.InputError{Err: words.New("said.api.there-is-no-kind-of-request",
				words.Args{"name": fmt.Sprintf("%.40q", q.Kind)})}
		}
	}
	domain := strings.ToLower(strings.TrimSpace(q.Domain))
	if domain != "" {
		domain = string(crawl.DomainOf(domain))
	}
	text := strings.ToLower(q.Text)
	if kind == "" && domain == "" && text == "" {
		return nil, nil
	}
	return func(r *requests.Record) bool {
		if domain != "" && r.Domain != domain {
			return false
		}
		if kind != "" && r.Code != q.Kind && api.Code(r.Code).Kind() != kind {
			return false
		}
		return text == "" || strings.Contains(strings.ToLower(r.URL), text) ||
			strings.Contains(strings.ToLower(r.Title), text)
	}, nil
}

func describeRequest(r *requests.Record) api.Request {
	x := api.Request{
		Time: r.Time, URL: r.URL, Domain: r.Domain, Status: r.Status, Code: api.Code(r.Code), Bytes: r.Bytes,
		TookMs: r.Took.Milliseconds(), Title: r.Title, Owner: r.Owner, Allowed: r.Allowed, Rule: r.Rule,
		By: r.By, Checks: r.Check, WaitedS: -1, GapS: r.Gap.Seconds(),
	}
	if r.Waited >= 0 {
		x.WaitedS = r.Waited.Seconds()
	}
	if r.Addr != (netip.Addr{}) {
		x.Addr = r.Addr.String()
	}
	return x
}

// RequestReport implements api.Recorder.
func (r *Recorder) RequestReport(ctx context.Context, days int) (string, error) {
	r.Log.Flush()
	return Report(ctx, r.Dir, r.Network, days, time.Now())
}
