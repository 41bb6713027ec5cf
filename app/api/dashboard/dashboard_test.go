package dashboard

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"
)

func TestStatic_TooMuch(t *testing.T) {
	many := fstest.MapFS{"index.html": {}}
	for i := range maxFiles + 1 {
		many[fmt.Sprint("assets/", i)] = &fstest.MapFile{}
	}
	large := fstest.MapFS{"index.html": {}, "a": {Data: make([]byte, maxBytes+1)}}
	for _, files := range []fstest.MapFS{many, large} {
		if _, err := Read(files); err == nil {
			t.Error("too much was taken")
		}
	}
}

func BenchmarkStatic(b *testing.B) {
	f := newFile("assets/a.js", bytes.Repeat([]byte("export const words = 1;\n"), 10_000))
	r := httptest.NewRequest(http.MethodGet, "/assets/a.js", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	for b.Loop() {
		f.ServeHTTP(httptest.NewRecorder(), r)
	}
}
