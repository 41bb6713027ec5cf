package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"strings"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/lists"
	"github.com/forage-net/forage/assets/words"
)

func refuse(status int, key string, args words.Args) error {
	return &api.CallError{Status: status, Err: words.New(key, args)}
}

// writeBody writes an answer. A caller who is gone does not get it, and that
// is all that can go wrong.
func writeBody(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	w.Write(body)
}

// filled returns a list of which JSON does not say null.
func filled[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// ask calls the node, which has nodeTimeout to answer.
func ask[T any](r *http.Request, call func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(r.Context(), nodeTimeout)
	defer cancel()
	v, err := call(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = refuse(http.StatusGatewayTimeout, "said.api.the-node-did-not-answer-within",
			words.Args{"time": nodeTimeout})
	} else if errors.Is(err, context.Canceled) {
		err = refuse(http.StatusServiceUnavailable, "said.api.the-node-is-stopping", nil)
	}
	return v, err
}

// replyTo is reply to a GET, if there is nothing wrong with its parameters.
func replyTo[T any](w http.ResponseWriter, p *params, call func(context.Context) (T, error)) error {
	if p.err != nil {
		return p.err
	}
	return reply(w, p.r, call)
}

// reply asks the node, and writes what it says as JSON.
func reply[T any](w http.ResponseWriter, r *http.Request, call func(context.Context) (T, error)) error {
	v, err := ask(r, call)
	if err != nil {
		return err
	}
	return writeJSON(w, v)
}

func writeJSON[T any](w http.ResponseWriter, v T) error {
	body, err := json.Marshal(lists.Filled(v))
	if err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	writeBody(w, http.StatusOK, "application/json", append(body, '\n'))
	return nil
}

// writeError answers what went wrong, in the language of the call.
func writeError(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusInternalServerError
	var e *api.CallError
	var bad *api.InputError
	switch {
	case errors.As(err, &e):
		status = e.Status
	case errors.Is(err, api.ErrNoCapture):
		status, err = http.StatusNotFound, api.ErrNoCapture
	case errors.Is(err, api.ErrNoSite):
		status, err = http.StatusNotFound, api.ErrNoSite
	case errors.As(err, &bad):
		status = http.StatusBadRequest
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	lang := api.Lang(r.Context())
	said := words.In(lang, err)
	if wantsPage(r) {
		writeBody(w, status, "text/html; charset=utf-8", noPage(lang, status, said))
		return
	}
	body, _ := json.Marshal(api.Problem{Error: said}) // a string always can
	writeBody(w, status, "application/json", append(body, '\n'))
}

// wantsPage reports whether a person reads the answer: a browser asks for a page, beside the API.
func wantsPage(r *http.Request) bool {
	return r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, "/api/") &&
		strings.Contains(r.Header.Get("Accept"), "text/html")
}

// noPage says in words that there is nothing to be seen, and leads to the dashboard. Strangers learn no more from it
// than from a status.
func noPage(lang string, status int, problem string) []byte {
	if status == http.StatusUnauthorized || status == http.StatusNotFound {
		problem = words.Text(lang, "api.page.where", nil) // who typed an address wrong knows of no token
	}
	text := func(key string) string { return html.EscapeString(words.Text(lang, "api.page."+key, nil)) }
	return fmt.Appendf(nil, `<!doctype html>
<html lang="%s">
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Forage</title>
<h1>%s</h1>
<p>%s</p><p><a href="/">%s</a></p></html>
`, lang, text("none"), html.EscapeString(problem), text("dashboard"))
}
