// Package dashboard serves the files of the dashboard, a page for browsers. It decides what kind each is, how
// long a browser keeps it, and what the page may load. What is not among the files when they are read is not
// served, whatever a path says.
package dashboard

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

const (
	// maxBytes bounds the dashboard's files together, in bytes: ten times what is allowed for them.
	maxBytes = 16 << 20
	// maxFiles bounds their number.
	maxFiles = 500
	// indexName is the page that "/" serves.
	indexName = "index.html"
	// assetsDir holds files whose names change with their content.
	assetsDir = "assets/"
)

// Policy lets the dashboard's page use what comes from here alone, and nothing that is written into
// the page itself.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
	"font-src 'self'; " +
	"connect-src 'self'; frame-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; " +
	"frame-ancestors 'none'"

// types are the kinds of files there are. What the system's registry says of them does not count:
// on Windows any program may change that.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".json": "application/json", ".webmanifest": "application/manifest+json", ".txt": "text/plain; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".webp": "image/webp", ".woff2": "font/woff2",
}

// packed are the endings of what gzip would not make smaller.
var packed = map[string]bool{".png": true, ".ico": true, ".webp": true, ".woff2": true}

// unbuilt is served where the dashboard was not built in.
const unbuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>forage</title>
<h1>forage is running</h1>
<p>The dashboard is not part of this program: it was built without it. <code>make dashboard build</code> builds both;
<code>forage status</code> says what this node does.</p>
<p lang="de">Das Dashboard ist nicht in diesem Programm: Es wurde ohne gebaut. <code>make dashboard build</code> baut
beide; <code>forage status</code> sagt, was dieser Knoten tut.</p>
</html>
`

// File is a file of the dashboard.
type File struct {
	body  []byte
	kind  string // content type
	cache string // Cache-Control
	tag   string // ETag, "" for none
	// zipped returns the body compressed, or nil where that saves nothing. It is done when first asked for.
	zipped func() []byte
}

func newFile(name string, body []byte) *File {
	ending := path.Ext(name)
	sum := sha256.Sum256(body)
	f := &File{body: body, kind: types[ending], tag: `"` + hex.EncodeToString(sum[:12]) + `"`,
		cache: "no-cache"}
	if f.kind == "" {
		f.kind = "application/octet-stream"
	}
	switch {
	case ending == ".html":
		f.cache, f.tag = "no-store", ""
	case strings.HasPrefix(name, assetsDir):
		f.cache = "public, max-age=31536000, immutable"
	}
	f.zipped = sync.OnceValue(func() []byte {
		if packed[ending] {
			return nil
		}
		return compress(body)
	})
	return f
}

// compress returns nil if the result would not be shorter.
func compress(body []byte) []byte {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil
	}
	if _, err := z.Write(body); err != nil || z.Close() != nil || b.Len() >= len(body) {
		return nil
	}
	return b.Bytes()
}

// ServeHTTP answers with the file, or with word that the caller has it.
func (f *File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", Policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", f.cache)
	h.Set("Vary", "Accept-Encoding")
	if f.tag != "" {
		h.Set("ETag", f.tag)
		if holds(r.Header.Get("If-None-Match"), f.tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	body := f.body
	if takesGzip(r.Header.Get("Accept-Encoding")) {
		if z := f.zipped(); z != nil {
			body = z
			h.Set("Content-Encoding", "gzip")
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Content-Type", f.kind)
	w.Write(body) // a caller who is gone does not get it
}

// holds reports whether an If-None-Match header names a tag (RFC 9110 §13.1.2).
func holds(header, tag string) bool {
	for item := range strings.SplitSeq(header, ",") {
		if item = strings.TrimSpace(item); item == "*" || strings.TrimPrefix(item, "W/") == tag {
			return true
		}
	}
	return false
}

// takesGzip reports whether an Accept-Encoding header accepts gzip by name.
func takesGzip(header string) bool {
	for item := range strings.SplitSeq(header, ",") {
		name, quality, _ := strings.Cut(item, ";")
		if !strings.EqualFold(strings.TrimSpace(name), "gzip") {
			continue
		}
		_, q, _ := strings.Cut(quality, "=")
		n, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
		return q == "" || err == nil && n > 0
	}
	return false
}

// Read returns the files of a dashboard by their paths. Without an index there is "/" alone, a page that says how to
// get one.
func Read(from fs.FS) (map[string]*File, error) {
	files := map[string]*File{"/": newFile(indexName, []byte(unbuilt))}
	if from == nil {
		return files, nil
	}
	if _, err := fs.Stat(from, indexName); err != nil {
		return files, nil
	}
	total := 0
	err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if hidden := name != "." && strings.HasPrefix(path.Base(name), "."); hidden && d.IsDir() {
			return fs.SkipDir
		} else if hidden || d.IsDir() {
			return nil
		}
		body, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		if total += len(body); total > maxBytes || len(files) > maxFiles {
			return fmt.Errorf("more than %d files or %d bytes", maxFiles, maxBytes)
		}
		at := "/" + name
		if name == indexName {
			at = "/"
		}
		files[at] = newFile(name, body)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read dashboard: %w", err)
	}
	return files, nil
}
