// Package web holds the dashboard: what "make dashboard" builds into dist is part of the program.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Files returns the dashboard's files, index.html at the top. Where it was not built there is but a
// placeholder.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the name is a constant, and valid
	}
	return files
}
