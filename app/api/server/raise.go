package server

import (
	"context"
	"net/http"
	"strings"

	"github.com/forage-net/forage/app/api"
)

// windowParam reads whether the caller is a window. A page in a browser cannot be: what is meant for the
// window would be lost on it.
func (s *Server) windowParam(r *http.Request, text string) (bool, error) {
	switch {
	case text == "":
		return false, nil
	case text != "1":
		return false, refuse(http.StatusBadRequest, "window must be 1")
	case !s.knows(r):
		return false, refuse(http.StatusBadRequest, "a window is a program that has the token")
	}
	return true, nil
}

// showWindow serves POST /api/window.
func (s *Server) showWindow(w http.ResponseWriter, r *http.Request) error {
	var body api.WindowRequest
	if err := readBody(w, r, &body); err != nil {
		return err
	}
	if body.Page != "" && !api.IsWindowPage(body.Page) {
		return refuse(http.StatusBadRequest, "page must be one of %s", strings.Join(api.WindowPages, ", "))
	}
	ctx, cancel := context.WithTimeout(r.Context(), nodeTimeout)
	defer cancel()
	return writeJSON(w, api.Raised{Raised: s.window.Show(ctx, body.Page)})
}
