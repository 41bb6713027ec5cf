package server

import (
	"context"
	"net/http"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
)

// timedVerb serves a verb that takes a length of time, or none.
func timedVerb(verb func(context.Context, time.Duration) error) handlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		var body api.PauseRequest
		if err := readBody(w, r, &body); err != nil {
			return err
		}
		d, err := pauseParam(body.For)
		if err != nil {
			return err
		}
		return obey(w, r, http.StatusNoContent, func(ctx context.Context) error { return verb(ctx, d) })
	}
}

// plainVerb serves a verb that takes nothing.
func plainVerb(verb func(context.Context) error) handlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := readBody(w, r, &struct{}{}); err != nil {
			return err
		}
		return obey(w, r, http.StatusNoContent, verb)
	}
}

// obey calls a verb of the node; success has a status and nothing more to say.
func obey(w http.ResponseWriter, r *http.Request, status int, verb func(context.Context) error) error {
	_, err := ask(r, func(ctx context.Context) (struct{}, error) { return struct{}{}, verb(ctx) })
	if err == nil {
		w.WriteHeader(status)
	}
	return err
}

// pauseParam reads how long to pause, 0 until resumed.
func pauseParam(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > maxPause {
		return 0, refuse(http.StatusBadRequest, "said.api.for-must-be-a-time-like",
			words.Args{"example": `"1h30m"`, "most": int(maxPause / (24 * time.Hour))})
	}
	return d, nil
}

// maxErased bounds the sites and the addresses of one call.
const maxErased = 100

func (c calls) erase(w http.ResponseWriter, r *http.Request) error {
	var body api.EraseRequest
	if err := readBody(w, r, &body); err != nil {
		return err
	}
	if body.Confirm != "erase" {
		return refuse(http.StatusBadRequest, "said.api.confirm-must-be-erase-everything-that", nil)
	}
	if max(len(body.Sites), len(body.URLs)) > maxErased {
		return refuse(http.StatusBadRequest, "said.api.more-than-sites-at-once", words.Args{"most": maxErased})
	}
	what := api.Erasure{Sites: body.Sites, URLs: body.URLs, KeepIdentity: body.KeepIdentity}
	return obey(w, r, http.StatusAccepted, func(ctx context.Context) error { return c.node.Erase(ctx, what) })
}

// maxPattern bounds what is typed or pasted as a site, in bytes.
const maxPattern = 4096

func (c calls) never(w http.ResponseWriter, r *http.Request) error {
	var body api.NeverRequest
	if err := readBody(w, r, &body); err != nil {
		return err
	}
	if body.Pattern == "" || len(body.Pattern) > maxPattern {
		return refuse(http.StatusBadRequest, "said.api.pattern-must-be-a-domain-or", words.Args{"most": maxPattern})
	}
	return reply(w, r, func(ctx context.Context) (api.NeverChange, error) {
		return c.node.Never(ctx, body.Pattern, body.Undo)
	})
}

func (c calls) lookAway(w http.ResponseWriter, r *http.Request) error {
	var body api.LookRequest
	if err := readBody(w, r, &body); err != nil {
		return err
	}
	return reply(w, r, func(ctx context.Context) (api.Away, error) { return c.node.LookAway(ctx, body.Seen) })
}
