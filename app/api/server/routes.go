package server

import (
	"context"
	"net/http"

	"github.com/forage-net/forage/app/api"
)

// routes is the table of the API.
func (s *Server) routes() map[string]route {
	in, flow := s.entrance(), s.flow()
	n, lib := calls{s.node}, &library{s.node, &s.views}
	files := &exports{s.node, &s.tickets, s.log}
	return map[string]route{
		"/healthz":             {get: healthz, open: true},
		"/metrics":             {get: s.shared.Serves(n.metrics)},
		"/api/openapi.json":    {get: describe},
		"/api/link":            {post: in.link},
		"/api/session":         {get: in.howToEnter, post: in.beginSession, open: true},
		"/api/session/end":     {post: in.endSession},
		"/api/status":          {get: s.shared.Serves(answers(statusIn(s.node), "lang"))},
		"/api/domains":         {get: n.domains},
		"/api/stats":           {get: n.stats},
		"/api/stats/series":    {get: s.shared.Serves(n.statsSeries)},
		"/api/stats/best":      {get: inZone(s.node.Best)},
		"/api/events":          {get: flow.events},
		"/api/peers":           {get: s.shared.Serves(answers(s.node.Peers, "lang"))},
		"/api/invite":          {get: answers(s.node.Invitation)},
		"/api/helping":         {get: answers(n.helping)},
		"/api/away":            {get: answers(s.node.Away), post: n.lookAway},
		"/api/visits":          {get: s.shared.Serves(n.visits)},
		"/api/ring":            {get: s.shared.Serves(answers(s.node.Ring))},
		"/api/why":             {get: n.why},
		"/api/requests":        {get: n.requests},
		"/api/requests/report": {get: n.requestReport},
		"/api/never":           {get: answers(s.node.NeverList, "lang"), post: n.never},
		"/api/settings":        {get: withStartup(s.node.Settings, startupOfSettings), post: n.changeSettings},
		"/api/setup":           {get: withStartup(s.node.Setup, startupOfSetup), post: n.agree},
		"/api/startup":         {post: setStartup(s.node)},
		"/api/limits":          {get: s.shared.Serves(answers(inLang(s.node.Limits), "lang"))},
		"/api/limits/history":  {get: s.shared.Serves(n.limitHistory)},
		"/api/archive":         {get: lib.captures},
		"/api/archive/search":  {get: lib.searchArchive},
		"/api/archive/links":   {get: lib.linksTo},
		"/api/archive/site":    {get: lib.site},
		"/api/archive/finds":   {get: lib.finds},
		"/api/archive/page":    {get: lib.readCapture},
		"/api/archive/view":    {get: lib.whatIsShown, post: lib.beginView},
		"/api/export":          {post: files.export},
		"/api/doctor":          {get: n.doctor},
		"/api/erase":           {post: n.erase},
		downloadPath:           {get: files.download, open: true},
		archivePath:            {get: lib.archived, open: true, deep: true, named: lib.hasView},
		"/api/work":            {post: timedVerb(s.node.Work)},
		"/api/finish":          {post: plainVerb(s.node.Finish)},
		"/api/pause":           {post: timedVerb(s.node.Pause)},
		"/api/run":             {post: n.setRun},
		"/api/resume":          {post: plainVerb(s.node.Resume)},
		"/api/stop":            {post: plainVerb(s.node.Stop)},
		"/api/window":          {post: flow.showWindow},
	}
}

func healthz(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Connection", "close")
	writeBody(w, http.StatusOK, "text/plain; charset=utf-8", []byte("ok\n"))
	return nil
}

func statusIn(n api.Node) func(context.Context) (api.Status, error) {
	return func(ctx context.Context) (api.Status, error) {
		if lang := api.Lang(ctx); lang != "en" {
			return n.StatusIn(ctx, lang)
		}
		return n.Status(ctx)
	}
}
