package api

import (
	_ "embed"
)

// OpenAPI describes all calls (OpenAPI 3.1). It is written from the types and comments of this package by
//
//	go test ./app/api/server -run TestOpenAPI_File -update
//
// and tests hold the handlers to it.
//
//go:embed openapi.json
var OpenAPI []byte
