package api

import (
	_ "embed"
	"net/http"
)

// openAPI describes all calls (OpenAPI 3.1). It is written from the types and comments of this package by
//
//	go test ./app/api -run TestOpenAPI_File -update
//
// and tests hold the handlers to it.
//
//go:embed openapi.json
var openAPI []byte

func (s *Server) describe(w http.ResponseWriter, r *http.Request) error {
	if _, err := query(r); err != nil {
		return err
	}
	writeBody(w, http.StatusOK, "application/json", openAPI)
	return nil
}
