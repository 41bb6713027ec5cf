package api

import (
	"bytes"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write openapi.json anew")

func TestOpenAPI_File(t *testing.T) {
	want, err := writeOpenAPI(New(Config{Node: newTestNode("ab")}).routes())
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("openapi.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(openAPI, want) {
		t.Error("openapi.json is not what types, comments and the table of calls say; go test ./app/api -run TestOpenAPI_File -update writes it anew")
	}
}
