package server

import (
	"fmt"
	"html"
	"net/http"
	"strings"

	"github.com/forage-net/forage/assets/words"
)

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
