package server

import (
	"fmt"
	"net/http"

	"github.com/forage-net/forage/app/api"
)

func refuse(status int, format string, args ...any) error {
	return &api.CallError{Status: status, Text: fmt.Sprintf(format, args...)}
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
