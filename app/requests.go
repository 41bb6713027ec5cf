package app

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/worker"
	"github.com/forage-net/forage/storage/requests"
)

// requested returns what takes requests, nil if nobody wants to know.
func (n *Node) requested() func(*worker.Request) {
	if n.requests == nil {
		return nil
	}
	return n.record
}

// record records a request.
func (n *Node) record(r *worker.Request) {
	x := requests.Record{
		Time: r.Started, URL: r.URL.String(), Domain: string(r.URL.Domain()), Code: string(requestCode(r)), Allowed: string(r.Ground), Rule: r.Line,
		Status: r.Status, Bytes: r.Received, Took: r.Took, Waited: r.Waited, Gap: r.Gap, Title: r.Title,
	}
	if r.Addr.IsValid() {
		x.Addr = r.Addr.Addr().Unmap()
	}
	if r.Granter != "" && r.Granter != n.member.Node.Self() {
		x.Owner = peer.ID(r.Granter).String()
	}
	if of := n.swarm.CheckOf(x.URL); of != "" && !r.Robots {
		x.Check = peer.ID(of).String()
	}
	n.requests.Append(&x)
}

func requestCode(r *worker.Request) api.Code {
	switch {
	case r.Cut:
		return api.CodeCut
	case r.Robots && r.Result == crawl.Fetched:
		return api.CodeRobots
	}
	return codeOf(r.Result)
}

// Requests implements api.Recorder.
func (n *Node) Requests(ctx context.Context, q api.RequestQuery) (api.RequestPage, error) {
	n.requests.Flush()
	days := n.opts.Config.Log.RequestsDays
	if n.requests == nil {
		days = 0
	}
	return readRequests(ctx, n.opts.Paths, days, q)
}

// Requests is as Node.Requests.
func (r *Reader) Requests(ctx context.Context, q api.RequestQuery) (api.RequestPage, error) {
	cfg, err := config.Load(r.paths.Config)
	if err != nil {
		return api.RequestPage{}, err
	}
	return readRequests(ctx, r.paths, cfg.Log.RequestsDays, q)
}

func readRequests(ctx context.Context, paths config.Paths, days int, q api.RequestQuery) (api.RequestPage, error) {
	page := api.RequestPage{KeptDays: days, Requests: []api.Request{}}
	before, ok := requests.ParseCursor(q.Before)
	if !ok {
		return page, &api.InputError{Err: errors.New("before must be the next of another page")}
	}
	match, err := matchRequests(q)
	if err != nil {
		return page, err
	}
	list, next, err := requests.Dir(RequestsDir(paths.State)).Page(ctx, before, q.Limit, match)
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
			return nil, &api.InputError{Err: fmt.Errorf("there is no kind of request %.40q", q.Kind)}
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
		return text == "" || strings.Contains(strings.ToLower(r.URL), text) || strings.Contains(strings.ToLower(r.Title), text)
	}, nil
}

func describeRequest(r *requests.Record) api.Request {
	x := api.Request{
		Time: r.Time, URL: r.URL, Domain: r.Domain, Status: r.Status, Code: api.Code(r.Code), Bytes: r.Bytes, TookMs: r.Took.Milliseconds(), Title: r.Title,
		Owner: r.Owner, Allowed: r.Allowed, Rule: r.Rule, By: r.By, Checks: r.Check, WaitedS: -1, GapS: r.Gap.Seconds(),
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
func (n *Node) RequestReport(ctx context.Context, days int) (string, error) {
	n.requests.Flush()
	return reportRequests(ctx, n.opts.Paths, n.opts.network(), days, time.Now())
}

// RequestReport is as Node.RequestReport.
func (r *Reader) RequestReport(ctx context.Context, days int) (string, error) {
	return reportRequests(ctx, r.paths, r.network(), days, time.Now())
}
