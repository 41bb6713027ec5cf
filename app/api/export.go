package api

import (
	"context"
	"io"
)

// Exporter is the part of a Node that writes out what was fetched.
type Exporter interface {
	// ExportName returns what the file of an export in a format is called. The
	// error is an *InputError if there is no such format or nothing to export.
	ExportName(ctx context.Context, format string) (string, error)
	// Export writes an export in a format, until ctx is done. It is called once
	// at a time; an error means that what was written is not whole.
	Export(ctx context.Context, format string, w io.Writer) error
}

// ExportTicket is the answer of POST /api/export.
type ExportTicket struct {
	// URL is where the export can be fetched once, within five minutes, without any header: a path on this server.
	URL string `json:"url"`
	// Name is what the file is called.
	Name string `json:"name"`
}

// ExportRequest is the body of POST /api/export.
type ExportRequest struct {
	Format string `json:"format"`
}
