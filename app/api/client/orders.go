package client

import (
	"context"
	"net/http"
	"time"

	"github.com/forage-net/forage/app/api"
)

// Orders tells a node what to do.
type Orders struct{ *caller }

// Pause stops the node's work for a time, or until Resume if d is 0.
func (c Orders) Pause(ctx context.Context, d time.Duration) error {
	return c.timed(ctx, "/api/pause", d)
}

// Resume ends a pause.
func (c Orders) Resume(ctx context.Context) error {
	return c.call(ctx, http.MethodPost, "/api/resume", struct{}{}, nil)
}

// Work has the node work for a time, or until Resume if d is 0.
func (c Orders) Work(ctx context.Context, d time.Duration) error {
	return c.timed(ctx, "/api/work", d)
}

// timed sends a verb that takes a length of time, or none if d is 0.
func (c Orders) timed(ctx context.Context, path string, d time.Duration) error {
	var body api.PauseRequest
	if d != 0 {
		body.For = d.String()
	}
	return c.call(ctx, http.MethodPost, path, body, nil)
}

// Finish lets what is in flight come to its end, starts nothing more, and then ends the node.
func (c Orders) Finish(ctx context.Context) error {
	return c.call(ctx, http.MethodPost, "/api/finish", struct{}{}, nil)
}

// Stop makes the node stop. It returns when the node has begun to.
func (c Orders) Stop(ctx context.Context) error {
	return c.call(ctx, http.MethodPost, "/api/stop", struct{}{}, nil)
}

// SetRun has the node work always, while nobody uses the computer, or not at all.
func (c Orders) SetRun(ctx context.Context, mode api.RunMode) error {
	return c.call(ctx, http.MethodPost, "/api/run", api.RunRequest{Run: mode}, nil)
}

// SetStartup has the system start the node when its user logs in, or not.
func (c Orders) SetStartup(ctx context.Context, on bool) error {
	return c.call(ctx, http.MethodPost, "/api/startup", api.StartupRequest{On: on}, nil)
}

// Never takes a site off the web of the node, or with undo back in. text is
// what a person typed or pasted.
func (c Orders) Never(ctx context.Context, text string, undo bool) (api.NeverChange, error) {
	return post[api.NeverChange](ctx, c.caller, "/api/never", api.NeverRequest{Pattern: text, Undo: undo})
}

// Erase ends the node and has it delete what it is told to.
// It returns when the node has begun to.
func (c Orders) Erase(ctx context.Context, what api.Erasure) error {
	body := api.EraseRequest{Confirm: "erase", Sites: what.Sites, URLs: what.URLs, KeepIdentity: what.KeepIdentity}
	return c.call(ctx, http.MethodPost, "/api/erase", body, nil)
}

// ShowWindow has the window that is open come to the front and show a page (IsWindowPage), "" for the one
// it shows. It reports false if none is open.
func (c Orders) ShowWindow(ctx context.Context, page string) (raised bool, err error) {
	answer, err := post[api.Raised](ctx, c.caller, "/api/window", api.WindowRequest{Page: page})
	return answer.Raised, err
}
